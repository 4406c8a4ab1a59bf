"""What is made of several memories: how far it is trusted, and how an extractive summary reads.

Pure. Not here: which memories belong together (compaction.py, promotion.py), a summary by a
language model (services/maintenance/summarize.py).
"""

from __future__ import annotations

import time

from aforesaid.domain.maintenance.low_value import low_value_reason
from aforesaid.domain.model.memory import IMPORTANCE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory

MADE_BY = "made_by"  #: in the metadata of what maintenance wrote: the phase
SUMMARY = "summary"  #: in the metadata of what sums up others, whoever wrote it
SUMMARY_TOKENS = 400  #: of a text that stands for a week
_LINE = 150  #: characters of one memory in it
_SHORT = 160  #: characters of the summary's own summary
_ASCII = "".join(map(chr, range(ord("!"), ord("~") + 1)))
#: Provenances, the least trusted first.
_TRUST = ("tool", "import", "derived")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def lowest_trust(memories: Sequence[Memory]) -> str:
    """Return the provenance of what is made of these: the lowest of theirs, at best ``derived``."""
    found = {one.provenance for one in memories}
    return next((name for name in _TRUST if name in found), "derived")


def is_made(memory: Memory) -> bool:
    """Tell whether maintenance wrote a memory out of others."""
    return MADE_BY in memory.metadata


def event_time(memory: Memory) -> int:
    """Return when what a memory tells happened, else when it was stored (ms)."""
    return memory.created_at if memory.event_at is None else memory.event_at


def write_summary(title: str, memories: Sequence[Memory]) -> tuple[str, str]:
    """Return an extractive summary of events, and a line that sums it up.

    The most important have room first; they read in the order of time, each once. What says too
    little, or was of low importance and never recalled, is only counted.

    Args:
        title: what they have in common.
        memories: at least one.
    """
    lines: dict[str, str] = {}
    kept: list[tuple[int, str, str]] = []
    room = SUMMARY_TOKENS * 4 - len(title)
    ranked = sorted(memories, key=lambda one: (-one.importance, -event_time(one), one.id))
    ranked = [one for one in ranked if is_worth_telling(one)] or ranked[:1]
    for one in ranked:
        said = first_words(one)
        folded = said.casefold()
        line = f"- {_day(event_time(one))}: {said}"
        if folded in lines or len(line) + 1 > room:
            continue
        lines[folded] = line
        room -= len(line) + 1
        kept.append((event_time(one), one.id, line))
    told = [line for _at, _id, line in sorted(kept)]
    left = len(memories) - len(told)
    text = "\n".join([title, *told, *([f"(+{left} more)"] if left else [])])
    short = f"{title}: {'; '.join(first_words(one) for one in ranked)}"
    return text, cut(short, _SHORT)


def is_worth_telling(memory: Memory) -> bool:
    """Tell whether an event has a line in a summary: it was of use, or says something."""
    if memory.pinned or memory.access_count:
        return True
    return memory.importance > IMPORTANCE_WORDS["low"] and not low_value_reason(
        memory.content, memory.type
    )


def first_words(memory: Memory) -> str:
    """Return what a memory says in one line: its summary, else the start of its text."""
    return cut(" ".join((memory.summary or memory.content).split()), _LINE)


def cut(text: str, chars: int) -> str:
    """Return a text of at most so many characters, cut between words.

    What is written without blanks, as Chinese is, is cut anywhere but within ASCII: half of a
    secret is still one, and is no longer known as such where the text is sent.
    """
    if len(text) <= chars:
        return text
    head = text[: chars - 1]
    blank = head.rfind(" ", chars // 2)
    return (head[:blank] if blank > 0 else head.rstrip(_ASCII)).rstrip(" ,;:") + "…"


def _day(at: int) -> str:
    then = time.gmtime(at / 1000)
    return f"{then.tm_mday} {_MONTHS[then.tm_mon - 1]}"
