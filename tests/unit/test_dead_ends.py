"""Which attempts of a session are told as dead ends: by the user's words, or taken back."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.dead_ends import find_dead_ends
from aforesaid.domain.model.transcript import (
    EDIT,
    OK,
    RUN,
    AssistantTurn,
    Conversation,
    Prompt,
    ToolUse,
)

MOVED = "I moved the retry loop into the HTTP client."
LIMITED = "I limited the pool to ten connections and the timeouts are gone."


def texts(*turns: str) -> list[str]:
    """Return the dead ends of turns: ``> prompt``, ``edit PATH``, ``$ command``, or an answer."""
    made = []
    for number, turn in enumerate(turns, start=1):
        at_ms = number * 1_000
        if turn.startswith("> "):
            made.append(Prompt(text=turn[2:], at_ms=at_ms))
        elif turn.startswith("edit "):
            path = f"/srv/{turn[5:]}"
            made.append(ToolUse(kind=EDIT, name="Edit", at_ms=at_ms, path=path, status=OK))
        elif turn.startswith("$ "):
            made.append(ToolUse(kind=RUN, name="Bash", at_ms=at_ms, command=turn[2:], status=OK))
        else:
            made.append(AssistantTurn(text=turn, at_ms=at_ms))
    conversation = Conversation(
        session_id="s", cwd="/srv", branch="", version="", title="", subagent="", started_ms=1_000,
        ended_ms=len(turns) * 1_000, turns=tuple(made), recalled=(), skipped={}, bytes_read=0,
    )  # fmt: skip
    return [dead_end.text for dead_end in find_dead_ends(conversation)]


def rejected(prompt: str) -> list[str]:
    return texts("> Fix the timeouts.", "edit src/http.py", MOVED, f"> {prompt}")


@pytest.mark.parametrize(
    "prompt",
    [
        "That didn't work, I still get the timeout.",
        "still failing with the same error",
        "Nope, it still times out after 30s.",
        "same error",
        "That made it worse.",
        "Please revert that, the other callers need their own loop.",
        "this doesn't fix it",
        "It's still broken on staging.",
        "Hm. That broke the health check.",
        "Das funktioniert leider nicht, immer noch ein Timeout.",
        "Immer noch der gleiche Fehler.",
        "No funciona, sigue igual.",
        "Ça ne marche pas.",
        "Não funcionou.",
        "还是不行。",
        "同じエラーです。",
    ],
)
def test_an_attempt_that_the_user_rejects_is_kept_with_his_words(prompt):
    (text,) = rejected(prompt)
    assert text.startswith(
        "Tried: I moved the retry loop into the HTTP client (changed src/http.py)"
    )
    assert "It did not work: " in text


@pytest.mark.parametrize(
    "prompt",
    [
        "Thanks, that works.",
        "Now add a test for it.",
        "The login does not work on mobile, please have a look.",
        "Does that work with proxies?",
        "It works, but the log is noisy.",
        "Don't revert the client yet.",
        "This is still the plan.",
        "That works. Still, rename the module.",
        "Still, let's write the docs.",
        "no changes to the API please",
    ],
)
def test_other_prompts_reject_nothing(prompt):
    assert [] == rejected(prompt)


def test_what_worked_in_the_end_is_told_with_it():
    (text,) = texts(
        "> Fix the timeouts.", "edit src/http.py", MOVED,
        "> Still times out.", "edit src/pool.py", LIMITED,
        "> Perfect, that works now.",
    )  # fmt: skip
    assert "Tried: I moved the retry loop" in text
    assert text.endswith(
        "What worked: I limited the pool to ten connections and the timeouts are gone."
    )


def test_each_of_two_attempts_is_told():
    first, second = texts(
        "> Fix the timeouts.", "edit src/http.py", MOVED,
        "> Still times out.", "edit src/pool.py", LIMITED,
        "> No luck.", "What about the load balancer?",
    )  # fmt: skip
    assert "src/http.py" in first
    assert "src/pool.py" in second
    assert "What worked" not in first + second


def test_changes_that_the_assistant_takes_back_are_kept_with_its_reason():
    (text,) = texts(
        "> Make the import faster.", "edit src/load.py", "$ pytest -q",
        "Caching the parsed rows doubles the memory, so I'll revert this.",
        "$ git checkout -- src/load.py", "Done.",
    )  # fmt: skip
    assert "Changes to src/load.py were reverted: Caching the parsed rows doubles" in text


@pytest.mark.parametrize(
    "turns",
    [
        ("> That didn't work.", "What did not work?"),  # nothing was tried here
        ("> How do I rebase?", "Use git rebase main.", "> That didn't work."),  # only told
        ("> Fix it.", "edit a.py", "> That didn't work."),  # nobody says what was tried
        ("> Fix it.", "edit a.py", "Let me undo.", "$ git checkout -- a.py"),  # without a reason
        ("> Go.", "edit a.py", "I will discard the old branch now.", "$ git checkout main"),
    ],
)
def test_without_an_attempt_or_a_reason_nothing_is_kept(turns):
    assert [] == texts(*turns)
