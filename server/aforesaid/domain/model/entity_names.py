"""When two names are one, how they are compared, and which a question may hold.

Not on the path of hooks: it needs patterns. Near names are found by a port (``NameMatcher``).
"""

from __future__ import annotations

import re
import unicodedata

from aforesaid.domain.errors import InvalidInputError

from .entity import MAX_ALIASES, NAME_CHARS, PRONOUNS, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NAME_WORDS = 5  #: of a name that is looked for in a question
QUESTION_WORDS = 200

_BREAKS = re.compile(r"[\s_\-\u2010-\u2015]+")
_QUOTES = " \t\r\n\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s$|(?<=s)['\u2019]$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>]+")
_PRONOUN_WORDS = frozenset(word.lower() for word in PRONOUNS)


def normalise_name(name: str) -> str:
    """Return what is equal for names that differ in case, blanks, ``_``, ``-`` and possessives.

    Digits on both sides of a break stay apart: ``1-2`` is not ``12``. Applying it again changes
    nothing. It is empty for a name without any content.
    """
    text = name
    for _ in range(8):  # folding can make what is folded again
        folded = _fold(text)
        if folded == text:
            break
        text = folded
    return text


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = [_POSSESSIVE.sub("", word) for word in _BREAKS.split(text.strip(_QUOTES))]
    joined = ""
    for word in filter(None, words):
        apart = joined[-1:].isdigit() and word[:1].isdigit()
        joined += f" {word}" if apart else word
    return joined


def spaced_name(name: str) -> str:
    """Return a name as lower-case words one blank apart, for comparing by likeness.

    What the user is called by himself is ``user``: "my preferences" is like ``user_preferences``.
    """
    parts = _BREAKS.split(_CAMEL.sub(" ", unicodedata.normalize("NFKC", name)).strip(_QUOTES))
    words = [_POSSESSIVE.sub("", part.casefold()) for part in parts if part]
    return " ".join(USER if word in _PRONOUN_WORDS else word for word in words)


def check_name(name: str, what: str = "entity") -> str:
    """Return a name as it is kept: one line, blanks folded.

    Raises:
        InvalidInputError: it has no content, or is too long.
    """
    shown = " ".join(name.split())
    if len(shown) > NAME_CHARS:
        raise InvalidInputError(
            f"{what} {shown[:40]!r}… has {len(shown)} characters, {NAME_CHARS} at most: "
            "give the name alone"
        )
    if not normalise_name(shown):
        raise InvalidInputError(f"{what} {name!r} is no name: use what the thing is called")
    return shown


def check_aliases(aliases: Sequence[str]) -> tuple[str, ...]:
    """Return aliases as they are kept, each once.

    Raises:
        InvalidInputError: there are too many, or one is no name.
    """
    found: dict[str, str] = {}
    for alias in aliases:
        shown = check_name(alias, "alias")
        found.setdefault(normalise_name(shown), shown)
    if len(found) > MAX_ALIASES:
        raise InvalidInputError(f"{len(found)} aliases, {MAX_ALIASES} at most")
    return tuple(found.values())


def differ_in_number(one: str, other: str) -> bool:
    """Tell whether two names have different numbers: "api v1" is no slip for "api v2"."""
    return re.findall(r"\d+", one) != re.findall(r"\d+", other)


def names_in(question: str) -> list[str]:
    """Return every run of up to five words of a question, normalised: what may be a name.

    Pronouns are left out: nearly every question has one, and few are about the user.
    """
    words = [word.strip(".'\"`\u2018\u2019\u201c\u201d") for word in _WORD.findall(question)]
    words = [word for word in words if word][:QUESTION_WORDS]
    found: dict[str, None] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(start + NAME_WORDS, len(words)) + 1):
            run = words[start:end]
            if len(run) > 1 or run[0].lower() not in _PRONOUN_WORDS:
                found[normalise_name(" ".join(run))] = None
    found.pop("", None)
    return list(found)
