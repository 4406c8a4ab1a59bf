"""Of two memories of which the later outdates the earlier, the later one is in force.

Here: which of the first results are compared, and what follows for their order and relevance. Not
here: judging two texts (domain/conflict/supersession.py). What was said to supersede is the store's
doing.
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

COMPARED = 12  #: first results, each with each later one
MIN_COVERED = 0.8  #: share of the older one's coverage that the newer one must have
#: Of an older one that is so short, it suffices to hold this share of the words that it holds.
SHORT_CHARS, MIN_SAID = 120, 0.6
MAX_STEPS = 3  #: from a result to what contradicts it later, and what contradicts that
SAID_TO_CONTRADICT = 0.6  #: that the later of two that contradict each other outdates the earlier
NEWER = "newer than one that said otherwise"
OLDER = "a newer memory may replace it"
CONTRADICTED = "contradicts another memory in force"


def resolve_superseded(
    store: Store,
    question: RecallQuery,
    results: Sequence[RecallHit],
    visible: Visibility,
    now: int,
    *,
    vectors: bool,
) -> list[RecallHit]:
    """Return the results with what is in force before what it outdates.

    The later one takes the earlier one's place and the likelihood that this answers; the earlier
    one is left out where that is sure. What was linked as contradicting a result later is shown in
    its place even if the question did not find it: a change often has no word of what was asked
    ("moved to CockroachDB"). A question for the past gets them as they are.

    Args:
        store: where the memories are.
        question: whoever asks for history, or for all (``min_relevance`` 0), loses nothing.
        results: best first, with their relevance.
        visible: what the caller may see.
        now: ms; what is over or not yet so outdates nothing.
        vectors: whether meaning was searched as well as words.
    """
    if question.filters.as_of is not None or asks_for_past(question.query or ""):
        return list(results)
    keep = question.filters.history or question.min_relevance == 0
    gone: set[int] = set()
    first = {one.memory.key: one for one in results[:COMPARED] if one.memory.in_force}
    memories = [one.memory for one in first.values()]
    found = find_superseded(store, memories, now, vectors=vectors)
    said: set[int] = set()
    for old, new in _linked(store, first, visible, now, beside=question.filters == Filters()):
        older, newer = first[old].memory, first[new].memory
        if _may_replace(older, newer, now):
            found.setdefault(old, (new, SAID_TO_CONTRADICT))
            said.add(old)
        for key in (old, new):
            first[key] = _told(first[key], CONTRADICTED)
    order = [one.memory.key for one in results]
    told = {one.memory.key: one for one in results} | first
    for old in found:
        new, sure = _last_of_chain(found, old)
        before, after = told[old], told[new]
        if old not in said and _covers_less_of_query(after, before):
            continue
        told[new] = _told(after, NEWER).replace(
            relevance=max(after.relevance or 0.0, round(sure * (before.relevance or 0.0), 2)),
            score=max(after.score or 0.0, before.score or 0.0),
        )
        told[old] = _told(before, OLDER).replace(
            relevance=round((1 - sure) * (before.relevance or 0.0), 2)
        )
        place = order.index(old) if old in order else len(order)
        if new not in order[:place]:
            order = [key for key in order if key != new]
            order.insert(place, new)
        if sure >= OUTDATES and not keep:
            gone.add(old)
    return [told[key] for key in order if key not in gone]


def _may_replace(older: Memory, newer: Memory, now: int) -> bool:
    """Tell whether a memory that is linked as contradicting an older one goes before it."""
    later = valid_since(older) < valid_since(newer)
    return later and is_at_least_as_trusted(older, newer) and is_valid_at(newer, now)


def _linked(
    store: Store, first: dict[int, RecallHit], visible: Visibility, now: int, *, beside: bool
) -> list[tuple[int, int]]:
    """Return which results were linked as contradicting each other: the earlier, the later.

    Of several that contradict one, the latest comes first.

    Args:
        store: where the links are.
        first: the results that are compared, by key; later ones that are not among them are added.
        visible: what the caller may see.
        now: ms; only what holds is added.
        beside: whether any may be added.
    """
    links: list[tuple[int, int]] = []
    new = list(first)
    for _round in range(MAX_STEPS if beside else 1):
        found = [one for one in store.relations.of(new, visible) if one.kind == CONTRADICTS]
        links += [(one.head, one.other) for one in found]
        away = {one.other: one.head for one in found if one.other not in first and beside}
        later = [
            one
            for one in store.memories.get(sorted(away))
            if one.is_current
            and is_valid_at(one, now)
            and may_supersede(first[away[one.key]].memory, one)
        ]
        first.update({one.key: RecallHit(memory=one) for one in later})
        new = [one.key for one in later]
        if not new:
            break

    def holds_since(key: int) -> int:
        return valid_since(first[key].memory)

    pairs = [sorted(pair, key=holds_since) for pair in links if {*pair} <= first.keys()]
    return sorted(((old, new) for old, new in pairs), key=lambda pair: -holds_since(pair[1]))


def _last_of_chain(found: dict[int, tuple[int, float]], old: int) -> tuple[int, float]:
    """Return what outdates a memory and is not outdated, and how sure the weakest step is."""
    new, sure = found[old]
    while new in found:  # each step leads to a later memory: it ends
        new, step = found[new]
        sure = min(sure, step)
    return new, sure


def find_superseded(
    store: Store, memories: Sequence[Memory], now: int, *, vectors: bool
) -> dict[int, tuple[int, float]]:
    """Return what is outdated: by its key, the memory that outdates it and how sure that is.

    Args:
        store: where the vectors are.
        memories: each is compared with each of the same place; what merely happened is not.
        now: ms; what is over or not yet so outdates nothing.
        vectors: whether there are any.
    """
    said = {
        one.key: ParsedStatement(one.content)
        for one in memories
        if one.type != "episodic" and len(one.content) <= MAX_CHARS
    }
    pairs = [
        (older.key, newer.key)
        for older in memories
        for newer in memories
        if older.key in said and newer.key in said
        if is_superseding_pair(older, newer)
        and is_at_least_as_trusted(older, newer)
        and is_valid_at(newer, now)
        if said[older.key].things & said[newer.key].things
    ]
    likeness = store.search.pair_cosines(pairs) if vectors and pairs else {}
    found: dict[int, tuple[int, float]] = {}
    for older, newer in pairs:
        sure = supersession_probability(said[older], said[newer], likeness.get((older, newer)))
        if sure >= OUTRANKS and sure > found.get(older, (0, 0.0))[1]:
            found[older] = (newer, sure)
    return found


def _covers_less_of_query(newer: RecallHit, older: RecallHit) -> bool:
    """Tell whether the newer one holds clearly less of the question's words than the older."""
    if newer.signals is None or older.signals is None:
        return False
    if len(older.memory.content) <= SHORT_CHARS:
        said = set(older.signals.names)
        return len(said & set(newer.signals.names)) < MIN_SAID * len(said)
    return newer.signals.coverage < MIN_COVERED * older.signals.coverage


def _told(result: RecallHit, what: str) -> RecallHit:
    if what in result.why:
        return result
    return result.replace(why=f"{result.why}, {what}" if result.why else what)
