"""What a digest leaves open, and what of a session needs its question."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.agreements import find_agreements
from aforesaid.domain.digest.reply_resolution import Exchange, says_goodbye, with_question
from aforesaid.domain.model.transcript import FAILED, OK, RUN, AssistantTurn, Prompt, ToolUse


def exchange(prompt: str, *turns: object) -> Exchange:
    made = Exchange(Prompt(text=prompt, at_ms=1))
    made.turns = list(turns)
    return made


def said(text: str) -> AssistantTurn:
    return AssistantTurn(text=text, at_ms=2)


def ran(command: str, status: str = OK) -> ToolUse:
    return ToolUse(kind=RUN, name="Bash", at_ms=3, command=command, status=status)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ((), "asked last, not answered"),
        ((ran("make"),), "session ended in the middle of it"),
        ((ran("git add -A && git commit -m x"),), ""),
        ((ran("git commit -m x", FAILED),), "session ended in the middle of it"),
        ((ran("make"), said("Done.")), ""),
    ],
)
def test_what_was_asked_last_is_open_unless_it_was_answered_or_committed(turns, expected):
    assert expected == exchange("commit", *turns).unfinished_because


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("thanks, that's all for today. I'm off to lunch", True),
        ("going for lunch, bbl", True),
        ("fix the lunch menu", False),
    ],
)
def test_a_farewell_asks_for_nothing(prompt, expected):
    assert expected == says_goodbye(Prompt(text=prompt, at_ms=1))


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        (
            "All pass. The key: where does it live?",
            "Only in the HSM",
            'Only in the HSM (asked: "The key: where does it live?")',
        ),
        ("All pass. Where does the key live?", "The port is 80", "The port is 80"),
        (
            "Connect them in the editor, or in code?",
            "in code, always in the setup function, I hate connections that grep can't find",
            "in code, always in the setup function, I hate connections that grep can't find",
        ),
        ("All pass.", "Only in the HSM", "Only in the HSM"),
        ("Shall I add a test?", "No tests here", "No tests here"),
        (
            "Shall I add it to the notes?",
            "Under Unreleased, with a word of thanks, that's a habit of mine",
            (
                "Under Unreleased, with a word of thanks, that's a habit of mine"
                ' (asked: "Shall I add it to the notes?")'
            ),
        ),
        (
            "A lock costs time. A counter on the slot is one statement.",
            "the counter",
            'the counter (about: "A counter on the slot is one statement")',
        ),
    ],
)
def test_an_answer_without_a_subject_quotes_its_question(answer, text, expected):
    assert expected == with_question(text, exchange("go", said(answer)))


def test_an_agreement_leaves_out_what_it_says_to_the_user():
    prompt = "Polling every 15 s, no websockets, and never push, I push myself"
    answer = "Settled: live updates by polling every 15 s, no websockets; you do all pushes."
    (agreement,) = find_agreements([exchange(prompt, said(answer))])
    assert "Live updates by polling every 15 s, no websockets" == agreement.text


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("lovely, that was a productive half hour, many thanks", ""),
        ("I'd have walked right into it.", ""),
        ("fix the lunch menu", "asked last, not answered"),
        ("which port does it use?", "asked last, not answered"),
    ],
)
def test_a_last_prompt_is_open_only_if_it_asks_for_something(prompt, expected):
    assert expected == exchange(prompt).unfinished_because
