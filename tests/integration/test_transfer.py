"""Markdown that people edit, conflicts that an import meets, and files that are bombs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aforesaid import Memory
from aforesaid.adapters.markdown import read_path, write_project
from aforesaid.domain.errors import CorruptError, InvalidInputError
from aforesaid.domain.model.export_record import Record
from aforesaid.services.transfer.export import LINE_BYTES, import_export
from factories import open_sqlite
from git_folders import make_repository
from interfaces import LAUNCHER, write


def told(shell, *arguments: str) -> dict:
    done = shell(*arguments, "--json")
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def contents(shell) -> list[str]:
    rows = told(shell, "list", "--all-projects", "--no-summary-only")["results"]
    return sorted(row["content"] for row in rows)


@pytest.fixture
def exported(shell, tmp_path) -> Path:
    """Return a folder with the Markdown of two projects and what is global."""
    told(shell, "remember", "The queue is NATS.", "--topic", "infra/queue", "--tag", "q")
    told(shell, "remember", "The user likes tabs.", "--scope", "global")
    line = str(tmp_path / "line.jsonl")
    write(line, '{"content": "Ledger rows are immutable.", "project": "acme/ledger/../../x"}\n')
    told(shell, "import", line)
    folder = tmp_path / "out"
    done = told(shell, "export", str(folder), "--format", "markdown")
    assert {"global.md": 1, "acme-payments.md": 1, "acme-ledger-x.md": 1} == done["files"]
    return folder


def edit(path: Path, old: str, new: str, *, later: int = 60) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    at = time.time() + later
    os.utime(path, (at, at))


def test_a_file_for_each_project_is_readable_private_and_comes_in_again_once(
    shell, exported
) -> None:
    text = (exported / "acme-payments.md").read_text()
    assert "\n# acme/payments\n\n## infra/queue\n" in text
    assert "\nThe queue is NATS.\n" in text
    assert 0o600 == (exported / "acme-payments.md").stat().st_mode & 0o777
    assert 3 == told(shell, "import", str(exported))["known"]
    before = contents(shell)
    told(shell, "reset", "--yes")
    assert 3 == told(shell, "import", str(exported))["stored"]
    assert 3 == told(shell, "import", str(exported))["known"]
    assert before == contents(shell)
    results = told(shell, "search", "queue")["results"][0]
    assert ("infra/queue", ["q"], "user") == tuple(
        results[name] for name in ("topic", "tags", "provenance")
    )


@pytest.mark.parametrize(
    ("policy", "count", "expected"),
    [
        ("newer", "replaced", ["The queue is Kafka."]),
        ("skip", "kept", ["The queue is NATS."]),
        ("both", "both", ["The queue is Kafka.", "The queue is NATS."]),
    ],
)
def test_a_text_that_was_edited_stands_as_the_policy_says(
    shell, exported, policy, count, expected
) -> None:
    edit(exported / "acme-payments.md", "The queue is NATS.", "The queue is Kafka.")
    done = told(shell, "import", str(exported), "--on-conflict", policy)
    assert (1, 2) == (done[count], done["known"])
    again = told(shell, "import", str(exported), "--on-conflict", policy)
    assert (1 if policy == "skip" else 0) == again[count]
    assert expected == [content for content in contents(shell) if "queue" in content]


def test_what_changed_here_since_stands_against_an_older_file(shell, exported) -> None:
    item = told(shell, "search", "queue")["results"][0]["id"]
    told(shell, "update", item, "--content", "The queue is Redpanda.")
    assert 3 == told(shell, "import", str(exported))["known"]
    edit(exported / "acme-payments.md", "The queue is NATS.", "The queue is Kafka.", later=-86_400)
    assert 1 == told(shell, "import", str(exported))["kept"]
    assert ["The queue is Redpanda."] == [
        content for content in contents(shell) if "queue" in content
    ]


def test_what_was_forgotten_or_erased_here_stays_away(shell, exported) -> None:
    for query, how in (("queue", ()), ("tabs", ("--erase", "--yes"))):
        item = told(shell, "search", query, "--all-projects")["results"][0]["id"]
        told(shell, "forget", item, *how)
    edit(exported / "acme-payments.md", "The queue is NATS.", "The queue is Kafka.")
    done = told(shell, "import", str(exported))
    assert (2, 1, 0) == (done["let_go"], done["known"], done["stored"])


def test_a_person_writes_a_memory_into_the_file(shell, exported) -> None:
    path = exported / "global.md"
    path.write_text(
        path.read_text() + "\n<!-- memory {} -->\nWrites Oxford commas.\n<!-- /memory -->\n"
    )
    assert 1 == told(shell, "import", str(path))["stored"]
    assert 0 == told(shell, "import", str(path))["stored"]
    assert "Writes Oxford commas." in contents(shell)


def test_links_that_a_person_writes_into_the_file_are_kinds_or_nothing(shell, exported) -> None:
    first, second = (
        told(shell, "search", query, "--all-projects")["results"][0]["id"]
        for query in ("queue", "tabs")
    )
    target = told(shell, "inspect", second)["uuid"]
    kinds = ("Works At", "supersedes", "no kind at all, but a sentence", "follows")
    links = json.dumps([[kind, target] for kind in kinds])
    edit(exported / "acme-payments.md", '"tags":["q"]', f'"tags":["q"],"links":{links}')
    assert 2 == told(shell, "import", str(exported))["linked"]
    results = told(shell, "inspect", first)["relations"]
    assert ["follows", "works_at"] == sorted(link["kind"] for link in results)


def test_an_export_of_another_store_is_added_by_id(shell, tmp_path) -> None:
    other = str(tmp_path / "other.db")
    with Memory(other, project="acme/payments") as memory:
        queue = memory.store("The queue is NATS.")
        memory.store(
            "NATS keeps seven days.", relations=[{"kind": "supports", "target_id": queue.memory.id}]
        )
        memory.forget(memory.store("Not this one.").memory.id)
        write(str(tmp_path / "x.jsonl"), "".join(memory.export()))
    file = str(tmp_path / "x.jsonl")
    told(shell, "remember", "We deploy on Fridays.")
    refused = shell("import", file)
    assert 4 == refused.returncode
    assert "--on-conflict" in refused.stderr
    done = told(shell, "import", file, "--on-conflict", "skip")
    assert (2, 1) == (done["stored"], done["linked"])
    assert 2 == told(shell, "import", file, "--on-conflict", "skip")["known"]
    assert ["NATS keeps seven days.", "The queue is NATS.", "We deploy on Fridays."] == contents(
        shell
    )


def test_what_the_file_knows_of_new_memories_comes_along_and_the_rest_is_counted(
    shell, tmp_path
) -> None:
    root = make_repository(tmp_path / "there", remote="git@host.example:acme/payments.git")
    (root / "Makefile").write_text("freeze:\n")
    with Memory(str(tmp_path / "other.db"), folder=str(root)) as memory:
        first = memory.store("The queue is RabbitMQ.", entity="queue", topic="infra/queue")
        second = memory.update(first.memory.id, content="The queue is NATS.", pinned=True)
        queue = second.memory
        memory.store("It keeps seven days.", parent_id=queue.id, topic="infra/queue")
        memory.store("The queue carries payments.", topic="infra", depth=0)
        memory.store("Release with make freeze.", anchors=["Makefile"])
        memory.store(
            "Retries are idempotent.", task_id="retries", status="blocked", priority="high"
        )
        memory.store(
            "NATS is the queue's name.", type="entity",
            metadata={"entity_type": "system", "name": "queue", "aliases": ["jetstream"]},
        )  # fmt: skip
        memory.recall("which queue")
        memory.forget(memory.store("Not this one.").memory.id)
        write(str(tmp_path / "x.jsonl"), "".join(memory.export()))
    told(shell, "remember", "We deploy on Fridays.")
    file = str(tmp_path / "x.jsonl")

    done = told(shell, "import", file, "--on-conflict", "newer")
    assert {"versions": 1, "anchors": 1, "details": 1, "tasks": 1, "overviews": 1} == {
        name: done["brought"][name]
        for name in ("versions", "anchors", "details", "tasks", "overviews")
    }
    assert {"forgotten": 1} == done["left_out"]
    here = next(
        row for row in told(shell, "list", "--no-summary-only")["results"]
        if row["content"] == "The queue is NATS."
    )  # fmt: skip
    inspected = told(shell, "inspect", here["id"])
    assert ["The queue is RabbitMQ.", "The queue is NATS."] == [
        row["preview"] for row in inspected["history"]
    ]
    assert (True, 1) == (inspected["kept"]["pinned"], inspected["kept"]["recalled_times"])
    assert done["brought"]["uses"] > 0
    assert first.memory.id == told(shell, "inspect", first.memory.id)["uuid"]
    assert [("retries", "blocked", "high")] == [
        (task["task_id"], task["status"], task["priority"])
        for task in told(shell, "tasks")["tasks"]
    ]
    assert "jetstream" in told(shell, "entities", "search", "jetstream")["results"][0]["aliases"]
    again = told(shell, "import", file, "--on-conflict", "newer")
    assert 0 == sum(again["brought"].values()) == again["stored"]
    output = shell("import", file, "--on-conflict", "skip").stdout
    assert "not imported: 1 forgotten memory" in " ".join(output.split())


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            lambda text: text.replace('{"form":1', '{"form":9'),
            "has format version 9, but this Aforesaid reads version 1",
        ),
        (lambda text: text.replace("<!-- /memory -->", ""), "no closing"),
        (lambda text: text.replace('"q"]', '"q"'), "expected a comment"),
        (lambda text: text.replace("NATS", "x" * 500_000), "longer than"),
        (lambda text: text.replace("NATS", "y\n" * 90_000), "no closing"),
        (lambda text: text.replace('"q"]', "[" * 50_000), "expected a comment"),
    ],
)
def test_markdown_that_cannot_be_is_refused_with_its_line(tmp_path, damage, words) -> None:
    path = tmp_path / "payments.md"
    item = Record(id="1", content="The queue is NATS.", tags=("q",))
    write_project(str(path), "acme/payments", "git:h/acme/payments", [("infra", item)])
    path.write_text(damage(path.read_text()))
    with pytest.raises(InvalidInputError, match=words) as refused:
        list(read_path(str(path)))
    assert str(path) in str(refused.value)


def test_nothing_of_others_is_overwritten(shell, exported) -> None:
    note = exported / "global.md"
    note.write_text("mine")
    refused = shell("export", str(exported), "--format", "markdown")
    assert (4, "mine") == (refused.returncode, note.read_text())
    assert 2 == shell("import", str(note)).returncode


def test_an_export_that_fails_leaves_no_half(tmp_path) -> None:
    path = str(tmp_path / "x.md")

    def broken():
        yield "topic", Record(content="one")
        raise CorruptError("damaged")

    with pytest.raises(CorruptError):
        write_project(path, "x", None, broken())
    assert [] == os.listdir(tmp_path)


def test_an_export_to_a_file_is_private_and_whole(shell, tmp_path) -> None:
    told(shell, "remember", "The queue is NATS.")
    file = tmp_path / "deep" / "x.jsonl"
    file.parent.mkdir()
    done = told(shell, "export", str(file))
    assert 1 == done["memories"]
    assert 0o600 == file.stat().st_mode & 0o777
    assert shell("export").stdout == file.read_text()
    assert ["x.jsonl"] == os.listdir(file.parent)


# -- bombs


@pytest.mark.parametrize(
    "row",
    [
        '{"table":"memories","row":{"content":' + "[" * 100_000 + "}}",
        '{"table":"memories","row":{"content":["a"]}}',
        '{"table":"memories","row":{"metadata":"' + "[" * 100_000 + '"}}',
        '{"table":"memories","row":{"content":"' + "x" * (LINE_BYTES + 1) + '"}}',
        '{"table":"memories","row":{"key":' + "9" * 100_000 + "}}",
    ],
)  # fmt: skip
def test_a_row_that_is_a_bomb_is_refused_and_nothing_is_stored(tmp_path, row) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with pytest.raises(CorruptError, match="nothing was stored"):
        import_export(store, iter(['{"aforesaid_export":1}\n', row + "\n"]))
    assert 0 == store.dump.count_memories()
    store.close()


BOMB = """
import resource, subprocess, sys
head = sys.argv[3].encode() + b"\\n"
command = [sys.argv[1], "import", "-"]
given = subprocess.Popen(
    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
)
try:
    given.stdin.write(head + b'{"table":"memories","row":{"content":"')
    for _ in range(int(sys.argv[2])):
        given.stdin.write(b"x" * 1_000_000)
    given.stdin.close()
except BrokenPipeError:
    pass
error = given.stderr.read().decode()
code = given.wait()
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000, error)
"""


@pytest.mark.parametrize("head", ['{"aforesaid_export":1}', '{"content":"a line"}'])
def test_a_line_without_an_end_is_not_taken_into_memory(shell, head) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BOMB, LAUNCHER, "300", head],
        env=shell.environment, cwd=shell.folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, megabytes, message = done.stdout.split(maxsplit=2)
    assert ("6" if "export" in head else "1") == code
    assert "longer than" in message
    assert int(megabytes) < 280
