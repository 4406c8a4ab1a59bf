"""Arguments of tool calls: what a model meant is taken, what it got wrong is said in our words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import PROVENANCES
from aforesaid.domain.text.sanitize import clean_text

from .tool_schemas import TOOLS

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_CHARS = 100_000  #: of one argument; each has its own, lower limit
MAX_ITEMS = 10_000  #: of a list; each of them is cleaned before its own limit is known
_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
#: What other memories call these, so that a habit leads to the right name.
_OTHER_NAMES = {
    "text": "content", "memory": "content", "memory_type": "type", "limit": "max_results",
    "top_k": "max_results", "k": "max_results", "n_results": "max_results", "group": "project",
    "q": "query", "search": "query", "memory_id": "id", "hard_delete": "erase", "name": "project",
}  # fmt: skip


def read_arguments(
    tool: str, given: Mapping[str, Any] | None, *, any_provenance: bool = False
) -> dict[str, Any]:
    """Return the arguments of a call, each of the type that its schema names; None left out.

    A number or a list that came as text is read as one. ``any_provenance`` also takes those that
    no model may claim: imports keep what each line gives.

    Raises:
        InvalidInputError: an unknown parameter (the nearest valid one is named), a missing one,
            or a value that cannot be read.
    """
    schema = TOOLS[tool]["inputSchema"]
    known = schema["properties"]
    read: dict[str, Any] = {}
    for name, value in (given or {}).items():
        if name not in known:
            raise InvalidInputError(_unknown(tool, name, known))
        if value is not None:
            _refuse_huge(tool, name, value)
            schema_of = known[name]
            if any_provenance and name == "provenance":
                schema_of = {**schema_of, "enum": list(PROVENANCES)}
            read[name] = _read(tool, name, value, schema_of)
    for name in schema.get("required", ()):
        if name not in read:
            raise InvalidInputError(
                f"{tool} needs {name}: {known[name].get('description', '').lower()}"
            )
    return read


def _refuse_huge(tool: str, name: str, value: Any) -> None:
    """Refuse what no limit allows before any work on it; ``content`` has a message of its own."""
    items = value if isinstance(value, list) else [value]
    if len(items) > MAX_ITEMS:
        raise InvalidInputError(f"{tool}: {name} has {len(items)} items, far more than it can use")
    texts = (_as_json(item) if isinstance(item, (dict, list)) else item for item in items)
    try:
        size = sum(len(text) for text in texts if isinstance(text, str))
    except (RecursionError, ValueError):  # also what holds itself
        raise InvalidInputError(f"{tool}: {name} is nested too deep") from None
    if size > MAX_CHARS and name != "content":
        raise InvalidInputError(f"{tool}: {name} has {size} characters, far more than it can use")


def _as_json(value: Any) -> str:
    """Return a value as JSON; what a program may give, and JSON has not, as Python writes it."""
    return json.dumps(value, ensure_ascii=False, default=repr, skipkeys=True)


def _shown(value: Any) -> str:
    return clean_text(_as_json(value))[:80]


def _unknown(tool: str, name: str, known: Mapping[str, Any]) -> str:
    from difflib import get_close_matches

    meant = _OTHER_NAMES.get(name)
    near = [meant] if meant in known else get_close_matches(name, list(known), 1)
    hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
    return f"{tool} has no parameter {name[:60]!r}: {hint}"


def _read(tool: str, name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    for kind in kinds:
        if _is(value, kind):
            break
    else:
        value = _converted(tool, name, value, kinds)
    if "array" in kinds:
        if "properties" in schema["items"]:
            return _as_objects(tool, name, value, schema["items"])
        value = _as_list(tool, name, value)
    if "enum" in schema and isinstance(value, str):
        low = value.strip().lower()
        if low not in schema["enum"]:
            allowed = ", ".join(schema["enum"])
            raise InvalidInputError(f"{tool}: {name} is {value[:60]!r}, use one of {allowed}")
        value = low
    return value


def _is(value: Any, kind: str) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    wanted: dict[str, Any] = {
        "string": str,
        "number": (int, float),
        "array": list,
        "object": dict,
    }
    return isinstance(value, wanted[kind])


def _converted(tool: str, name: str, value: Any, kinds: list[str]) -> Any:
    """Return what text means where another type is wanted."""
    if isinstance(value, str):
        try:
            meant = json.loads(value)
        except (ValueError, RecursionError):
            meant = None
        for kind in kinds:
            if meant is not None and _is(meant, kind):
                return meant
    if "string" in kinds and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    wanted = " or ".join(_WORDS[kind] for kind in kinds)
    raise InvalidInputError(f"{tool}: {name} is {_shown(value)}, {wanted} is needed")


def _as_list(tool: str, name: str, value: Any) -> list[str]:
    """Return a list of texts for one value, a list, or a list written as JSON text."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = [text]
        else:
            value = [text]
    items = [item for item in value if item not in (None, "")]
    for item in items:
        if not isinstance(item, str):
            raise InvalidInputError(f"{tool}: {name} holds {_shown(item)}, texts only")
    return items


def _as_objects(
    tool: str, name: str, value: list[Any], schema: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Return a list of objects of texts, each with the keys that their schema requires.

    An item may also be text: such an object as JSON, or its values joined by colons.

    Raises:
        InvalidInputError: an item is none, or has another key or value.
    """
    needed = schema["required"]
    read = [_object_of(item, needed) if isinstance(item, str) else item for item in value]
    for item in read:
        if not (
            isinstance(item, dict)
            and set(item) == set(needed)
            and all(isinstance(text, str) and text.strip() for text in item.values())
        ):
            shape = "{" + ", ".join(f'"{key}": "…"' for key in needed) + "}"
            raise InvalidInputError(f"{tool}: {name} holds {_shown(item)}, each takes {shape}")
    return read


def _object_of(text: str, needed: list[str]) -> Any:
    parts = text.split(":")
    if not text.lstrip().startswith("{"):
        return dict(zip(needed, parts, strict=True)) if len(parts) == len(needed) else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
