"""Duplicates of a statement: its neighbours, whether it repeats or contradicts one, and merging.

A memory that is stored again gains the fields it lacks; none is replaced.
"""

from __future__ import annotations

import re

from aforesaid.domain.conflict.akin import akin_names, replaces_akin
from aforesaid.domain.conflict.contradiction import MIN_COSINE, contradiction
from aforesaid.domain.conflict.supersession import (
    MAX_CHARS,
    OUTDATES,
    ParsedStatement,
    changes_subject,
    states_change,
    supersession_probability,
)
from aforesaid.domain.dedup import differences
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.branch import BRANCH, mark_of
from aforesaid.domain.model.decay import is_valid_at, valid_since
from aforesaid.domain.model.memory import (
    MAX_CUES,
    MAX_TAGS,
    NAMED_DAYS,
    SAYS_NOTHING,
    TRUSTED,
    Filters,
    Visibility,
    all_cues,
    stored_cues,
)
from aforesaid.domain.model.statement import check_metadata
from aforesaid.domain.text.hashing import content_hash
from aforesaid.domain.text.sanitize import MARK
from aforesaid.domain.text.timestamps import DAY_MS
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.domain.value import Value

from .results import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Hit, Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import Store


NEAR_COSINE = 0.92  #: minimum cosine of texts that are checked for being duplicates
#: How much different cues lower the cosine: typically for similar texts, at most for equal ones.
#: Source: docs/adr/0039-cues.md.
CUES_DISCOUNT, MAX_CUES_DISCOUNT = 0.12, 0.3
#: Below it a stated change is reported only if it names what it changes. Source:
#: docs/adr/0050-relations.md.
CHANGE_COSINE = 0.7
MAX_NEIGHBOURS = 5


def filter_by_cosine(
    memory: Memory, hits: Sequence[Hit], neighbours: Sequence[Memory], min_cosine: float
) -> list[Memory]:
    """Return the neighbours of a memory that may be duplicates of it.

    Args:
        memory: the one that they are compared with.
        hits: near its vector, with a cosine of at least ``min_cosine - MAX_CUES_DISCOUNT``.
        neighbours: the memories of the hits.
        min_cosine: that texts without cues must exceed.
    """
    cosines = {hit.key: hit.score for hit in hits}
    return [
        neighbour
        for neighbour in neighbours
        if memory.cues or neighbour.cues or cosines.get(neighbour.key, 0.0) > min_cosine
    ]


def find_neighbours(
    store: Store,
    statement: Statement,
    scope: str,
    project: int,
    task: Task | None,
    windows: Sequence[bytes],
    model: str,
    near_cosine: float,
) -> list[tuple[Memory, float | None]]:
    """Return memories in force of the same type and scope as a statement, nearest first.

    Each has its cosine; None if it was found by words, 0 if it only names something akin.

    Args:
        store: where they are.
        statement: what they are compared with.
        scope: of the statement.
        project: key of its project.
        task: its task.
        windows: its vectors; if empty, words are compared.
        model: the embedding model of the vectors.
        near_cosine: minimum cosine of texts without cues that may be duplicates.
    """
    tasks = (task.key,) if task is not None and scope == "task" else ()
    visible = Visibility(projects=(project,), tasks=tasks)
    filters = Filters(types=(statement.type,), scopes=(scope,), tasks=tasks)
    cosines: dict[int, float | None] = {}
    for memory in store.memories.same_text(content_hash(statement.content), visible):
        if memory.type == statement.type and memory.scope == scope:
            cosines[memory.key] = 1.0
    if len(windows) == 1:
        min_cosine = min(near_cosine - MAX_CUES_DISCOUNT, MIN_COSINE)
        if all_cues(statement.metadata) or states_change(statement.content):
            hits = store.search.by_vector(windows[0], visible, filters, MAX_NEIGHBOURS, model)
        else:  # a faster search, which misses distant neighbours
            hits = store.search.near_duplicates(
                windows[0], visible, filters, min_cosine, MAX_NEIGHBOURS, model
            )
        for hit in hits:
            if hit.key == hit.head and hit.score > min_cosine:
                cosines.setdefault(hit.key, hit.score)
    elif not windows:
        for key in _heads_with_words(store, query_terms(statement.content), visible, filters):
            cosines.setdefault(key, None)
    akin = sorted(akin_names(ParsedStatement(statement.content)))
    for key in _heads_with_words(store, akin, visible, filters) if akin else ():
        cosines.setdefault(key, 0.0)
    return [
        (memory, cosines[memory.key])
        for memory in store.memories.get(list(cosines))
        if memory.in_force and (not tasks or memory.task in tasks)
    ]


def _heads_with_words(
    store: Store, words: Sequence[str], visible: Visibility, filters: Filters
) -> list[int]:
    hits = store.search.by_words(words, visible, filters, MAX_NEIGHBOURS)
    return [hit.key for hit in hits if hit.key == hit.head]


#: Reported for a conflict whose texts are too different for a list of differences.
OUTDATED = "this seems to supersede it"


class DuplicateCheck(Value):
    """What a statement is, compared with its neighbours."""

    same: Memory | None = None  #: the memory that it duplicates
    #: Untrusted duplicates of a statement by the user. They are superseded rather than confirmed:
    #: the user vouches for the text, not for their summary, cues and tags.
    unconfirmed: tuple[Memory, ...] = ()
    conflicts: tuple[Conflict, ...] = ()  #: similar but different, or apparently outdated


def check_against_neighbours(
    statement: Statement,
    neighbours: Sequence[tuple[Memory, float | None]],
    now: int,
    near_cosine: float,
    may_be_about: Callable[[Memory], bool],
) -> DuplicateCheck:
    """Compare a statement with its neighbours; a duplicate has no conflicts.

    Args:
        statement: validated.
        neighbours: from ``find_neighbours``.
        now: ms.
        near_cosine: minimum cosine of texts without cues that may be duplicates.
        may_be_about: tells whether a memory may be about the statement's subject.
    """
    unconfirmed: list[Memory] = []
    conflicts: list[Conflict] = []
    for memory, cosine in neighbours:
        if _is_another_day(memory, statement, now):
            continue
        has_cues = bool(memory.cues or all_cues(statement.metadata))
        similar_cosine = near_cosine - CUES_DISCOUNT if has_cues else near_cosine
        min_cosine = near_cosine - MAX_CUES_DISCOUNT if has_cues else near_cosine
        may_be_same = cosine is None or cosine > min_cosine
        contradicted = outdated = False
        if may_outdate(memory, statement, now):
            conflict = contradiction(memory.content, statement.content, cosine)
            contradicted = conflict is not None and not conflict.states_change
            outdated = conflict is not None or announces_supersession(memory, statement, cosine)
        if not may_be_same and not outdated:
            continue
        differs = differences(statement.content, memory.content)
        if not differs and not may_be_about(memory):
            differs = ("entity",)
        differs = differs or non_text_differences(memory, statement, now)
        if differs:
            similar = contradicted or (cosine or 0.0) > similar_cosine
            if (similar or outdated) and not _both_hide_values(memory, statement):
                differs = tuple(differs) if similar else (OUTDATED,)
                conflicts.append(Conflict(memory=memory, differs=differs))
        elif may_be_same:
            if statement.provenance != "user" or memory.trusted:
                return DuplicateCheck(same=memory, unconfirmed=tuple(unconfirmed))
            unconfirmed.append(memory)
    return DuplicateCheck(unconfirmed=tuple(unconfirmed), conflicts=tuple(conflicts))


def _both_hide_values(memory: Memory, statement: Statement) -> bool:
    """Tell whether a secret was removed from both texts: whether they agree is not known."""
    return all(re.search(MARK, text) for text in (memory.content, statement.content))


def non_text_differences(memory: Memory, statement: Statement, now: int) -> tuple[str, ...]:
    """Return which of time and steps differ between a memory and a statement with the same text."""
    days = statement.metadata.get(NAMED_DAYS), memory.metadata.get(NAMED_DAYS)
    if not _covers_same_time(memory, statement, now) or days[0] != days[1]:
        return ("time",)
    new_steps, old_steps = statement.metadata.get("steps"), memory.metadata.get("steps")
    return ("steps",) if new_steps and old_steps and new_steps != old_steps else ()


def _is_another_day(memory: Memory, statement: Statement, now: int) -> bool:
    """Tell whether two events happened a day or more apart, and so are two events."""
    if statement.type != "episodic":
        return False
    happened = statement.event_at or statement.created_at or now
    event_at = memory.created_at if memory.event_at is None else memory.event_at
    return abs(happened - event_at) >= DAY_MS


def _covers_same_time(memory: Memory, statement: Statement, now: int) -> bool:
    """Tell whether a memory and a statement are true of the same time.

    Either both hold now, or both have the same validity.
    """
    if (statement.valid_from, statement.valid_to) == (memory.valid_from, memory.valid_to):
        return True
    expired = statement.valid_to is not None and statement.valid_to < now
    return is_valid_at(memory, now) and (statement.valid_from or 0) <= now and not expired


def may_copy_metadata_from(statement: Statement, memory: Memory) -> bool:
    """Tell whether a memory may take over metadata of a statement that repeats it.

    A trusted memory takes nothing from untrusted sources, as their tags and anchors would show.
    """
    return statement.provenance in TRUSTED or not memory.trusted


def may_outdate(memory: Memory, statement: Statement, now: int) -> bool:
    """Tell whether a statement could outdate a memory: by kind, source, time and length.

    Args:
        memory: a neighbour.
        statement: to be stored now.
        now: ms.
    """
    return (
        memory.type != "episodic"
        and may_copy_metadata_from(statement, memory)
        and (statement.valid_from or statement.created_at or now) >= valid_since(memory)
        and _covers_same_time(memory, statement, now)
        and max(len(memory.content), len(statement.content)) <= MAX_CHARS
    )


def announces_supersession(memory: Memory, statement: Statement, cosine: float | None) -> bool:
    """Tell whether a statement says that something changed, and probably supersedes a memory.

    Recall would leave the memory out then (services/recall/supersede_filter.py).

    Args:
        memory: that the statement may outdate.
        statement: to be stored now.
        cosine: of the two; None if the neighbour was found by words.
    """
    if not states_change(statement.content):
        return False
    before, after = ParsedStatement(memory.content), ParsedStatement(statement.content)
    if before.ended_values & after.ended_values:
        return False  # the same change in other words
    if (before.is_brief and changes_subject(before, after)) or replaces_akin(before, after):
        return True
    near = cosine is None or cosine > CHANGE_COSINE
    return near and supersession_probability(before, after, cosine) >= OUTDATES


#: Cues are merged separately.
_NOT_MERGED = frozenset((BRANCH, NAMED_DAYS, SAYS_NOTHING, "cues", "removed_spans"))


def fields_to_merge(
    memory: Memory, statement: Statement, task: Task | None, *, ingested: bool
) -> dict[str, object]:
    """Return the columns of a memory that change with a statement that repeats it.

    Args:
        memory: as it is.
        statement: the repetition.
        task: of the statement.
        ingested: it comes from a transcript or an import, which add only tags and cues.
    """
    may_copy = may_copy_metadata_from(statement, memory)
    fields: dict[str, object] = _without_branch(memory, statement) if may_copy else {}
    memory = memory.replace(**fields)
    tags = tuple(dict.fromkeys((*memory.tags, *statement.tags)))[:MAX_TAGS]
    if tags != memory.tags and may_copy:
        fields["tags"] = tags
    if statement.provenance == "user" and memory.provenance != "user":
        fields["provenance"] = "user"  # the user confirms it
    if task is not None and memory.task is None:
        fields["task"] = task.key
    metadata = memory.metadata
    if may_copy and not ingested:
        metadata = _merged_metadata(memory, statement)
        if statement.valid_to is not None:
            fields["valid_to"] = statement.valid_to
        if statement.pinned:
            fields["pinned"] = True
        if memory.summary is None and statement.summary is not None:
            fields["summary"] = statement.summary
    cues = [cue for cue in stored_cues(statement.metadata) if cue not in memory.cues]
    if cues and statement.provenance in TRUSTED:
        metadata = {**metadata, "cues": [*stored_cues(memory.metadata), *cues][:MAX_CUES]}
    if metadata != memory.metadata:
        fields["metadata"] = metadata
    return fields


def _without_branch(memory: Memory, statement: Statement) -> dict[str, object]:
    """Return a memory's metadata without its branch if it is repeated where none is marked."""
    if mark_of(memory) is None or BRANCH in statement.metadata:
        return {}
    metadata = {name: value for name, value in memory.metadata.items() if name != BRANCH}
    return {"metadata": metadata}


def _merged_metadata(memory: Memory, statement: Statement) -> dict[str, Any]:
    """Return a memory's metadata with missing keys added; an event's metadata stays as it is."""
    if memory.type == "episodic":
        return memory.metadata
    missing = {
        name: value
        for name, value in statement.metadata.items()
        if name not in memory.metadata and name not in _NOT_MERGED
    }
    try:
        return check_metadata({**memory.metadata, **missing}, memory.type)
    except InvalidInputError:  # the merged metadata exceeds a limit
        return memory.metadata
