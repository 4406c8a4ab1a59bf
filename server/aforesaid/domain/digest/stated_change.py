"""Whether a remark ends an earlier memory ("drop json, store_var") or closes an open end.

A remark shows a change by its words; which memory it changes is shown by the cosine and a common
word. On the remarks of six authors (bench/remarks), no other memory of the same project reaches
``SURE`` with a common word.
"""

from __future__ import annotations

from .sentence_classifier import five_letter_stem, is_question, matches, words_of

SURE = 0.48  #: cosine of a remark and the memory that it ends
CLOSES = 0.5  #: cosine of an open end and what closes it
MIN_SHARED = 2  #: words that an open end and what closes it have in common
_MIN_LETTERS = 3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def states_change(text: str) -> bool:
    """Tell whether a remark says that something is no longer as it was."""
    return not is_question(text) and matches(text, "change")


def shared_words(text: str, other: str) -> int:
    """Return how many words that carry meaning two texts have in common."""
    return len(_stems(text) & _stems(other))


def closes(text: str, item: str, cosine: Callable[[str, str], float | None]) -> bool:
    """Tell whether a text of a later session reports on an open end, whatever the result.

    Args:
        text: what was said or done.
        item: the open end.
        cosine: of two texts.
    """
    if shared_words(text, item) < MIN_SHARED:
        return False
    return (cosine(text, item) or 0.0) >= CLOSES


def _stems(text: str) -> frozenset[str]:
    words = (word.strip(".") for word in words_of(text))
    return frozenset(five_letter_stem(word) for word in words if len(word) >= _MIN_LETTERS)
