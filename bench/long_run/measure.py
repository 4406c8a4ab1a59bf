"""What a store in its year is worth: answers, what sessions are shown, size, noise, what is lost.

Here: figures of one store at one time. Not here: living the year (life.py).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.long_run.world import DAY_MS, FACT, IDLE, Truth

from aforesaid.domain.model.memory import Filters
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.services.recall.query import RecallQuery

if TYPE_CHECKING:
    from bench.long_run.life import Life

    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.recall.query import RecallHit

SHOWN = 5
DEEP = 10


@dataclass
class Figures:
    """One store at one time; shares in [0, 1]."""

    questions: int = 0
    hit1: float = 0.0  #: the current truth stands first
    hit3: float = 0.0
    rank: float = 0.0  #: mean of 1 / place of the current truth among ten, 0 where it is missing
    outdated: float = 0.0  #: questions whose first result states an outdated version
    lost: int = 0  #: current truths not among ten results
    set_aside: int = 0  #: current truths that only archived or superseded memories state
    old_questions: int = 0
    old_hit1: float = 0.0  #: asked as of a time in the past, what held then stands first
    noise_top: float = 0.0  #: share of noise among the first five results
    context_tokens: float = 0.0  #: mean over projects
    context_noise: float = 0.0  #: share of its memories that are noise
    context_outdated: float = 0.0  #: share of its memories that state an outdated version
    context_truths: float = 0.0  #: current truths in it, mean over projects
    named: float = 0.0  #: share of changes so far whose answer named what they replace
    misnamed: int = 0  #: conflicts that answers named without need
    in_force: int = 0
    archived: int = 0
    compacted: int = 0
    file_kb: int = 0


def measure(life: Life, at: int, every: int = 1) -> Figures:
    """Return the figures of a store at a time; what is asked here counts as no use.

    Args:
        life: the store.
        at: ms.
        every: only each so-manieth truth is asked for.
    """
    found = Figures()
    life.clock.at = max(at, life.clock.at)
    known = [one for one in life.year.truths if one.version_at(at) is not None][::every]
    tops: list[Memory] = []
    for truth in known:
        _ask_now(life, truth, at, found, tops)
    _ask_then(life, known, at, found)
    found.set_aside = _set_aside(life, known, at)
    found.questions = len(known)
    for name in ("hit1", "hit3", "rank", "outdated"):
        setattr(found, name, round(getattr(found, name) / max(len(known), 1), 3))
    found.noise_top = _share(life, tops, IDLE)
    _contexts(life, at, found)
    found.named, found.misnamed = round(life.named / max(life.changes, 1), 3), life.misnamed
    counts = life.store.database.row(
        "SELECT sum(superseded_by IS NULL AND forgotten_at IS NULL AND archived_at IS NULL "
        "AND compacted_into IS NULL), sum(archived_at IS NOT NULL), "
        "sum(compacted_into IS NOT NULL) FROM memories"
    )
    assert counts is not None
    found.in_force, found.archived, found.compacted = (one or 0 for one in counts)
    found.file_kb = os.path.getsize(life.path) // 1024
    return found


def _ask_now(life: Life, truth: Truth, at: int, found: Figures, tops: list[Memory]) -> None:
    version = truth.version_at(at)
    assert version is not None
    results = _results(life, truth, Filters())
    tops += [one.memory for one in results[:SHOWN]]
    places = [
        place for place, one in enumerate(results, 1) if life.states(one.memory, truth, version)
    ]
    if not places:
        found.lost += 1
    else:
        found.hit1 += places[0] == 1
        found.hit3 += places[0] <= 3
        found.rank += 1 / places[0]
    if results and any(life.states(results[0].memory, truth, old) for old in range(version)):
        found.outdated += 1


def _ask_then(life: Life, known: list[Truth], at: int, found: Figures) -> None:
    """Ask for what held in the past, midway through each version that is over."""
    right = asked = 0
    for truth in known:
        for number, (old, new) in enumerate(zip(truth.versions, truth.versions[1:], strict=False)):
            if new.at >= at or new.at - old.at < 2 * DAY_MS:
                continue
            then = (old.at + new.at) // 2
            results = _results(life, truth, Filters(as_of=then))
            asked += 1
            right += bool(results) and life.states(results[0].memory, truth, number)
    found.old_questions = asked
    found.old_hit1 = round(right / asked, 3) if asked else 0.0


def _set_aside(life: Life, known: list[Truth], at: int) -> int:
    """Return of how many truths nothing that states them now is left but what tending set aside."""
    stating: dict[int, list[int]] = {}
    for key, said in life.truth_of.items():
        if said.truth is not None and said.version == life.year.truths[said.truth].version_at(at):
            stating.setdefault(said.truth, []).append(key)
    return sum(
        all(
            one.archived_at is not None or not one.in_force
            for one in life.store.memories.get(stating.get(truth.number, []))
        )
        for truth in known
    )


def _results(life: Life, truth: Truth, filters: Filters) -> list[RecallHit]:
    place = life.places[truth.project or 0]
    asked = RecallQuery(query=truth.ask[0], filters=filters, max_results=DEEP, include_related=0)
    return list(life.recall.recall(asked, place.visible).results)


def _contexts(life: Life, at: int, found: Figures) -> None:
    tokens = truths = 0
    shown: list[Memory] = []
    outdated = 0
    for place in life.places:
        context = life.context.build_full(place)
        tokens += count_tokens(context.text)
        memories = life.store.memories.get(list(context.keys))
        shown += memories
        for one in memories:
            said = life.truth_of.get(one.key)
            if said is None or said.truth is None:
                continue
            current = life.year.truths[said.truth].version_at(at)
            truths += said.version == current
            outdated += said.version != current and said.kind == FACT
    found.context_tokens = round(tokens / len(life.places))
    found.context_truths = round(truths / len(life.places), 1)
    found.context_noise = _share(life, shown, IDLE)
    found.context_outdated = round(outdated / max(len(shown), 1), 3)


def _share(life: Life, memories: list[Memory], kind: str) -> float:
    of_kind = sum(
        life.truth_of[one.key].kind == kind for one in memories if one.key in life.truth_of
    )
    return round(of_kind / max(len(memories), 1), 3)
