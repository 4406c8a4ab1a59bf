"""Unstated supersession among the first results: a newer memory goes before one that it replaces.

If a newer text clearly states a change, but perhaps of another fact about the same subject, it is
listed beside the older one. Two texts are compared in domain/conflict/supersession.py. Stated
supersession is in the store.
"""

from __future__ import annotations

import re
from operator import itemgetter

from aforesaid.domain.conflict.supersession import (
    MAX_CHARS,
    OUTDATES,
    OUTRANKS,
    PARTLY,
    ParsedStatement,
    asks_for_past,
    changes_subject,
    lacks_subject,
    states_change,
    supersession_probability,
)
from aforesaid.domain.model.decay import (
    is_at_least_as_trusted,
    is_superseding_pair,
    is_valid_at,
    may_supersede,
    valid_since,
)
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Filters
from aforesaid.domain.model.relation import CONTRADICTS
from aforesaid.domain.retrieval.term_matching import (
    TermMatcher,
    contained_phrases,
    number_phrases,
)
from aforesaid.domain.text.synonyms import synonyms_of
from aforesaid.domain.text.tokenize import stem

from .query import WEAK, RecallHit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.ports import Store

    from .query import RecallQuery

MAX_COMPARED = 12  #: first results that are compared with each other
MIN_COVERAGE_SHARE = 0.8  #: share of the older one's coverage that the newer one must have
#: For an older memory this short, the newer one must match this share of its number of words.
SHORT_CHARS, MIN_WORD_SHARE = 120, 0.6
#: "[8 May] Ada: ", the beginning of a message, which names no subject.
_SPEAKER = re.compile(r"^\[[^\]\n]{1,60}\]\s*[^\n:]{1,40}:\s")
MAX_STEPS = 3  #: length of a chain of contradictions that is followed from a result
#: Probability that the newer of two memories linked by ``contradicts`` supersedes the older.
LINKED_PROBABILITY = 0.6
MAX_WATCHED = 3  #: first results beside which later changes of their subjects are listed
#: For a change that does not say what changed: its minimum cosine to the query, and the minimum
#: relevance of the result beside which that cosine lets it be listed.
MIN_CHANGE_COSINE, MIN_RESULT_RELEVANCE = 0.15, 0.5
#: Probability that a stated change supersedes a result: if it fits the query at least as well as
#: the result does, and if it fits it less.
CHANGE_PROBABILITY, BESIDE_PROBABILITY = PARTLY, 0.25
NEWER = "newer than one that said otherwise"
OLDER = "a newer memory may replace it"
CONTRADICTED = "contradicts another memory in force"


def resolve_superseded(
    store: Store,
    query: RecallQuery,
    hits: Sequence[RecallHit],
    visible: Visibility,
    now: int,
    *,
    vectors: bool,
) -> list[RecallHit]:
    """Return the hits with newer memories before those that they supersede.

    The newer one takes the older one's rank and relevance; the older one is left out if that is
    very probable. A newer memory linked as contradicting a hit is added even if the query did not
    match it: a change often shares no word with the query. Nothing changes for queries about the
    past.

    Args:
        store: where the memories are.
        query: nothing is left out if it asks for history or has ``min_relevance`` 0.
        hits: best first, with their relevance.
        visible: what the caller may see.
        now: ms; a memory that is not valid now supersedes nothing.
        vectors: whether vectors were searched as well as words.
    """
    if query.filters.as_of is not None or asks_for_past(query.query or ""):
        return list(hits)
    first = {hit.memory.key: hit for hit in hits[:MAX_COMPARED] if hit.memory.in_force}
    compared = [hit.memory for hit in first.values()]
    superseded_by = find_superseded(store, compared, now, vectors=vectors)
    linked: set[int] = set()
    may_add = query.filters == Filters()
    for old, new in _contradicting_pairs(store, first, visible, now, may_add=may_add):
        if _may_replace(first[old].memory, first[new].memory, now):
            superseded_by.setdefault(old, (new, LINKED_PROBABILITY))
            linked.add(old)
        for key in (old, new):
            first[key] = _with_reason(first[key], CONTRADICTED)
    text = query.query or ""
    keep_all = query.filters.include_history or query.min_relevance == 0
    ranked = _RankedHits(hits, first)
    hidden: set[int] = set()
    for old in superseded_by:
        new, probability = _last_of_chain(superseded_by, old)
        older, newer = ranked.hit_of[old], ranked.hit_of[new]
        if _lacks_number(text, newer, older):
            continue
        if old not in linked and _covers_less(newer, older):
            continue
        ranked.put(new, old, probability)
        if probability >= OUTDATES and not keep_all:
            hidden.add(old)
    for old, new, probability in _find_changes(text, ranked, hidden, now):
        ranked.put(new, old, probability)
    return [ranked.hit_of[key] for key in ranked.order if key not in hidden]


class _RankedHits:
    """Hits in an order that changes."""

    def __init__(self, hits: Sequence[RecallHit], added: dict[int, RecallHit]) -> None:
        self.order = [hit.memory.key for hit in hits]
        self.hit_of = {hit.memory.key: hit for hit in hits} | added

    def put(self, new: int, old: int, probability: float) -> None:
        """Put a newer memory before the one that it probably supersedes, else directly after it."""
        older, newer = self.hit_of[old], self.hit_of[new]
        relevance = older.relevance or 0.0
        self.hit_of[new] = _with_reason(newer, NEWER).replace(
            relevance=max(newer.relevance or 0.0, round(probability * relevance, 2)),
            score=max(newer.score or 0.0, older.score or 0.0),
        )
        self.hit_of[old] = _with_reason(older, OLDER).replace(
            relevance=round((1 - probability) * relevance, 2), outdated_by=new
        )
        index = self.order.index(old) if old in self.order else len(self.order)
        if new in self.order[:index]:
            return
        self.order = [key for key in self.order if key != new]
        self.order.insert(index + (probability < OUTRANKS), new)


def _find_changes(
    query: str, ranked: _RankedHits, hidden: Collection[int], now: int
) -> list[tuple[int, int, float]]:
    """Return (result, latest change of its subject, probability) for the first results.

    Args:
        query: its text.
        ranked: the hits, best first.
        hidden: keys of hits that are left out.
        now: ms; a memory that is not valid now changes nothing.
    """
    hits = [ranked.hit_of[key] for key in ranked.order if key not in hidden]
    hits = [hit for hit in hits if hit.memory.in_force and hit.outdated_by is None]
    found = []
    for place, older in enumerate(hits[:MAX_WATCHED]):
        if (older.relevance or 0.0) < WEAK:
            continue  # it is no answer, so what replaces it is none either
        sure = (older.relevance or 0.0) >= MIN_RESULT_RELEVANCE
        later = [
            (hit.memory, hit.signals.cosine if sure and hit.signals is not None else 0.0)
            for hit in hits[place + 1 :]
        ]
        change = latest_change(older.memory, later, query, now)
        if change is not None:
            fits = fits_at_least_as_well(older.memory, change, query) and (
                _is_unfit(older) or not _is_unfit(ranked.hit_of[change.key])
            )
            probability = CHANGE_PROBABILITY if fits else BESIDE_PROBABILITY
            found.append((older.memory.key, change.key, probability))
    return found


def latest_change(
    older: Memory, others: Iterable[tuple[Memory, float]], query: str, now: int
) -> Memory | None:
    """Return the newest memory that states a change of an older one's subject.

    If there is none, return the one nearest to the query that states a change without saying of
    what ("we moved to Hetzner"), or None.

    Args:
        older: a memory that matches the query.
        others: the other matches, each with its cosine to the query.
        query: its text.
        now: ms; a memory that is not valid now changes nothing.
    """
    if not _states_fact(older):
        return None
    before = ParsedStatement(_SPEAKER.sub("", older.content))
    changes: list[tuple[tuple[bool, float], Memory]] = []
    for newer, cosine in others:
        if not _states_fact(newer) or not states_change(newer.content):
            continue
        if not _may_outdate(older, newer, now):
            continue
        after = ParsedStatement(_SPEAKER.sub("", newer.content))
        if changes_subject(before, after):
            changes.append(((True, valid_since(newer)), newer))
        elif (
            lacks_subject(after)
            and not before.has_cue
            and (cosine >= MIN_CHANGE_COSINE or _is_akin(older, newer, query))
        ):
            changes.append(((False, cosine), newer))
    return max(changes, key=itemgetter(0), default=(None, None))[1]


def _is_akin(older: Memory, newer: Memory, query: str) -> bool:
    """Tell whether the newer text has a synonym of a word of the query or of the older one."""
    return _has_synonym(newer.content, (*older.content.lower().split(), *query.lower().split()))


def _states_fact(memory: Memory) -> bool:
    return memory.type != "episodic" and len(memory.content) <= MAX_CHARS


def _has_synonym(text: str, terms: Iterable[str]) -> bool:
    words = set(map(stem, text.lower().split()))
    return any(not words.isdisjoint(synonyms_of(term)) for term in terms)


def fits_at_least_as_well(older: Memory, change: Memory, query: str) -> bool:
    """Tell whether a change has at least as many of the query's words as an older memory.

    Synonyms count. A change that does not say what changed must also have a synonym of a word of
    the query or of the older memory.
    """
    newer = change.content
    if lacks_subject(ParsedStatement(newer)) and not _is_akin(older, change, query):
        return False
    matcher = TermMatcher(query, {0: older.content, 1: newer})
    terms, newer_terms = set(matcher.matched_terms(0)), set(matcher.matched_terms(1))
    missing = [term for term in terms - newer_terms if not _has_synonym(newer, (term,))]
    return len(missing) <= len(newer_terms - terms)


def _is_unfit(hit: RecallHit) -> bool:
    """Tell whether a hit lacks the number, time, reason or person that the query asks for."""
    return hit.signals is not None and hit.signals.unfit > 0


def _may_outdate(older: Memory, newer: Memory, now: int) -> bool:
    if older.project == GLOBAL_PROJECT:  # in its own project, the newer one has the last word
        older = older.replace(project=newer.project)
    return (
        is_superseding_pair(older, newer)
        and is_at_least_as_trusted(older, newer)
        and is_valid_at(newer, now)
    )


def _may_replace(older: Memory, newer: Memory, now: int) -> bool:
    """Tell whether a memory linked as contradicting an older one supersedes it."""
    later = valid_since(older) < valid_since(newer)
    return later and is_at_least_as_trusted(older, newer) and is_valid_at(newer, now)


def _contradicting_pairs(
    store: Store, first: dict[int, RecallHit], visible: Visibility, now: int, *, may_add: bool
) -> list[tuple[int, int]]:
    """Return the pairs (older, newer) that are linked as contradicting each other.

    If several contradict the same one, the newest comes first.

    Args:
        store: where the links are.
        first: the compared hits by key; newer linked memories are added to it.
        visible: what the caller may see.
        now: ms; only memories valid now are added.
        may_add: whether to add memories that are not among the hits.
    """
    pairs: list[tuple[int, int]] = []
    frontier = list(first)
    for _step in range(MAX_STEPS if may_add else 1):
        links = [link for link in store.relations.of(frontier, visible) if link.kind == CONTRADICTS]
        pairs += [(link.head, link.other) for link in links]
        source_of = {link.other: link.head for link in links if link.other not in first and may_add}
        newer = [
            memory
            for memory in store.memories.get(sorted(source_of))
            if memory.is_current
            and is_valid_at(memory, now)
            and may_supersede(first[source_of[memory.key]].memory, memory)
        ]
        first.update({memory.key: RecallHit(memory=memory) for memory in newer})
        frontier = [memory.key for memory in newer]
        if not frontier:
            break

    def start_of(key: int) -> int:
        return valid_since(first[key].memory)

    ordered = [sorted(pair, key=start_of) for pair in pairs if {*pair} <= first.keys()]
    return sorted(((old, new) for old, new in ordered), key=lambda pair: -start_of(pair[1]))


def _last_of_chain(superseded_by: dict[int, tuple[int, float]], old: int) -> tuple[int, float]:
    """Return the memory at the end of a chain, and the lowest probability on the way."""
    new, lowest = superseded_by[old]
    while new in superseded_by:  # ends, because each step leads to a newer memory
        new, probability = superseded_by[new]
        lowest = min(lowest, probability)
    return new, lowest


def find_superseded(
    store: Store, memories: Sequence[Memory], now: int, *, vectors: bool
) -> dict[int, tuple[int, float]]:
    """Return, by the key of each superseded memory, the key of the newer one and the probability.

    Args:
        store: where the vectors are.
        memories: compared pairwise within a project and task; episodic ones are left out.
        now: ms; a memory that is not valid now supersedes nothing.
        vectors: whether the store has any.
    """
    parsed = {
        memory.key: ParsedStatement(memory.content) for memory in memories if _states_fact(memory)
    }
    pairs = [
        (older.key, newer.key)
        for older in memories
        for newer in memories
        if older.key in parsed and newer.key in parsed
        if _may_outdate(older, newer, now)
        if parsed[older.key].terms & parsed[newer.key].terms
    ]
    cosines = store.search.pair_cosines(pairs) if vectors and pairs else {}
    superseded: dict[int, tuple[int, float]] = {}
    project_of = {memory.key: memory.project for memory in memories}
    for older, newer in pairs:
        probability = supersession_probability(
            parsed[older], parsed[newer], cosines.get((older, newer))
        )
        if project_of[older] != project_of[newer]:  # the older one holds elsewhere
            probability = min(probability, PARTLY)
        if probability >= OUTRANKS and probability > superseded.get(older, (0, 0.0))[1]:
            superseded[older] = (newer, probability)
    return superseded


def _lacks_number(query: str, newer: RecallHit, older: RecallHit) -> bool:
    """Tell whether the newer one lacks a number or code of the query that the older one has."""
    if newer.signals is None or older.signals is None:
        return False
    lacking = set(older.signals.names).difference(newer.signals.names)
    phrases = number_phrases(query)
    lacking |= contained_phrases(phrases, older.memory.content).difference(
        contained_phrases(phrases, newer.memory.content)
    )
    return any(letter.isdigit() for word in lacking for letter in word)


def _covers_less(newer: RecallHit, older: RecallHit) -> bool:
    """Tell whether the newer one matches clearly fewer words of the query than the older one."""
    if newer.signals is None or older.signals is None:
        return False
    if len(older.memory.content) <= SHORT_CHARS:
        return len(newer.signals.names) < MIN_WORD_SHARE * len(older.signals.names)
    return newer.signals.coverage < MIN_COVERAGE_SHARE * older.signals.coverage


def _with_reason(hit: RecallHit, reason: str) -> RecallHit:
    if reason in hit.why:
        return hit
    return hit.replace(why=f"{hit.why}, {reason}" if hit.why else reason)
