"""The final order of candidates: their features, the weighted sum of these, and its explanation.

Each feature is in [0, 1] and describes a candidate's terms, its session or its kind of text.

An answer is often next to the sentence with the query's terms ("When did you get it?" "Last
Tuesday!"), so terms are also looked for in the memories that a session stored just before and
after. Weights: fusion.py.
"""

from __future__ import annotations

import re

from aforesaid.lexicon import questions

from .fusion import WEIGHTS, SearchCandidate
from .term_matching import TermMatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import SessionNeighbours

    from .fusion import Weights


#: The order of features in each row that ``measure_signals`` returns.
NAMES = (
    "meaning", "coverage", "window", "beside", "session", "fitting", "named", "answering", "ruling",
    "unsaid", "akin",
)  # fmt: skip
_WINDOW = NAMES.index("window")
SESSION_BEST = 3  #: number of memories of a session that count
#: Longer texts contain more words by chance: beyond so many characters, the shares of the query's
#: terms fall with the length. Most memories and messages are shorter (docs/adr/0046-long-texts.md).
LONG_CHARS = 500
_HEADER = re.compile(r"(?:\[[^\]\n]{1,60}\]\s*)?(?:([^\n:]{1,40}):\s)?")
_ASKS_WHEN = re.compile(
    r"^when\b|\b(?:what|which) (?:time|date|day|month|year)\b|\bhow (?:long|recently)\b"
)
_ASKS_RULE = re.compile(rf"\b(?:{questions.RULE_QUESTION_WORDS})\b")
_RULE = re.compile(rf"\b(?:{questions.RULE_WORDS})\b")
_NOTHING: dict[str, float] = {}
_WHOLE_RULE = 2  #: number of different rule words that make a certain rule
_ASKS_COUNT = re.compile(r"\bhow (?:many|much|old|often|large|big)\b")
_TIME = re.compile(rf"\b(?:{questions.RANKED_TIME_WORDS}|\d{{4}}|\d+(?:st|nd|rd|th))\b")
_COUNT = re.compile(rf"\d|\b(?:{questions.RANKED_NUMBER_WORDS})\b")


class RankingContext:
    """The neighbours and sessions of memories, as far as they were looked up."""

    def __init__(self, neighbours: Sequence[SessionNeighbours]) -> None:
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self.session: dict[int, str] = {}
        for item in neighbours:
            self._follow(item.session, [item.key, *item.after], self.after, self.before)
            self._follow(item.session, [item.key, *item.before], self.before, self.after)

    def _follow(
        self, session: str, keys: list[int], forward: dict[int, int], backward: dict[int, int]
    ) -> None:
        previous = keys[0]
        self.session[previous] = session
        for key in keys[1:]:
            forward[previous], backward[key] = key, previous
            self.session[key] = session
            previous = key

    def around(self, key: int) -> list[int]:
        """Return the known neighbours of a memory at a distance of at most two."""
        neighbours = []
        for direction in (self.before, self.after):
            neighbour = direction.get(key)
            if neighbour is not None:
                neighbours.append(neighbour)
                neighbour = direction.get(neighbour)
                if neighbour is not None:
                    neighbours.append(neighbour)
        return neighbours


def measure_signals(
    query: str,
    fused: Sequence[SearchCandidate],
    context: RankingContext,
    texts: Mapping[int, str],
    weights: Weights = WEIGHTS,
) -> dict[int, tuple[float, ...]]:
    """Return the features of each memory that has a text, by head, in the order of ``NAMES``.

    Args:
        query: the query.
        fused: the fused candidates, best first.
        context: their neighbours in sessions.
        texts: the texts of the best candidates and of their neighbours, by head.
        weights: with the minimum cosines.
    """
    meaning, any_meaning = (
        _shares_of_best(fused, floor) for floor in (weights.floor, weights.near)
    )
    matcher = TermMatcher(query, dict(texts))
    total = sum(matcher.weight.values()) or 1.0
    sessions = _sessions(
        {candidate.head: candidate.score for candidate in fused if candidate.head in texts}, context
    )
    expected = _ExpectedText(query, matcher.names)
    heads = sorted(texts)
    asking = {head: _question_share(texts[head]) for head in heads}
    brevity = {head: min(1.0, LONG_CHARS / max(len(texts[head]), 1)) for head in heads}
    measured: dict[int, tuple[float, ...]] = {}
    for position, head in enumerate(heads, start=1):
        fitting, named, rule_share = expected.fits(texts[head])
        neighbours = context.around(head)
        before, after = context.before.get(head, -1), context.after.get(head, -1)
        measured[head] = (
            meaning.get(head, 0.0),
            matcher.coverage[head] * brevity[head],
            (_together(matcher, head, neighbours) / total if neighbours else matcher.coverage[head])
            * brevity[head],
            max(meaning.get(before, 0.0), meaning.get(after, 0.0)),
            sessions.get(context.session.get(head, ""), 0.0),
            fitting,
            named,
            asking.get(before, 0.0) * matcher.coverage.get(before, 0.0) * brevity[head],
            rule_share * position / len(heads),
        )
    unsaid = 1 - max((row[_WINDOW] for row in measured.values()), default=0.0)
    synonym_coverage = matcher.synonym_coverage(
        [candidate.head for candidate in fused if candidate.head in texts]
    )
    return {
        head: (
            *row,
            any_meaning.get(head, 0.0) * unsaid,
            synonym_coverage.get(head, 0.0) * brevity[head],
        )
        for head, row in measured.items()
    }


def _shares_of_best(fused: Sequence[SearchCandidate], floor: float) -> dict[int, float]:
    """Return each cosine's excess over a floor as a share of the best, by head."""
    span = max((candidate.meaning for candidate in fused), default=0.0) - floor
    return {
        candidate.head: (candidate.meaning - floor) / span
        for candidate in fused
        if candidate.meaning > floor
    }


class _ExpectedText:
    """The kind of text that a query asks for: with a time or number, a rule, a person's words."""

    def __init__(self, query: str, names: Sequence[str]) -> None:
        lowered = query.lower()
        self._names = names
        self._expected = [
            pattern
            for asks, pattern in ((_ASKS_WHEN, _TIME), (_ASKS_COUNT, _COUNT))
            if asks.search(lowered)
        ]
        self._rules = _ASKS_RULE.search(lowered) is not None

    def fits(self, text: str) -> tuple[float, float, float]:
        """Return the features ``fitting``, ``named`` and the share to which a text is a rule."""
        if not (self._expected or self._names or self._rules):
            return (0.0, 0.0, 0.0)
        header = _HEADER.match(text)
        start, speaker = (0, None) if header is None else (header.end(), header.group(1))
        body = text[start:].lower() if self._expected or self._rules else ""
        rules = len(set(_RULE.findall(body))) if self._rules else 0
        return (
            float(any(pattern.search(body) for pattern in self._expected)),
            float(any(word in self._names for word in (speaker or "").lower().split())),
            min(rules / _WHOLE_RULE, 1.0),
        )


def _together(matcher: TermMatcher, head: int, neighbours: Sequence[int]) -> float:
    """Return the weight of the terms that a text and its neighbours contain together."""
    own = matcher.shares[head]
    gained: dict[str, float] = {}
    for neighbour in neighbours:
        for word, share in matcher.shares.get(neighbour, _NOTHING).items():
            if share > own.get(word, 0.0) and share > gained.get(word, 0.0):
                gained[word] = share
    weight = matcher.weight
    own_weight = sum(weight[word] * share for word, share in own.items() if word not in gained)
    return own_weight + sum(weight[word] * share for word, share in gained.items())


def _sessions(scores: Mapping[int, float], context: RankingContext) -> dict[str, float]:
    """Return the sum of each session's best scores, as a share of the best session's."""
    by_session: dict[str, list[float]] = {}
    for head, score in scores.items():
        if head in context.session:
            by_session.setdefault(context.session[head], []).append(score)
    sums = {name: sum(sorted(values)[-SESSION_BEST:]) for name, values in by_session.items()}
    best = max(sums.values(), default=0.0) or 1.0
    return {name: total / best for name, total in sums.items()}


def _question_share(text: str) -> float:
    """Return the share of a text's sentences that are questions."""
    questions_count = text.count("? ") + text.endswith("?")
    if not questions_count:
        return 0.0
    statements_count = text.count(". ") + text.count("! ") + (not text.endswith("?"))
    return questions_count / (questions_count + statements_count)


_TEXT_FEATURES = ("coverage", "window")
_VECTOR_FEATURES = ("meaning",)


def rank_candidates(
    query: str,
    fused: Sequence[SearchCandidate],
    session_neighbours: Sequence[SessionNeighbours],
    texts: Mapping[int, str],
    limit: int,
    weights: Weights = WEIGHTS,
) -> list[SearchCandidate]:
    """Return the best candidates by all their features, best first, ties by head.

    Neighbours in a session become candidates, too, even if neither search found them.

    Args:
        query: the query.
        fused: the fused candidates, best first.
        session_neighbours: the neighbours of the best candidates in their sessions.
        texts: the texts of candidates and neighbours, by head; without one, they are left out.
        limit: maximum number of results.
        weights: the weights of the features.
    """
    by_head = {candidate.head: candidate for candidate in fused}
    measured = measure_signals(query, fused, RankingContext(session_neighbours), texts, weights)
    effective = _effective_weights(fused, weights)
    linked = weights.about if any(candidate.about for candidate in fused) else 0.0
    scored = []
    for head, row in measured.items():
        score = sum(weight * value for weight, value in zip(effective, row, strict=True))
        if linked:
            about = head in by_head and by_head[head].about
            score = score * (1 - linked) + (linked if about else 0.0)
        scored.append((-score, head))
    scored.sort()
    return [
        (by_head.get(head) or SearchCandidate(head=head, matched=head)).replace(
            score=-score, signals=measured[head]
        )
        for score, head in scored[:limit]
    ]


def _effective_weights(fused: Sequence[SearchCandidate], weights: Weights) -> list[float]:
    """Return the weight of each feature; if one search found nothing, the other has full weight."""
    text_weight = sum(getattr(weights, name) for name in _TEXT_FEATURES)
    vector_weight = sum(getattr(weights, name) for name in _VECTOR_FEATURES)
    scale = dict.fromkeys(NAMES, 1.0)
    if not any(candidate.meaning for candidate in fused):
        scale.update(dict.fromkeys(_TEXT_FEATURES, (text_weight + vector_weight) / text_weight))
    elif not any(candidate.words for candidate in fused):
        scale.update(dict.fromkeys(_VECTOR_FEATURES, (text_weight + vector_weight) / vector_weight))
    return [scale[name] * getattr(weights, name) for name in NAMES]


_MIN_SIGNAL = 0.3  #: features below are not mentioned


def explain(candidate: SearchCandidate) -> str:
    """Return the features that contributed to a candidate's rank, with their values."""
    parts = [
        f"{label} {'best' if rank == 1 else f'rank {rank}'} ({value:.2f})"
        for label, rank, value in (
            ("words", candidate.words_rank, candidate.words),
            ("meaning", candidate.meaning_rank, candidate.meaning),
        )
        if rank and value > 0
    ]
    if candidate.signals:
        parts += _describe(dict(zip(NAMES, candidate.signals, strict=True)), candidate)
    for label, gain in (("retention", candidate.retained), ("pinned", candidate.pinned)):
        if round(gain, 2) > 0:
            parts.append(f"{label} +{gain:.2f}")
    if candidate.about:
        parts.append(f"about {candidate.about}")
    if candidate.matched != candidate.head:
        parts.append("an older version matched")
    return ", ".join(parts)


def _describe(signals: dict[str, float], candidate: SearchCandidate) -> list[str]:
    window_gain = signals["window"] - signals["coverage"]
    neighbour = 0.0 if candidate.words_rank else signals["beside"]
    parts = [
        f"{label} ({value:.2f})"
        for label, value in (
            ("has the query's words", signals["coverage"]),
            ("has synonyms of them", signals["akin"]),
            ("stored next to a match", max(window_gain, neighbour)),
            ("in a matching session", signals["session"]),
            ("follows a similar question", signals["answering"]),
        )
        if value >= _MIN_SIGNAL
    ]
    parts += [
        label
        for label, value in (
            ("has a time or number, as asked for", signals["fitting"]),
            ("said by the person in the query", signals["named"]),
            ("states a rule, as asked for", signals["ruling"]),
        )
        if value
    ]
    return parts
