"""Times in plain words, through the server and through the library."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

import pytest

from aforesaid import Memory
from aforesaid.domain.errors import InvalidInputError
from integration.test_mcp_server import call, run, world

__all__ = ["world"]


def iso(at: int) -> str:
    return datetime.fromtimestamp(at / 1000).astimezone().isoformat()


def day(ago: int) -> str:
    return (datetime.now() - timedelta(days=ago)).date().isoformat()  # noqa: DTZ005


LAST_WEEK = day(7)  #: the same weekday, a week ago


def test_a_question_that_says_when_is_answered_from_then_and_says_so(world) -> None:
    async def ask(session):
        for content, date in (
            ("The team moved the consumers to JetStream.", LAST_WEEK),
            ("The team renamed the billing service.", day(40)),
        ):
            await call(
                session,
                "store_memory",
                content=content,
                type="episodic",
                metadata={"event_date": date},
            )
        await call(session, "store_memory", content="The queue is NATS JetStream.")
        return [
            await call(session, "recall_memory", **values)
            for values in (
                {"query": "What did we discuss last week?"},
                {"query": "What did we store last week?"},
                {"query": "what did the team do with consumers last week"},
                {"query": "what was decided about the queue two years ago"},
                {"since": "last week", "until": "last week"},
                {"since": "the last 60 days", "type": "episodic"},
                {"until": "2001"},
                {"since": "the day of the dog"},
            )
        ]

    talk, stored, about, empty, listed, days, never, refused = run(world, ask)
    moved = "The team moved the consumers to JetStream."
    assert [moved] == [row["content"] for row in talk["results"]]
    assert talk["results"][0]["id"] == stored["results"][0]["id"]
    assert 'says "last week"' in talk["degradations"][-1]
    assert 'since="1970"' in talk["degradations"][-1]
    assert [moved] == [row["content"] for row in about["results"]]
    assert "The queue is NATS JetStream." == empty["results"][0]["content"]
    assert "searched all time" in empty["degradations"][-1]
    assert [moved] == [row["content"] for row in listed["results"]]
    assert 2 == days["total_matched"]
    assert 0 == never["total_matched"]
    assert "is not a date" in refused


def test_as_of_answers_what_was_believed_then_by_query_filter_and_history(tmp_path) -> None:
    with Memory(tmp_path / "m.db", project="acme") as memory:
        first = memory.store("The queue is RabbitMQ.", tags="queue").memory
        second = memory.store(
            "The queue is NATS JetStream.", tags="queue", supersedes=first.id
        ).memory
        gone = memory.store("The cache is Redis.").memory
        memory.forget(gone.id)

        def as_of(at: int, **asked) -> list[str]:
            return [
                result.memory.content for result in memory.recall(as_of=iso(at), **asked).results
            ]

        assert ["The queue is RabbitMQ."] == as_of(first.created_at, query="which queue?")
        assert ["The queue is RabbitMQ."] == as_of(
            first.created_at, query="NATS JetStream RabbitMQ"
        )
        assert ["The queue is NATS JetStream."] == as_of(second.created_at, tags="queue")
        both = as_of(second.created_at, tags="queue", include_history=True)
        assert {"The queue is RabbitMQ.", "The queue is NATS JetStream."} == set(both)
        results = memory.recall("which cache?", as_of=iso(gone.created_at)).results
        assert [(gone.id, "")] == [
            (item.memory.id, item.content) for item in results if not item.content
        ]
        assert [] == as_of(first.created_at - 1, tags="queue")


def test_dates_in_words_are_kept_as_the_dates_that_they_meant(tmp_path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        report = memory.store(
            "The demo went well.", type="episodic", metadata={"event_date": "yesterday"}
        ).memory
        lasting = memory.store("Ada is on leave.", valid_from="2026-11-01", valid_to="2026-11-30")

        assert {"event_date": day(1)} == report.metadata
        assert day(1) == time.strftime("%Y-%m-%d", time.gmtime(report.event_at / 1000))
        assert 30 * 86_400_000 - 1 == lasting.memory.valid_to - lasting.memory.valid_from


def test_an_event_date_that_is_none_is_left_out_and_the_memory_stored(tmp_path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        fine = {"event_date": "a fine day", "place": "Ghent"}
        result = memory.store("The demo went well.", type="episodic", metadata=fine)
        assert ("a fine day", {"place": "Ghent"}) == (
            result.given.unread_date,
            result.memory.metadata,
        )
        season = memory.store(
            "The office moved.", type="episodic", metadata={"event_date": "autumn 2022"}
        )
        assert {"event_date": "2022-09-01"} == season.memory.metadata
        year = memory.store("The firm began.", type="episodic", metadata={"event_date": 2011})
        assert "2011" == year.memory.metadata["event_date"]
        with pytest.raises(InvalidInputError, match="event_date"):
            memory.update(result.memory.id, metadata={"event_date": "a fine day"})


def test_times_in_the_wrong_order_are_refused(tmp_path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        leave = memory.store("Ada is on leave.", valid_from="2026-11-01").memory.id
        for asked in (
            lambda: memory.store("Bo is on leave.", valid_from="2026-12-01", valid_to="2026-11-30"),
            lambda: memory.update(leave, valid_from="2027", valid_to="2026"),
            lambda: memory.recall("leave", since="2026-11", until="2026-10"),
        ):
            with pytest.raises(InvalidInputError, match="is after"):
                asked()
        memory.update(leave, valid_to="2026-11-01")  # a day counts whole
        assert 1 == len(memory.recall(type="semantic", since="today", until="today").results)


def test_validity_is_changed_in_place_and_taken_away(world) -> None:
    async def change(session):
        stored = await call(session, "store_memory", content="Ada is on leave.")
        answer = await call(
            session, "update_memory", id=stored["id"], valid_to="2026-11-30T12:00:00Z"
        )
        seen = await call(session, "recall_memory", ids=stored["id"])
        await call(session, "update_memory", id=stored["id"], valid_to="none")
        return answer, seen, await call(session, "recall_memory", ids=stored["id"])

    answer, seen, after = run(world, change)
    assert ["valid_to"] == answer["changed"]
    assert "2026-11-30T12:00:00Z" == seen["results"][0]["valid_to"]
    assert "valid_to" not in after["results"][0]


def test_a_question_about_a_time_finds_what_was_true_then(tmp_path) -> None:
    graz, vienna = "The office was in Graz.", "The office is in Vienna."
    with Memory(tmp_path / "m.db", project="acme") as memory:
        memory.store(graz, valid_from="2020-01-01", valid_to="2022-12-31")
        memory.store(vienna, valid_from="2023-01-01")
        memory.store("The office has a dog.")

        def ask(query: str, **asked) -> tuple[list[str], str]:
            answer = memory.recall(query, **asked)
            contents = [result.memory.content for result in answer.results]
            return contents, " ".join(answer.degradations)

        for query, found in (
            ("where was the office in 2021", graz),
            ("where was the office in 2024", vienna),
        ):
            contents, note = ask(query)
            assert [found] == contents
            assert "no match" not in note
        assert [graz] == ask("office", since="2021", until="2021")[0]
        assert [graz] == ask("office", until="2022")[0]
        assert "no match" in ask("where was the office in 2019")[1]
        listed = memory.recall(since="2021", until="2021")
        assert () == listed.results  # nothing happened then, or was stored


def test_what_is_not_yet_true_is_marked_and_ranks_after_what_is(tmp_path) -> None:
    with Memory(tmp_path / "m.db", project="acme") as memory:
        memory.store("The VPN gateway is vpn1.acme.io.")
        later = memory.store("The VPN gateway is vpn2.acme.io.", valid_from=day(-30))
        results = memory.recall("what is the VPN gateway").results

        assert ["vpn1", "vpn2"] == [result.memory.content[19:23] for result in results]
        assert [False, True] == [result.to_come for result in results]
        assert [*(result.relevance for result in results)] == sorted(
            (result.relevance for result in results), reverse=True
        )
        context = memory.context()
        assert context.index("vpn1") < context.index("vpn2")
        assert " · from " in context
        assert later.conflicts


def test_what_is_not_yet_true_cannot_replace_what_is(world) -> None:
    async def act(session):
        now = await call(session, "store_memory", content="The VPN gateway is vpn1.acme.io.")
        then = await call(
            session, "store_memory", content="The VPN gateway is vpn2.acme.io.", valid_from=day(-30)
        )
        refused = [
            await call(
                session, "link_memories", source_id=then["id"], kind="supersedes",
                target_id=now["id"],
            ),
            await call(
                session, "store_memory", content="The VPN gateway is vpn3.", valid_from=day(-30),
                supersedes=[now["id"]],
            ),
            await call(
                session, "update_memory", id=now["id"], content="The gateway is vpn4.",
                valid_from=day(-30),
            ),
        ]  # fmt: skip
        corrected = await call(
            session, "update_memory", id=then["id"], content="The VPN gateway is vpn2.acme.dev."
        )
        found = await call(session, "recall_memory", query="what is the VPN gateway")
        return now, then, refused, corrected, found

    now, then, refused, corrected, found = run(world, act)
    advice = f'update_memory(id="{now["id"]}", valid_to="{day(-29)}")'
    assert advice == then["conflicts"][0]["choices"]["if the new one replaces it"]
    for refusal in refused:
        assert f"cannot replace [{now['id']}] now" in refusal
        assert advice in refusal
    starts = [(result["id"], result.get("starts")) for result in found["results"]]
    assert [(now["id"], None), (corrected["id"], day(-30))] == starts
