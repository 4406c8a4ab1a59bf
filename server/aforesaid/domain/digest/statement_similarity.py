"""Whether one short statement covers, or puts right, another: by words, without a model.

Here: words, values and polarity of two statements. Not here: the gate of the write path, which is
stricter and keeps both in doubt (sameness/); storing.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.sentence_classifier import states, uses, words_of
from aforesaid.lexicon import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Share of a statement's words that another must hold to say it already; for one that was stored in
#: the same session, where the agent said it in its own words.
_COVERS, _COVERS_LOOSELY = 0.75, 0.6
#: Share of words beside the value from which two statements have one subject.
_SUBJECT, _SUBJECT_LOOSELY = 0.7, 0.5
_STEM = 4
#: Words of a memory beside the value that it gives and that a correction denies without a subject.
_BARELY = 2
#: Words of meaning, and of any kind, of what only names a value, unless it states something.
_FEW, _FRAGMENT = 3, 4


def entails(known: str, said: str, *, loosely: bool = False) -> bool:
    """Tell whether what is known says all that was said: its words, its values, its polarity.

    What either says does not hold ("5433, not 5432") is left out: the rest says it.

    Args:
        known: what is stored.
        said: what may be stored.
        loosely: both come from one session.
    """
    known, said = _holding(known), _holding(said)
    words, held = words_of(said), words_of(known)
    if not words or not values_agree(known, said):
        return False
    share = sum(_in(word, held) for word in words) / len(words)
    return share >= (_COVERS_LOOSELY if loosely else _COVERS)


def values_agree(known: str, said: str) -> bool:
    """Tell whether what is known has the values of what was said, its yes or no, its order."""
    alike = values_of(said) <= values_of(known) and _negated(said) == _negated(known)
    return alike and not _is_reversed(known, said)


def _is_reversed(known: str, said: str) -> bool:
    """Tell whether each takes what the other leaves ("uv instead of pip", "pip instead of uv")."""
    left, left_before = _left(said), _left(known)
    return bool(left & (words_of(known) - left_before)) and bool(
        left_before & (words_of(said) - left)
    )


def _left(text: str) -> frozenset[str]:
    over = re.findall(r"\bover ([\w.:/-]+)", text.lower())
    return _denied(text).union(*map(words_of, over))


def shares_subject(known: str, said: str) -> bool:
    """Tell whether two statements are about one thing, whatever value each gives it."""
    words, held = _plain(said), words_of(known)
    return sum(_in(word, held) for word in words) >= _SUBJECT_LOOSELY * len(words)


def corrects(said: str, known: str, *, loosely: bool = False) -> bool:
    """Tell whether what was said gives another value to what is known.

    Both name a value (a number, a version, a name with a digit), the values differ, and the words
    beside them are the same subject; or what was said names the old value of its subject as wrong.

    Args:
        said: the correction.
        known: what it may put right.
        loosely: both come from one session.
    """
    new, old = values_of(said), values_of(known)
    denied = _denied(said)
    subject = _plain(said) - denied
    about = _plain(known)
    shared = sum(_in(word, about) for word in subject)
    if names_rejected_value(known, said):
        if _names_one(said):
            return loosely or len(about - denied) <= _BARELY
        return shared >= (1 if loosely else max(1, _SUBJECT_LOOSELY * len(subject)))
    if not new or not old or new & old or not subject or not about:
        return False
    if loosely:
        return shared >= max(1, _SUBJECT_LOOSELY * len(subject))
    return shared >= 2 and shared >= _SUBJECT * min(len(subject), len(about))  # noqa: PLR2004


def find_corrected_sentence(said: str, sentences: Sequence[str]) -> str:
    """Return the sentence that a correction puts right, empty if none or it is unclear which.

    A value that stands alone ("it's 5433") puts right the only sentence with one of its form.
    """
    for sentence in sentences:
        if corrects(said, sentence, loosely=True):
            return sentence
    if not _names_one(said):
        return ""
    others = [one for one in sentences if not entails(one, said)]
    alike = [one for one in others if names_rejected_value(one, said)]
    for digits in ("\\d", "\\d+"):
        forms = _forms(said, digits)
        alike = alike or [one for one in others if forms & _forms(one, digits)]
    return alike[0] if len(alike) == 1 else ""


def names_rejected_value(known: str, said: str) -> bool:
    """Tell whether what was said sets its value against one that is known ("5433, not 5432")."""
    held = {part for word in words_of(known) for part in (word, *re.split(r"[-_/]", word))}
    return bool(_denied(said) & held) and not entails(known, said)


def is_value_only(said: str) -> bool:
    """Tell whether a correction names a new value alone: not of what, not instead of which."""
    short = len(words_of(said)) <= _FEW and len(said.split()) <= _FRAGMENT
    if short and not uses(said) and not states(said):
        return True
    return _names_one(said) and not (_denied(said) and (uses(said) or values_of(said)))


def only_denies(said: str) -> bool:
    """Tell whether a correction says what is not so, and nothing of what is ("not Redis")."""
    return words_of(said) <= _denied(said)


def _names_one(said: str) -> bool:
    """Tell whether a correction names no more than a value, beside one that it denies."""
    asked = re.search(phrases.USE, said, re.IGNORECASE)
    verb = words_of(asked.group(0).split()[-1]) if asked is not None else frozenset()
    words = words_of(said) - verb - _denied(said)
    told = {word for word in words if len(word) > 1 or word.isdigit()}
    return told <= values_of(said) or len(told) == 1


def _forms(text: str, digits: str) -> frozenset[str]:
    """Return the forms of names that have one: 5433 is 0, eu-west-1 is a-a-0, npm is a tool."""
    forms = {re.sub(r"[^\W\d]+", "a", re.sub(digits, "0", word)) for word in words_of(text)}
    tool = {"tool"} if re.search(phrases.TOOL, text, re.IGNORECASE) else set()
    return frozenset(forms - {"a"} | tool)


def _holding(text: str) -> str:
    """Return a statement without what it sets itself against, if more than a name is left."""
    against = rf"[,;] (?:and |but )?(?:{phrases.OLD_VALUE})|^(?:{phrases.OLD_VALUE})[,;]"
    rest = re.sub(against, "", text, flags=re.IGNORECASE)
    return rest if len(words_of(rest)) > 1 else text


def _denied(said: str) -> frozenset[str]:
    found = re.finditer(phrases.OLD_VALUE, said, re.IGNORECASE)
    words = {word for one in found for word in words_of(one.group(0))}
    return frozenset(word for word in words if len(word) > 1 or word.isdigit())


def values_of(text: str) -> frozenset[str]:
    """Return what in a statement is a value: words with a digit in them."""
    return frozenset(
        word.strip(".") for word in words_of(text) if any(char.isdigit() for char in word)
    )


def _plain(text: str) -> frozenset[str]:
    return words_of(text) - values_of(text)


def _negated(text: str) -> bool:
    return bool(re.search(phrases.NEGATION, text, re.IGNORECASE))


def _in(word: str, held: frozenset[str]) -> bool:
    """Tell whether a word, or one that only ends otherwise, is among others."""
    if word in held:
        return True
    if len(word) < _STEM:
        return False
    return any(
        len(other) >= _STEM and (word.startswith(other) or other.startswith(word)) for other in held
    )
