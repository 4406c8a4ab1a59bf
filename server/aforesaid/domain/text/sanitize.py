"""What must not be stored as it came: private spans and broken characters.

Here: pure rules over text, and the text as hashes see it. Not here: which characters are invisible
(invisible.py), secrets (adapters/secrets), hashing (domain/text/hashing.py).
Order on the write path: ``clean_text``, ``strip_private``, then the secret filter.
"""

from __future__ import annotations

import re
import unicodedata

from .invisible import remove_invisible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDS = 8  # cutting a span may join a new tag from its two sides; beyond this, all of it goes

#: What stands for a secret that was taken out, and its kind; a tag has no blanks.
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
    """Return a pattern, compiled at its first use."""
    found = _patterns.get(name)
    if found is None:
        found = _patterns[name] = re.compile(_SOURCES[name])
    return found


# --- private spans ---------------------------------------------------------------------------


def strip_private(text: str, tag: str = "private") -> tuple[str, int]:
    r"""Return the text without its private spans, and how many were cut.

    A span runs from ``<private>`` to its ``</private>``: in any case, with blanks or attributes,
    nested. One that never closes runs to the end; one that never opened runs back to the last
    span or the start, because a transcript may be cut anywhere. A tag also counts when it is
    written with full-width letters, accents or zero-width characters, or its brackets as ``&lt;``
    or ``\u003c``. Letters of other alphabets that only look alike do not count: nobody types
    them by accident, and the tag is its author's wish, not a wall against its author.

    A text that only speaks of the tag loses what follows: in doubt nothing private stays.
    """
    total = 0
    for _ in range(_ROUNDS):
        text, count = _cut(text, tag, _spans)
        total += count
        if not count:
            return text, total
    text, count = _cut(text, tag, _all_from_the_first)
    return text, total + count


def _tag_pattern(tag: str) -> re.Pattern[str]:
    """Return what finds the tag's openings and closings in a shadow text."""
    found = _tag_patterns.get(tag)
    if found is None:
        opening = r"(?:<|&lt;|&#0*60;|&#x0*3c;|\\u003c)"
        # An opening needs no ">" of its own: what follows is private until the closing anyway.
        found = _tag_patterns[tag] = re.compile(
            rf"{opening}\s{{0,50}}(?:(/)\s{{0,50}})?{re.escape(_shadow(tag)[0])}"
            rf"(?=[\s/<>&\\=\"']|$)(?(1)\s{{0,50}}(?:>|&gt;|&#0*62;|&#x0*3e;|\\u003e)?)"
        )
    return found


def _cut(
    text: str, tag: str, find: Callable[[list[re.Match[str]], int], list[tuple[int, int]]]
) -> tuple[str, int]:
    """Return the text without the spans that ``find`` makes of its tags, and their number."""
    shadow, places = _shadow(text)
    tags = list(_tag_pattern(tag).finditer(shadow))
    spans = find(tags, len(shadow)) if tags else []
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at : places[start] if places else start])
        at = places[end] if places else end
    kept.append(text[at:])
    return "".join(kept), len(spans)


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
        else:  # closes what never opened here
            spans.append((spans[-1][1] if spans else 0, tag.end()))
    if depth:
        spans.append((start, length))
    return spans


def _all_from_the_first(tags: list[re.Match[str]], length: int) -> list[tuple[int, int]]:
    return [(tags[0].start(), length)]


def _shadow(text: str) -> tuple[str, list[int] | None]:
    """Return the text as the tag is looked for, and the place of each of its characters.

    No places: they are the same. The shadow is lower case, decomposed, without marks and
    zero-width characters.
    """
    if text.isascii():
        return text.lower(), None
    folded, places = [], []
    for index, char in enumerate(text):
        if char.isascii():
            folded.append(char.lower())
            places.append(index)
            continue
        for part in unicodedata.normalize("NFKD", char).casefold():
            if unicodedata.category(part) not in ("Mn", "Me", "Cf"):
                folded.append(part)
                places.append(index)
    places.append(len(text))
    return "".join(folded), places


# --- characters ------------------------------------------------------------------------------


def clean_text(text: str) -> str:
    """Return the text as it can be stored: NFC, line ends as LF, nothing invisible.

    Surrogate pairs are joined, lone surrogates become U+FFFD. Terminal colours go, and whatever
    ``remove_invisible`` removes: control characters, bidi overrides, byte order marks and their
    like.
    """
    if text.isascii() and text.isprintable():
        return text
    return unicodedata.normalize("NFC", remove_invisible(_decoded(text)))


def _decoded(text: str) -> str:
    """Return the text without surrogates, line ends as LF."""
    if _pattern("surrogate").search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def visible_length(text: str) -> int:
    """Return how many characters a text has without its marks: limits are for what was said.

    A mark may be longer than the secret in its place, and nobody could shorten it.
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
_STABLE = 4  # casefold and NFKC may take a second turn to settle, never a third


def normalise_for_hash(text: str) -> str:
    """Return the text as two writings of it are one: case, blanks and sentence marks folded.

    For hashes of content and of what was erased. Only marks at the edges of words go: a minus, an
    operator, a dot inside a version or before a file's name stay. Twice is the same as once.

    Every store holds such hashes, and a text whose hash differs counts as damaged: what is removed
    here never changes, whatever ``clean_text`` removes.
    """
    text = _pattern("terminal").sub("", _decoded(text).lstrip("\ufeff"))
    text = _pattern("hashed").sub("", text)
    text = unicodedata.normalize("NFC", text).lstrip("\ufeff")
    for _ in range(_STABLE):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        folded = folded.translate(_QUOTES)
        if folded == text:
            break
        text = folded
    words = (word.lstrip(_LEADING).rstrip(_TRAILING) for word in text.split())
    kept = " ".join(word for word in words if word)
    return kept or " ".join(text.split())
