"""Whether two topics may be merged, and the name of a new topic."""

from __future__ import annotations

import re

from aforesaid.domain.conflict.supersession import ParsedStatement
from aforesaid.domain.dedup import differences
from aforesaid.domain.text.sanitize import MARK
from aforesaid.domain.text.tokenize import stem
from aforesaid.lexicon.topic_names import NO_TOPIC_NAMES, TOPIC_NAME_FILLERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+")
MIN_PREFIX = 4  #: minimum length of an abbreviation: "auth" for "authentication"
NAME_SHARE = 0.6  #: share of a group's memories that must contain its name
_MIN_NAME = 3
#: Kinds of differences (domain/dedup/compare.py) that keep two topics apart.
_APART = ("opposites", "number", "negation", "obligation", "time", "identifier", "path", "unit")


def are_names_compatible(name_a: str, name_b: str) -> bool:
    """Return whether two topics with these names may be the same.

    That is so if the names are equal, or one abbreviates the other or adds only filler words, but
    never if a number, version or opposite differs.
    """
    if not may_mean_the_same(name_a, name_b):
        return False
    short, long = sorted(
        (_words(name_a), _words(name_b)), key=lambda words: (len(words), sum(map(len, words)))
    )
    unmatched = list(long)
    for word in short:
        match = next((other for other in unmatched if _abbreviates(word, other)), None)
        if match is None:
            return False
        unmatched.remove(match)
    return set(unmatched) <= TOPIC_NAME_FILLERS


def may_mean_the_same(name_a: str, name_b: str) -> bool:
    """Return False if a number, version or opposite differs, or only the order of the words."""
    words_a, words_b = _words(name_a), _words(name_b)
    return (sorted(words_a) != sorted(words_b) or words_a == words_b) and not any(
        difference.startswith(_APART) for difference in differences(name_a, name_b)
    )


def _words(name: str) -> list[str]:
    return _WORD.findall(name.casefold())


def _abbreviates(word_a: str, word_b: str) -> bool:
    short, long = sorted((word_a, word_b), key=len)
    return short == long or (len(short) >= MIN_PREFIX and long.startswith(short))


def pick_merge_target(a: tuple[int, int, int], b: tuple[int, int, int]) -> tuple[int, int]:
    """Return (target key, source key) of a merge: the target has more memories, or is older.

    Args:
        a: (number of memories, created at, key) of one topic.
        b: the same of the other.
    """
    target, source = sorted((a, b), key=lambda topic: (-topic[0], topic[1], topic[2]))
    return target[2], source[2]


def topic_name(texts: Sequence[str], min_texts: int) -> str:
    """Return a word that names what texts have in common; empty if there is none.

    It occurs in most of them, preferably in the subjects of their sentences.

    Args:
        texts: the contents of a group of memories.
        min_texts: minimum number of texts with the word.
    """
    texts = [re.sub(MARK, " ", text) for text in texts]  # removed secrets have nothing in common
    forms: dict[str, dict[str, int]] = {}  # by stem: number of texts with each form
    for text in texts:
        for root, word in {stem(word): word for word in _words(text) if _may_name(word)}.items():
            counts = forms.setdefault(root, {})
            counts[word] = counts.get(word, 0) + 1
    text_counts = {root: sum(counts.values()) for root, counts in forms.items()}
    min_count = max(min_texts, NAME_SHARE * len(texts))
    shared = [root for root, count in text_counts.items() if count >= min_count]
    if not shared:
        return ""
    subjects = dict.fromkeys(shared, 0)
    if len(shared) > 1:
        for statement in map(ParsedStatement, texts):
            for root in shared:
                subjects[root] += root in statement.subject
    best = min(shared, key=lambda root: (-subjects[root], -text_counts[root], -len(root), root))
    return min(forms[best], key=lambda word: (-forms[best][word], len(word), word))


def _may_name(word: str) -> bool:
    return len(word) >= _MIN_NAME and word not in NO_TOPIC_NAMES and not word.isdecimal()
