"""The final order of candidates: their features, the weighted sum of these, and its explanation.

Each feature is in [0, 1] and describes a candidate's terms, its session or its kind of text. Talk
(messages of named speakers) and notes (all other texts) have weights of their own, mixed by the
share of talk among the candidates. In talk, an answer is often next to the sentence that has the
query's terms ("When did you get it?" "Last Tuesday!"), so they are also looked for in what a
session stored just before and after. ``python -m bench.retrieval.learn`` prints the weights;
their sources: docs/adr/0024-signals.md (talk), docs/adr/0048-notes-and-talk.md (notes).
"""

from __future__ import annotations

import re
from collections import Counter

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
    "meaning",  # cosine above the floor, as a share of the best
    "coverage",  # share of the query's term weight that the text contains, less for long texts
    "window",  # the same, including its neighbours in the session
    "beside",  # ``meaning`` of the better direct neighbour
    "session",  # sum of scores in its session, as a share of the best session
    "fitting",  # it has a time or number, if one is asked for
    "named",  # its speaker is named in the query
    "answering",  # it follows a question: the coverage of that
    "ruling",  # it states a rule, if one is asked for; later ones more
    "closeness",  # cosine above the floor
    "terms",  # share of the query's term weight that the text contains
    "words",  # BM25 as a share of the best
    "akin",  # share of the query's term weight that it contains as synonyms, less for long texts
    "unsaid",  # cosine above ``near`` as a share of the best, as far as no window has the terms
)
TALK_WEIGHTS = {
    "meaning": 0.17, "coverage": 0.29, "window": 0.54, "beside": 0.15, "session": 0.16,
    "fitting": 0.35, "named": 0.12, "answering": 0.57, "ruling": 0.24,
}  # fmt: skip
NOTE_WEIGHTS = {"closeness": 1.0, "terms": 0.33, "akin": 0.47, "unsaid": 0.28}
NOTE_WEIGHTS_WORDS_ONLY = {"terms": 0.5, "words": 0.4, "akin": 0.6}
MIN_MESSAGES = 3  #: of a speaker among the candidates that make his texts talk
_WINDOW = NAMES.index("window")
SESSION_BEST = 3  #: number of memories of a session that count
#: Longer texts contain more words by chance: beyond so many characters, the shares of the query's
#: terms fall with the length. Most memories and messages are shorter (docs/adr/0046-long-texts.md).
LONG_CHARS = 500
#: "[8 May] Ada: ", the beginning of a message
_HEADER = re.compile(r"(?:\[[^\]\n]{1,60}\]\s*)?(?:([^\n:]{1,40}):\s)?")
_ASKS_WHEN = re.compile(
    r"^when\b|\b(?:what|which) (?:time|date|day|month|year)\b|\bhow (?:long|recently)\b"
)
_ASKS_RULE = re.compile(rf"\b(?:{questions.RULE_QUESTION_WORDS})\b")
_RULE = re.compile(rf"\b(?:{questions.RULE_WORDS})\b")
_NOTHING: dict[str, float] = {}
_NO_CANDIDATE = SearchCandidate(head=-1, matched=-1)
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
    meaning = _shares_of_best(fused, weights.floor)
    any_meaning = _shares_of_best(fused, weights.near)
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
    synonyms = matcher.synonym_coverage([hit.head for hit in fused if hit.head in texts])
    by_head = {candidate.head: candidate for candidate in fused}
    for head, row in measured.items():
        candidate = by_head.get(head, _NO_CANDIDATE)
        measured[head] = (
            *row,
            max(candidate.meaning - weights.floor, 0.0),
            matcher.coverage[head],
            candidate.words,
            synonyms.get(head, 0.0) * brevity[head],
            any_meaning.get(head, 0.0) * unsaid,
        )
    return measured


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


def talk_share(texts: Sequence[str]) -> float:
    """Return the share of texts, in [0, 1], that are messages of speakers who say several."""
    headers = [header.group(1) for text in texts if (header := _HEADER.match(text))]
    speakers = Counter(speaker.lower() for speaker in headers if speaker)
    messages = sum(count for count in speakers.values() if count >= MIN_MESSAGES)
    return messages / max(len(texts), 1)


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
    effective = _effective_weights(fused, talk_share([texts[head] for head in measured]))
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


def _effective_weights(fused: Sequence[SearchCandidate], talk: float) -> list[float]:
    """Return the weight of each feature, by the share of talk and by which searches found any."""
    any_vectors = any(candidate.meaning for candidate in fused)
    any_words = any(candidate.words for candidate in fused)
    talk_weights = _without_empty(TALK_WEIGHTS, any_vectors=any_vectors, any_words=any_words)
    note_weights = NOTE_WEIGHTS if any_vectors else NOTE_WEIGHTS_WORDS_ONLY
    return [
        talk * talk_weights.get(name, 0.0) + (1 - talk) * note_weights.get(name, 0.0)
        for name in NAMES
    ]


def _without_empty(
    weights: Mapping[str, float], *, any_vectors: bool, any_words: bool
) -> dict[str, float]:
    """Return the weights; if one search found nothing, the other has its weight, too."""
    text, vectors = ("coverage", "window"), ("meaning",)
    filled = text if not any_vectors else vectors if not any_words else ()
    empty = vectors if filled == text else text
    share = sum(weights[name] for name in filled)
    scale = 1 + sum(weights[name] for name in empty) / share if filled else 1.0
    return {name: weight * (scale if name in filled else 1.0) for name, weight in weights.items()}


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
