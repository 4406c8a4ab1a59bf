"""Which topics are one, and what a new one is called. Pure."""

from __future__ import annotations

import re

from aforesaid.domain.conflict.supersession import ParsedStatement
from aforesaid.domain.dedup import differences
from aforesaid.domain.text.stem import stem
from aforesaid.domain.text.tokenize import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+")
MIN_PREFIX = 4  #: letters that an abbreviation shares: "auth" of "authentication"
NAME_SHARE = 0.6  #: of a group's memories that must speak of what names its topic
_MIN_NAME = 3
#: Differences of wording that never are one thing. See ``domain/dedup/compare.py``.
_APART = ("opposites", "number", "negation", "obligation", "time", "identifier", "path", "unit")
#: Words that say nothing beside another in a topic's name.
_GENERIC = frozenset(
    """service system setup stuff notes handling management module flow general
    overview related things info""".split()  # noqa: SIM905 - a list of words reads better as words
)
#: Words that name no topic, though many memories share them.
_NO_NAME = STOP_WORDS | frozenset(
    """use uses used using run runs running always never must need needs make makes made set
    sets get gets new old now want wants prefer prefers keep keeps first last one two day days week
    weeks time user project file files work works please still let lets go goes take takes put add
    adds added fix fixed change changed every each since without instead like right good
    thing things way""".split()  # noqa: SIM905 - as above
)


def names_allow(one: str, other: str) -> bool:
    """Tell whether two names of topics may mean one.

    They do where they are equal, one abbreviates the other or adds a word that says nothing; never
    where a number, a version or an opposite differs.
    """
    if any(said.startswith(_APART) for said in differences(one, other)):
        return False
    mine, theirs = _words(one), _words(other)
    short, long = sorted((mine, theirs), key=lambda words: (len(words), sum(map(len, words))))
    left = list(long)
    for word in short:
        partner = next((each for each in left if _is_one(word, each)), None)
        if partner is None:
            return False
        left.remove(partner)
    return set(left) <= _GENERIC


def _words(name: str) -> list[str]:
    return _WORD.findall(name.casefold())


def _is_one(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) >= MIN_PREFIX and long.startswith(short))


def pick_merge_target(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int]:
    """Return (kept, gone) of two topics: the one with more in it, then the older.

    Args:
        one: (memories, created at, key).
        other: likewise.
    """
    ranked = sorted((one, other), key=lambda each: (-each[0], each[1], each[2]))
    return ranked[0][2], ranked[1][2]


def name_for(texts: Sequence[str], least: int) -> str:
    """Return a word that names what texts have in common; empty if nothing does.

    It stands in most of them, and in what they are about rather than in what they say of it.

    Args:
        texts: of the memories of a group.
        least: so many must have it.
    """
    forms: dict[str, dict[str, int]] = {}  # of each stem: how many say it so
    for text in texts:
        for root, word in {stem(word): word for word in _words(text) if _may_name(word)}.items():
            counts = forms.setdefault(root, {})
            counts[word] = counts.get(word, 0) + 1
    spoken = {root: sum(counts.values()) for root, counts in forms.items()}
    enough = max(least, NAME_SHARE * len(texts))
    shared = [root for root, count in spoken.items() if count >= enough]
    if not shared:
        return ""
    subjects = dict.fromkeys(shared, 0)
    if len(shared) > 1:
        for said in map(ParsedStatement, texts):
            for root in shared:
                subjects[root] += root in said.subject
    best = min(shared, key=lambda root: (-subjects[root], -spoken[root], -len(root), root))
    return min(forms[best], key=lambda word: (-forms[best][word], len(word), word))


def _may_name(word: str) -> bool:
    return len(word) >= _MIN_NAME and word not in _NO_NAME and not word.isdecimal()
