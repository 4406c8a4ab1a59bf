"""Removes private spans and broken characters from text, and normalises text for hashes.

Order on the write path: ``clean_text``, ``strip_private``, then the secret filter
(adapters/secrets). Invisible characters: invisible.py.
"""

from __future__ import annotations

import re
import unicodedata

from .invisible import remove_invisible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
