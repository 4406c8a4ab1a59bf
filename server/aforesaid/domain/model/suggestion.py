"""Suggestions: changes that maintenance found and that a person or agent may accept."""

from __future__ import annotations

from aforesaid.domain.value import Value

PROCEDURE, EVERYWHERE, LINK, GUARD = "procedure", "global", "link", "guard"
ACCEPTED, DECLINED = "accepted", "declined"


class Suggestion(Value):
    """A suggestion. It holds no text of a memory, and nothing of another project."""

    key: int = 0  #: 0 until it is stored
    kind: str
    name: str  #: identifies it, so that the same thing is suggested only once
    project: int
    memories: tuple[int, ...] = ()  #: keys, in this project: the evidence, or what it is about
    #: Steps of a procedure. What a guard checks is not stored, but read from its memory.
    commands: tuple[str, ...] = ()
    created_at: int  #: ms
    answered_at: int | None = None  #: ms, when it was answered
    answer: str = ""


def describe_suggestion(suggestion: Suggestion, short: dict[int, str]) -> str:
    """Return a suggestion as a question, with the short ids of its memories (by key)."""
    ids = " ".join(f"[{short[key]}]" for key in suggestion.memories if key in short)
    if suggestion.kind == PROCEDURE:
        steps = ", ".join(f"`{command}`" for command in suggestion.commands)
        sessions = len(suggestion.memories)
        return f"{steps} ran in this order in {sessions} sessions. Store as a procedure?"
    if suggestion.kind == GUARD:
        checked = ", ".join(suggestion.commands)
        return f"{ids} can be checked before each action: {checked}. Make it a guard?"
    if suggestion.kind == EVERYWHERE:
        return f"{ids} is true in another project, too. Make it global?"
    return f"{ids} are often mentioned together. Link them?"
