"""Do two memories in force contradict each other? Told without a language model.

Here: judging two texts, later and earlier, and saying why. Not here: which pairs are judged and
what follows (services/maintenance), how a text is read (sameness), what a question does with a
change (supersession.py). A flag annoys whoever reads it, so in doubt there is none: it takes a
change that the later one states, or two texts of one frame in which a single value, or its denial,
differs.
"""

from __future__ import annotations

import re

from aforesaid.domain.conflict.supersession import (
    MAX_CHARS,
    OUTDATES,
    OUTRANKS,
    PARTLY,
    ParsedStatement,
    negates_value,
    supersession_probability,
)
from aforesaid.domain.dedup import differences, vocabulary
from aforesaid.domain.dedup.normalize import read_statement
from aforesaid.domain.dedup.tokens import BREAK, PAUSE, Term, is_plain_english, read_terms
from aforesaid.domain.value import Value

#: Below it two memories are not about one thing; where the later one states a change, below the
#: second. Source: bench/contradictions, development part, and the pairs of bench/agent_memories.
MIN_COSINE, CHANGE_COSINE = 0.5, 0.55
ALIKE_COSINE = 0.7  #: from here on a cited value makes up for what is less than sure
MIN_ALIKE = 0.6  #: of its things, that a text whose subject is another must share to be outdated
MIN_FRAME = 2  #: terms that two texts share around a value that differs
MAX_SLOT = 4  #: terms that a value has at most
MAX_APART = 8  #: words of one text that the other lacks: a value, and what wording alone changes

#: Words with which a text says that something is no longer so. Narrower than what recall goes by:
#: there a wrong change costs a place, here a line in every session.
_CHANGED = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|instead|now|replac(?:ed|es|ing)|moved|renamed|switched"
    r"|migrated|converted|changed|raised|lowered|reduced|increased|upgraded|downgraded|rewritten"
    r"|dropped|gave up|given up|took over|taken over|went back|gone back|grown from|retired"
    r"|abandoned|used to|as of|(?:was|were|been) removed|bumped|cut|shifted|swapped|rerouted"
    r"|displaced|ditched|stretched|doubled|tripled|halved|rolled back|handed over|made way|lifted"
    r"|shortened|rather than|(?:is|was) gone)\b",
    re.IGNORECASE,
)
#: What a text turns down: where both turn down the same, nothing changed.
_TURNED_DOWN = re.compile(
    r"\b(?:instead of|rather than|(?<!took )(?<!taken )(?<!handed )over|not|no longer|never)"
    r"(?: (?:the|an?|in|on|from))? ([\w./-]+)",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|no longer|instead|any ?more)\b", re.IGNORECASE)
#: With this a text says what is over beside what holds.
_OVER = re.compile(
    r",? ?\b(?:no longer|not any ?more|instead of|rather than)\b[^.;,]*|\bnow\b ?", re.IGNORECASE
)
#: What holds besides, at a time or in a case takes nothing back.
_BESIDES = re.compile(
    r"\b(?:also|another|other|others|additional(?:ly)?|besides|e\.g\.|for example|such as|either"
    r"|one of|some|optional(?:ly)?|too|as well|if|unless|when|whenever|until|while)\b",
    re.IGNORECASE,
)
_FIGURES = frozenset(("number", "time", "version", "unit"))
_NAMES = frozenset(("name", "identifier", "path", "address", "part", "quoted"))
_DENIALS = frozenset(("not", "no", "never", "without"))
_HELPERS = frozenset(("do", "did", "be", "need", "any", "must"))
_IS = frozenset(("is", "are"))
#: Before the value that one thing has at one time stands one of these.
_HOLDING = frozenset(
    """be run live lie reside listen start end begin expire belong stay point speak talk go work sit
    stand deploy need keep last equal cost""".split()  # noqa: SIM905 - a list of words reads better
)
#: What may hold of several at once.
_MANY = frozenset(
    """use used using support supported like love include contain depend require allow accept
    see know ask add return want prefer tested visible available mentioned documented called
    consumed blocked caused known seen needed required similar related compatible example member
    part has have offer list cover""".split()  # noqa: SIM905 - as above
)
_MORE_OPPOSITES = {
    "allowed": "forbidden", "permitted": "forbidden", "allow": "forbid", "permit": "forbid",
    "mandatory": "optional", "required": "optional", "encrypted": "unencrypted",
    "parallel": "sequence", "synchronous": "asynchronous", "blocking": "nonblocking",
}  # fmt: skip
#: These say by themselves, at the head of a rule, whether it is so.
_HEADS = frozenset(("always", "never", "enable", "disable", "allow", "deny", "forbid", "include"))


class Contradiction(Value):
    """Two statements that cannot both hold."""

    why: str  #: what differs, in words for a person
    stated: bool  #: the later one says itself that something changed


def contradiction(older: str, newer: str, cosine: float | None) -> Contradiction | None:
    """Return how a later text contradicts an earlier one, None where that is not nearly sure.

    Args:
        older: what was said first.
        newer: what was said later.
        cosine: of the two; None where there are no vectors.
    """
    if max(len(older), len(newer)) > MAX_CHARS:
        return None
    if cosine is not None and cosine < MIN_COSINE:
        return None
    stated = _states_change(older, newer, cosine)
    if not stated:
        holds = older if _CHANGED.search(newer) else _OVER.sub("", older)
        if not (_have_one_frame(holds, newer) and _one_value_differs(holds, newer)):
            return None
    differs = differences(older, newer)
    return Contradiction(why="; ".join(differs[:2]), stated=stated) if differs else None


def _states_change(older: str, newer: str, cosine: float | None) -> bool:
    """Tell whether the later text says that what the earlier one says is no more."""
    if _CHANGED.search(newer) is None:
        return False
    before, after = ParsedStatement(older), ParsedStatement(newer)
    over = negates_value(before, after)
    if (_CHANGED.search(older) and not over) or _turned_down(older) & _turned_down(newer):
        return False
    sure = supersession_probability(before, after, cosine)
    far = cosine is not None and cosine < CHANGE_COSINE
    if far or sure < OUTRANKS or _of_another(before, after):
        return False
    left, right = _terms(older), _terms(newer)
    told, known = {one[2] for one in right}, {one[2] for one in left}
    lost = {_family(one) for one in left if one[2] not in told}
    gained = {_family(one) for one in right if one[2] not in known}
    cited = any(_family(one) for one in left if one[2] in told)
    helped = cited and bool(gained - {""}) and (cosine or 0.0) >= ALIKE_COSINE
    if sure < OUTDATES and not helped and not (over and sure > PARTLY):
        return False
    denied = bool(_DENIALS & (told - known))
    return (
        denied
        or bool(gained & (lost if not cited else {"figure", "name"}) - {""})
        or bool(_NOW.search(newer))
    )


def _of_another(before: ParsedStatement, after: ParsedStatement) -> bool:
    """Tell whether each text says something of a thing of its own, and little of the same.

    What a name took over is no such thing: the later text then begins with that name alone.
    """
    own = before.subject & before.plain - after.things
    other = after.subject & after.plain - before.things
    alike = len(before.things & after.things) > MIN_ALIKE * len(before.things)
    return bool(own and other) and len(after.subject) > 1 and not alike


def _turned_down(text: str) -> set[str]:
    return {word.lower() for word in _TURNED_DOWN.findall(text)}


def _have_one_frame(older: str, newer: str) -> bool:
    """Tell, at little cost, whether two texts share so many words that one place may differ."""
    left, right = set(older.lower().split()), set(newer.lower().split())
    return max(len(left - right), len(right - left)) <= MAX_APART


def _one_value_differs(older: str, newer: str) -> bool:
    """Tell whether two texts say the same of one thing, but for a single value or its denial."""
    before, one, other, after = _slots(_terms(older), _terms(newer))
    if not before:  # a passive that was turned round: as it stands, the value may come last
        before, one, other, after = _slots(_as_written(older), _as_written(newer))
    if (
        _BESIDES.search(older)
        or _BESIDES.search(newer)
        or len(before) + len(after) < MIN_FRAME
        or max(len(one), len(other)) > MAX_SLOT
        or {term[2] for term in one} & {term[2] for term in other}  # it differs in more places
    ):
        return False
    words = {term[2] for term in (*one, *other)}
    if words & _DENIALS and words <= _DENIALS | _HELPERS and not (one and other):
        return True
    if _are_opposed(one, other):
        return bool(before) or bool(words & _HEADS)
    if not one or not other:
        return False
    return _in_predicate(before, after) and _is_value(one, other, before)


def _terms(text: str) -> list[Term]:
    read = read_statement(text, is_plain_english(text))
    return [term for term in read if term not in (PAUSE, BREAK)]


def _as_written(text: str) -> list[Term]:
    terms = read_terms(text, is_plain_english(text))
    return [
        ("word", "be", "be", False) if term[2] in _IS else term
        for term in terms
        if term not in (PAUSE, BREAK) and term[2] not in vocabulary.ARTICLES
    ]


def _slots(
    left: list[Term], right: list[Term]
) -> tuple[list[Term], list[Term], list[Term], list[Term]]:
    """Return what both begin with, what stands in between on each side, what both end with."""
    shortest = min(len(left), len(right))
    start = 0
    while start < shortest and left[start][2] == right[start][2]:
        start += 1
    end = 0
    while end < shortest - start and left[-1 - end][2] == right[-1 - end][2]:
        end += 1
    return (
        left[:start],
        left[start : len(left) - end],
        right[start : len(right) - end],
        left[len(left) - end :],
    )


def _family(term: Term) -> str:
    """Return what a term is as a value: a figure, a name, or nothing."""
    if term[0] in _FIGURES:
        return "figure"
    return "name" if term[0] in _NAMES else ""


def _are_opposed(one: list[Term], other: list[Term]) -> bool:
    if len(one) != 1 or len(other) != 1:
        return False
    first, second = one[0][2], other[0][2]
    return any(
        table.get(first) == second or table.get(second) == first
        for table in (vocabulary.OPPOSITES, _MORE_OPPOSITES)
    )


def _in_predicate(before: list[Term], after: list[Term]) -> bool:
    """Tell whether a place stands in what is said of a subject, not in the subject itself."""
    if any(term[2] in _HOLDING for term in before):
        return True
    return len(before) > 1 and not any(term[2] in _HOLDING for term in after)


def _is_value(one: list[Term], other: list[Term], before: list[Term]) -> bool:
    """Tell whether what differs are two values of which only one can hold."""
    kinds = [{_family(term) for term in side} for side in (one, other)]
    if all(kind == {"figure"} for kind in kinds):
        return True
    named = any("name" in kind for kind in kinds) and all(
        "" not in kind or len(side) == 1 for kind, side in zip(kinds, (one, other), strict=True)
    )
    said = {term[2] for term in before}
    return named and bool(said & _HOLDING) and not said & _MANY
