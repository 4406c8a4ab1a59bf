"""How far an item is believed, and the statement that it becomes.

A model may be wrong, or be led by what it reads. What it says is therefore ``derived``, never
``user``; how much it may do depends on its quote, which code compares with the session:

| quote | confidence | may be global | replaces what it corrects |
|---|---|---|---|
| of the user | 0.7 | yes | yes, unless that is pinned or newer |
| of the assistant | 0.6 | no | no: both stay, marked as contradicting each other |
| none, or not in the session | 0.5 | no | no |

Source: docs/adr/0029-summariser.md.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.language import words_of
from aforesaid.domain.statement import Statement
from aforesaid.domain.times import to_iso
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .answer import Item
    from .batches import Batch

EXTRACTED_TAG = "extracted"
_LEAST_QUOTE_WORDS = 2
_WORD = re.compile(r"\w+(?:[.:/@-]+\w+)*")


class Evidence(Value):
    """Who said what an item says, as far as its quote shows."""

    by_user: bool = False
    confidence: float = 0.5


def weigh(item: Item, batch: Batch) -> Evidence:
    """Return what stands behind an item."""
    quote = _plain(item.quote)
    meaning = words_of(item.quote)
    said = " ".join((item.text, *item.details))
    if len(meaning) < _LEAST_QUOTE_WORDS or not meaning & words_of(said):
        return Evidence()
    if f" {quote} " in f" {_plain(batch.user)} ":
        return Evidence(by_user=True, confidence=0.7)
    if f" {quote} " in f" {_plain(batch.assistant)} ":
        return Evidence(confidence=0.6)
    return Evidence()


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def statement_of(item: Item, evidence: Evidence, batch: Batch, summariser: str) -> Statement:
    """Return the statement that an item becomes, without what links it to others.

    Args:
        item: what was found.
        evidence: what stands behind it.
        batch: where it was found.
        summariser: what found it, kept in the metadata.
    """
    metadata: dict[str, object] = {"summariser": summariser}
    content = item.text
    if item.type == "procedural" and item.details:
        metadata["steps"] = list(item.details)
        steps = (f"{number}. {step}" for number, step in enumerate(item.details, 1))
        content = "\n".join((item.text, *steps))
    elif item.type == "episodic":
        metadata["event_date"] = to_iso(batch.until_ms)[:10]
    elif item.type == "entity":
        metadata |= {"name": item.entity, "entity_type": item.entity_type or "thing"}
    elif item.preference and evidence.by_user:
        metadata["category"] = "preference"
    return Statement(
        content=content,
        type=item.type,
        scope=None if evidence.by_user else "project",
        entity=item.entity,
        topic=item.topic,
        tags=(EXTRACTED_TAG,),
        importance=item.importance,
        confidence=evidence.confidence,
        provenance="derived",
        created_at=batch.until_ms,
        metadata=metadata,
    )


def details_of(item: Item, parent: str, evidence: Evidence, batch: Batch) -> list[Statement]:
    """Return the statements that hang below an item; a procedure has its details as steps."""
    if item.type == "procedural":
        return []
    return [
        Statement(
            content=detail,
            type="semantic" if item.type == "entity" else item.type,
            tags=(EXTRACTED_TAG,),
            importance=item.importance,
            confidence=evidence.confidence,
            provenance="derived",
            created_at=batch.until_ms,
            parent=parent,
        )
        for detail in item.details
    ]
