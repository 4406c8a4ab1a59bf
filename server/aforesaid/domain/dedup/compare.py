"""Do two texts state the same thing? The judgement behind the duplicate gate.

Here: comparing two texts and saying what differs. Not here: how a text is read
(normalize.py), vectors and stores (services own the gate).
In doubt two texts differ: a merge of what differs loses a memory, a missed repeat costs a line.
Whatever is not known to be harmless counts, so a new way to differ needs no new rule
(docs/adr/0007-duplicate-gate.md).
"""

from __future__ import annotations

from aforesaid.domain.dedup import vocabulary
from aforesaid.domain.dedup.normalize import read_statement
from aforesaid.domain.dedup.tokens import BREAK, PAUSE, Term, is_plain_english

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def same_statement(a: str, b: str) -> bool:
    """Return whether nothing that carries meaning differs between two texts."""
    return not differences(a, b)


def differences(a: str, b: str) -> tuple[str, ...]:
    """Return what differs in meaning between two texts, in words for a person; empty if nothing.

    Symmetric up to the order in which the two sides are named, and empty for equal texts.
    """
    if a == b:
        return ()
    english = is_plain_english(a) and is_plain_english(b)
    left, right = read_statement(a, english), read_statement(b, english)
    if len(left) == len(right) and all(map(_match, left, right)):
        return ()
    return _explain(left, right)


def _match(one: Term, other: Term) -> bool:
    if one[1] == other[1]:
        return True
    return not one[3] and not other[3] and one[2] == other[2]


def _explain(left: list[Term], right: list[Term]) -> tuple[str, ...]:
    """Return what differs between two lists of terms that do not match."""
    only_left, only_right = _surplus(left, right), _surplus(right, left)
    if not only_left and not only_right:
        return (_explain_order(left, right),)
    said: list[str] = []
    sorts: tuple[tuple[str, Callable[[Term], bool]], ...] = (
        ("negation", lambda term: term[2] in vocabulary.NEGATIONS),
        ("obligation", lambda term: term[2] in vocabulary.MODALS),
        ("scope", lambda term: term[2] in vocabulary.SCOPES),
        ("number", lambda term: term[0] == "number"),
        ("time", lambda term: term[0] == "time"),
        ("unit", lambda term: term[0] == "unit"),
        ("path", lambda term: term[0] in ("path", "address")),
        ("identifier", lambda term: term[0] in ("identifier", "part", "sign")),
        ("quoted text", lambda term: term[0] == "quoted"),
        ("name", lambda term: term[0] == "name"),
        ("word", lambda _: True),
    )
    opposed = _opposed(only_left, only_right)
    said += [f'opposites: "{one}" / "{other}"' for one, other in opposed]
    spoken = {word for pair in opposed for word in pair}
    for name, belongs in sorts:
        sides = []
        for terms in (only_left, only_right):
            mine = [t for t in terms if belongs(t) and t[2] not in spoken]
            terms[:] = [t for t in terms if not belongs(t)]
            sides.append(" ".join(t[1] for t in mine[:4]))
        if any(sides):
            one, other = (f'"{side}"' if side else "nothing" for side in sides)
            said.append(f"{name}: {one} / {other}")
    return tuple(said) or ("where sentences or clauses end",)


def _explain_order(left: list[Term], right: list[Term]) -> str:
    for one, other in zip(left, right, strict=False):
        if not _match(one, other):
            if one in (PAUSE, BREAK) or other in (PAUSE, BREAK):
                return "where sentences or clauses end"
            return f'order of words: "{one[1]}" / "{other[1]}" in the same place'
    return "where sentences or clauses end"


def _surplus(mine: list[Term], others: list[Term]) -> list[Term]:
    """Return my terms that the other side has no partner for, in order."""
    counts: dict[str, int] = {}
    for term in others:
        counts[term[2]] = counts.get(term[2], 0) + 1
    surplus = []
    for term in mine:
        if counts.get(term[2], 0):
            counts[term[2]] -= 1
        elif term not in (PAUSE, BREAK):
            surplus.append(term)
    return surplus


def _opposed(left: list[Term], right: list[Term]) -> list[tuple[str, str]]:
    found = []
    others = {term[2] for term in right}
    for term in left:
        for one, other in vocabulary.OPPOSITES.items():
            if term[2] == one and other in others:
                found.append((one, other))
            elif term[2] == other and one in others:
                found.append((other, one))
    return found
