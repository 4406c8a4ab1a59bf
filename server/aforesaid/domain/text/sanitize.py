"""Removes private spans, invisible and broken characters from text; normalises text for hashes.

Order on the write path: ``clean_text``, ``strip_private``, then the secret filter
(adapters/secrets). ``remove_invisible`` removes characters that a model reads and nobody sees, from
text coming in and going out. Its rule follows the Unicode categories that ``str.isprintable``
knows. Every hook needs it, so ``re`` and ``unicodedata`` are imported where they are used.

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
    import re
    from collections.abc import Callable
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
        text = _pattern("terminal").sub("", text)
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


_MAX_ROUNDS = 8  # removing a span may form a new tag; after these, everything is removed

#: Replaces a secret and names its kind; in a tag it has no space.
MARK = r"\[redacted:[ -][\w-]+\]"

_tag_patterns: dict[str, re.Pattern[str]] = {}
_patterns: dict[str, re.Pattern[str]] = {}
_SOURCES = {
    "hashed": "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]",
    "terminal": "\x1b\\[[0-?]*[ -/]*[@-~]",
    "surrogate": "[\ud800-\udfff]",
    "mark": MARK,
}


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled at first use."""
    pattern = _patterns.get(name)
    if pattern is None:
        import re

        pattern = _patterns[name] = re.compile(_SOURCES[name])
    return pattern


# --- private spans ---------------------------------------------------------------------------


def strip_private(text: str, tag: str = "private") -> tuple[str, int]:
    r"""Return the text without its private spans, and the number of spans.

    A span runs from ``<private>`` to its ``</private>``, in any case, with spaces or attributes;
    spans may nest. An unclosed span runs to the end; an unopened one runs back to the last span or
    the start, because a transcript may be cut anywhere. A tag may also have full-width letters,
    accents or zero-width characters, and brackets written as ``&lt;`` or ``\u003c``. Look-alike
    letters of other alphabets do not count: nobody types them by accident, and the tag is its
    author's wish, not a defence against its author.

    A text that only mentions the tag loses what follows: in case of doubt, text counts as private.
    """
    total = 0
    for _ in range(_MAX_ROUNDS):
        text, count = _cut(text, tag, _spans)
        total += count
        if not count:
            return text, total
    text, count = _cut(text, tag, _everything_from_first)
    return text, total + count


def _tag_pattern(tag: str) -> re.Pattern[str]:
    """Return the pattern of opening and closing tags in a shadow text."""
    pattern = _tag_patterns.get(tag)
    if pattern is None:
        import re

        opening = r"(?:<|&lt;|&#0*60;|&#x0*3c;|\\u003c)"
        # An opening tag needs no ">": what follows is private up to the closing tag anyway.
        pattern = _tag_patterns[tag] = re.compile(
            rf"{opening}\s{{0,50}}(?:(/)\s{{0,50}})?{re.escape(_shadow(tag)[0])}"
            rf"(?=[\s/<>&\\=\"']|$)(?(1)\s{{0,50}}(?:>|&gt;|&#0*62;|&#x0*3e;|\\u003e)?)"
        )
    return pattern


def _cut(
    text: str, tag: str, find: Callable[[list[re.Match[str]], int], list[tuple[int, int]]]
) -> tuple[str, int]:
    """Return the text without the spans that ``find`` makes of its tags, and their number."""
    shadow, positions = _shadow(text)
    tags = list(_tag_pattern(tag).finditer(shadow))
    spans = find(tags, len(shadow)) if tags else []
    remaining, at = [], 0
    for start, end in spans:
        remaining.append(text[at : positions[start] if positions else start])
        at = positions[end] if positions else end
    remaining.append(text[at:])
    return "".join(remaining), len(spans)


def _spans(tags: list[re.Match[str]], length: int) -> list[tuple[int, int]]:
    """Return the private spans that a list of tags makes, in order."""
    spans: list[tuple[int, int]] = []
    depth = start = 0
    for tag in tags:
        if not tag[1]:
            start = tag.start() if not depth else start
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((start, tag.end()))
        else:  # a closing tag without an opening one
            spans.append((spans[-1][1] if spans else 0, tag.end()))
    if depth:
        spans.append((start, length))
    return spans


def _everything_from_first(tags: list[re.Match[str]], length: int) -> list[tuple[int, int]]:
    return [(tags[0].start(), length)]


def _shadow(text: str) -> tuple[str, list[int] | None]:
    """Return the text in which tags are found, and the position of each of its characters.

    Positions are None if they are the same. The shadow is lower case and decomposed, without
    combining marks and zero-width characters.
    """
    if text.isascii():
        return text.lower(), None
    import unicodedata

    folded, positions = [], []
    for index, char in enumerate(text):
        if char.isascii():
            folded.append(char.lower())
            positions.append(index)
            continue
        for part in unicodedata.normalize("NFKD", char).casefold():
            if unicodedata.category(part) not in ("Mn", "Me", "Cf"):
                folded.append(part)
                positions.append(index)
    positions.append(len(text))
    return "".join(folded), positions


# --- characters ------------------------------------------------------------------------------


def clean_text(text: str) -> str:
    """Return the text as it can be stored: NFC, LF line ends, nothing invisible.

    Surrogate pairs are joined, lone surrogates become U+FFFD. Removes terminal colours and
    everything that ``remove_invisible`` removes: control characters, bidi overrides, byte order
    marks and others.
    """
    if text.isascii() and text.isprintable():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", remove_invisible(_decoded(text)))


def _decoded(text: str) -> str:
    """Return the text without surrogates and with LF line ends."""
    if _pattern("surrogate").search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def visible_length(text: str) -> int:
    """Return the characters of a text without its redaction marks, to compare with limits.

    A mark may be longer than the secret that it replaces, and nobody could shorten it.
    """
    return len(_pattern("mark").sub("", text))


_QUOTES = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"',
        "\u00bb": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-",
        "\u2212": "-", "\u00ad": None, "\u200b": None, "\u200c": None, "\u200d": None,
        "\u2060": None, "\ufeff": None,
    }
)  # fmt: skip
_LEADING = "\"'`([{"
_TRAILING = "\"'`)]}.,;:!"
_MAX_FOLDS = 4  # casefold and NFKC may need a second round, never a third


def normalise_for_hash(text: str) -> str:
    """Return the text with case, white space and punctuation folded, for hashes. Idempotent.

    Only punctuation at the edges of words is removed: a minus, an operator, a dot inside a version
    or before a file's name stay.

    Never change this: every store has such hashes, of content and of what was erased, and a text
    whose hash differs counts as damaged.
    """
    import unicodedata

    text = _pattern("terminal").sub("", _decoded(text).lstrip("\ufeff"))
    text = _pattern("hashed").sub("", text)
    text = unicodedata.normalize("NFC", text).lstrip("\ufeff")
    for _ in range(_MAX_FOLDS):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        folded = folded.translate(_QUOTES)
        if folded == text:
            break
        text = folded
    words = (word.lstrip(_LEADING).rstrip(_TRAILING) for word in text.split())
    normalised = " ".join(word for word in words if word)
    return normalised or " ".join(text.split())
