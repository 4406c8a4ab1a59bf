"""Bytes that the disk altered: seen by the deep checks, never answered, never a crash.

damage.py does the damage and uses the store; a longer run: ``python tests/fault/damage.py``.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import apsw
import pytest

from aforesaid.domain.errors import CorruptError
from aforesaid.domain.model.memory import CallContext
from aforesaid.domain.model.statement import Statement
from aforesaid.services.recall.query import DAMAGED, RecallQuery
from factories import Services, open_sqlite
from fault.oracle import GLOBAL
from interfaces import ROOT

WORDS = [
    "queue",
    "port",
    "retry",
    "cache",
    "index",
    "shard",
    "token",
    "broker",
    "ledger",
    "schema",
    "deploy",
    "branch",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> str:
    """Return the path of a store with 60 memories, closed."""
    path = str(tmp_path_factory.mktemp("made") / "m.db")
    services = Services(open_sqlite(path))
    context = CallContext(project=services.projects.default())
    chance = random.Random(3)
    for number in range(60):
        text = " ".join(chance.choices(WORDS, k=chance.randrange(8, 60)))
        services.remember.store(Statement(content=f"Rule {number}: {text}."), context)
    services.store.close()
    return path


@pytest.mark.parametrize("times", [15, pytest.param(120, marks=pytest.mark.nightly)])
def test_damage_anywhere_is_seen_never_answered_and_never_a_crash(tmp_path, made, times) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    done = subprocess.run(
        [sys.executable, os.path.join(ROOT, "tests", "fault", "damage.py"), made, str(tmp_path),
         str(seed), str(times)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(
            os.path.join(ROOT, name) for name in ("server", "tests", ""))},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip

    assert (0, "") == (done.returncode, done.stderr)
    report = [json.loads(line) for line in done.stdout.splitlines()]
    assert times == len(report)
    assert [] == [text for row in report for text in row["wrong"]]
    assert [] == [error for row in report for error in row["failed"]]
    assert [] == [row for row in report if row["harmed"] and not row["seen"]]
    assert any(row["harmed"] for row in report)


def alter(path: str, old: bytes, new: bytes) -> None:
    """Overwrite bytes of a closed file, wherever they stand."""
    connection = apsw.Connection(path)
    connection.pragma("wal_checkpoint", "TRUNCATE")
    connection.close()
    with open(path, "rb") as file:
        content = file.read()
    assert old in content
    with open(path, "wb") as file:
        file.write(content.replace(old, new))


def test_a_text_that_was_altered_by_a_letter_is_named_instead_of_told(tmp_path) -> None:
    path = str(tmp_path / "m.db")
    services = Services(open_sqlite(path))
    context = CallContext(project=services.projects.default())
    kept = services.remember.store(Statement(content="The port is 5432 here."), context).memory
    services.store.close()
    alter(path, b"The port is 5432 here.", b"The port is 5433 here.")

    services = Services(open_sqlite(path))
    for question in (
        RecallQuery(query="port"),
        RecallQuery(ids=(kept.id,)),
        RecallQuery(filters=RecallQuery().filters.replace(types=("semantic",))),
    ):
        [result] = services.recall.recall(question, GLOBAL).results
        assert DAMAGED == result.content
    services.store.close()


def test_a_text_that_is_none_any_more_says_what_to_do(tmp_path) -> None:
    path = str(tmp_path / "m.db")
    services = Services(open_sqlite(path))
    context = CallContext(project=services.projects.default())
    kept = services.remember.store(Statement(content="The port is 5432 here."), context).memory
    services.store.close()
    alter(path, b"The port is 5432 here.", b"The port is \xff\xff\xff\xff here.")

    services = Services(open_sqlite(path))
    with pytest.raises(CorruptError, match="doctor --deep"):
        services.recall.recall(RecallQuery(query="port"), GLOBAL)
    [message] = services.recall.recall(RecallQuery(ids=(kept.id,)), GLOBAL).not_found
    assert "doctor --deep" in message
    assert [kept.id] == services.store.checks().altered_texts()
    services.store.close()
