"""What speaks for each candidate: its words, its session, what kind of text it is.

An answer often stands beside the sentence that holds the question's words: "When did you get it?"
"Last Tuesday!" So the question's words are looked for in a memory and in what its session stored
around it. Here: named signals, each in [0, 1]. Not here: what they weigh (ranking_weights.py),
which memories stand beside each other (the store knows).
"""

from __future__ import annotations

import re

from aforesaid.domain.retrieval.term_matching import TermMatcher

from .ranking_weights import WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import SessionNeighbours

    from .fusion import SearchCandidate
    from .ranking_weights import Weights

#: In the order of each row that ``measure_signals`` returns; ranking_weights.py has one weight for
#: each.
NAMES = (
    "meaning", "coverage", "window", "beside", "session", "fitting", "named", "answering", "asking",
    "ruling", "unsaid", "akin",
)  # fmt: skip
_WINDOW = NAMES.index("window")
SESSION_BEST = 3  #: of a session's memories count
_HEADER = re.compile(r"(?:\[[^\]\n]{1,60}\]\s*)?(?:([^\n:]{1,40}):\s)?")
_ASKS_WHEN = re.compile(
    r"^when\b|\b(?:what|which) (?:time|date|day|month|year)\b|\bhow (?:long|recently)\b"
)
_ASKS_RULE = re.compile(
    r"\b(?:rules?|guidelines?|conventions?|standards?|prefer\w*|style|polic\w+|practices?|should"
    r"|always|never|allowed|must)\b"
)
_RULE = re.compile(
    r"\b(?:always|never|from now on|going forward|must|avoid|prefers?|preferred|i want you to"
    r"|i'd like you to)\b"
)
_NOTHING: dict[str, float] = {}
_WHOLE_RULE = 2  #: different words of a rule make one for sure
_ASKS_COUNT = re.compile(r"\bhow (?:many|much|old|often|large|big)\b")
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|since|recently|weekend|(?:week|month|year"
    r")s?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|\d{4}|\d+(?:st|nd|rd|th))\b"
)
_COUNT = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|once|twice)\b"
)


class RankingContext:
    """Which memories stand beside each other in their sessions, as far as it was looked up."""

    def __init__(self, surroundings: Sequence[SessionNeighbours]) -> None:
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self.session: dict[int, str] = {}
        for place in surroundings:
            self._follow(place.session, [place.key, *place.after], self.after, self.before)
            self._follow(place.session, [place.key, *place.before], self.before, self.after)

    def _follow(
        self, session: str, keys: list[int], there: dict[int, int], back: dict[int, int]
    ) -> None:
        last = keys[0]
        self.session[last] = session
        for key in keys[1:]:
            there[last], back[key] = key, last
            self.session[key] = session
            last = key

    def around(self, key: int) -> list[int]:
        """Return what is known to stand within two memories of one."""
        found = []
        for there in (self.before, self.after):
            one = there.get(key)
            if one is not None:
                found.append(one)
                one = there.get(one)
                if one is not None:
                    found.append(one)
        return found


def measure_signals(
    query: str,
    fused: Sequence[SearchCandidate],
    order: RankingContext,
    texts: Mapping[int, str],
    weights: Weights = WEIGHTS,
) -> dict[int, tuple[float, ...]]:
    """Return the signals of each memory that has a text, by head, in the order of ``NAMES``.

    Args:
        query: the question.
        fused: what words and meaning found, best first.
        order: of these in their sessions.
        texts: what each says that may answer, by head: the best of the fused, and neighbours.
        weights: where cosines begin to say something.
    """
    meaning, any_meaning = (_shares_of_best(fused, one) for one in (weights.floor, weights.near))
    words = TermMatcher(query, dict(texts))
    total = sum(words.weight.values()) or 1.0
    sessions = _sessions({one.head: one.score for one in fused if one.head in texts}, order)
    kind = _Kind(query, words.names)
    heads = sorted(texts)
    asking = {head: _asking(texts[head]) for head in heads}
    measured: dict[int, tuple[float, ...]] = {}
    for place, head in enumerate(heads, start=1):
        fitting, named, rules = kind.fits(texts[head])
        around = order.around(head)
        before, after = order.before.get(head, -1), order.after.get(head, -1)
        measured[head] = (
            meaning.get(head, 0.0),
            words.coverage[head],
            _together(words, head, around) / total if around else words.coverage[head],
            max(meaning.get(before, 0.0), meaning.get(after, 0.0)),
            sessions.get(order.session.get(head, ""), 0.0),
            fitting,
            named,
            asking.get(before, 0.0) * words.coverage.get(before, 0.0),
            asking[head],
            rules * place / len(heads),
        )
    unsaid = 1 - max((row[_WINDOW] for row in measured.values()), default=0.0)
    akin = words.synonym_coverage([one.head for one in fused if one.head in texts])
    return {
        head: (*row, any_meaning.get(head, 0.0) * unsaid, akin.get(head, 0.0))
        for head, row in measured.items()
    }


def _shares_of_best(fused: Sequence[SearchCandidate], floor: float) -> dict[int, float]:
    """Return how far each cosine is above a floor, as a share of the best, by head."""
    span = max((one.meaning for one in fused), default=0.0) - floor
    return {one.head: (one.meaning - floor) / span for one in fused if one.meaning > floor}


class _Kind:
    """What kind of text a question wants: a time, a number, a rule, what somebody said."""

    def __init__(self, query: str, names: Sequence[str]) -> None:
        asked = query.lower()
        self._names = names
        self._wanted = [
            sought
            for asks, sought in ((_ASKS_WHEN, _TIME), (_ASKS_COUNT, _COUNT))
            if asks.search(asked)
        ]
        self._rules = _ASKS_RULE.search(asked) is not None

    def fits(self, text: str) -> tuple[float, float, float]:
        """Return how far a text names what is asked for, was said by who is named, is a rule."""
        if not (self._wanted or self._names or self._rules):
            return (0.0, 0.0, 0.0)
        header = _HEADER.match(text)
        start, speaker = (0, None) if header is None else (header.end(), header.group(1))
        body = text[start:].lower() if self._wanted or self._rules else ""
        rules = len(set(_RULE.findall(body))) if self._rules else 0
        return (
            float(any(sought.search(body) for sought in self._wanted)),
            float(any(one in self._names for one in (speaker or "").lower().split())),
            min(rules / _WHOLE_RULE, 1.0),
        )


def _together(words: TermMatcher, head: int, around: Sequence[int]) -> float:
    """Return the weight of the words that a text and those around it hold among them."""
    own = words.held[head]
    gained: dict[str, float] = {}
    for one in around:
        for word, share in words.held.get(one, _NOTHING).items():
            if share > own.get(word, 0.0) and share > gained.get(word, 0.0):
                gained[word] = share
    weight = words.weight
    held = sum(weight[word] * share for word, share in own.items() if word not in gained)
    return held + sum(weight[word] * share for word, share in gained.items())


def _sessions(scores: Mapping[int, float], order: RankingContext) -> dict[str, float]:
    """Return the sum of each session's best scores, as a share of the best session's."""
    found: dict[str, list[float]] = {}
    for head, score in scores.items():
        if head in order.session:
            found.setdefault(order.session[head], []).append(score)
    sums = {name: sum(sorted(each)[-SESSION_BEST:]) for name, each in found.items()}
    best = max(sums.values(), default=0.0) or 1.0
    return {name: one / best for name, one in sums.items()}


def _asking(text: str) -> float:
    """Return the share of a text's sentences that are questions."""
    asked = text.count("? ") + text.endswith("?")
    if not asked:
        return 0.0
    others = text.count(". ") + text.count("! ") + (not text.endswith("?"))
    return asked / (asked + others)
