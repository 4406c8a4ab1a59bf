"""Summaries of several memories: provenance, and the extractive text.

Grouping memories: compaction.py, promotion.py. Summaries by a summariser:
services/maintenance/summarize.py.
"""

from __future__ import annotations

from aforesaid.domain.maintenance.low_value import low_value_reason
from aforesaid.domain.model.memory import IMPORTANCE_WORDS, WORK
from aforesaid.domain.text.timestamps import day_and_month

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory

MADE_BY = "made_by"  #: metadata key of derived memories: the phase that wrote them
SUMMARY = "summary"  #: metadata key of summaries, whoever wrote them
SUMMARY_TOKENS = 400  #: token budget of a summary
_LINE_CHARS = 200  #: of one event in it
_SHORT_FORM_CHARS = 240  #: of the one-line form
_ASCII = "".join(map(chr, range(ord("!"), ord("~") + 1)))
#: Provenances, least trusted first.
_LESS_TRUSTED = ("tool", "import", "derived")


def lowest_trust(memories: Sequence[Memory]) -> str:
    """Return the provenance of a memory derived from these: the least trusted, or ``derived``."""
    provenances = {memory.provenance for memory in memories}
    return next((name for name in _LESS_TRUSTED if name in provenances), "derived")


def is_derived(memory: Memory) -> bool:
    """Return whether maintenance derived a memory from others."""
    return MADE_BY in memory.metadata


def event_time(memory: Memory) -> int:
    """Return the time (ms) of the event in a memory, else when it was stored."""
    return memory.created_at if memory.event_at is None else memory.event_at


def write_summary(title: str, memories: Sequence[Memory]) -> tuple[str, str]:
    """Return an extractive summary of events, and its one-line form.

    Events are chosen by importance and listed in order of time, without repetitions. Those that are
    not worth a line are only counted.

    Args:
        title: what the events have in common.
        memories: the events, at least one.
    """
    seen_texts: set[str] = set()
    lines: list[tuple[int, str, str]] = []
    remaining = SUMMARY_TOKENS * 4 - len(title)
    ranked = sorted(memories, key=lambda m: (-m.importance, -event_time(m), m.id))
    ranked = [memory for memory in ranked if is_worth_a_line(memory)] or ranked[:1]
    for memory in ranked:
        text = first_words(memory)
        line = f"- {day_and_month(event_time(memory))}: {text}"
        if text.casefold() in seen_texts or len(line) + 1 > remaining:
            continue
        seen_texts.add(text.casefold())
        remaining -= len(line) + 1
        lines.append((event_time(memory), memory.id, line))
    omitted = len(memories) - len(lines)
    summary = [title, *(line for _at, _id, line in sorted(lines))]
    if omitted:
        summary.append(f"(+{omitted} more)")
    return "\n".join(summary), _short_form(title, [first_words(memory) for memory in ranked])


def _short_form(title: str, texts: Sequence[str]) -> str:
    """Return the title with the texts that fit whole; the first one is cut if it must be."""
    short = cut(f"{title}: {texts[0]}", _SHORT_FORM_CHARS)
    for text in texts[1:]:
        if len(short) + len(text) + 2 <= _SHORT_FORM_CHARS:
            short += f"; {text}"
    return short


def is_worth_a_line(memory: Memory) -> bool:
    """Return whether an event gets a line in a summary: it was used, or is not low-value."""
    if memory.pinned or memory.access_count:
        return True
    if memory.metadata.get(WORK) == 0:  # a session without work
        return False
    return memory.importance > IMPORTANCE_WORDS["low"] and not low_value_reason(
        memory.content, memory.type
    )


def first_words(memory: Memory) -> str:
    """Return the beginning of a memory's summary, else of its content, on one line."""
    return cut(" ".join((memory.summary or memory.content).split()), _LINE_CHARS)


def cut(text: str, chars: int) -> str:
    """Return at most ``chars`` characters of a text, cut between words.

    Text without spaces, such as Chinese, may be cut anywhere except within ASCII: half of a secret
    is still a secret, but is no longer recognised as one when the text is sent.
    """
    if len(text) <= chars:
        return text
    head = text[: chars - 1]
    space = head.rfind(" ", chars // 2)
    return (head[:space] if space > 0 else head.rstrip(_ASCII)).rstrip(" ,;:") + "…"
