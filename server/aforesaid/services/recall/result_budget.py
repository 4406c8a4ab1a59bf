"""Cutting results to the token budget, and withholding texts that are forgotten or damaged."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.domain.model.memory import Memory
from aforesaid.domain.text.hashing import content_hash
from aforesaid.domain.text.token_budget import count_tokens, cut_to_tokens

from .query import RecallHit, RecallQuery, RecallResult, token_budget

RESULT_TOKENS = 60  #: approximate cost of a result's other fields
SUMMARY_TOKENS = 25
#: Replaces a text that no longer has the hash it was stored with.
DAMAGED = "[this text was damaged on disk: run `aforesaid doctor --deep`]"


def hide_forgotten_text(memory: Memory) -> Memory:
    """Return a memory; if it is forgotten, without its text, tags and metadata."""
    if memory.forgotten_at is None:
        return memory
    return memory.replace(content="", summary=None, tags=(), metadata={})


def _mark_if_damaged(hit: RecallHit) -> RecallHit:
    memory = hit.memory
    if memory.forgotten_at is not None or memory.content_hash == content_hash(memory.content):
        return hit
    return hit.replace(memory=memory.replace(content=DAMAGED, summary=None))


def fit_to_budget(query: RecallQuery, hits: Sequence[RecallHit]) -> RecallResult:
    """Return the hits that fit; if the first alone exceeds the budget, its text is cut."""
    budget = token_budget(query)
    field, extra = ("preview", SUMMARY_TOKENS) if query.summary_only else ("content", RESULT_TOKENS)
    results: list[RecallHit] = []
    spent = 0
    for hit in map(_mark_if_damaged, hits):
        text = getattr(hit.memory, field) if hit.node is None else hit.node.text
        cost = count_tokens(text) + extra
        if spent + cost > budget:
            if results:
                break
            text = cut_to_tokens(text, max(budget - extra, 1))
            cost = count_tokens(text) + extra
        spent += cost
        results.append(hit.replace(**{field: text}))
    return RecallResult(results=tuple(results), token_estimate=spent)
