"""Statements: texts to be stored, and their validation before they become memories.

Covers limits, defaults, typed metadata and the choice of scope. Secrets and duplicates, which need
ports, are handled by services/memories.
"""

from __future__ import annotations

import json

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.sanitize import visible_length
from aforesaid.domain.value import Value

from .entity import USER, check_name
from .memory import (
    CONTENT_CHARS,
    CUE_CHARS,
    GUARD,
    IMPORTANCE_WORDS,
    MAX_CUES,
    MAX_METADATA_LEVELS,
    MAX_TAGS,
    METADATA_BYTES,
    PROVENANCES,
    SAYS_NOTHING,
    SCOPES,
    SESSION_CHARS,
    SUMMARY_CHARS,
    TAG_CHARS,
    TYPES,
    check_choice,
    check_unit_interval,
)
from .relation import MAX_RELATIONS, SUPERSEDES, Link, check_spelling, read_kind
from .task import Assignment, check_assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .anchor import Anchor
    from .entity import Entity


class Statement(Value):
    """A text to be stored, with its attributes. ``None``: not stated, so a rule chooses."""

    content: str
    type: str = "semantic"
    scope: str | None = None
    summary: str | None = None
    entity: str | None = None  #: name or alias of what it is about
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float = 1.0
    pinned: bool = False
    supersedes: tuple[str, ...] = ()  #: ids in full or short form
    relations: tuple[Link, ...] = ()  #: to memories that exist
    provenance: str = "assistant"
    anchors: tuple[str, ...] = ()  #: files it cites, as ``path[:line]``
    cited: tuple[Anchor, ...] = ()  #: the same with fingerprints, once the files were read
    assignment: Assignment = Assignment()  #: the fields of its task that it sets
    valid_from: int | None = None  #: ms
    valid_to: int | None = None  #: ms
    event_at: int | None = None  #: ms: metadata.event_date
    unread_date: str = ""  #: the words given for it, if they are no date
    topic: str | None = None  #: a path such as auth/jwt
    parent: str | None = None  #: id of the memory that this one is a detail of
    depth: int | None = None  #: 0 or 1: the overview of the topic or concept
    session: str | None = None  #: id of the session in which it was said; None: the caller's
    created_at: int | None = None  #: ms; None: now
    metadata: dict[str, Any] = {}


def check_statement(statement: Statement, clean: Callable[[str], str]) -> Statement:
    """Return the statement with every field cleaned, normalised and validated.

    Args:
        statement: as the caller gave it.
        clean: removes secrets, private spans and invisible characters from a text.

    Raises:
        InvalidInputError: a field is invalid; the message names it and the remedy.
    """
    if len(statement.content) > CONTENT_CHARS * 4:
        raise _too_long(statement.content)  # before any work on a huge text
    content = clean(statement.content).strip()
    if not content:
        raise InvalidInputError(
            "content is empty, or entirely private: state in one sentence what to remember"
        )
    if visible_length(content) > CONTENT_CHARS:
        raise _too_long(content)
    summary = clean(statement.summary).strip() if statement.summary else None
    if summary and visible_length(summary) > SUMMARY_CHARS:
        raise InvalidInputError(
            f"summary has {len(summary)} characters, {SUMMARY_CHARS} at most: use one sentence"
        )
    importance = statement.importance
    superseded, relations = check_relations(statement.relations)
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
        supersedes=(*statement.supersedes, *superseded),
        relations=relations,
        provenance=check_choice("provenance", statement.provenance, PROVENANCES),
        session=None if statement.session is None else check_session(clean(statement.session)),
        metadata=check_metadata(
            clean_metadata(without_guard(statement.metadata), clean), statement.type
        ),
    )


def without_guard(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata without a guard: only the user can accept one (services/guards.py)."""
    return {name: value for name, value in metadata.items() if name != GUARD}


def check_session(session: str) -> str:
    """Return a session's id without surrounding white space.

    Raises:
        InvalidInputError: it is empty or too long.
    """
    session = session.strip()
    if not 0 < len(session) <= SESSION_CHARS:
        raise InvalidInputError(
            f"session has {len(session)} characters: use an id of 1 to {SESSION_CHARS}"
        )
    return session


def _cleaned_assignment(assignment: Assignment, clean: Callable[[str], str]) -> Assignment:
    if assignment.empty:
        return assignment
    title = None if assignment.title is None else clean(assignment.title)
    task_id = None if assignment.task_id is None else clean(assignment.task_id)
    return check_assignment(assignment.replace(title=title, task_id=task_id))


def _too_long(content: str) -> InvalidInputError:
    return InvalidInputError(
        f"content has {len(content)} characters, {CONTENT_CHARS} at most: store the essence, "
        "or split it into several memories"
    )


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags in lower case, with hyphens for spaces and without duplicates, in order.

    A comma separates tags.

    Raises:
        InvalidInputError: there are too many, or one is too long.
    """
    lower = ["-".join(tag.lower().split()) for several in tags for tag in several.split(",")]
    return _bounded("tag", lower, MAX_TAGS, TAG_CHARS, "keep those that you would search for")


def check_cues(cues: Sequence[str]) -> tuple[str, ...]:
    """Return cues with single spaces and without duplicates, in order.

    Raises:
        InvalidInputError: there are too many, or one is too long.
    """
    lines = [" ".join(cue.split()) for cue in cues]
    return _bounded("cue", lines, MAX_CUES, CUE_CHARS, "keep the most likely ones")


def _bounded(
    noun: str, texts: Sequence[str], max_count: int, max_chars: int, advice: str
) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(filter(None, texts)))
    if len(distinct) > max_count:
        raise InvalidInputError(f"{len(distinct)} {noun}s, {max_count} at most: {advice}")
    for text in distinct:
        if visible_length(text) > max_chars:
            raise InvalidInputError(
                f"{noun} {text[:30]!r}… has over {max_chars} characters: shorten it"
            )
    return distinct


def check_relations(links: Sequence[Link]) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    """Return the targets of ``supersedes`` links, and the other links without duplicates.

    Raises:
        InvalidInputError: there are too many links, or one has an invalid kind.
    """
    if len(links) > MAX_RELATIONS:
        raise InvalidInputError(
            f"{len(links)} relations, {MAX_RELATIONS} at most: add further ones with link_memories"
        )
    links = [link.replace(kind=check_spelling(read_kind(link.kind))) for link in links]
    others = dict.fromkeys(link for link in links if link.kind != SUPERSEDES)
    return tuple(link.target for link in links if link.kind == SUPERSEDES), tuple(others)


def read_importance(value: object) -> float | None:
    """Return importance in [0, 1] for a number or one of high, medium, low; None for None.

    Raises:
        InvalidInputError: the value is neither.
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
    """Return the stated importance, else the default for its provenance.

    That is high for the user's statements, low for tools, imports, observations and texts that say
    nothing, else medium.
    """
    if statement.importance is not None:
        return statement.importance
    if SAYS_NOTHING in statement.metadata:
        return IMPORTANCE_WORDS["low"]
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
    """Return the scope of a statement, by the first rule that applies.

    1. The stated scope. 2. ``task`` if it names a task. 3. ``project`` for events. 4. ``global``
    for preferences and for what the user likes or is. 5. ``project``, or ``global`` without one.
    People and systems that are mentioned in a project belong to it.

    Args:
        statement: the statement.
        project_known: whether the session is in a project.
        about: the registered entity that it is about, if any.
    """
    if statement.scope is not None:
        return statement.scope
    if statement.assignment.task_id is not None:
        return "task"
    if statement.type == "episodic":
        return "project"
    everywhere = not project_known or _is_about_user(statement, about)
    return "global" if everywhere else "project"


def _is_about_user(statement: Statement, about: Entity | None) -> bool:
    """Return whether a statement says what the user likes or who they are, in every project."""
    category, entity_type = (
        str(statement.metadata.get(name, "")).lower() for name in ("category", "entity_type")
    )
    if category == "preference" or (statement.type == "entity" and entity_type == USER):
        return True
    if about is not None or statement.provenance not in {"user", "assistant"}:
        return about is not None and about.normalised == USER
    import re

    from aforesaid.lexicon.change import CORRECTIONS
    from aforesaid.lexicon.first_person import ONE_PROJECT, TASTE

    text = " ".join(statement.content.lower().split())
    text = re.sub(rf"^(?:{CORRECTIONS})\b[,.:]? ?", "", text)
    return re.match(TASTE, text) is not None and re.search(ONE_PROJECT, text) is None


def may_join(statement: Statement, scope: str) -> bool:
    """Return whether a statement may get a scope that it did not state: events never go global."""
    return statement.type != "episodic" or scope != "global"


_TYPED_ALL: dict[str, tuple[type, str]] = {"cues": (list, "a list of strings")}
_TYPED: dict[str, dict[str, tuple[type, str]]] = {
    "episodic": {
        "event_date": (str, "a date such as 2026-11-22"),
        "session_id": (str, "a string"),
        "summary": (bool, "true or false"),
    },
    "semantic": {"category": (str, "a string"), "subject": (str, "a string")},
    "procedural": {
        "trigger": (str, "a string"),
        "steps": (list, "a list of strings"),
        "version": (int, "a whole number"),
    },
    "entity": {
        "entity_type": (str, "a string"),
        "name": (str, "a string"),
        "aliases": (list, "a list of strings"),
        "properties": (dict, "an object"),
    },
}


def check_metadata(metadata: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the metadata after checking the types of known keys; unknown keys are kept.

    Args:
        metadata: the metadata.
        kind: the type of the memory.

    Raises:
        InvalidInputError: a known key has a wrong type, or the whole is too large or too deep.
    """
    if isinstance(metadata.get("trigger"), (list, tuple)):
        from .triggers import trigger_text  # rare

        metadata = {
            **metadata,
            "trigger": trigger_text([str(each) for each in metadata["trigger"]]),
        }
    for key, (expected, expected_text) in {**_TYPED_ALL, **_TYPED.get(kind, {})}.items():
        value = metadata.get(key)
        wrong = value is not None and (
            not isinstance(value, expected) or (expected is int and isinstance(value, bool))
        )
        if wrong or (isinstance(value, list) and not all(isinstance(item, str) for item in value)):
            shown = repr(value)[:60]
            raise InvalidInputError(
                f"metadata.{key} is {shown}: use {expected_text} for type {kind}"
            )
    if metadata.get("cues") is not None:
        metadata = {**metadata, "cues": list(check_cues(metadata["cues"]))}
    if _levels(metadata) > MAX_METADATA_LEVELS:
        raise InvalidInputError(f"metadata is nested deeper than {MAX_METADATA_LEVELS} levels")
    try:
        size = len(json.dumps(metadata, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"metadata cannot be written as JSON: {error}") from None
    if size > METADATA_BYTES:
        raise InvalidInputError(f"metadata has {size} bytes, {METADATA_BYTES} at most")
    return metadata


def _levels(value: Any, depth: int = 0) -> int:
    if depth > MAX_METADATA_LEVELS:
        return depth
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return max((_levels(item, depth + 1) for item in value), default=depth + 1)
    return depth


def clean_metadata(metadata: dict[str, Any], clean: Callable[[str], str]) -> dict[str, Any]:
    """Return the metadata with all its strings cleaned, including keys."""
    cleaned: dict[str, Any] = _cleaned(metadata, clean)
    return cleaned


def _cleaned(value: Any, clean: Callable[[str], str], depth: int = 0) -> Any:
    if depth > MAX_METADATA_LEVELS + 1:
        return value  # check_metadata rejects it for its depth right after
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        items = [(clean(str(k)), _cleaned(v, clean, depth + 1)) for k, v in value.items()]
        return {name: clean_under(name, v, clean) for name, v in items}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, clean, depth + 1) for item in value]
    return value


def clean_under(name: str, value: Any, clean: Callable[[str], str]) -> Any:
    """Return a cleaned value without secrets that only their key reveals, such as a password."""
    if isinstance(value, list):
        return [clean_under(name, item, clean) for item in value]
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return value
    prefix = f'{name}: "'
    line = clean(f'{prefix}{value}"')
    cleaned = line[len(prefix) : -1]
    return cleaned if line.startswith(prefix) and cleaned != str(value) else value
