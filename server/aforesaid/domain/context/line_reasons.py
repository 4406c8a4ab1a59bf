"""Why a line is in the session context, in words for the user.

The rules themselves are in session_context.py; this module only tells which of them applied.
"""

from __future__ import annotations

from aforesaid.domain.model.decay import FACTORS, confidence_in_force, retention
from aforesaid.domain.model.memory import IMPORTANCE_WORDS, WORK
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import DAY_MS, day_label

from .session_context import has_been_used, is_important

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.memory import Memory

#: Why a line is in its section; for a line without a memory, the only reason.
SECTION_REASONS = {
    "user": "global: shown in every project",
    "project": "of this project",
    "people": "describes a person, system or tool of this project",
    "tasks": "states an open task of this project",
    "sessions": "digest of one of the last sessions in which something was done",
    "events": "a recent or important event of this project",
    "attention": "needs a decision of yours",
}


def explain_line(
    section: str, memory: Memory | None, now: int, factors: Factors = FACTORS
) -> tuple[str, ...]:
    """Return why a line is shown, the main reason first.

    Args:
        section: that it is in.
        memory: that it shows; None if it only refers to memories.
        now: the present time (ms).
        factors: how fast memories fade.
    """
    reasons = [SECTION_REASONS[section]]
    if memory is None:
        return tuple(reasons)
    if memory.pinned:
        reasons.append("pinned: always among the first")
    if is_important(memory) and not memory.pinned:
        by_default = memory.provenance == "user" and memory.importance == IMPORTANCE_WORDS["high"]
        reasons.append("stated by you" if by_default else "important")
    if memory.access_count:
        last = memory.last_accessed_at
        reasons.append(
            f"recalled {pluralize(memory.access_count, 'time')}"
            + (f", last on {day_label(last, now)}" if last else "")
        )
    if section in {"sessions", "events"}:
        work = memory.metadata.get(WORK)
        if isinstance(work, int | float):
            reasons.append(f"work in that session: {work:g}")
        return tuple(reasons)
    if not has_been_used(memory):
        reasons.append("new: not recalled yet, shown while there is room")
    today = now - now % DAY_MS
    strength = retention(memory, today, factors) * confidence_in_force(memory, today, factors)
    reasons.append(f"strength {strength:.0%}")
    return tuple(reasons)
