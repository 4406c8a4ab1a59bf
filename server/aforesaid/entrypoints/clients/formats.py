"""The formats of clients' configurations: plain values to text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def to_json(entry: Mapping[str, Any]) -> str:
    """Return JSON, which is also valid JSONC."""
    return json.dumps(entry, indent=2, ensure_ascii=False) + "\n"


def to_toml(entry: Mapping[str, Any]) -> str:
    """Return TOML for nested tables of texts and lists of texts."""
    lines: list[str] = []
    _tables(entry, (), lines)
    return "\n".join(lines).lstrip("\n") + "\n"


def _tables(table: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if plain:
        lines += ["", f"[{'.'.join(path)}]"]
        lines += [f"{_key(key)} = {_text(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, dict) and value:
            _tables(value, (*path, _key(key)), lines)


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _text(name)


def _text(value: Any) -> str:
    # JSON's escapes are valid in TOML, except surrogates, which ensure_ascii would write.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def to_yaml(entry: Mapping[str, Any]) -> str:
    """Return YAML: the outer two levels as lines, the values as JSON, which is valid YAML."""
    lines = []
    for section, inner in entry.items():
        lines.append(f"{section}:")
        lines += [f"  {key}: {_text(value)}" for key, value in inner.items()]
    return "\n".join(lines) + "\n"


def to_python(entry: Mapping[str, Any]) -> str:
    """Return Python that creates the options of the Agent SDK."""
    lines = ["from claude_agent_sdk import ClaudeAgentOptions", "", "options = ClaudeAgentOptions("]
    for name, value in entry.items():
        first, *rest = _python(value)
        lines += [f"    {name}={first}", *(f"    {line}" for line in rest)]
        lines[-1] += ","
    return "\n".join([*lines, ")"]) + "\n"


def _python(value: Any) -> list[str]:
    if isinstance(value, dict) and value:
        inside = [(f"{_text(key)}: ", inner) for key, inner in value.items()]
    elif isinstance(value, list) and len(value) > 1:
        inside = [("", inner) for inner in value]
    else:
        return [_text(value)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = [opening]
    for before, inner in inside:
        first, *rest = _python(inner)
        lines += [f"    {before}{first}", *(f"    {line}" for line in rest)]
        lines[-1] += ","
    return [*lines, closing]


FORMATS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "json": to_json,
    "toml": to_toml,
    "yaml": to_yaml,
    "python": to_python,
}
