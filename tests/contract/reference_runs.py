"""Runs of maintenance in the reference store: the journal keeps whole dictionaries."""

from __future__ import annotations

import copy
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aforesaid.domain.embedding import SERVING
from aforesaid.domain.tending.compaction import week_start
from aforesaid.domain.tending.run import Action, Run, Step
from aforesaid.domain.tending.summary import event_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.memory import Memory

_JOURNALED = ("_memories", "_relations", "_topics", "_anchors")


class ReferenceRuns:
    """Runs, their steps, and what each step found and left."""

    _runs: dict[int, Run]
    _steps: dict[int, tuple[Step, dict[str, Any], dict[str, Any]]]
    _memories: dict[int, Memory]

    def _start_runs(self) -> None:
        self._runs, self._steps = {}, {}

    def start_run(self, run: Run) -> Run:
        stored = run.replace(key=len(self._runs) + 1)
        self._runs[stored.key] = stored
        return stored

    def put_run(self, run: Run) -> None:
        self._runs[run.key] = run

    def run(self, key: int) -> Run | None:
        return self._runs.get(key)

    def runs(self, limit: int) -> list[Run]:
        return [self._runs[key] for key in sorted(self._runs, reverse=True)][:limit]

    def _now(self) -> dict[str, Any]:
        return {name: copy.copy(getattr(self, name)) for name in _JOURNALED}

    @contextmanager
    def journaled(self, run: int, phase: str, at: int) -> Iterator[list[Action]]:
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

    def steps(self, run: int) -> list[Step]:
        return [step for step, _, _ in self._steps.values() if step.run == run]

    def undo_step(self, key: int, at: int) -> bool:
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
        self._steps[key] = (step.replace(undone_at=at), before, after)
        return True

    def tended(
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
    ) -> list[Memory]:
        found = [
            one
            for key, one in sorted(self._memories.items())
            if key > after
            and one.in_force
            and one.archived_at is None
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

    def weeks_due(self, project: int, before: int, least: int) -> list[tuple[int, int]]:
        weeks: dict[int, int] = {}
        for one in self.tended(0, 1 << 30, project=project, types=("episodic",)):
            due = one.created_at < before and not one.pinned and one.scope != "task"
            if due and one.metadata.get("summary") is not True:
                start = week_start(event_time(one))
                weeks[start] = weeks.get(start, 0) + 1
        return sorted(((at, n) for at, n in weeks.items() if n >= least), reverse=True)[:2]

    def was_forgotten(self, content_hash: str) -> bool:
        return any(
            one.forgotten_at is not None and one.content_hash == content_hash
            for one in self._memories.values()
        )

    def summed_up_in(self, key: int) -> list[Memory]:
        return [one for _, one in sorted(self._memories.items()) if one.compacted_into == key]

    def newest_key(self) -> int:
        return max(self._memories, default=0)

    def first_stored_since(self, at: int) -> int:
        keys = [key for key, one in self._memories.items() if one.created_at >= at]
        return min(keys, default=self.newest_key() + 1)

    def first_vectors(self, keys: Sequence[int]) -> dict[int, bytes]:
        serving = self.model_in(SERVING)
        made = {key: self._vectors.get((key, serving.name)) for key in keys} if serving else {}
        return {key: windows[0] for key, windows in made.items() if windows}
