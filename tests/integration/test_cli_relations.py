"""``aforesaid link`` and ``aforesaid inspect`` at a shell, over a store in a file."""

from __future__ import annotations

import json
import os

import pytest

from aforesaid.domain.model.memory import CallContext
from aforesaid.domain.model.statement import Statement
from aforesaid.entrypoints.cli import main
from aforesaid.wiring.container import ServiceContainer


@pytest.fixture
def ids(tmp_path, monkeypatch) -> list[str]:
    """Two memories of a user in a folder that is nobody's project."""
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFORESAID_CWD", str(tmp_path))
    core = ServiceContainer(os.environ)
    context = CallContext(project=core.projects.default())
    stored = [
        core.writer.store(Statement(content=content), context)
        for content in ("Hooks write to one file.", "SQLite runs in WAL mode.")
    ]
    core.close()
    return [memory.memory.id for memory in stored if memory is not None]


def test_a_link_is_made_shown_and_taken_back(ids, capsys) -> None:
    assert 0 == main(["link", ids[0], "depends_on", ids[1]])
    assert capsys.readouterr().out.startswith("linked: ")
    assert 0 == main(["inspect", ids[1], "--json"])
    (relation,) = json.loads(capsys.readouterr().out)["relations"]
    assert ("depends_on", "in") == (relation["kind"], relation["direction"])
    assert 0 == main(["link", ids[0], "depends_on", ids[1], "--remove"])
    assert capsys.readouterr().out.startswith("removed: ")
    assert 0 == main(["link", ids[0], "depends_on", ids[1], "--remove"])
    assert capsys.readouterr().out.startswith("unchanged, no such link: ")


def test_inspecting_shows_a_person_every_field_on_lines(ids, capsys) -> None:
    assert 0 == main(["inspect", ids[0], "--log"])
    fields = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert "Hooks write to one file." == fields["Content"]
    assert ("in force", "1") == (fields["State"], fields["Log"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["inspect", "zzzz"], 3), (["link", "zzzz", "supports", "zzzz"], 3), (["inspect", "?"], 2)],
)
def test_what_is_not_there_or_no_id_ends_with_its_code(ids, capsys, arguments, code) -> None:
    assert code == main(arguments)
    assert "zzzz" in capsys.readouterr().err or code == 2


def test_a_statement_brings_its_relations_from_a_shell(ids, capsys) -> None:
    values = ["--relations", f"depends_on:{ids[0]}"]
    values += ["--relations", json.dumps({"kind": "supports", "target_id": ids[1]})]
    assert 0 == main(["remember", "Writers wait for one another.", *values, "--json"])
    stored = json.loads(capsys.readouterr().out)
    assert 0 == main(["inspect", stored["id"], "--json"])
    relations = json.loads(capsys.readouterr().out)["relations"]
    assert {"depends_on", "supports"} == {relation["kind"] for relation in relations}
