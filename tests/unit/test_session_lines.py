"""The line about a session tells its outcome, and not again what a memory says."""

from __future__ import annotations

import pytest

from aforesaid.adapters.transcripts.conversation import read_conversation
from aforesaid.domain.context.session_lines import without_repeated
from aforesaid.domain.digest import facts_of, write_digest
from aforesaid.domain.model.memory import Memory
from transcripts import Script

DECISION = "we use RabbitMQ instead of Kafka for the job queue"


def memory(content: str, summary: str | None = None) -> Memory:
    return Memory(
        key=1, id="m", type="semantic", scope="project", project=1, content=content,
        summary=summary, provenance="user", content_hash="", created_at=1, updated_at=1,
        last_reinforced_at=1,
    )  # fmt: skip


def lines(line: str, *shown: str) -> list[str | None]:
    kept = without_repeated([memory("text", line)], [memory(text) for text in shown])
    return [digest.summary for digest in kept]


def line_of(script: Script, tmp_path, remembered: tuple[str, ...] = ()) -> str:
    facts = facts_of(read_conversation(script.write(tmp_path)))
    digest = write_digest(facts, remembered=remembered)
    assert digest is not None
    return digest.summary


def decided(*, works: bool) -> Script:
    script = Script()
    script.user("set up the job queue")
    script.say("RabbitMQ or Kafka?")
    script.user(DECISION)
    if works:
        script.edit("queue.py")
        script.say("Added the connection to the broker.")
    else:
        script.say("All right.")
    return script


def test_a_decision_that_a_memory_tells_gives_way_to_what_was_done(tmp_path):
    line = line_of(decided(works=True), tmp_path, (DECISION,))

    assert "Added the connection to the broker (changed queue.py)" == line


def test_a_decision_that_no_memory_tells_is_a_part_of_the_outcome(tmp_path):
    script = decided(works=True)
    script.user("then let's drop the retries in the worker")
    script.say("Done.")

    assert "drop the retries in the worker" in line_of(script, tmp_path, (DECISION,))


def test_a_session_that_only_decided_is_told_by_the_decision_alone(tmp_path):
    line = line_of(decided(works=False), tmp_path, (DECISION,))

    assert line.lower().startswith(DECISION.lower())
    assert [] == lines(line, DECISION)
    assert [line] == lines(line, "the job queue has three workers")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{DECISION}; left open: the dashboard", ["Left open: the dashboard"]),
        (f"{DECISION} (changed queue.py)", [f"{DECISION} (changed queue.py)"]),
        (f"{DECISION}; committed, tests green", [f"{DECISION}; committed, tests green"]),
        ("Fixed the parser; left open: the docs", ["Fixed the parser; left open: the docs"]),
    ],
)
def test_how_a_session_ended_and_its_loose_ends_are_told_whatever_a_memory_says(line, expected):
    assert expected == lines(line, f"{DECISION}.")
