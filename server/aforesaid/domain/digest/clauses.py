"""Whether two clauses, or two sentences of one prompt, are about different subjects.

"Never deploy on Fridays; I like reading diffs with my coffee" is two remarks in one sentence. What
is joined across sentences: joined_remarks.py.
"""

from __future__ import annotations

import re

from .reply_resolution import lacks_subject
from .sentence_classifier import (
    matches,
    only_extends_scope,
    phrase_pattern,
    stems_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .lasting import SentenceJudge

#: Cosine below which two clauses without a common word are about different subjects. Source: of the
#: clauses after ", and" or ";" in the sentences of bench/remarks, the median is .16.
_MAX_UNRELATED = 0.15
DIVIDED = ";"  #: at the end of a part of a sentence that was divided
_MIN_WORDS = 4  #: of a clause that says something by itself
_AND = re.compile(r"\s(?:and|und|et|y)\s")
_SEPARATOR = re.compile(r"[;,]\s+")


def divide_all(sentences: Sequence[str], judge: SentenceJudge | None) -> list[str]:
    """Return the sentences of a prompt, one about several subjects as several.

    Args:
        sentences: as the user wrote them.
        judge: compares texts; None leaves them as they are.
    """
    if judge is None:
        return list(sentences)
    return [part for sentence in sentences for part in divide(sentence, judge.cosine)]


def divide(sentence: str, cosine: Callable[[str, str], float | None]) -> list[str]:
    """Return the parts of a sentence that are about different subjects, in order.

    Args:
        sentence: as the user wrote it.
        cosine: of two texts; None if unknown, and then nothing is divided.
    """
    for separator in _SEPARATOR.finditer(sentence):
        first, rest = sentence[: separator.start()], sentence[separator.end() :]
        second = phrase_pattern("addition").sub("", rest, count=1)
        # after a comma, only such a word begins a clause; after two, it ends a list
        if separator[0].startswith(",") and (second == rest or "," in first):
            continue
        if are_apart(first, second, cosine):
            return [f"{first}{DIVIDED}", *divide(second, cosine)]
    return [sentence]


def are_apart(first: str, second: str, cosine: Callable[[str, str], float | None]) -> bool:
    """Tell whether two clauses are about different subjects, and each says something by itself.

    Args:
        first: the clause or sentence.
        second: the one after it.
        cosine: of two texts; None if unknown.
    """
    if min(len(first.split()), len(second.split())) < _MIN_WORDS:
        return False
    # "my chair squeaks and it drives me nuts" names what "it" is
    if leans(_AND.split(second, maxsplit=1)[0]) or stems_of(first) & stems_of(second):
        return False
    likeness = cosine(first, second)
    return likeness is not None and likeness < _MAX_UNRELATED


def leans(sentence: str) -> bool:
    """Tell whether a sentence refers to what was said before it ("... reads from it")."""
    clause = re.split(r"[,;:]\s", sentence, maxsplit=1)[0]
    return (
        matches(clause, "leaning")
        or matches(sentence, "leaning_person", "leaning_end")
        or only_extends_scope(sentence)
        or lacks_subject(sentence)
    )
