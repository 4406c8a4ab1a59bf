"""Entities: the named persons, systems and things that memories are about.

Here too: normalising and validating their names, and the names that a query may contain. Not on the
hook path, as it imports re. Similar names are found by the port ``NameMatcher``; merging and
renaming: services/graph/entity_merge.py.
"""

from __future__ import annotations

import re
import unicodedata

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value
from aforesaid.lexicon.stop_words import QUESTION_FILLERS, STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

USER = "user"  #: the built-in entity
PRONOUNS = ("I", "me", "my", "myself")  #: its built-in aliases
NAME_CHARS = 200
MAX_ALIASES = 50
NEAR = 0.8  #: similarity from which a name is suggested; never substituted


class Entity(Value):
    """A named person, system or thing. Times are ms since the epoch, UTC."""

    key: int = 0  #: 0 until it is stored
    name: str
    normalised: str
    entity_type: str = ""
    project: int = 0  #: 0 if it is shared by all projects
    aliases: tuple[str, ...] = ()  #: other names, including those of merged entities, in order
    created_at: int = 0
    updated_at: int = 0


class EntityUse(Value):
    """Statistics of an entity's memories that are in force and visible."""

    count: int = 0
    tags: tuple[str, ...] = ()  #: most frequent first
    first_at: int | None = None  #: ms
    last_at: int | None = None


class EntityChange(Value):
    """A merge or rename that can be undone."""

    key: int  #: key of its log entry
    at: int
    operation: str  #: ``entity_merge`` or ``entity_rename``
    details: dict[str, object] = {}


MIN_NAME_WORDS, MAX_NAME_WORDS = 2, 4  #: of a person's full name
MIN_FIRST_NAME = 2  #: characters
NAME_WORDS = 5  #: maximum words of a name that is looked for in a query
QUESTION_WORDS = 200

_BREAKS = re.compile(r"[\s_\-\u2010-\u2015]+")
_QUOTES = " \t\r\n\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s$|(?<=s)['\u2019]$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>]+")
_ASKS_FOR_PERSON = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_PRONOUN_WORDS = frozenset(word.lower() for word in PRONOUNS)


def normalise_name(name: str) -> str:
    """Return a name without case, spaces, ``_``, ``-`` and possessives, for comparing.

    Digits on both sides of a separator stay separate: ``1-2`` is not ``12``. The function is
    idempotent. The result is empty for a name without letters, digits or symbols.
    """
    text = name
    for _ in range(8):  # folding can produce text that folds further
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
        keep_space = joined[-1:].isdigit() and word[:1].isdigit()
        joined += f" {word}" if keep_space else word
    return joined


def spaced_name(name: str) -> str:
    """Return a name as lower-case words separated by spaces, for comparing by similarity.

    First-person pronouns become ``user``: "my preferences" resembles ``user_preferences``.
    """
    parts = _BREAKS.split(_CAMEL.sub(" ", unicodedata.normalize("NFKC", name)).strip(_QUOTES))
    words = [_POSSESSIVE.sub("", part.casefold()) for part in parts if part]
    return " ".join(USER if word in _PRONOUN_WORDS else word for word in words)


def first_name(name: str) -> str:
    """Return the first name in a person's full name, normalised; empty for any other name.

    A full name is two to four words of letters, the first and the last with one capital each:
    "Marta Oliveira", "Ludwig van Beethoven", not "API Gateway" or "Server 2".
    """
    words = [word.rstrip(".") for word in name.split()]
    if not MIN_NAME_WORDS <= len(words) <= MAX_NAME_WORDS:
        return ""
    first, last = words[0], words[-1]
    is_full = all(word.replace("-", "").replace("'", "").isalpha() for word in words)
    is_acronym = len(last) > 1 and last.isupper()
    capital = first.istitle() and last[:1].isupper() and not is_acronym
    return normalise_name(first) if is_full and capital else ""


def may_mean_person(name: str, known: str) -> bool:
    """Whether a name is a part of a person's full name, or differs in the middle names only.

    Such as "Marta", "Oliveira" and "Marta Lima Oliveira" for "Marta Oliveira".
    """
    if not first_name(known):
        return False
    given, full = spaced_name(name).split(), spaced_name(known).split()
    if len(given) == 1:
        return given[0] in {full[0], full[-1]}
    return (given[:1], given[-1:]) == (full[:1], full[-1:])


def first_names_in(question: str) -> list[str]:
    """Return the words of a query that may be a person's first name, normalised.

    These are its capitalised words or, if it asks for a person, all of its words.
    """
    asks_for_person = _ASKS_FOR_PERSON.search(question) is not None
    words = [word.strip(".'\"`\u2018\u2019\u201c\u201d") for word in _WORD.findall(question)]
    names = {
        normalise_name(word): None
        for word in words[:QUESTION_WORDS]
        if word[:1].isalpha() and (asks_for_person or word[:1].isupper())
    }
    return [
        name
        for name in names
        if len(name) >= MIN_FIRST_NAME and name not in STOP_WORDS | QUESTION_FILLERS
    ]


def is_abbreviation(first: str, second: str) -> bool:
    """Return whether one name has initials for words of the other: "ada l.", "ada lovelace".

    Both as ``spaced_name`` returns them.
    """
    words, others = ([word.rstrip(".") for word in name.split()] for name in (first, second))
    if len(words) != len(others):
        return False
    pairs = list(zip(words, others, strict=True))
    return any(len(word) > 1 and word == other for word, other in pairs) and all(
        word == other or (min(len(word), len(other)) == 1 and word[0] == other[0])
        for word, other in pairs
    )


def check_name(name: str, what: str = "entity") -> str:
    """Return a name as it is stored: on one line, with single spaces.

    Raises:
        InvalidInputError: the name is empty or too long.
    """
    shown = " ".join(name.split())
    if len(shown) > NAME_CHARS:
        raise InvalidInputError(
            f"{what} {shown[:40]!r}… has {len(shown)} characters, {NAME_CHARS} at most: "
            "use the name only"
        )
    if not normalise_name(shown):
        raise InvalidInputError(f"{what} {name!r} is not a name: use one with letters or digits")
    return shown


def check_aliases(aliases: Sequence[str]) -> tuple[str, ...]:
    """Return aliases as they are stored, without duplicates.

    Raises:
        InvalidInputError: there are too many, or one is not a valid name.
    """
    by_normalised: dict[str, str] = {}
    for alias in aliases:
        shown = check_name(alias, "alias")
        by_normalised.setdefault(normalise_name(shown), shown)
    if len(by_normalised) > MAX_ALIASES:
        raise InvalidInputError(f"{len(by_normalised)} aliases, {MAX_ALIASES} at most")
    return tuple(by_normalised.values())


def differ_in_number(name: str, other_name: str) -> bool:
    """Return whether two names have different numbers: "api v1" is not a typo for "api v2"."""
    return re.findall(r"\d+", name) != re.findall(r"\d+", other_name)


def names_in(question: str) -> list[str]:
    """Return each run of up to five words of a query, normalised, as a possible name.

    Single pronouns are left out: nearly every query has one, and few are about the user.
    """
    words = [word.strip(".'\"`\u2018\u2019\u201c\u201d") for word in _WORD.findall(question)]
    words = [word for word in words if word][:QUESTION_WORDS]
    names: dict[str, None] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(start + NAME_WORDS, len(words)) + 1):
            run = words[start:end]
            if len(run) > 1 or run[0].lower() not in _PRONOUN_WORDS:
                names[normalise_name(" ".join(run))] = None
    names.pop("", None)
    return list(names)
