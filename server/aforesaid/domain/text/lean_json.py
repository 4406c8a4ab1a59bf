"""JSON for hook processes: the interpreter's own scanner, without the json package around it.

Here: reading any JSON, writing the little that hooks say. Not here: what the texts mean.
Why: importing json brings re, enum and functools along, and that is a sixth of a session's start
(bench/hooks). Everything off the hook path uses json.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # another interpreter than CPython: slower, the same
    from json import JSONDecoder
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner

    _rules: Any = JSONDecoder()
else:

    class _Rules:
        """What the scanner asks of a decoder: json's own defaults."""

        strict = True
        object_hook = object_pairs_hook = array_hook = None
        parse_float = parse_constant = float  # NaN and Infinity too
        parse_int = int

    _rules = _Rules

_scan = make_scanner(_rules)
_BLANKS = " \t\n\r"


def read_json(text: str) -> Any:
    """Return the value that a JSON text holds, as ``json.loads`` does.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    text = text.strip(_BLANKS)
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError(f"no JSON value: {text[:40]!r}") from None
    if end != len(text):
        raise ValueError(f"text after the JSON value: {text[end : end + 40]!r}")
    return value


def write_json(value: object) -> str:
    """Return texts, None, lists and mappings of them as JSON in ASCII, as ``json.dumps`` does."""
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None:
        return "null"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(write_json(item) for item in value) + "]"
    assert isinstance(value, dict), f"{type(value).__name__} is for json.dumps"
    pairs = (f"{encode_basestring_ascii(key)}: {write_json(item)}" for key, item in value.items())
    return "{" + ", ".join(pairs) + "}"
