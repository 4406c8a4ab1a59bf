"""Cues with the shipped model: found in other words, recognised as the same, not repeated."""

from __future__ import annotations

import json

import pytest

from aforesaid.domain.model.statement import Statement
from integration.test_library import memory, user
from integration.test_mcp_server import call, run, world
from integration.test_prompts import World

__all__ = ["memory", "user", "world"]

TIMEOUT = "ACQUIRER_TIMEOUT_S is 20, since Brassway gives up at 30."
CUES = ["card payments hang", "wait longer for a slow bank", "customers see a spinner at checkout"]
ASKED = "customers see a spinner when they pay"


def test_what_nobody_says_in_its_own_words_is_recalled_by_its_cues(memory) -> None:
    other = memory.store("Customers see the logo of their card at checkout.").memory
    stored = memory.store(TIMEOUT).memory
    before = {result.memory.id: result.relevance for result in memory.recall(ASKED).results}
    assert before.get(stored.id, 0.0) < 0.05 < before[other.id]

    memory.update(stored.id, cues=CUES)
    after = {result.memory.id: result.relevance for result in memory.recall(ASKED).results}
    assert after.get(other.id, 0.0) < 0.2 < after[stored.id]


def test_the_same_with_other_cues_is_the_same_and_what_nearly_says_it_is_named(memory) -> None:
    stored = memory.store(TIMEOUT, cues=CUES).memory
    again = memory.store(
        "ACQUIRER_TIMEOUT_S is 20 since Brassway gives up at 30",
        cues=["3-D Secure takes for ever", "raise the limit for the acquirer"],
    )
    other = memory.store(
        TIMEOUT.replace("20", "25"),
        cues=["card payments hang", "raise the time we wait for the bank"],
    )

    assert (True, stored.id, 5) == (
        again.deduplicated, again.memory.id, len(again.memory.cues)
    )  # fmt: skip
    assert [stored.id] == [conflict.memory.id for conflict in other.conflicts]


def test_cues_that_come_with_the_same_again_are_met_at_once(memory) -> None:
    stored = memory.store(TIMEOUT).memory
    before = memory._core.store.maintenance.first_vectors([stored.key])
    again = memory.store(TIMEOUT, cues=CUES)

    assert (True, tuple(CUES)) == (again.deduplicated, again.memory.cues)
    assert before != memory._core.store.maintenance.first_vectors([stored.key])
    assert 0 == memory._core.writer.embed_missing(9), "nothing waits"


def test_the_agent_gives_cues_and_is_not_told_them_again(world) -> None:
    async def live(session):
        stored = await call(session, "store_memory", content=TIMEOUT, cues=CUES)
        return (
            await call(session, "recall_memory", query=ASKED),
            await call(session, "recall_memory", ids=[stored["id"]]),
            await call(session, "memory_inspect", id=stored["id"]),
        )

    asked, read, inspected = run(world, live)
    for answer in (asked, read):
        assert TIMEOUT == answer["results"][0]["content"]
        assert CUES[0] not in json.dumps(answer)
    assert CUES == inspected["metadata"]["cues"]


@pytest.mark.parametrize("cues", [(), CUES])
def test_a_prompt_calls_for_a_memory_by_its_cues(tmp_path, monkeypatch, cues) -> None:
    here = World(tmp_path, monkeypatch)
    here.store(
        Statement(content=TIMEOUT, metadata={"cues": list(cues)}, provenance="user"),
        Statement(content="Sellers are paid on the second working day.", provenance="user"),
    )

    shown = here.prompt("card payments hang again, customers sit before a spinner. find out why")
    assert (TIMEOUT in shown) == bool(cues)
    assert not cues or ("matching cue: card payments hang" in shown and CUES[1] not in shown)
