"""Maintenance at a shell: tending, runs, offers, cleaning up, and taking back."""

from __future__ import annotations

import json

import pytest

from aforesaid.domain.maintenance.run import PHASES, Run
from aforesaid.domain.model.suggestion import Suggestion
from factories import NOON, open_sqlite


def ask(shell, *arguments):
    """Return a command's answer as a program reads it."""
    done = shell(*arguments, "--json")
    assert "" == done.stderr
    return json.loads(done.stdout)


@pytest.fixture(autouse=True)
def database(shell, tmp_path):
    """Return the path of the store, which the commands use."""
    shell.environment["AFORESAID_DB"] = str(tmp_path / "m.db")
    return shell.environment["AFORESAID_DB"]


def test_tending_is_rehearsed_done_listed_and_undone(shell):
    for when in ("every night", "on each Sunday", "before a release"):
        ask(shell, "remember", f"Backups of the database run {when}.", "--scope", "project")
    would = ask(shell, "tend", "--dry-run")
    assert (True, False) == (would["dry_run"], "run" in would)
    done = ask(shell, "tend")
    assert PHASES == tuple(phase["phase"] for phase in done["phases"])
    assert {"filed": 1} == next(
        {"filed": phase["did"]["filed"]} for phase in done["phases"] if phase["phase"] == "topics"
    )
    (run,) = ask(shell, "runs")["runs"]
    assert (1, "command", "done") == (run["run"], run["by"], run["state"])
    assert "filed" in shell("runs", "1").stdout
    assert {"run": 1, "steps": 1, "left": []} == ask(shell, "undo", "1")
    assert "undone" in shell("runs").stdout
    again = shell("undo", "run:1")
    assert (4, True) == (again.returncode, "already undone" in again.stderr)
    assert 3 == shell("undo", "run:9").returncode
    assert ["compaction"] == [phase["phase"] for phase in ask(shell, "compact")["phases"]]
    only = ask(shell, "tend", "--phase", "archive", "--phase", "links", "--since", "yesterday")
    assert ["links", "archive"] == [phase["phase"] for phase in only["phases"]]


def test_what_a_run_in_the_background_left_undone_is_listed_with_it(shell, database):
    ask(shell, "remember", "The queue is NATS.")
    text = "links: stopped by OSError (see the log); the next run retries it"
    store = open_sqlite(database)
    with store.transaction():
        store.runs.start(Run(started_at=NOON, by="itself", notes=(text,)))
    store.close()

    assert [[text]] == [run["notes"] for run in ask(shell, "runs")["runs"]]
    assert [text] == ask(shell, "runs", "1")["notes"]
    assert text in shell("runs").stdout
    assert text in shell("runs", "1").stdout


def test_cleanup_counts_and_erases_only_when_it_is_meant(shell, database):
    ask(shell, "remember", "Perhaps the port moved.", "--confidence", "0.01")
    young = ask(shell, "cleanup", "--dry-run")
    assert (0, 0) == (young["found"], young["erased"])
    shell.environment["AFORESAID_MAINTENANCE_CLEANUP_DAYS"] = "1"
    store = open_sqlite(database)
    with store.transaction():
        store.memories.change(1, created_at=NOON, last_reinforced_at=NOON)
    store.close()
    refused = shell("cleanup")
    assert (2, True) == (refused.returncode, "--yes" in refused.stderr)
    assert "1 memory to erase: 1 semantic; 1 in acme/payments." in refused.stdout
    assert 1 == ask(shell, "cleanup", "--dry-run")["found"]
    assert 1 == ask(shell, "cleanup", "--yes")["erased"]
    assert 0 == ask(shell, "stats")["total"]


def test_offers_are_listed_and_answered(shell, database):
    kept = ask(shell, "remember", "Timeouts are milliseconds.")
    assert "No suggestions here." in shell("offers").stdout
    store = open_sqlite(database)
    (memory,) = store.memories.find(kept["id"])
    with store.transaction():
        for name in ("a", "b"):
            store.suggestions.add(
                Suggestion(kind="global", name=name, project=memory.project,
                      memories=(memory.key,), created_at=NOON)
            )  # fmt: skip
    store.close()
    assert [2, 1] == [offer["offer"] for offer in ask(shell, "offers")["offers"]]
    assert 0 == shell("offers", "decline", "1").returncode
    assert 0 == shell("offers", "accept", "2").returncode
    assert 4 == shell("offers", "accept", "2").returncode
    assert 3 == shell("offers", "accept", "7").returncode
    assert "global" == ask(shell, "inspect", kept["id"])["scope"]
