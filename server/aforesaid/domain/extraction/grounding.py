"""Decides how far an extracted item is trusted, and makes a statement of it.

A model may be wrong, or misled by what it reads. So the item's quote is looked up in the session,
and most of its words must occur there:

| quote | provenance | confidence | may be global | a correction |
|---|---|---|---|---|
| of the user | derived | 0.7 | yes | replaces, unless the corrected memory is pinned or newer |
| of the assistant | derived | 0.6 | no | keeps both, marked as contradicting each other |
| missing or not grounded | tool: never shown automatically | 0.5 | no | has no effect |

Source: docs/adr/0029-summariser.md.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.sentence_classifier import words_of
from aforesaid.domain.model.memory import EXTRACTED_TAG
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.value import Value
from aforesaid.lexicon.scripts import KANA_AND_HAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .batches import TurnBatch
    from .response import Item

_MIN_QUOTE_WORDS = 2
#: Share of a text's words that must occur in the session. Source: bench/extraction.
GROUNDED_AT = 0.5
_STEM_CHARS = 4  #: so "replays" is "replay"
_UNSPACED = re.compile(f"[{KANA_AND_HAN}]")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_WORD = re.compile(r"\w+(?:[.:/@-]+\w+)*")


class Grounding(Value):
    """Who, according to the session, said what an item states."""

    is_by_user: bool = False
    is_quoted: bool = False
    confidence: float = 0.5

    @property
    def provenance(self) -> str:
        """Return the provenance of the statement."""
        return "derived" if self.is_quoted else "tool"


def assess_grounding(item: Item, batch: TurnBatch) -> Grounding:
    """Return how an item is grounded in its batch."""
    quote_words = words_of(item.quote)
    if (
        len(quote_words) < _MIN_QUOTE_WORDS
        or not quote_words & words_of(" ".join((item.text, *item.details)))
        or not is_grounded(_stored_text(item), batch.text)
    ):
        return Grounding()
    if _contains(batch.user, item.quote):
        return Grounding(is_by_user=True, is_quoted=True, confidence=0.7)
    if _contains(batch.assistant, item.quote):
        return Grounding(is_quoted=True, confidence=0.6)
    return Grounding()


def _stored_text(item: Item) -> str:
    """Return what is stored as one text: a procedure includes its steps."""
    return " ".join((item.text, *item.details)) if item.type == "procedural" else item.text


def is_grounded(text: str, source: str) -> bool:
    """Tell whether a source has all numbers of a text and half its words, inflections aside."""
    if not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(source)):
        return False
    stems = set(map(_four_letter_stem, words_of(text)))
    return len(stems.intersection(map(_four_letter_stem, words_of(source)))) >= GROUNDED_AT * len(
        stems
    )


def _four_letter_stem(word: str) -> str:
    """Return the beginning of a word; numbers and names with digits whole."""
    return word if any(char.isdigit() for char in word) else word[:_STEM_CHARS]


def _contains(text: str, quote: str) -> bool:
    """Tell whether a text contains the words of a quote in order, punctuation and case aside."""
    if _UNSPACED.search(quote):
        return _plain(quote).replace(" ", "") in _plain(text).replace(" ", "")
    return f" {_plain(quote)} " in f" {_plain(text)} "


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def statement_of(item: Item, grounding: Grounding, batch: TurnBatch, summariser: str) -> Statement:
    """Return the statement that an item becomes, without its links.

    Args:
        item: from a summariser.
        grounding: of the item.
        batch: that it is from.
        summariser: its name, for the metadata.
    """
    metadata: dict[str, object] = {"summariser": summariser}
    if item.cues and grounding.is_quoted:
        metadata["cues"] = list(item.cues)
    content = item.text
    if item.type == "procedural" and item.details:
        metadata["steps"] = list(item.details)
        steps = (f"{number}. {step}" for number, step in enumerate(item.details, 1))
        content = "\n".join((item.text, *steps))
    elif item.type == "episodic":
        metadata["event_date"] = to_iso(batch.until_ms)[:10]
    elif item.type == "entity":
        metadata |= {"name": item.entity, "entity_type": item.entity_type or "thing"}
    elif item.preference and grounding.is_by_user:
        metadata["category"] = "preference"
    return Statement(
        content=content,
        type=item.type,
        scope=None if grounding.is_by_user else "project",
        entity=item.entity,
        topic=item.topic,
        tags=(EXTRACTED_TAG,),
        importance=item.importance,
        confidence=grounding.confidence,
        provenance=grounding.provenance,
        created_at=batch.until_ms,
        metadata=metadata,
    )


def details_of(item: Item, parent: str, grounding: Grounding, batch: TurnBatch) -> list[Statement]:
    """Return the statements below an item; none for a procedure, whose details are its steps.

    A detail that is not grounded is trusted as little as an item without a quote.
    """
    if item.type == "procedural":
        return []
    statements = []
    for detail in item.details:
        own = grounding if is_grounded(detail, batch.text) else Grounding()
        statements.append(
            Statement(
                content=detail,
                type="semantic" if item.type == "entity" else item.type,
                tags=(EXTRACTED_TAG,),
                importance=item.importance,
                confidence=own.confidence,
                provenance=own.provenance,
                created_at=batch.until_ms,
                parent=parent,
            )
        )
    return statements
