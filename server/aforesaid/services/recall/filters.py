"""What a query leaves out: what is outside the time it names, and what is not relevant enough.

A clear time expression becomes a filter, and the answer says so. Only clear ones ("what did we
discuss last week") count, in questions about the past, since a wrong filter hides the answer. What
they mean is decided by the DateReader port. Features and weights of relevance: domain/retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from time import gmtime

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters, Hit, Memory, Visibility
from aforesaid.domain.retrieval.ranking import talk_share
from aforesaid.domain.retrieval.relevance import (
    QueryFeatures,
    answer_probability,
    relevance_cutoff,
    relevance_features,
    relevance_of,
)
from aforesaid.domain.retrieval.term_matching import contained_phrases, number_phrases
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.domain.value import Value
from aforesaid.lexicon.calendar import MONTHS, WEEKDAYS
from aforesaid.lexicon.stop_words import TIME_QUESTION_FILLERS
from aforesaid.ports import Clock, DateReader, Store

from .query import RecallHit

_MONTH = f"(?:{'|'.join(MONTHS)})"
_WEEKDAY = f"(?:{'|'.join(WEEKDAYS)})"
_COUNT = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of)"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
#: Expressions that need no preposition.
_FREE = (
    "the day before yesterday|(?:yesterday|today)(?: (?:morning|afternoon|evening))?"
    "|last night|this (?:morning|afternoon|week|month|year)"
    f"|(?:last|past|previous) (?:week(?:end)?|month|year|{_MONTH})|last {_WEEKDAY}"
    f"|(?:the )?(?:last|past) {_COUNT} (?:days|weeks|months|years)"
    f"|{_COUNT} (?:day|week|month|year)s? ago"
)
#: Expressions that need one: "may" is a verb, and "friday" a plan.
_BOUND = (
    f"{_MONTH} {_DAY}(?:,? {_YEAR})?|{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?"
    f"|{_MONTH}(?:,? {_YEAR})?|{_WEEKDAY}|{_YEAR}(?:-\\d\\d(?:-\\d\\d)?)?"
)
_PHRASE = re.compile(
    rf"(?<![\w-])(?:(?P<since>(?:ever )?since) (?P<open>{_FREE}|{_BOUND})"
    rf"|(?:(?:in|on|during|from|over|within) )?(?P<free>{_FREE})"
    rf"|(?:in|on|during|from) (?P<bound>{_BOUND}))(?![\w'\u2019/-])",
    re.IGNORECASE,
)
#: Signs that a question is about the past, or about what is stored.
_PAST = re.compile(
    r"\b(?:did|was|were|had|has|have|been|happened|[a-z]{2,}ed|said|told|went|made|wrote|built"
    r"|chose|found|learnt|thought|knew|ran|broke|notes?|memories|sessions?|summary|recap|history"
    r"|since|ago|last|past|yesterday)\b",
    re.IGNORECASE,
)


class TimePhrase(Value):
    """A time expression in a question."""

    text: str  #: the expression, such as "last week"
    full_text: str  #: with its preposition
    open: bool  #: whether it means from then on: "since Monday"
    rest: str  #: the question without it


def find_time_phrase(question: str) -> TimePhrase | None:
    """Return the time expression of a question, None if it has none or several."""
    matches = list(_PHRASE.finditer(question))
    if len(matches) != 1 or not _PAST.search(question):
        return None
    match = matches[0]
    rest = " ".join(f"{question[: match.start()]} {question[match.end() :]}".split())
    return TimePhrase(
        text=match["open"] or match["free"] or match["bound"],
        full_text=match[0],
        open=match["since"] is not None,
        rest=rest.strip(" ,;:"),
    )


SEARCH_ALL = 'since="1970" searches all time'


class TimeFilteredQuery(Value):
    """A query narrowed to the period that it names."""

    query: str | None  #: without the time expression; None if nothing else is left
    filters: Filters
    note: str  #: how the query was narrowed, and how to undo it
    empty_note: str  #: the note if nothing in the period matches


def extract_time_filter(
    query: str, filters: Filters, dates: DateReader, clock: Clock
) -> TimeFilteredQuery | None:
    """Return the query narrowed to the period that it names; None if it clearly names none.

    An explicit time filter of the caller is left alone.
    """
    if filters.since is not None or filters.until is not None or filters.as_of is not None:
        return None
    phrase = find_time_phrase(query)
    if phrase is None:
        return None
    try:
        period = dates.read(phrase.text, "query", loose=True)
    except InvalidInputError:
        return None
    if period.start > clock.now():
        return None  # about the future
    until = None if phrase.open else period.end
    terms = [term for term in query_terms(phrase.rest) if term not in TIME_QUESTION_FILLERS]
    days = f"since {period.label[:10]}" if phrase.open else f"from {period.label}"
    return TimeFilteredQuery(
        query=phrase.rest if terms else None,
        filters=filters.replace(since=period.start, until=until),
        note=f'only memories {days}, because the query says "{phrase.full_text}"; {SEARCH_ALL}',
        empty_note=f'no match {days} ("{phrase.full_text}"): searched all time',
    )


MAX_RELEVANCE = 0.99
MAX_TALK = 0.5  #: share of messages up to which results are ordered by relevance
MAX_MATCHED_WORDS = 4  #: words of the query that are given as a reason
#: Without an explicit cutoff, a result with this share of the best score stays: it may belong to
#: the same session as a match without repeating the query's words.
MIN_SCORE_SHARE = 0.6
#: A compacted memory precedes its summary only if it is more relevant by this much.
SUMMARY_MARGIN = 0.1


def score_relevance(
    store: Store,
    query: str,
    hits: Sequence[RecallHit],
    matched: Mapping[int, Memory | None],
    vector_hits: Sequence[Hit],
    visible: Visibility,
) -> tuple[list[RecallHit], QueryFeatures]:
    """Return the hits with their relevance, and the features of the query.

    Notes are returned most relevant first. In talk, what stands next to a message tells more than
    its relevance, so that its order stays.

    Args:
        store: where the entities' names are.
        query: its text.
        hits: all candidates.
        matched: the version that matched, by the key of the memory that is returned.
        vector_hits: what the vector search found; empty if only words were searched.
        visible: what the caller may see.
    """
    names = _entity_names(store, {hit.memory.entity for hit in hits}, visible)
    texts = {
        hit.memory.key: _searchable_text(
            hit.memory, matched.get(hit.memory.key), names.get(hit.memory.entity, ())
        )
        for hit in hits
    }
    months = {hit.memory.key: _month(hit.memory) for hit in hits}
    scores = {hit.memory.key: hit.score or 0.0 for hit in hits}
    vectors = bool(vector_hits)
    of_query, features = relevance_features(query, texts, vector_hits, months, scores)
    answered = answer_probability(of_query, vectors=vectors)
    scored = [
        hit.replace(
            signals=features[hit.memory.key],
            why=_why(hit.why, features[hit.memory.key].names),
            relevance=_rounded(relevance_of(features[hit.memory.key], answered, vectors=vectors)),
        )
        for hit in hits
    ]
    if talk_share([hit.memory.content for hit in hits]) > MAX_TALK:
        return scored, of_query
    order = sorted(scored, key=lambda hit: -(hit.relevance or 0.0))
    descending = sorted((hit.score or 0.0 for hit in hits), reverse=True)
    ranked = [hit.replace(score=score) for hit, score in zip(order, descending, strict=True)]
    return ranked, of_query


def _rounded(probability: float) -> float:
    """Return a probability with two digits; nothing is certain."""
    return round(min(probability, MAX_RELEVANCE), 2)


def rank_same_numbers_first(query: str, hits: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the hits with "server 2" before "server 3" if the query says "server 2".

    A hit steps before one that lacks a number of the query after the same word, unless that one has
    another term of the query. Scores and relevance stay with the ranks.
    """
    phrases = number_phrases(query)
    order = list(hits)
    if not phrases:
        return order
    said = {hit.memory.key: contained_phrases(phrases, hit.memory.content) for hit in hits}
    for index in range(1, len(order)):
        for at in range(index, 0, -1):
            before, hit = order[at - 1], order[at]
            terms = set(hit.signals.names) if hit.signals else set[str]()
            if not (
                said[before.memory.key] < said[hit.memory.key]
                and before.signals
                and terms.issuperset(before.signals.names)
            ):
                break
            order[at - 1] = hit.replace(score=before.score, relevance=before.relevance)
            order[at] = before.replace(score=hit.score, relevance=hit.relevance)
    return order


def filter_relevant(
    hits: Sequence[RecallHit], min_relevance: float | None, best: float
) -> list[RecallHit]:
    """Return the hits that are relevant enough, in their order.

    Args:
        hits: with their relevance.
        best: highest relevance, before supersession divided it between two hits.
        min_relevance: None leaves out hits far less relevant than a certain one, unless they
            contain all terms of the query, which may ask for everything about a name, or one that
            no better hit contains: it may ask for several things.
    """
    cutoff = relevance_cutoff(best, min_relevance)
    min_score = MIN_SCORE_SHARE * max((hit.score or 0.0 for hit in hits), default=0.0)
    relevant = []
    answered: set[str] = set()
    for hit in hits:
        terms = set(hit.signals.names) if hit.signals is not None else set()
        close = (hit.score or 0.0) >= min_score or not terms <= answered or _has_all_terms(hit)
        if (hit.relevance or 0.0) >= cutoff or (min_relevance is None and close):
            relevant.append(hit)
            answered |= terms
    return relevant


def _has_all_terms(hit: RecallHit) -> bool:
    return hit.signals is not None and hit.signals.coverage >= 1.0


def rank_summaries_before_sources(hits: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the hits with each compacted memory below its summary, if both are among them.

    A question about a week gets the summary first, a precise one still the event itself. Lists and
    the session context leave compacted memories out (adapters/sqlite/filters.py).
    """
    relevance = {hit.memory.key: hit.relevance or 0.0 for hit in hits}
    order = list(hits)
    for hit in hits:
        summary = hit.memory.compacted_into
        if summary not in relevance or (hit.relevance or 0.0) >= (
            relevance[summary] + SUMMARY_MARGIN
        ):
            continue
        keys = [ordered.memory.key for ordered in order]
        summary_index, source_index = keys.index(summary), keys.index(hit.memory.key)
        if source_index < summary_index:
            order.insert(summary_index, order.pop(source_index))
    return order


def _entity_names(
    store: Store, keys: set[int | None], visible: Visibility
) -> dict[int | None, tuple[str, ...]]:
    entities = {key: store.entities.get(key, visible) for key in keys if key is not None}
    return {
        key: (entity.name, *entity.aliases)
        for key, entity in entities.items()
        if entity is not None
    }


def _searchable_text(memory: Memory, matched: Memory | None, names: Sequence[str]) -> str:
    """Return all text that the query's words may match: of a memory, and of the matched version."""
    old = "" if matched is None or matched.forgotten_at is not None else matched.content
    if matched is not None and matched.key == memory.key:
        old = ""
    labels = (*memory.tags, *memory.cues, *names)  # first, because the end of a long text is cut
    return "\n".join((*labels, memory.summary or "", memory.content, old))


def _why(why: str, words: Sequence[str]) -> str:
    matched = f"says {', '.join(words[:MAX_MATCHED_WORDS])}" if words else ""
    return ", ".join(part for part in (matched, why) if part)


def _month(memory: Memory) -> str:
    """Return a memory's month as a query would name it."""
    date = gmtime((memory.event_at or memory.created_at) / 1000)
    return f"{MONTHS[date.tm_mon - 1].capitalize()} {date.tm_year}"
