"""Unstated supersession among the first results: a newer memory goes before one it contradicts.

Two texts are compared in domain/conflict/supersession.py. Stated supersession is in the store.
"""

from __future__ import annotations

from aforesaid.domain.conflict.supersession import (
    MAX_CHARS,
    OUTDATES,
    OUTRANKS,
    ParsedStatement,
    asks_for_past,
    supersession_probability,
)
from aforesaid.domain.model.decay import (
    is_at_least_as_trusted,
    is_superseding_pair,
    is_valid_at,
    may_supersede,
    valid_since,
)
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.relation import CONTRADICTS

from .query import RecallHit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.ports import Store

    from .query import RecallQuery

COMPARED = 12  #: first results that are compared with each other
MIN_COVERAGE_SHARE = 0.8  #: share of the older one's coverage that the newer one must have
#: For an older memory this short, the share of its matched words that the newer one must have.
SHORT_CHARS, MIN_WORD_SHARE = 120, 0.6
MAX_STEPS = 3  #: length of a chain of contradictions that is followed from a result
#: Probability that the newer of two memories linked by ``contradicts`` supersedes the older.
LINKED_PROBABILITY = 0.6
NEWER = "newer than a memory that says otherwise"
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
    certain. A newer memory linked as contradicting a hit is added even if the query did not match
    it: a change often shares no word with the query. Queries about the past are left as they are.

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
    first = {hit.memory.key: hit for hit in hits[:COMPARED] if hit.memory.in_force}
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
    keep_all = query.filters.history or query.min_relevance == 0
    hidden: set[int] = set()
    order = [hit.memory.key for hit in hits]
    hit_of = {hit.memory.key: hit for hit in hits} | first
    for old in superseded_by:
        new, probability = _last_of_chain(superseded_by, old)
        older, newer = hit_of[old], hit_of[new]
        if old not in linked and _covers_less_of_query(newer, older):
            continue
        relevance = older.relevance or 0.0
        hit_of[new] = _with_reason(newer, NEWER).replace(
            relevance=max(newer.relevance or 0.0, round(probability * relevance, 2)),
            score=max(newer.score or 0.0, older.score or 0.0),
        )
        hit_of[old] = _with_reason(older, OLDER).replace(
            relevance=round((1 - probability) * relevance, 2)
        )
        index = order.index(old) if old in order else len(order)
        if new not in order[:index]:
            order = [key for key in order if key != new]
            order.insert(index, new)
        if probability >= OUTDATES and not keep_all:
            hidden.add(old)
    return [hit_of[key] for key in order if key not in hidden]


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
    while new in superseded_by:  # each step leads to a newer memory: it ends
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
        vectors: whether there are any.
    """
    parsed = {
        memory.key: ParsedStatement(memory.content)
        for memory in memories
        if memory.type != "episodic" and len(memory.content) <= MAX_CHARS
    }
    pairs = [
        (older.key, newer.key)
        for older in memories
        for newer in memories
        if older.key in parsed and newer.key in parsed
        if is_superseding_pair(older, newer)
        and is_at_least_as_trusted(older, newer)
        and is_valid_at(newer, now)
        if parsed[older.key].terms & parsed[newer.key].terms
    ]
    cosines = store.search.pair_cosines(pairs) if vectors and pairs else {}
    superseded: dict[int, tuple[int, float]] = {}
    for older, newer in pairs:
        probability = supersession_probability(
            parsed[older], parsed[newer], cosines.get((older, newer))
        )
        if probability >= OUTRANKS and probability > superseded.get(older, (0, 0.0))[1]:
            superseded[older] = (newer, probability)
    return superseded


def _covers_less_of_query(newer: RecallHit, older: RecallHit) -> bool:
    """Tell whether the newer one matches clearly fewer words of the query than the older one."""
    if newer.signals is None or older.signals is None:
        return False
    if len(older.memory.content) <= SHORT_CHARS:
        words = set(older.signals.names)
        return len(words & set(newer.signals.names)) < MIN_WORD_SHARE * len(words)
    return newer.signals.coverage < MIN_COVERAGE_SHARE * older.signals.coverage


def _with_reason(hit: RecallHit, reason: str) -> RecallHit:
    if reason in hit.why:
        return hit
    return hit.replace(why=f"{hit.why}, {reason}" if hit.why else reason)
