"""Runs of maintenance in the reference store: the journal keeps whole dictionaries."""

from __future__ import annotations

import copy
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aforesaid.domain.maintenance.compaction import week_start
from aforesaid.domain.maintenance.link_decay import WeakLink
from aforesaid.domain.maintenance.run import Action, Run, Step
from aforesaid.domain.maintenance.summary import event_time
from aforesaid.domain.model.embedding_model import SERVING, ModelVector
from aforesaid.domain.model.memory import Filters, Visibility

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.suggestion import Suggestion

_JOURNALED = ("_memories", "_relations", "_topics", "_anchors", "_faded", "_offers")


class ReferenceRuns:
    """Runs, their steps, and what each step found and left."""

    _runs: dict[int, Run]
    _steps: dict[int, tuple[Step, dict[str, Any], dict[str, Any]]]
    _memories: dict[int, Memory]

    def _start_runs(self) -> None:
        self._runs, self._steps = {}, {}
        self._faded: dict[tuple[int, int], int] = {}
        self._offers: dict[int, Suggestion] = {}
        self._told: dict[int, tuple[str, int, dict[int, Memory]]] = {}

    def runs_start(self, run: Run) -> Run:
        stored = run.replace(key=len(self._runs) + 1)
        self._runs[stored.key] = stored
        return stored

    def runs_put(self, run: Run) -> None:
        self._runs[run.key] = run

    def runs_get(self, key: int) -> Run | None:
        return self._runs.get(key)

    def runs_latest(self, limit: int) -> list[Run]:
        return [self._runs[key] for key in sorted(self._runs, reverse=True)][:limit]

    def _now(self) -> dict[str, Any]:
        return {name: copy.copy(getattr(self, name)) for name in _JOURNALED}

    @contextmanager
    def runs_journaled(self, run: int, phase: str, at: int) -> Iterator[list[Action]]:
        with self.transaction():
            before, made = self._now(), []
            yield made
            after = self._now()
            if before == after:
                return
            counts: dict[str, int] = {}
            for one in made:
                counts[one.what] = counts.get(one.what, 0) + 1
            changed = {
                key
                for key in {*before["_memories"], *after["_memories"]}
                if before["_memories"].get(key) != after["_memories"].get(key)
            }
            about = tuple(sorted({key for one in made for key in one.keys} | changed))
            key = len(self._steps) + 1
            step = Step(key=key, run=run, phase=phase, at=at, counts=counts, memories=about)
            self._steps[key] = (step, before, after)

    def runs_steps(self, run: int) -> list[Step]:
        return [step for step, _, _ in self._steps.values() if step.run == run]

    def runs_undo_step(self, key: int, at: int) -> bool:
        step, before, after = self._steps[key]
        here = self._now()
        for name in _JOURNALED:
            for row in {*before[name], *after[name]}:
                old, new = before[name].get(row), after[name].get(row)
                if old != new and here[name].get(row) not in (old, new):
                    return False
        for name in _JOURNALED:
            table = getattr(self, name)
            for row in {*before[name], *after[name]}:
                if before[name].get(row) == after[name].get(row):
                    continue
                if row in before[name]:
                    table[row] = before[name][row]
                else:
                    table.pop(row, None)
        for one in list(self._memories):
            self._memories[one] = self._memories[one].replace(head=self._end_of(one))
        self._steps[key] = (step.replace(undone_at=at), before, after)
        return True

    def maintenance_page(
        self,
        after: int,
        limit: int,
        *,
        until: int | None = None,
        project: int | None = None,
        types: Sequence[str] = (),
        stored_before: int | None = None,
        unfiled: bool = False,
        compacted: bool = False,
        archived: bool = False,
    ) -> list[Memory]:
        found = [
            one
            for key, one in sorted(self._memories.items())
            if key > after
            and one.in_force
            and (archived or one.archived_at is None)
            and (compacted or one.compacted_into is None)
            and (until is None or key <= until)
            and (project is None or one.project == project)
            and (not types or one.type in types)
            and (
                stored_before is None
                or (one.created_at if one.event_at is None else one.event_at) < stored_before
            )
            and (not unfiled or one.topic is None)
        ]
        return found[:limit]

    def maintenance_weeks_due(self, project: int, before: int, least: int) -> list[tuple[int, int]]:
        weeks: dict[int, int] = {}
        for one in self.maintenance_page(0, 1 << 30, project=project, types=("episodic",)):
            due = one.created_at < before and not one.pinned and one.scope != "task"
            if due and one.metadata.get("summary") is not True:
                start = week_start(event_time(one))
                weeks[start] = weeks.get(start, 0) + 1
        return sorted(((at, n) for at, n in weeks.items() if n >= least), reverse=True)[:2]

    def maintenance_was_forgotten(self, content_hash: str) -> bool:
        return any(
            one.forgotten_at is not None and one.content_hash == content_hash
            for one in self._memories.values()
        )

    def maintenance_sources_of_summary(self, key: int) -> list[Memory]:
        return [one for _, one in sorted(self._memories.items()) if one.compacted_into == key]

    # -- links

    def maintenance_faint_links(self, after: tuple[int, int], limit: int) -> list[WeakLink]:
        found = [
            WeakLink(
                source=source,
                target=target,
                weight=weight,
                since=self._weighed.get((source, kind, target), at),
            )
            for (source, kind, target), (weight, at) in sorted(self._relations.items())
            if kind == "associated" and (source, target) > after
        ]
        return found[:limit]

    def maintenance_degrees(self, keys: Sequence[int]) -> dict[int, int]:
        counts: dict[int, int] = {}
        for source, kind, target in self._relations:
            for key in (source, target):
                if kind == "associated" and key in keys:
                    counts[key] = counts.get(key, 0) + 1
        return counts

    def maintenance_linked_keys(self, key: int, others: Sequence[int]) -> set[int]:
        pairs = [(source, target) for source, _kind, target in self._relations]
        found = {one if other == key else other for one, other in [*pairs, *self._faded]
                 if key in (one, other)}  # fmt: skip
        return found & set(others)

    def maintenance_mark_link_expired(self, source: int, target: int, at: int) -> None:
        self._faded.setdefault((source, target), at)

    # -- offers and the rest

    def suggestions_add(self, offer: Suggestion) -> Suggestion | None:
        if any((one.project, one.name) == (offer.project, offer.name)
               for one in self._offers.values()):  # fmt: skip
            return None
        stored = offer.replace(key=len(self._offers) + 1)
        self._offers[stored.key] = stored
        return stored

    def suggestions_get(self, key: int) -> Suggestion | None:
        return self._offers.get(key)

    def suggestions_list_open(self, projects: Sequence[int], limit: int) -> list[Suggestion]:
        def stands(offer: Suggestion) -> bool:
            found = self.memories_get(offer.memories)
            return len(found) == len(offer.memories) and all(
                one.in_force and one.archived_at is None and one.project == offer.project
                for one in found
            )

        found = [
            one
            for _, one in sorted(self._offers.items(), reverse=True)
            if one.project in projects and one.settled_at is None and stands(one)
        ]
        return found[:limit]

    def suggestions_settle(self, key: int, answer: str, at: int) -> None:
        self._offers[key] = self._offers[key].replace(answer=answer, settled_at=at)

    def maintenance_command_lists(self, project: int, limit: int) -> dict[int, tuple[str, ...]]:
        found = [
            one
            for one in self.maintenance_page(
                0, 1 << 30, project=project, types=("episodic",), compacted=True
            )[::-1]
            if one.trusted and isinstance(one.metadata.get("commands"), list)
        ]
        return {one.key: tuple(one.metadata["commands"]) for one in found[:limit]}

    def maintenance_unsummed_topics(self, least: int) -> list[tuple[int, int]]:
        found = []
        for key in sorted(self._topics):
            inside = self._inside(key)
            until = self._told[key][1] if key in self._told and self._is_told(key) else 0
            if len(inside) >= least and max(inside) > until:
                found.append((key, max(inside)))
        return found

    def maintenance_branch(self, topic: int) -> list[int]:
        return [topic, *(key for key, one in sorted(self._topics.items()) if one.parent == topic)]

    def _inside(self, topic: int) -> dict[int, Memory]:
        branch = self.maintenance_branch(topic)
        return {one.key: one for one in self.maintenance_page(0, 1 << 30) if one.topic in branch}

    def _is_told(self, topic: int) -> bool:
        told = self._told[topic][2]
        return {key: _said(one) for key, one in told.items()} == {
            key: _said(one) for key, one in self._inside(topic).items() if key in told
        }

    def maintenance_set_topic_summary(self, topic: int, text: str, until: int) -> None:
        self._told[topic] = (text, until, self._inside(topic))

    def maintenance_topic_summaries(self, projects: Sequence[int]) -> dict[int, str]:
        return {
            key: text
            for key, (text, _, _) in self._told.items()
            if key in self._topics and self._topics[key].project in projects and self._is_told(key)
        }

    def maintenance_repeated_hashes(self) -> set[str]:
        counts = Counter(one.content_hash for one in self._memories.values())
        return {one for one, count in counts.items() if count > 1}

    def maintenance_supported_by(self, keys: Sequence[int]) -> set[int]:
        return {
            target for source, kind, target in self._relations
            if kind == "supports" and source in keys
        }  # fmt: skip

    def maintenance_keys_with_anchors(self, after: int, limit: int) -> list[int]:
        return [key for key in sorted(self._anchors) if key > after and self._anchors[key]][:limit]

    def maintenance_copy_vectors(self, source: int, target: int) -> None:
        for (key, model), windows in list(self._vectors.items()):
            if key == source:
                self._vectors[target, model] = list(windows)
        if source in self._outdated:
            self._outdate(target)

    def maintenance_newest_key(self) -> int:
        return max(self._memories, default=0)

    def maintenance_first_stored_since(self, at: int) -> int:
        keys = [key for key, one in self._memories.items() if one.created_at >= at]
        return min(keys, default=self.maintenance_newest_key() + 1)

    def maintenance_first_vectors(self, keys: Sequence[int]) -> dict[int, ModelVector]:
        serving = self.models_in_state(SERVING)
        made = {key: self._vectors.get((key, serving.name)) for key in keys} if serving else {}
        return {key: ModelVector.by(serving.name, one[0]) for key, one in made.items() if one}

    def neighbours_find(
        self, keys: Sequence[int], project: int, limit: int, before: int | None = None
    ) -> dict[int, dict[int, float]]:
        found = {}
        in_force = {
            one.key for one in self.maintenance_page(0, len(self._memories)) if one.scope != "task"
        }
        for key, vector in self.maintenance_first_vectors(keys).items():
            hits = self.search_by_vector(
                vector, Visibility(projects=(project,)), Filters(history=True), len(self._memories)
            )
            near = {
                hit.key: hit.score
                for hit in hits
                if hit.key != key and (before is None or hit.key < before) and hit.key in in_force
            }
            found[key] = dict(list(near.items())[:limit])
        return found


def _said(one: Memory) -> tuple[object, ...]:
    return (one.content, one.summary, one.topic, one.project, one.scope, one.provenance)
