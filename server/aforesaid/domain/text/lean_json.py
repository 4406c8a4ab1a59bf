"""JSON for hook processes: the interpreter's own scanner, without the json package.

Reads any JSON, and writes the few types that hooks need. Importing json loads re, enum and
functools, which takes a sixth of a session's start (bench/hooks). Other code uses json.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # not CPython: slower, same results
    from json import JSONDecoder
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner

    _rules: Any = JSONDecoder()
else:

    class _Rules:
        """What the scanner expects of a decoder, with json's defaults."""

        strict = True
        object_hook = object_pairs_hook = array_hook = None
        parse_float = parse_constant = float  # NaN and Infinity, too
        parse_int = int

    _rules = _Rules

_scan = make_scanner(_rules)
_WHITE_SPACE = " \t\n\r"


def read_json(text: str) -> Any:
    """Parse a JSON text as ``json.loads`` does.

    Raises:
        ValueError: it is not valid JSON.
        RecursionError: it is nested too deeply.
    """
    text = text.strip(_WHITE_SPACE)
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError(f"not a JSON value: {text[:40]!r}") from None
    if end != len(text):
        raise ValueError(f"text after the JSON value: {text[end : end + 40]!r}")
    return value


def write_json(value: object) -> str:
    """Write strings, None, lists and dicts of them as ASCII JSON, as ``json.dumps`` does."""
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None:
        return "null"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(write_json(item) for item in value) + "]"
    assert isinstance(value, dict), f"{type(value).__name__} needs json.dumps"
    pairs = (f"{encode_basestring_ascii(key)}: {write_json(item)}" for key, item in value.items())
    return "{" + ", ".join(pairs) + "}"
