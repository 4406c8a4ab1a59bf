"""Decides whether two texts state the same thing, and says how they differ.

In case of doubt they differ: a false merge loses a memory, a missed duplicate costs a line. Only
differences known to be harmless are ignored, so a new kind of difference needs no new rule
(docs/adr/0007-duplicate-gate.md).
"""

from __future__ import annotations

from aforesaid.domain.dedup.normalize import read_statement
from aforesaid.domain.dedup.tokens import BREAK, PAUSE, Term, is_plain_english
from aforesaid.lexicon import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_TERMS = 4  #: of each side in an explanation


def same_statement(a: str, b: str) -> bool:
    """Return whether two texts differ in nothing that carries meaning."""
    return not differences(a, b)


def differences(a: str, b: str) -> tuple[str, ...]:
    """Return how two texts differ in meaning, in words for a person; empty if they do not.

    Symmetric, except for the order in which the two sides are named.
    """
    if a == b:
        return ()
    english = is_plain_english(a) and is_plain_english(b)
    left, right = read_statement(a, english), read_statement(b, english)
    if len(left) == len(right) and all(map(_match, left, right)):
        return ()
    return _explain(left, right)


def _match(left: Term, right: Term) -> bool:
    if left.exact == right.exact:
        return True
    return not left.strict and not right.strict and left.folded == right.folded


def _explain(left: list[Term], right: list[Term]) -> tuple[str, ...]:
    """Return how two lists of terms differ that do not match."""
    only_left, only_right = _surplus(left, right), _surplus(right, left)
    if not only_left and not only_right:
        return (_explain_order(left, right),)
    explanations: list[str] = []
    kinds: tuple[tuple[str, Callable[[Term], bool]], ...] = (
        ("negation", lambda term: term.folded in vocabulary.NEGATIONS),
        ("obligation", lambda term: term.folded in vocabulary.MODALS),
        ("scope", lambda term: term.folded in vocabulary.SCOPES),
        ("number", lambda term: term.kind == "number"),
        ("time", lambda term: term.kind == "time"),
        ("unit", lambda term: term.kind == "unit"),
        ("path", lambda term: term.kind in ("path", "address")),
        ("identifier", lambda term: term.kind in ("identifier", "part", "sign")),
        ("quoted text", lambda term: term.kind == "quoted"),
        ("name", lambda term: term.kind == "name"),
        ("word", lambda _: True),
    )
    opposed = _opposed(only_left, only_right)
    explanations += [
        f'opposites: "{left_word}" / "{right_word}"' for left_word, right_word in opposed
    ]
    explained = {word for pair in opposed for word in pair}
    for name, belongs in kinds:
        sides = []
        for terms in (only_left, only_right):
            matching = [term for term in terms if belongs(term) and term.folded not in explained]
            terms[:] = [term for term in terms if not belongs(term)]
            sides.append(" ".join(term.exact for term in matching[:_MAX_TERMS]))
        if any(sides):
            shown = " / ".join(f'"{side}"' if side else "nothing" for side in sides)
            explanations.append(f"{name}: {shown}")
    return tuple(explanations) or ("where sentences or clauses end",)


def _explain_order(left: list[Term], right: list[Term]) -> str:
    for first, second in zip(left, right, strict=False):
        if not _match(first, second):
            if first in (PAUSE, BREAK) or second in (PAUSE, BREAK):
                return "where sentences or clauses end"
            return f'order of words: "{first.exact}" / "{second.exact}" in the same place'
    return "where sentences or clauses end"


def _surplus(terms: list[Term], other_terms: list[Term]) -> list[Term]:
    """Return the terms without a counterpart on the other side, in order."""
    counts: dict[str, int] = {}
    for term in other_terms:
        counts[term.folded] = counts.get(term.folded, 0) + 1
    surplus = []
    for term in terms:
        if counts.get(term.folded, 0):
            counts[term.folded] -= 1
        elif term not in (PAUSE, BREAK):
            surplus.append(term)
    return surplus


def _opposed(left: list[Term], right: list[Term]) -> list[tuple[str, str]]:
    pairs = []
    right_words = {term.folded for term in right}
    for term in left:
        for word, opposite in vocabulary.OPPOSITES.items():
            if term.folded == word and opposite in right_words:
                pairs.append((word, opposite))
            elif term.folded == opposite and word in right_words:
                pairs.append((opposite, word))
    return pairs
