"""What someone asks to be stored, checked and cleaned, before it becomes a memory.

Here: limits, defaults, typed metadata, the choice of scope. Not here: secrets and duplicates,
which need the world.
"""

from __future__ import annotations

import json

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.sanitize import visible_length
from aforesaid.domain.value import Value

from .entity import PERSONAL
from .entity_names import check_name
from .memory import (
    CONTENT_CHARS,
    CUE_CHARS,
    CUES,
    IMPORTANCE_WORDS,
    METADATA_BYTES,
    METADATA_LEVELS,
    PROVENANCES,
    SCOPES,
    SUMMARY_CHARS,
    TAG_CHARS,
    TAGS,
    TYPES,
    check_choice,
    check_unit_interval,
)
from .relation import MAX_RELATIONS, SUPERSEDES, Link, read_kind
from .task import Assignment, check_assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .anchor import Anchor
    from .entity import Entity


class Statement(Value):
    """What is to be stored. ``None`` means: not said, choose by the rules."""

    content: str
    type: str = "semantic"
    scope: str | None = None
    summary: str | None = None
    entity: str | None = None  #: what it is about, by any name
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float = 1.0
    pinned: bool = False
    supersedes: tuple[str, ...] = ()  #: ids, whole or short
    relations: tuple[Link, ...] = ()  #: to memories that exist
    provenance: str = "assistant"
    anchors: tuple[str, ...] = ()  #: files it speaks of, ``path[:line]``
    cited: tuple[Anchor, ...] = ()  #: the same once they were read
    assignment: Assignment = Assignment()  #: what it says of its task
    valid_from: int | None = None  #: ms
    valid_to: int | None = None  #: ms
    event_at: int | None = None  #: ms: what metadata.event_date says
    topic: str | None = None  #: a path such as auth/jwt
    parent: str | None = None  #: id of the memory that this one is a detail of
    depth: int | None = None  #: 0 or 1: the overview of the topic or concept
    created_at: int | None = None  #: ms; only imports know better than the clock
    metadata: dict[str, Any] = {}


def check_statement(statement: Statement, clean: Callable[[str], str]) -> Statement:
    """Return the statement with every field within its limits.

    Args:
        statement: as it came.
        clean: takes from a text what must not be stored (private spans, stray characters).

    Raises:
        InvalidInputError: a field is outside; the message names it and the way out.
    """
    if len(statement.content) > CONTENT_CHARS * 4:
        raise _too_long(statement.content)  # before any work on it
    content = clean(statement.content).strip()
    if not content:
        raise InvalidInputError(
            "content is empty, or all of it was private: say in one sentence what to remember"
        )
    if visible_length(content) > CONTENT_CHARS:
        raise _too_long(content)
    summary = clean(statement.summary).strip() if statement.summary else None
    if summary and visible_length(summary) > SUMMARY_CHARS:
        raise InvalidInputError(
            f"summary has {len(summary)} characters, {SUMMARY_CHARS} at most: one sentence will do"
        )
    importance = statement.importance
    replaced, relations = check_relations(statement.relations)
    return statement.replace(
        content=content,
        summary=summary or None,
        type=check_choice("type", statement.type, TYPES),
        scope=None if statement.scope is None else check_choice("scope", statement.scope, SCOPES),
        entity=_entity(clean(statement.entity)) if statement.entity else None,
        tags=check_tags([clean(tag) for tag in statement.tags]),
        topic=clean(statement.topic).strip() or None if statement.topic else None,
        importance=None if importance is None else check_unit_interval("importance", importance),
        confidence=check_unit_interval("confidence", statement.confidence),
        assignment=_cleaned_assignment(statement.assignment, clean),
        supersedes=(*statement.supersedes, *replaced),
        relations=relations,
        provenance=check_choice("provenance", statement.provenance, PROVENANCES),
        metadata=check_metadata(clean_metadata(statement.metadata, clean), statement.type),
    )


def _cleaned_assignment(given: Assignment, clean: Callable[[str], str]) -> Assignment:
    if given.empty:
        return given
    title = None if given.title is None else clean(given.title)
    task_id = None if given.task_id is None else clean(given.task_id)
    return check_assignment(given.replace(title=title, task_id=task_id))


def _too_long(content: str) -> InvalidInputError:
    return InvalidInputError(
        f"content has {len(content)} characters, {CONTENT_CHARS} at most: store the point of it, "
        "or split it into several memories"
    )


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags lower-case, blanks folded, each once, in order.

    Raises:
        InvalidInputError: there are too many, or one is too long.
    """
    lower = ["-".join(tag.lower().split()) for tag in tags]
    return _bounded("tag", lower, TAGS, TAG_CHARS, "keep those you would search")


def check_cues(cues: Sequence[str]) -> tuple[str, ...]:
    """Return cues with blanks folded, each once, in order.

    Raises:
        InvalidInputError: there are too many, or one is too long.
    """
    lines = [" ".join(cue.split()) for cue in cues]
    return _bounded("cue", lines, CUES, CUE_CHARS, "keep the likeliest")


def _bounded(what: str, given: Sequence[str], most: int, chars: int, keep: str) -> tuple[str, ...]:
    """Return what is not empty, each once, if it is neither too much nor too long."""
    found = tuple(dict.fromkeys(one for one in given if one))
    if len(found) > most:
        raise InvalidInputError(f"{len(found)} {what}s, {most} at most: {keep}")
    for one in found:
        if visible_length(one) > chars:
            raise InvalidInputError(f"{what} {one[:30]!r}… has over {chars} characters: shorten it")
    return found


def check_relations(links: Sequence[Link]) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    """Return the ids that links of the kind ``supersedes`` name, and the other links, each once.

    Raises:
        InvalidInputError: there are too many, or a kind is none.
    """
    if len(links) > MAX_RELATIONS:
        raise InvalidInputError(
            f"{len(links)} relations, {MAX_RELATIONS} at most: link_memories adds more"
        )
    read = [link.replace(kind=read_kind(link.kind)) for link in links]
    others = dict.fromkeys(link for link in read if link.kind != SUPERSEDES)
    return tuple(link.target for link in read if link.kind == SUPERSEDES), tuple(others)


def read_importance(value: object) -> float | None:
    """Return importance in [0, 1] from a number or one of high, medium, low.

    Raises:
        InvalidInputError: it is neither.
    """
    if value is None:
        return None
    if isinstance(value, str) and value.strip().lower() in IMPORTANCE_WORDS:
        return IMPORTANCE_WORDS[value.strip().lower()]
    try:
        return check_unit_interval("importance", float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(
            f"importance {str(value)[:60]!r}: use high, medium, low, or a number from 0 to 1"
        ) from None


def default_importance(statement: Statement) -> float:
    """Return the importance of a statement that gives none.

    What the user said or corrected is high, an observation of a tool low, the rest medium.
    """
    if statement.importance is not None:
        return statement.importance
    if statement.provenance == "user":
        return IMPORTANCE_WORDS["high"]
    if statement.provenance in {"tool", "import"} or statement.metadata.get("category") == (
        "observation"
    ):
        return IMPORTANCE_WORDS["low"]
    return IMPORTANCE_WORDS["medium"]


def _entity(name: str) -> str | None:
    return check_name(name) if name.strip() else None


def choose_scope(statement: Statement, *, project_known: bool, about: Entity | None = None) -> str:
    """Return the scope by the first rule that applies; ``about`` is what is known of its entity.

    Said; what names a task is the task's; what happened belongs to the project, whoever it is
    about; what is about the user or people is global; the rest belongs to the project where one
    is known, and is global where none is.
    """
    if statement.scope is not None:
        return statement.scope
    if statement.assignment.task_id is not None:
        return "task"
    if statement.type == "episodic":
        return "project"
    metadata = statement.metadata
    if str(metadata.get("category", "")).lower() == "preference":
        return "global"
    told = metadata.get("entity_type", "") if statement.type == "entity" else ""
    if not PERSONAL.isdisjoint((str(told).lower(), about.entity_type if about else "")):
        return "global"
    return "project" if project_known else "global"


def may_join(statement: Statement, scope: str) -> bool:
    """Tell whether a statement may get a scope that nobody named: no event becomes global so."""
    return statement.type != "episodic" or scope != "global"


_TYPED_ALL: dict[str, tuple[type, str]] = {"cues": (list, "a list of texts")}
_TYPED: dict[str, dict[str, tuple[type, str]]] = {
    "episodic": {
        "event_date": (str, "a date such as 2026-11-22"),
        "session_id": (str, "text"),
        "summary": (bool, "true or false"),
    },
    "semantic": {"category": (str, "text"), "subject": (str, "text")},
    "procedural": {
        "trigger": (str, "text"),
        "steps": (list, "a list of texts"),
        "version": (int, "a whole number"),
    },
    "entity": {
        "entity_type": (str, "text"),
        "name": (str, "text"),
        "aliases": (list, "a list of texts"),
        "properties": (dict, "an object"),
    },
}


def check_metadata(metadata: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the metadata if its known keys have their types; unknown keys are kept.

    Raises:
        InvalidInputError: a known key has another type, or it is too large or too deep.
    """
    for key, (wanted, words) in {**_TYPED_ALL, **_TYPED.get(kind, {})}.items():
        value = metadata.get(key)
        wrong = value is not None and (
            not isinstance(value, wanted) or (wanted is int and isinstance(value, bool))
        )
        if wrong or (isinstance(value, list) and not all(isinstance(item, str) for item in value)):
            shown = repr(value)[:60]
            raise InvalidInputError(f"metadata.{key} is {shown}: type {kind} takes {words}")
    if metadata.get("cues") is not None:
        metadata = {**metadata, "cues": list(check_cues(metadata["cues"]))}
    if _levels(metadata) > METADATA_LEVELS:
        raise InvalidInputError(f"metadata is nested deeper than {METADATA_LEVELS} levels")
    try:
        size = len(json.dumps(metadata, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"metadata cannot be written as JSON: {error}") from None
    if size > METADATA_BYTES:
        raise InvalidInputError(f"metadata has {size} bytes, {METADATA_BYTES} at most")
    return metadata


def _levels(value: Any, depth: int = 0) -> int:
    if depth > METADATA_LEVELS:
        return depth
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return max((_levels(item, depth + 1) for item in value), default=depth + 1)
    return depth


def clean_metadata(metadata: dict[str, Any], clean: Callable[[str], str]) -> dict[str, Any]:
    """Return the metadata with every text in it, keys included, cleaned."""
    cleaned: dict[str, Any] = _cleaned(metadata, clean)
    return cleaned


def _cleaned(value: Any, clean: Callable[[str], str], depth: int = 0) -> Any:
    """Return the value with every text in it, keys included, cleaned."""
    if depth > METADATA_LEVELS + 1:
        return value  # refused by its depth right after
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        named = [(clean(str(k)), _cleaned(v, clean, depth + 1)) for k, v in value.items()]
        return {name: clean_under(name, v, clean) for name, v in named}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, clean, depth + 1) for item in value]
    return value


def clean_under(name: str, value: Any, clean: Callable[[str], str]) -> Any:
    """Return a cleaned value without what only its name tells to be a secret, as a password."""
    if isinstance(value, list):
        return [clean_under(name, item, clean) for item in value]
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return value
    head = f'{name}: "'
    told = clean(f'{head}{value}"')
    kept = told[len(head) : -1]
    return kept if told.startswith(head) and kept != str(value) else value
