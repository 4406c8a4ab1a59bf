"""A summariser's answer, read strictly: what is out of bounds is cut, dropped or refused.

Here: form only. Not here: how far it is believed (grounding.py).
"""

from __future__ import annotations

import json
import re

from aforesaid.domain.digest.message_text import truncate
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import CUE_CHARS, IMPORTANCE_WORDS, TYPES
from aforesaid.domain.model.relation import Link, read_kind
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ANSWER_CHARS = 60_000
MAX_ITEMS = 12
_TITLE_CHARS, _DIGEST_CHARS = 90, 1_200
_TEXT_CHARS, _QUOTE_CHARS, _NAME_CHARS = 600, 400, 80
_DETAILS, _CUES, _RELATIONS = 6, 4, 8


class Item(Value):
    """One thing that a summariser found."""

    text: str
    type: str = "semantic"
    topic: str | None = None  #: a path: topic, or topic/concept
    details: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    importance: float | None = None
    quote: str = ""
    preference: bool = False
    entity: str | None = None
    entity_type: str = ""
    corrects: str | None = None  #: an id as it was shown
    relations: tuple[Link, ...] = ()  #: targets as they were shown, or ``#n`` for the n-th item


class ExtractionResponse(Value):
    """What a summariser said about a batch."""

    title: str
    digest: str
    items: tuple[Item, ...] = ()
    places: tuple[int, ...] = ()  #: of the items in the answer, from 1: what ``#n`` means
    dropped: int = 0  #: items that were no items


def read_answer(text: str) -> ExtractionResponse:
    """Return what an answer says.

    Raises:
        InvalidInputError: it is not one JSON object with title, digest and items.
    """
    given = _object(text)
    title, digest, items = given.get("title"), given.get("digest"), given.get("items")
    if not (isinstance(title, str) and isinstance(digest, str) and isinstance(items, list)):
        raise InvalidInputError(
            "the summariser's answer has no title, digest and items: its batch is asked for again"
        )
    read = [_item(one) for one in items[:MAX_ITEMS]]
    return ExtractionResponse(
        title=truncate(title, _TITLE_CHARS),
        digest=truncate(digest, _DIGEST_CHARS),
        items=tuple(item for item in read if item is not None),
        places=tuple(place for place, item in enumerate(read, 1) if item is not None),
        dropped=len(items) - sum(item is not None for item in read),
    )


def _object(text: str) -> dict[str, Any]:
    if len(text) > ANSWER_CHARS:
        raise InvalidInputError(
            f"the summariser's answer has {len(text)} characters, {ANSWER_CHARS} at most"
        )
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", text, re.DOTALL)
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the summariser's answer is no JSON ({type(error).__name__}, {len(text)} characters): "
            "its batch is asked for again"
        ) from None
    if not isinstance(found, dict):
        raise InvalidInputError("the summariser's answer is JSON, but no object")
    return found


def _item(given: Any) -> Item | None:
    """Return an item; None for what is none, or says nothing."""
    if not isinstance(given, dict):
        return None
    text = _text(given, "text", _TEXT_CHARS)
    kind = _text(given, "type", 40).lower() or "semantic"
    if not text or kind not in TYPES:
        return None
    entity = _text(given, "entity", _NAME_CHARS) or None
    if kind == "entity" and entity is None:
        return None
    return Item(
        text=text,
        type=kind,
        topic=_path(given),
        details=_texts(given.get("details"), _DETAILS, _TEXT_CHARS, text),
        cues=_texts(given.get("cues"), _CUES, CUE_CHARS, text),
        importance=IMPORTANCE_WORDS.get(_text(given, "importance", 20).lower()),
        quote=_text(given, "quote", _QUOTE_CHARS),
        preference=given.get("preference") is True,
        entity=entity,
        entity_type=_text(given, "entity_type", 40).lower(),
        corrects=_text(given, "corrects", 40) or None,
        relations=_links(given.get("relations")),
    )


def _text(given: dict[str, Any], key: str, limit: int) -> str:
    value = given.get(key)
    return _flat(value, limit) if isinstance(value, str) else ""


def _texts(given: Any, most: int, limit: int, beside: str) -> tuple[str, ...]:
    """Return the texts of a list, those that say nothing or the same as ``beside`` left out."""
    return tuple(
        found
        for one in (given[:most] if isinstance(given, list) else ())
        if isinstance(one, str) and (found := _flat(one, limit)) and found != beside
    )


def _flat(text: str, limit: int) -> str:
    """Return a text on one line; one that is too long says nothing that could be trusted."""
    line = " ".join(text.split())
    return line if len(line) <= limit else ""


def _path(given: dict[str, Any]) -> str | None:
    names = [
        name.replace("/", " ").replace(">", " ").strip()
        for key in ("topic", "concept")
        if (name := _text(given, key, _NAME_CHARS))
    ]
    return "/".join(filter(None, names)) or None


def _links(given: Any) -> tuple[Link, ...]:
    found: dict[Link, None] = {}
    for one in given[:_RELATIONS] if isinstance(given, list) else ():
        if isinstance(one, dict):
            kind, target = _text(one, "kind", 64), _text(one, "target", 40)
            try:
                read = read_kind(kind) if kind and target else ""
            except InvalidInputError:
                continue
            if read and read != "supersedes":  # that is what corrects is for
                found[Link(kind=read, target=target)] = None
    return tuple(found)
