"""How far an item is believed, and the statement that it becomes.

A model may be wrong, or be led by what it reads. How much what it says may do depends on its quote,
which code looks up in the session, and on its words, most of which must occur there:

| quote | provenance | confidence | may be global | a correction |
|---|---|---|---|---|
| of the user | derived | 0.7 | yes | replaces, unless what it corrects is pinned or newer |
| of the assistant | derived | 0.6 | no | leaves both, marked as contradicting each other |
| none, or words from elsewhere | tool: never shown unasked | 0.5 | no | does nothing |

Source: docs/adr/0029-summariser.md.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.sentence_classifier import words_of
from aforesaid.domain.model.memory import EXTRACTED_TAG
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .batches import TurnBatch
    from .response import Item

_MIN_QUOTE_WORDS = 2
#: Share of a text's words that must have been said. Source: bench/extraction.
GROUNDED_AT = 0.5
_STEM = 4  #: letters of a word that tell it from another: "replays" is "replay"
_UNPARTED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")  #: scripts that do not part their words
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_WORD = re.compile(r"\w+(?:[.:/@-]+\w+)*")


class Grounding(Value):
    """Who said what an item says, as far as its quote and its words show."""

    by_user: bool = False
    quoted: bool = False
    confidence: float = 0.5

    @property
    def provenance(self) -> str:
        """Return who vouches."""
        return "derived" if self.quoted else "tool"


def assess_grounding(item: Item, batch: TurnBatch) -> Grounding:
    """Return what stands behind an item."""
    meaning = words_of(item.quote)
    if (
        len(meaning) < _MIN_QUOTE_WORDS
        or not meaning & words_of(" ".join((item.text, *item.details)))
        or not is_grounded(_told(item), batch.text)
    ):
        return Grounding()
    if _says(batch.user, item.quote):
        return Grounding(by_user=True, quoted=True, confidence=0.7)
    if _says(batch.assistant, item.quote):
        return Grounding(quoted=True, confidence=0.6)
    return Grounding()


def _told(item: Item) -> str:
    """Return what is stored as one text: an item, a procedure with its steps."""
    return " ".join((item.text, *item.details)) if item.type == "procedural" else item.text


def is_grounded(text: str, said: str) -> bool:
    """Tell whether half the words of a text, inflections aside, and all its numbers were said."""
    if not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(said)):
        return False
    words = {_stem(word) for word in words_of(text)}
    return len(words & {_stem(word) for word in words_of(said)}) >= GROUNDED_AT * len(words)


def _stem(word: str) -> str:
    """Return what is left of a word without its endings; numbers and names with digits stay."""
    return word if any(char.isdigit() for char in word) else word[:_STEM]


def _says(text: str, quote: str) -> bool:
    """Tell whether a text holds these words in this order, marks and case aside."""
    if _UNPARTED.search(quote):
        return _plain(quote).replace(" ", "") in _plain(text).replace(" ", "")
    return f" {_plain(quote)} " in f" {_plain(text)} "


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def statement_of(item: Item, evidence: Grounding, batch: TurnBatch, summariser: str) -> Statement:
    """Return the statement that an item becomes, without what links it to others.

    Args:
        item: what was found.
        evidence: what stands behind it.
        batch: where it was found.
        summariser: what found it, kept in the metadata.
    """
    metadata: dict[str, object] = {"summariser": summariser}
    if item.cues and evidence.quoted:
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
        provenance=evidence.provenance,
        created_at=batch.until_ms,
        metadata=metadata,
    )


def details_of(item: Item, parent: str, evidence: Grounding, batch: TurnBatch) -> list[Statement]:
    """Return the statements that hang below an item; a procedure has its details as steps.

    A detail whose words were not said is believed as little as an item without a quote.
    """
    if item.type == "procedural":
        return []
    made = []
    for detail in item.details:
        own = evidence if is_grounded(detail, batch.text) else Grounding()
        made.append(
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
    return made
