"""Arguments of tool calls: checked against the tool's schema, then turned into what services take.

Lenient where the meaning is clear (a number written as text, one value in place of a list), strict
otherwise: an error names the parameter, its value and what is valid. Not here: the schemas
(tool_schemas.py), dates (argument_dates.py), what a tool does (operations.py).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import (
    PROVENANCES,
    SCOPES,
    STATUSES,
    TYPES,
    Filters,
    check_choice,
    check_unit_interval,
)
from aforesaid.domain.model.relation import Link
from aforesaid.domain.model.statement import Statement, check_tags, read_importance
from aforesaid.domain.model.task import TASK_FIELDS, Assignment
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.services.recall.query import RecallQuery

from .argument_dates import read_dates, with_times
from .tool_schemas import TOOLS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.memory import Visibility
    from aforesaid.ports import DateReader
    from aforesaid.wiring.container import ServiceContainer

Arguments = dict[str, Any]

MAX_CHARS = 100_000  #: of one argument; most parameters have a lower limit
MAX_ITEMS = 10_000  #: of a list, checked before its items are cleaned
MIN_CONFIDENCE = 0.1  #: default of recall_memory

#: Each JSON type: the Python types for it, and its name in messages.
_JSON_TYPES: dict[str, tuple[Any, str]] = {
    "string": (str, "text"),
    "number": ((int, float), "a number"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}
#: Parameter names of other memory tools, and the names used here.
_SYNONYMS = {
    "text": "content", "memory": "content", "memory_type": "type", "limit": "max_results",
    "top_k": "max_results", "k": "max_results", "n_results": "max_results", "group": "project",
    "q": "query", "search": "query", "memory_id": "id", "hard_delete": "erase", "name": "project",
}  # fmt: skip


def read_arguments(
    tool: str,
    raw: Mapping[str, Any] | None,
    *,
    any_provenance: bool = False,
    further: tuple[str, ...] = (),
) -> Arguments:
    """Return the arguments of a call, each of the type in its schema; None values are left out.

    Args:
        tool: its name.
        raw: the arguments as the caller gave them.
        further: names of parameters that the caller reads, for the message.
        any_provenance: also accept provenances that a model may not claim, as imports need.

    Raises:
        InvalidInputError: a parameter is unknown or missing, or a value has the wrong type.
    """
    schema, arguments = TOOLS[tool]["inputSchema"], Arguments()
    properties = schema["properties"]
    for name, raw_value in (raw or {}).items():
        if name not in properties:
            raise InvalidInputError(_unknown_parameter(tool, name, [*properties, *further]))
        if raw_value is None:
            continue
        value = list(raw_value) if isinstance(raw_value, tuple) else raw_value
        _check_size(tool, name, value)
        property_schema = properties[name]
        if any_provenance and name == "provenance":
            property_schema = {**property_schema, "enum": list(PROVENANCES)}
        arguments[name] = _read_value(tool, name, value, property_schema)
    for name in schema.get("required", ()):
        if name not in arguments:
            description = properties[name].get("description", "")
            raise InvalidInputError(f"{tool} needs {name}: {description.lower()}")
    return arguments


def _check_size(tool: str, name: str, value: Any) -> None:
    """Refuse oversized values before any work on them; ``content`` has its own error."""
    items = value if isinstance(value, list) else [value]
    if (size := len(items)) > MAX_ITEMS:
        raise InvalidInputError(f"{tool}: {name} has {size} items; at most {MAX_ITEMS} are allowed")
    texts = (_to_json(item) if isinstance(item, (dict, list)) else item for item in items)
    try:
        size = sum(len(text) for text in texts if isinstance(text, str))
    except (RecursionError, ValueError):  # ValueError: a value that contains itself
        raise InvalidInputError(f"{tool}: {name} is nested too deeply") from None
    if size > MAX_CHARS and name != "content":
        raise InvalidInputError(
            f"{tool}: {name} has {size} characters; at most {MAX_CHARS} are allowed"
        )


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr, skipkeys=True)


def _preview(value: Any) -> str:
    return clean_text(_to_json(value))[:80]


def _unknown_parameter(tool: str, name: str, properties: list[str]) -> str:
    from difflib import get_close_matches

    synonym = _SYNONYMS.get(name)
    near = [synonym] if synonym in properties else get_close_matches(name, properties, 1)
    hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(properties)}"
    return f"{tool} has no parameter {name[:60]!r}: {hint}"


def _read_value(tool: str, name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is_of(kind, value) for kind in kinds):
        value = _convert(tool, name, value, kinds)
    if "array" in kinds:
        if "properties" in schema["items"]:
            return _read_objects(tool, name, value, schema["items"]["required"])
        value = _read_texts(tool, name, value)
    if "enum" in schema and isinstance(value, str):
        choice = value.strip().lower()
        if choice not in schema["enum"]:
            allowed = ", ".join(schema["enum"])
            raise InvalidInputError(f"{tool}: {name} is {value[:60]!r}; use one of {allowed}")
        value = choice
    return value


def _is_of(kind: str, value: Any) -> bool:
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _JSON_TYPES[kind][0])


def _convert(tool: str, name: str, value: Any, kinds: list[str]) -> Any:
    """Return the value of another type that a text stands for, or a number as text."""
    if isinstance(value, str):
        parsed = _parse_json(value)
        if parsed is not None and any(_is_of(kind, parsed) for kind in kinds):
            return parsed
    if "string" in kinds and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    expected = " or ".join(_JSON_TYPES[kind][1] for kind in kinds)
    raise InvalidInputError(f"{tool}: {name} must be {expected}, not {_preview(value)}")


def _parse_json(text: str, default: Any = None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return default


def _read_texts(tool: str, name: str, value: Any) -> list[str]:
    """Return a list of texts for one text, a list, or a list written as JSON."""
    if isinstance(value, str):
        text = value.strip()
        value = _parse_json(text, [text]) if text.startswith("[") else [text]
    items = [item for item in value if item not in (None, "")]
    for item in items:
        if not isinstance(item, str):
            raise InvalidInputError(f"{tool}: {name} contains {_preview(item)}, not a string")
    return items


def _read_objects(tool: str, name: str, items: list[Any], keys: list[str]) -> list[dict[str, str]]:
    """Return a list of objects that have exactly these keys, all with text as their value.

    An item may also be text: an object as JSON, or the values joined by colons.
    """
    read = [_parse_object(item, keys) if isinstance(item, str) else item for item in items]
    objects = [item for value in read for item in (value if isinstance(value, list) else [value])]
    for item in objects:
        if not (
            isinstance(item, dict)
            and set(item) == set(keys)
            and all(isinstance(text, str) and text.strip() for text in item.values())
        ):
            shape = "{" + ", ".join(f'"{key}": "…"' for key in keys) + "}"
            raise InvalidInputError(
                f"{tool}: {name} contains {_preview(item)}; each item must be {shape}"
            )
    return objects


def _parse_object(text: str, keys: list[str]) -> Any:
    parts = text.split(":")
    if text.lstrip()[:1] in ("{", "["):
        return _parse_json(text, text)
    return dict(zip(keys, parts, strict=True)) if len(parts) == len(keys) else text


# -- arguments as the services take them


def read_statement(
    arguments: Arguments, dates: DateReader, *, needs_event_date: bool = True
) -> Statement:
    """Return the statement that the arguments of store_memory describe.

    Args:
        arguments: of the call.
        dates: reads dates.
        needs_event_date: refuse an event date that cannot be read; else it is left out.

    Raises:
        InvalidInputError: a date or an importance cannot be read, or the content is broken.
    """
    arguments = read_dates(
        arguments,
        dates,
        arguments.get("type", "semantic"),
        needs_event_date=needs_event_date,
    )
    check_text("content", arguments["content"])
    further = {name: arguments[name] for name in ("cues", "trigger") if arguments.get(name)}
    return Statement(
        content=arguments["content"],
        type=arguments.get("type", "semantic"),
        scope=arguments.get("scope"),
        summary=arguments.get("summary"),
        entity=arguments.get("entity"),
        tags=tuple(arguments.get("tags", ())),
        importance=read_importance(arguments.get("importance")),
        confidence=arguments.get("confidence", 1.0),
        pinned=arguments.get("pinned", False),
        supersedes=tuple(arguments.get("supersedes", ())),
        relations=tuple(
            Link(kind=link["kind"], target=link["target_id"])
            for link in arguments.get("relations", ())
        ),
        topic=arguments.get("topic"),
        parent=arguments.get("parent_id"),
        depth=to_int(arguments.get("depth")),
        provenance=arguments.get("provenance", "assistant"),
        anchors=tuple(arguments.get("anchors", ())),
        assignment=Assignment(**{name: arguments.get(name) for name in TASK_FIELDS}),
        valid_from=arguments.get("valid_from") or None,
        valid_to=arguments.get("valid_to") or None,
        event_at=arguments.get("event_at"),
        unread_date=arguments.get("unread_date", ""),
        session=arguments.get("session"),
        created_at=arguments.get("created_at"),
        metadata={**arguments.get("metadata", {}), **further},
    )


def read_query(arguments: Arguments, core: ServiceContainer, visible: Visibility) -> RecallQuery:
    """Return the query that the arguments of recall_memory describe.

    Raises:
        InvalidInputError: a filter has an invalid value.
        NotFoundError: there is no entity of that name.
    """
    settings = core.settings
    summary_only = arguments.get("summary_only", False)
    budget = arguments.get("token_budget")
    if budget is None and not summary_only and not arguments.get("ids"):
        budget = settings["retrieval.recall_token_budget"]
    filters = Filters(
        types=read_choices(arguments, "type", TYPES),
        scopes=read_choices(arguments, "scope", SCOPES),
        tags=check_tags(arguments.get("tags", ())),
        statuses=read_choices(arguments, "status", STATUSES),
        entities=tuple(
            key
            for name in arguments.get("entity", ())
            for key in core.entities.keys_named(clean_text(name), visible)
        ),
        min_confidence=check_unit_interval(
            "min_confidence", arguments.get("min_confidence", MIN_CONFIDENCE)
        ),
        include_history=arguments.get("include_history", False),
        include_archived=arguments.get("include_archived", False),
    )
    return RecallQuery(
        query=arguments.get("query"),
        ids=tuple(arguments.get("ids", ())),
        filters=with_times(filters, arguments, core.dates),
        max_results=int(arguments.get("max_results", settings["retrieval.max_results"])),
        token_budget=to_int(budget),
        summary_only=summary_only,
        include_related=to_int(arguments.get("include_related")),
        cursor=arguments.get("cursor"),
        min_relevance=arguments.get("min_relevance", settings["retrieval.floor"] or None),
        depth=to_int(arguments.get("depth")),
    )


def read_choices(arguments: Arguments, name: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of a list parameter, each of which must be one of the choices."""
    return tuple(check_choice(name, value, choices) for value in arguments.get(name, ()))


def to_int(value: float | None) -> int | None:
    """Return a number as an integer; None stays None."""
    return None if value is None else int(value)


def check_text(name: str, text: str) -> None:
    """Refuse text that could not be stored and read back unchanged.

    Raises:
        InvalidInputError: it contains NUL, or an unpaired surrogate.
    """
    at, character = text.find("\0"), "NUL"
    if at < 0:
        try:
            text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError as error:
            at, character = error.start // 2 - 1, "an unpaired surrogate"
            if "\udc80" <= text[max(at, 0)] <= "\udcff":  # how Python reads such a byte
                character = "a byte that is not UTF-8"
    if at >= 0:
        raise InvalidInputError(f"{name} contains {character} near character {at + 1}: remove it")
