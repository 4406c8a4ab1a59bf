"""Something that maintenance found and leaves to a person or agent: it is done only if accepted."""

from __future__ import annotations

from aforesaid.domain.value import Value

PROCEDURE, EVERYWHERE, LINK = "procedure", "global", "link"
ACCEPTED, DECLINED = "accepted", "declined"


class Suggestion(Value):
    """One offer. It never holds the text of a memory, and of another project nothing at all."""

    key: int = 0  #: 0 until it is stored
    kind: str
    name: str  #: what tells it from others: the same thing is offered once
    project: int
    memories: tuple[int, ...] = ()  #: keys, of this project: evidence, or what it is about
    commands: tuple[str, ...] = ()  #: of a procedure
    made_at: int
    settled_at: int | None = None
    answer: str = ""


def in_words(offer: Suggestion, short: dict[int, str]) -> str:
    """Return an offer as a sentence, its memories by their short ids."""
    ids = " ".join(f"[{short[key]}]" for key in offer.memories if key in short)
    if offer.kind == PROCEDURE:
        steps = ", ".join(f"`{one}`" for one in offer.commands)
        return f"{steps} ran in this order in {len(offer.memories)} sessions: a procedure?"
    if offer.kind == EVERYWHERE:
        return f"{ids} holds in another project too: true everywhere?"
    return f"{ids} come up together again and again: linked?"
