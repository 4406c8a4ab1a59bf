"""What a program stores of other conversations: sessions, earlier times, moves between projects."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from aforesaid import Memory
from aforesaid.domain.errors import InvalidInputError
from aforesaid.entrypoints.api.arguments import read_arguments
from aforesaid.entrypoints.cli import main

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)
NOON_MS = 1_714_737_600_000


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "m.db", project="acme") as opened:
        yield opened


@pytest.mark.parametrize(
    "created_at",
    [
        NOON,
        NOON.astimezone(timezone(timedelta(hours=9))),
        "2024-05-03T12:00:00Z",
        "2024-05-03T14:00:00+02:00",
        NOON_MS,
    ],
)
def test_a_statement_has_the_time_and_the_session_that_it_was_given(memory, created_at) -> None:
    stored = memory.store("The queue is NATS.", session=" chat 7 ", created_at=created_at).memory

    assert (NOON_MS, "chat 7") == (stored.created_at, stored.session)
    assert [stored.id] == [
        result.memory.id for result in memory.recall(since="2024-05", until="2024-05").results
    ]


def test_a_date_without_a_zone_is_local_and_means_its_start(memory) -> None:
    stored = memory.store("The queue is NATS.", created_at=date(2024, 5, 3)).memory
    other = memory.store("Ada likes tea.", created_at=datetime(2024, 5, 3)).memory  # noqa: DTZ001

    assert datetime(2024, 5, 3).astimezone().timestamp() * 1000 == stored.created_at
    assert stored.created_at == other.created_at


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"created_at": "2999"}, "created_at '2999' is in the future"),
        ({"created_at": datetime(2999, 1, 1, tzinfo=UTC)}, "created_at .* is in the future"),
        ({"created_at": "a fine day"}, "created_at 'a fine day' is not a date"),
        ({"created_at": "1901"}, "created_at '1901' is before 1970"),
        ({"created_at": NOON_MS // 1000}, "created_at 1714737600 is too small"),
        ({"created_at": True}, "created_at must be a date"),
        ({"session": 7}, "session must be a name"),
        ({"session": "  "}, "session must be a name"),
        ({"session": "s" * 201}, "session has 201 characters"),
    ],
)
def test_an_invalid_time_or_session_is_refused_by_name(memory, fields, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        memory.store_many([{"content": "The cache is Redis."}, {"content": "x", **fields}])
    assert 0 == memory.stats()["active"]


def test_memories_of_a_session_support_each_other_in_recall(tmp_path) -> None:
    def rank(session: str | None) -> int:
        with Memory(tmp_path / f"{session}.db", project="acme") as memory:
            said = [
                "Ann: Did Ada choose where the team goes for the retreat?",
                "Ben: Yes, a hut near Innsbruck.",
            ]
            rows = [{"content": text, "session": session} for text in said]
            noise = [
                {"content": f"Cid: The team retreat budget of department {number} is late."}
                for number in range(8)
            ]
            memory.store_many(noise[:4] + rows + noise[4:])
            results = memory.recall(
                "where does the team go for the retreat that Ada chose", max_results=10,
                min_relevance=0,
            ).results  # fmt: skip
            return [result.memory.content for result in results].index(said[1])

    assert rank("chat") < rank(None)


OLD = "We deploy with Jenkins."
NEW = "We no longer deploy with Jenkins; we deploy with GitHub Actions."


@pytest.mark.parametrize("stored_first", [OLD, NEW])
def test_the_newer_statement_wins_whichever_was_stored_first(memory, stored_first) -> None:
    year = {OLD: "2021", NEW: "2025"}
    for content in sorted(year, key=lambda content: content != stored_first):
        memory.store(content, created_at=year[content])

    assert [NEW] == [hit.memory.content for hit in memory.recall("deploy with Jenkins").results]


def test_an_older_announcement_of_a_change_outdates_nothing_newer(memory) -> None:
    memory.store(OLD, created_at="2025")
    late = memory.store(NEW, created_at="2021")

    assert ((), ()) == (late.superseded, late.conflicts)
    assert OLD == memory.recall("deploy with Jenkins").results[0].memory.content


def test_a_known_statement_keeps_its_time_and_gets_a_session_if_it_has_none(memory) -> None:
    first = memory.store("The queue is NATS.", created_at="2025-06-01").memory
    again = memory.store("The queue is NATS.", created_at="2021-01-01", session="a")
    third = memory.store("The queue is NATS.", session="b")

    assert again.deduplicated
    assert (first.created_at, "a") == (again.memory.created_at, again.memory.session)
    assert "a" == third.memory.session
    assert first.last_reinforced_at == again.memory.last_reinforced_at


def test_an_event_that_happened_again_another_day_is_another_event(memory) -> None:
    for created_at in ("2024-01-08", "2024-01-15", "2024-01-15"):
        memory.store("The release went out.", type="episodic", created_at=created_at)

    assert 2 == memory.recall(type="episodic").total_matched


def test_an_update_moves_a_memory_and_sets_its_session(memory) -> None:
    key = memory.store("The port is 5433.").memory.id
    everywhere = memory.store("Ada likes tea.", scope="global").memory.id
    task = memory.store("Answer 409.", task_id="retries").memory.id

    assert "chat" == memory.update(key, session="chat").memory.session
    version = memory.update(key, content="The port is 5434.").memory
    assert "chat" == version.session
    for moved in (version.id, everywhere):
        memory.update(moved, project="shop")
    listed = memory.recall(project="shop", scope="project").results
    assert {"The port is 5434.", "Ada likes tea."} == {hit.memory.content for hit in listed}
    assert 0 == memory.recall(scope="project", type="semantic").total_matched
    with pytest.raises(InvalidInputError, match="project: the memory belongs to a task"):
        memory.update(task, project="shop")
    with pytest.raises(InvalidInputError, match="project cannot change together with content"):
        memory.update(memory.store("x is y").memory.id, project="shop", content="x is z")


def test_json_lines_and_markdown_keep_time_and_session(memory, tmp_path) -> None:
    fields = {"session": "chat", "created_at": "2024-05-03T12:00:00Z"}
    lines = [
        {"content": "The queue is NATS.", **fields},
        {"content": "The cache is Redis.", "created_at": "2999-01-01"},
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    imported = memory.import_file(tmp_path / "in.jsonl").imported
    memory.export_markdown(tmp_path / "notes")

    assert (1, 2) == (imported.stored, imported.refused[0][0])
    assert "created_at" in imported.refused[0][1]
    with Memory(tmp_path / "other.db", project="acme") as other:
        other.import_file(tmp_path / "notes")
        for copy in (memory, other):
            (hit,) = copy.recall("queue").results
            assert ("chat", NOON_MS) == (hit.memory.session, hit.memory.created_at)


def test_a_model_may_not_set_them(memory) -> None:
    for name in ("session", "created_at"):
        with pytest.raises(InvalidInputError, match=f"no parameter '{name}'"):
            read_arguments("store_memory", {"content": "x", name: "2024"})


def test_the_shell_takes_them_too(tmp_path, monkeypatch, capsys) -> None:
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFORESAID_CWD", str(tmp_path))
    said = ["remember", "The queue is NATS.", "--session", "chat"]

    assert 0 == main([*said, "--created-at", "2024-05-03T12:00:00Z", "--json"])
    key = json.loads(capsys.readouterr().out)["id"]
    assert 0 == main(["inspect", key, "--json"])
    seen = json.loads(capsys.readouterr().out)
    assert ("2024-05-03", "chat") == (seen["created_at"][:10], seen["session"]["id"])
    assert 0 != main(["update", key, "--project", "shop"])  # a mistyped name creates none
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "The shop opens at nine.", "project": "shop"}\n')
    assert 0 == main(["import", str(lines)])
    assert 0 == main(["update", key, "--project", "shop"])
    capsys.readouterr()
    assert 0 == main(["list", "--project", "shop", "--json"])
    assert key in [row["id"] for row in json.loads(capsys.readouterr().out)["results"]]
    assert 0 != main([*said, "--created-at", "2999"])
    assert "--created-at '2999' is in the future" in capsys.readouterr().err
