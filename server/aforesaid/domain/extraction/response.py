"""Parses a summariser's answer strictly: what is out of bounds is cut, dropped or refused."""

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
_MAX_DETAILS, _MAX_CUES, _MAX_RELATIONS = 6, 4, 8


class Item(Value):
    """One memory that a summariser extracted."""

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
    corrects: str | None = None  #: id of a memory, as shown in the prompt
    relations: tuple[Link, ...] = ()  #: to ids as shown in the prompt, or ``#n`` for the n-th item


class ExtractionResponse(Value):
    """A summariser's answer about a batch."""

    title: str
    digest: str
    items: tuple[Item, ...] = ()
    numbers: tuple[int, ...] = ()  #: of each item in the answer, from 1: what ``#n`` refers to
    dropped: int = 0  #: entries of ``items`` that were invalid or too many


def read_answer(text: str) -> ExtractionResponse:
    """Parse an answer.

    Raises:
        InvalidInputError: it is not one JSON object with title, digest and items.
    """
    fields = _object(text)
    title, digest, items = fields.get("title"), fields.get("digest"), fields.get("items")
    if not (isinstance(title, str) and isinstance(digest, str) and isinstance(items, list)):
        raise InvalidInputError(
            "the summariser's answer lacks title, digest or items: the batch will be retried"
        )
    parsed = [_item(fields) for fields in items[:MAX_ITEMS]]
    return ExtractionResponse(
        title=truncate(title, _TITLE_CHARS),
        digest=truncate(digest, _DIGEST_CHARS),
        items=tuple(item for item in parsed if item is not None),
        numbers=tuple(number for number, item in enumerate(parsed, 1) if item is not None),
        dropped=len(items) - sum(item is not None for item in parsed),
    )


def _object(text: str) -> dict[str, Any]:
    if len(text) > ANSWER_CHARS:
        raise InvalidInputError(
            f"the summariser's answer has {len(text)} characters, more than {ANSWER_CHARS}"
        )
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", text, re.DOTALL)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the summariser's answer is not valid JSON ({type(error).__name__}, {len(text)} "
            "characters): the batch will be retried"
        ) from None
    if not isinstance(value, dict):
        raise InvalidInputError("the summariser's answer is valid JSON but not an object")
    return value


def _item(fields: Any) -> Item | None:
    """Return an item; None if it is invalid or empty."""
    if not isinstance(fields, dict):
        return None
    text = _text(fields, "text", _TEXT_CHARS)
    kind = _text(fields, "type", 40).lower() or "semantic"
    if not text or kind not in TYPES:
        return None
    entity = _text(fields, "entity", _NAME_CHARS) or None
    if kind == "entity" and entity is None:
        return None
    return Item(
        text=text,
        type=kind,
        topic=_path(fields),
        details=_texts(fields.get("details"), _MAX_DETAILS, _TEXT_CHARS, text),
        cues=_texts(fields.get("cues"), _MAX_CUES, CUE_CHARS, text),
        importance=IMPORTANCE_WORDS.get(_text(fields, "importance", 20).lower()),
        quote=_text(fields, "quote", _QUOTE_CHARS),
        preference=fields.get("preference") is True,
        entity=entity,
        entity_type=_text(fields, "entity_type", 40).lower(),
        corrects=_text(fields, "corrects", 40) or None,
        relations=_links(fields.get("relations")),
    )


def _text(fields: dict[str, Any], key: str, max_chars: int) -> str:
    value = fields.get(key)
    return _line(value, max_chars) if isinstance(value, str) else ""


def _texts(values: Any, max_count: int, max_chars: int, exclude: str) -> tuple[str, ...]:
    """Return the texts of a list, without empty ones and those equal to ``exclude``."""
    return tuple(
        line
        for value in (values[:max_count] if isinstance(values, list) else ())
        if isinstance(value, str) and (line := _line(value, max_chars)) and line != exclude
    )


def _line(text: str, max_chars: int) -> str:
    """Return a text on one line, empty if too long: half a text could not be trusted."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else ""


def _path(fields: dict[str, Any]) -> str | None:
    names = [
        name.replace("/", " ").replace(">", " ").strip()
        for key in ("topic", "concept")
        if (name := _text(fields, key, _NAME_CHARS))
    ]
    return "/".join(filter(None, names)) or None


def _links(values: Any) -> tuple[Link, ...]:
    links: dict[Link, None] = {}
    for fields in values[:_MAX_RELATIONS] if isinstance(values, list) else ():
        if isinstance(fields, dict):
            kind, target = _text(fields, "kind", 64), _text(fields, "target", 40)
            try:
                kind = read_kind(kind) if kind and target else ""
            except InvalidInputError:
                continue
            if kind and kind != "supersedes":  # ``corrects`` says that
                links[Link(kind=kind, target=target)] = None
    return tuple(links)
