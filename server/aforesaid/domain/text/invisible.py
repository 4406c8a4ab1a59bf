"""Removes characters that a model reads and nobody sees, from text coming in and going out.

The rule follows the Unicode categories that ``str.isprintable`` knows. Every hook needs it, so it
imports neither ``re`` nor ``unicodedata``.

Removed: control characters except tab and line feed, format characters, private use, unassigned
code points, and printable ones that show nothing (variation selectors, fillers, the empty Braille
cell). Replaced by a line feed: the separators of lines and paragraphs.
Kept: spaces of any width; Arabic and Kaithi format characters that are drawn; code points that a
newer Unicode may assign to emoji or ideographs; U+FE0E and U+FE0F after an emoji or symbol; one
joiner between two emoji that it combines, or between letters of a script that needs it. The tags
of regional flags are removed, so such a flag shows as a black one. Surrogates are left to encoders.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_SELECTORS = frozenset("\ufe0e\ufe0f")  #: text style and emoji style
_KEYCAP = "\u20e3"
_KEYS = frozenset("#*0123456789")
_LINE_ENDS = frozenset("\u2028\u2029")  #: separators of lines and paragraphs
_CONDITIONAL = _SELECTORS | {_ZWNJ, _ZWJ}

Ranges = tuple[tuple[int, int], ...]  # (first, last) code points

#: Printable by category, though nothing is drawn.
_BLANK: Ranges = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF),
)  # fmt: skip
#: Drawn format characters, surrogates, and ranges reserved for emoji and ideographs.
_DRAWN: Ranges = (
    (0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2),
    (0xD800, 0xDFFF), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x1F000, 0x1FAFF),
    (0x20000, 0x2FFFD), (0x30000, 0x3FFFD),
)  # fmt: skip
#: Characters that a style selector applies to and a joiner combines.
_SYMBOLS: Ranges = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122),
    (0x2139, 0x2139), (0x2190, 0x21FF), (0x2300, 0x2328), (0x232B, 0x23FF), (0x24C2, 0x24C2),
    (0x25A0, 0x27BF), (0x2934, 0x2935), (0x2B00, 0x2BFF), (0x3030, 0x3030), (0x303D, 0x303D),
    (0x3297, 0x3299), (0x1F000, 0x1FAFF),
)  # fmt: skip
#: Scripts whose spelling needs joiners: right-to-left, Indic, Khmer, Mongolian and others.
_JOINING: Ranges = (
    (0x0590, 0x109F), (0x1780, 0x1CFF), (0xA800, 0xABFF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC),
    (0x10800, 0x11FFF), (0x1E800, 0x1EFFF),
)  # fmt: skip
#: Signs that take a vowel from a letter; a joiner after one also ends a word.
_VIRAMAS = frozenset("\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca")


def remove_invisible(text: str) -> str:
    """Return the text without invisible characters. Idempotent."""
    if text.isascii() and text.isprintable():
        return text
    if "\x1b" in text:
        text = _without_terminal_sequences(text)
    present = set(text)
    replaced = {ord(char): "" for char in present if not _is_visible(char)}
    replaced |= {ord(char): "\n" for char in present & _LINE_ENDS}
    if replaced:
        text = text.translate(replaced)
    return text if _CONDITIONAL.isdisjoint(present) else _without_stray_joiners(text, present)


def remove_invisible_in(value: T) -> T:
    """Return a value (domain/value.py) or plain data with the rule applied to its strings."""
    cleaned: Any = value
    if isinstance(value, str):
        cleaned = remove_invisible(value)
    elif isinstance(value, dict):
        cleaned = {remove_invisible_in(k): remove_invisible_in(v) for k, v in value.items()}
    elif isinstance(value, (list, tuple)):
        cleaned = type(value)([remove_invisible_in(item) for item in value])
    elif isinstance(value, Value):
        fields = value.as_dict().items()
        cleaned = value.replace(**{name: remove_invisible_in(field) for name, field in fields})
    return cleaned  # type: ignore[no-any-return]


def _without_terminal_sequences(text: str) -> str:
    import re  # rarely needed, and slow to import for a hook

    return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", text)


def _is_visible(char: str) -> bool:
    """Tell whether a character stays in any position; ``_CONDITIONAL`` ones depend on it."""
    if char in _CONDITIONAL:
        return True
    if char.isprintable():
        return not _in(char, _BLANK)
    if char.isspace():
        return char in "\t\n" or char > "\x9f"
    return _in(char, _DRAWN)


def _without_stray_joiners(text: str, present: set[str]) -> str:
    """Return the text with joiners and style selectors only where they have an effect."""
    symbols = {char for char in present if _in(char, _SYMBOLS)}
    joining = {char for char in present if _in(char, _JOINING)}
    output = ["", ""]
    for index, char in enumerate(text):
        if char in _CONDITIONAL:
            last, after = output[-1], text[index + 1 : index + 2]
            if char in _SELECTORS:
                stays = last in symbols or (after == _KEYCAP and last in _KEYS)
            else:
                stays = (
                    ((last in joining or last.isalnum()) and after in joining)
                    or (last in joining and after.isalnum())
                    or last in _VIRAMAS
                    or (char == _ZWJ and after in symbols and _emoji_end(output) in symbols)
                )
            if not stays:
                continue
        output.append(char)
    return "".join(output)


def _emoji_end(chars: list[str]) -> str:
    """Return the last character, or the one before a style selector."""
    return chars[-2] if chars[-1] in _SELECTORS else chars[-1]


def _in(char: str, ranges: Ranges) -> bool:
    return any(first <= ord(char) <= last for first, last in ranges)
