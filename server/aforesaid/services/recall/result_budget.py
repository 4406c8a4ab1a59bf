"""What of results is told: as it was stored, nothing that was forgotten, within the budget."""

from __future__ import annotations

from aforesaid.domain.text.hashing import content_hash
from aforesaid.domain.text.token_budget import count_tokens, cut_to_tokens

from .query import RecallHit, RecallQuery, RecallResult, token_budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory

RESULT_TOKENS = 60  #: what a result's other fields cost beside its text, about
SUMMARY_TOKENS = 25
#: Stands for a text that the disk has altered.
DAMAGED = "[this text was damaged on the disk: `aforesaid doctor --deep` says what can be done]"


def hide_forgotten_text(memory: Memory) -> Memory:
    """Return a memory, of a forgotten one only that it was, and when; no longer what it said."""
    if memory.forgotten_at is None:
        return memory
    return memory.replace(content="", summary=None, tags=(), metadata={})


def _as_it_was_stored(result: RecallHit) -> RecallHit:
    """Return a result that says so where its text is no longer the one that was stored."""
    memory = result.memory
    if memory.forgotten_at is not None or memory.content_hash == content_hash(memory.content):
        return result
    return result.replace(memory=memory.replace(content=DAMAGED, summary=None))


def fit_to_budget(question: RecallQuery, results: Sequence[RecallHit]) -> RecallResult:
    """Return the results that fit; a first one that alone exceeds the budget is cut."""
    budget = token_budget(question)
    kept: list[RecallHit] = []
    spent = 0
    for result in map(_as_it_was_stored, results):
        text = result.memory.preview if question.summary_only else result.memory.content
        if result.node is not None:
            text = result.node.text
        extra = SUMMARY_TOKENS if question.summary_only else RESULT_TOKENS
        cost = count_tokens(text) + extra
        if spent + cost > budget:
            if kept:
                break
            text = cut_to_tokens(text, max(budget - extra, 1))
            cost = count_tokens(text) + extra
        spent += cost
        kept.append(result.replace(**{"preview" if question.summary_only else "content": text}))
    return RecallResult(results=tuple(kept), token_estimate=spent)
