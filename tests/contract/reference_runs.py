"""Maintenance runs of the reference store: the journal keeps whole dictionaries."""

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

_JOURNALED = ("_memories", "_relations", "_topics", "_anchors", "_expired_links", "_suggestions")


class ReferenceRuns:
    """Runs, their steps, and the queries of maintenance."""

    _runs: dict[int, Run]
    _steps: dict[int, tuple[Step, dict[str, Any], dict[str, Any]]]
    _memories: dict[int, Memory]

    def _start_runs(self) -> None:
        self._runs, self._steps = {}, {}
        self._expired_links: dict[tuple[int, int], int] = {}
        self._suggestions: dict[int, Suggestion] = {}
        self._summaries: dict[int, tuple[str, int, dict[int, Memory]]] = {}

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

    def _snapshot(self) -> dict[str, Any]:
        return {name: copy.copy(getattr(self, name)) for name in _JOURNALED}

    @contextmanager
    def runs_journaled(self, run: int, phase: str, at: int) -> Iterator[list[Action]]:
        with self.transaction():
            before, actions = self._snapshot(), []
            yield actions
            after = self._snapshot()
            if before == after:
                return
            counts: dict[str, int] = {}
            for action in actions:
                counts[action.what] = counts.get(action.what, 0) + 1
            changed = {
                key
                for key in {*before["_memories"], *after["_memories"]}
                if before["_memories"].get(key) != after["_memories"].get(key)
            }
            keys = tuple(sorted({key for action in actions for key in action.keys} | changed))
            key = len(self._steps) + 1
            step = Step(key=key, run=run, phase=phase, at=at, counts=counts, memories=keys)
            self._steps[key] = (step, before, after)

    def runs_steps(self, run: int) -> list[Step]:
        return [step for step, _, _ in self._steps.values() if step.run == run]

    def runs_undo_step(self, key: int, at: int) -> bool:
        step, before, after = self._steps[key]
        current = self._snapshot()
        for name in _JOURNALED:
            for row in {*before[name], *after[name]}:
                old, new = before[name].get(row), after[name].get(row)
                if old != new and current[name].get(row) not in (old, new):
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
        for memory_key in list(self._memories):
            self._memories[memory_key] = self._memories[memory_key].replace(
                head=self._last_version(memory_key)
            )
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
        memories = [
            memory
            for key, memory in sorted(self._memories.items())
            if key > after
            and memory.in_force
            and (archived or memory.archived_at is None)
            and (compacted or memory.compacted_into is None)
            and (until is None or key <= until)
            and (project is None or memory.project == project)
            and (not types or memory.type in types)
            and (
                stored_before is None
                or (memory.created_at if memory.event_at is None else memory.event_at)
                < stored_before
            )
            and (not unfiled or memory.topic is None)
        ]
        return memories[:limit]

    def maintenance_weeks_due(self, project: int, before: int, least: int) -> list[tuple[int, int]]:
        weeks: dict[int, int] = {}
        for memory in self.maintenance_page(0, 1 << 30, project=project, types=("episodic",)):
            is_due = memory.created_at < before and not memory.pinned and memory.scope != "task"
            if is_due and memory.metadata.get("summary") is not True:
                start = week_start(event_time(memory))
                weeks[start] = weeks.get(start, 0) + 1
        return sorted(((at, n) for at, n in weeks.items() if n >= least), reverse=True)[:2]

    def maintenance_was_forgotten(self, content_hash: str) -> bool:
        return any(
            memory.forgotten_at is not None and memory.content_hash == content_hash
            for memory in self._memories.values()
        )

    def maintenance_sources_of_summary(self, key: int) -> list[Memory]:
        return [
            memory for _, memory in sorted(self._memories.items()) if memory.compacted_into == key
        ]

    # -- links

    def maintenance_associated_links(self, after: tuple[int, int], limit: int) -> list[WeakLink]:
        links = [
            WeakLink(
                source=source,
                target=target,
                weight=weight,
                since=self._reinforced.get((source, kind, target), at),
            )
            for (source, kind, target), (weight, at) in sorted(self._relations.items())
            if kind == "associated" and (source, target) > after
        ]
        return links[:limit]

    def maintenance_degrees(self, keys: Sequence[int]) -> dict[int, int]:
        counts: dict[int, int] = {}
        for source, kind, target in self._relations:
            for key in (source, target):
                if kind == "associated" and key in keys:
                    counts[key] = counts.get(key, 0) + 1
        return counts

    def maintenance_linked_keys(self, key: int, others: Sequence[int]) -> set[int]:
        pairs = [(source, target) for source, _kind, target in self._relations]
        ends = {end for pair in [*pairs, *self._expired_links] if key in pair for end in pair}
        return (ends - {key}) & set(others)

    def maintenance_mark_link_expired(self, source: int, target: int, at: int) -> None:
        self._expired_links.setdefault((source, target), at)

    # -- suggestions and the rest

    def suggestions_add(self, suggestion: Suggestion) -> Suggestion | None:
        existing = {(other.project, other.name) for other in self._suggestions.values()}
        if (suggestion.project, suggestion.name) in existing:
            return None
        stored = suggestion.replace(key=len(self._suggestions) + 1)
        self._suggestions[stored.key] = stored
        return stored

    def suggestions_get(self, key: int) -> Suggestion | None:
        return self._suggestions.get(key)

    def suggestions_list_open(self, projects: Sequence[int], limit: int) -> list[Suggestion]:
        def is_current(suggestion: Suggestion) -> bool:
            memories = self.memories_get(suggestion.memories)
            return len(memories) == len(suggestion.memories) and all(
                memory.in_force
                and memory.archived_at is None
                and memory.project == suggestion.project
                for memory in memories
            )

        suggestions = [
            item
            for _, item in sorted(self._suggestions.items(), reverse=True)
            if item.project in projects and item.settled_at is None and is_current(item)
        ]
        return suggestions[:limit]

    def suggestions_settle(self, key: int, answer: str, at: int) -> None:
        self._suggestions[key] = self._suggestions[key].replace(answer=answer, settled_at=at)

    def maintenance_command_lists(self, project: int, limit: int) -> dict[int, tuple[str, ...]]:
        digests = [
            memory
            for memory in self.maintenance_page(
                0, 1 << 30, project=project, types=("episodic",), compacted=True
            )[::-1]
            if memory.trusted and isinstance(memory.metadata.get("commands"), list)
        ]
        return {memory.key: tuple(memory.metadata["commands"]) for memory in digests[:limit]}

    def maintenance_topics_to_summarise(self, least: int) -> list[tuple[int, int]]:
        topics = []
        for key in sorted(self._topics):
            memories = self._branch_memories(key)
            until = (
                self._summaries[key][1]
                if key in self._summaries and self._is_summary_current(key)
                else 0
            )
            if len(memories) >= least and max(memories) > until:
                topics.append((key, max(memories)))
        return topics

    def maintenance_branch(self, topic: int) -> list[int]:
        return [topic, *(key for key, node in sorted(self._topics.items()) if node.parent == topic)]

    def _branch_memories(self, topic: int) -> dict[int, Memory]:
        branch = self.maintenance_branch(topic)
        return {
            memory.key: memory
            for memory in self.maintenance_page(0, 1 << 30)
            if memory.topic in branch
        }

    def _is_summary_current(self, topic: int) -> bool:
        basis = self._summaries[topic][2]
        return {key: _summary_basis(memory) for key, memory in basis.items()} == {
            key: _summary_basis(memory)
            for key, memory in self._branch_memories(topic).items()
            if key in basis
        }

    def maintenance_set_topic_summary(self, topic: int, text: str, until: int) -> None:
        self._summaries[topic] = (text, until, self._branch_memories(topic))

    def maintenance_topic_summaries(self, projects: Sequence[int]) -> dict[int, str]:
        return {
            key: text
            for key, (text, _, _) in self._summaries.items()
            if key in self._topics
            and self._topics[key].project in projects
            and self._is_summary_current(key)
        }

    def maintenance_repeated_hashes(self) -> set[str]:
        counts = Counter(item.content_hash for item in self._memories.values())
        return {item for item, count in counts.items() if count > 1}

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
        keys = [key for key, memory in self._memories.items() if memory.created_at >= at]
        return min(keys, default=self.maintenance_newest_key() + 1)

    def maintenance_first_vectors(self, keys: Sequence[int]) -> dict[int, ModelVector]:
        active = self.models_in_state(SERVING)
        windows = {key: self._vectors.get((key, active.name)) for key in keys} if active else {}
        return {
            key: ModelVector.by(active.name, vectors[0])
            for key, vectors in windows.items()
            if vectors
        }

    def neighbours_find(
        self, keys: Sequence[int], project: int, limit: int, before: int | None = None
    ) -> dict[int, dict[int, float]]:
        found_neighbours = {}
        in_force = {
            memory.key
            for memory in self.maintenance_page(0, len(self._memories))
            if memory.scope != "task"
        }
        for key, vector in self.maintenance_first_vectors(keys).items():
            hits = self.search_by_vector(
                vector, Visibility(projects=(project,)), Filters(history=True), len(self._memories)
            )
            neighbours = {
                hit.key: hit.score
                for hit in hits
                if hit.key != key and (before is None or hit.key < before) and hit.key in in_force
            }
            found_neighbours[key] = dict(list(neighbours.items())[:limit])
        return found_neighbours


def _summary_basis(memory: Memory) -> tuple[object, ...]:
    return (
        memory.content,
        memory.summary,
        memory.topic,
        memory.project,
        memory.scope,
        memory.provenance,
    )
