"""Listing, accepting and declining the suggestions that maintenance made."""

from __future__ import annotations

from aforesaid.domain.context.guard import read_guard
from aforesaid.domain.errors import ConflictError, NotFoundError
from aforesaid.domain.maintenance.promotion import find_same
from aforesaid.domain.model.memory import GLOBAL_PROJECT, CallContext, Memory
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.suggestion import (
    ACCEPTED,
    DECLINED,
    EVERYWHERE,
    GUARD,
    LINK,
    PROCEDURE,
    Suggestion,
)
from aforesaid.ports import Clock, Store
from aforesaid.services.graph.relations import link, supersede
from aforesaid.services.guards import Guards, describe_guards
from aforesaid.services.memories.editor import MemoryEditor
from aforesaid.services.memories.writer import MemoryWriter

MAX_SUGGESTIONS = 100
RELATED = "related_to"


class SuggestionService:
    """Accepts and declines suggestions."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        writer: MemoryWriter,
        editor: MemoryEditor,
        guards: Guards,
    ) -> None:
        self._store = store
        self._guards = guards
        self._clock = clock
        self._writer = writer
        self._editor = editor

    def list_open(self, context: CallContext) -> list[Suggestion]:
        """Return the open suggestions of the current project."""
        projects = (context.project.key, GLOBAL_PROJECT)  # global rules are suggested as guards too
        return describe_guards(
            self._store, self._store.suggestions.list_open(projects, MAX_SUGGESTIONS)
        )

    def accept(self, key: int, context: CallContext, *, asks: bool = False) -> Suggestion:
        """Carry out a suggestion.

        Args:
            key: its number.
            context: of the caller.
            asks: for a guard: the user is asked before an action that breaks it.

        Raises:
            NotFoundError: This project has no such suggestion.
            ConflictError: It was already answered, or no longer applies.
        """
        suggestion = self._require_open(key, context)
        statements = [_procedure(suggestion)] if suggestion.kind == PROCEDURE else []
        prepared = self._writer.prepare(statements, context)  # may call an API: no transaction yet
        with self._store.transaction():
            self._require_open(key, context)  # another process may have answered it
            for procedure in prepared:
                self._writer.write(procedure, context)
            if suggestion.kind == EVERYWHERE:
                for memory in self._store.memories.get(suggestion.memories):
                    updated = self._editor.update(memory.id, {"scope": "global"}, context)
                    self._settle_elsewhere(updated.memory, key)
            elif suggestion.kind == LINK:
                first, second = self._store.memories.get(suggestion.memories)
                link(self._store, first, RELATED, second, context.visible, self._clock.now())
            elif suggestion.kind == GUARD:
                self._accept_guard(suggestion, context, asks=asks)
            self._store.suggestions.settle(key, ACCEPTED, self._clock.now())
        return suggestion

    def _accept_guard(self, suggestion: Suggestion, context: CallContext, *, asks: bool) -> None:
        (memory,) = self._store.memories.get(suggestion.memories)
        guard = read_guard(memory.content)
        if guard is not None:
            self._guards.set(memory.id, guard.replace(asks=asks), context)

    def _settle_elsewhere(self, memory: Memory, key: int) -> None:
        """Close other projects' suggestions of the same fact, which is then stored once."""
        projects = tuple(project.key for project in self._store.projects.list_all())
        for suggestion in self._store.suggestions.list_open(projects, MAX_SUGGESTIONS):
            if suggestion.kind != EVERYWHERE or suggestion.key == key:
                continue
            same = find_same(memory, self._store.memories.get(suggestion.memories))
            for other in same:
                supersede(self._store, memory, other, self._clock.now())
            if same:
                self._store.suggestions.settle(suggestion.key, ACCEPTED, self._clock.now())

    def decline(self, key: int, context: CallContext) -> Suggestion:
        """Decline a suggestion, so that it is not made again.

        Raises:
            NotFoundError: This project has no such suggestion.
            ConflictError: It was already answered, or no longer applies.
        """
        with self._store.transaction():
            suggestion = self._require_open(key, context)
            self._store.suggestions.settle(key, DECLINED, self._clock.now())
        return suggestion

    def _require_open(self, key: int, context: CallContext) -> Suggestion:
        suggestion = self._store.suggestions.get(key)
        if suggestion is None or suggestion.project not in (context.project.key, GLOBAL_PROJECT):
            raise NotFoundError(
                f"no suggestion {key} in this project: list them with `aforesaid offers`"
            )
        if suggestion.answered_at is not None:
            raise ConflictError(f"suggestion {key} was already {suggestion.answer}")
        if all(candidate.key != key for candidate in self.list_open(context)):
            raise ConflictError(f"suggestion {key} no longer applies: its memories have changed")
        return suggestion


def _procedure(suggestion: Suggestion) -> Statement:
    steps = list(suggestion.commands)
    return Statement(
        content=f"Run in this order: {', '.join(f'`{step}`' for step in steps)}",
        type="procedural",
        scope="project",
        provenance="user",
        metadata={"steps": steps},
    )
