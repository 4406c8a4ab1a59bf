"""Guards: suggesting them for rules that can be checked, accepting them, counting breaches."""

from __future__ import annotations

from aforesaid.domain.context.file_state import stated_state
from aforesaid.domain.context.guard import (
    Guard,
    guard_of,
    read_guard,
    simple_commands,
    why_unread,
)
from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import GUARD, GUARD_TAG
from aforesaid.domain.model.suggestion import ACCEPTED, Suggestion
from aforesaid.domain.model.suggestion import GUARD as GUARD_SUGGESTION
from aforesaid.domain.model.transcript import DENIED, EDIT, RUN, ToolUse
from aforesaid.services.changed_files import locate_files
from aforesaid.services.resolve_id import locate_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from aforesaid.domain.context.file_state import TargetFile
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import Clock, FileReader, Store

MAX_GUARDS = 50  #: in force in one project


def suggest_guard(store: Store, memory: Memory, now: int) -> None:
    """Suggest once to make a new memory a guard, if it is a rule that can be checked."""
    if memory.type == "episodic" or not memory.trusted or memory.is_failure:
        return
    guard = read_guard(memory.content)
    if guard is not None:
        store.suggestions.add(
            Suggestion(
                kind=GUARD_SUGGESTION,
                name=f"guard {guard.describe()}",
                project=memory.project,
                memories=(memory.key,),
                created_at=now,
            )
        )


def describe_guards(store: Store, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """Return suggestions with what the suggested guards check, read from their memories' texts."""
    described = []
    for suggestion in suggestions:
        if suggestion.kind == GUARD_SUGGESTION:
            memories = store.memories.get(suggestion.memories)
            guard = read_guard(memories[0].content) if memories else None
            if guard is None:
                continue  # the rule was changed, or was erased
            suggestion = suggestion.replace(commands=(guard.describe(),))  # noqa: PLW2901
        described.append(suggestion)
    return described


class Guards:
    """The guards of a store."""

    def __init__(self, store: Store, clock: Clock, files: FileReader) -> None:
        self._store = store
        self._clock = clock
        self._files = files

    def list_in_force(self, context: CallContext) -> list[tuple[Memory, Guard]]:
        """Return the rules that actions are checked against here, newest first."""
        keys = self._store.search.guards(context.visible, MAX_GUARDS)
        memories = self._store.memories.get(keys)
        return [(memory, guard) for memory in memories if (guard := guard_of(memory)) is not None]

    def set(self, reference: str, guard: Guard | None, context: CallContext) -> Guard:
        """Accept or change a guard; with another pattern, its counts start at 0.

        Args:
            reference: id of the rule.
            guard: what to check; None reads it from the text of the rule.
            context: of the caller.

        Raises:
            NotFoundError: no visible memory has that id.
            InvalidInputError: the rule states nothing that can be checked; or it is untrusted.
        """
        memory = locate_head(self._store, reference, context.visible)
        if not memory.trusted:
            raise InvalidInputError("an unconfirmed memory cannot be a guard: confirm it first")
        read = read_guard(memory.content)
        guard = read if guard is None else guard
        if guard is None:
            raise InvalidInputError(
                f"{why_unread(memory.content)}: give the pattern with --command, --files or --text"
            )
        before = guard_of(memory)
        if before is not None and before.describe() == guard.describe():
            guard = before.replace(asks=guard.asks)
        with self._store.transaction():
            self._put(memory, guard)
            for suggestion in self._store.suggestions.list_open((memory.project,), MAX_GUARDS):
                if suggestion.kind == GUARD_SUGGESTION and memory.key in suggestion.memories:
                    self._store.suggestions.settle(suggestion.key, ACCEPTED, self._clock.now())
        return guard

    def remove(self, reference: str, context: CallContext) -> None:
        """Stop checking a rule; the memory is kept.

        Raises:
            NotFoundError: no visible memory has that id, or it is not a guard.
        """
        memory = locate_head(self._store, reference, context.visible)
        if guard_of(memory) is None:
            raise NotFoundError("this memory is not a guard: list them with `aforesaid guards`")
        with self._store.transaction():
            self._put(memory, None)

    def _put(self, memory: Memory, guard: Guard | None) -> None:
        metadata = {name: value for name, value in memory.metadata.items() if name != GUARD}
        tags = tuple(tag for tag in memory.tags if tag != GUARD_TAG)
        if guard is not None:
            metadata[GUARD] = guard.to_metadata()
            tags = (*tags, GUARD_TAG)
        self._store.memories.change(memory.key, metadata=metadata, tags=tags)
        self._store.memories.record("guard", memory.key, self._clock.now(), on=guard is not None)

    def broken_by(
        self, context: CallContext, command: str, files: Sequence[TargetFile], added: str
    ) -> list[tuple[Memory, Guard]]:
        """Return the guards that an action breaks.

        Args:
            context: of the session.
            command: the shell line, or empty.
            files: that are edited.
            added: the lines that the edit adds.
        """
        guards = self.list_in_force(context)
        commands = simple_commands(command) if guards else []
        return [
            (memory, guard)
            for memory, guard in guards
            if guard.forbids(commands, _concerned(memory, guard, files), added)
        ]

    def count(self, uses: Sequence[object], session: str, context: CallContext) -> None:
        """Count the guards that a part of a session kept and broke.

        Args:
            uses: its turns; actions that the user denied do not count.
            session: its id.
            context: of the session.
        """
        actions = [
            use
            for use in uses
            if isinstance(use, ToolUse) and use.kind in {RUN, EDIT} and use.status != DENIED
        ]
        if not actions:
            return
        made = {use.path for use in actions if use.is_new_file}
        done = [
            (
                use,
                simple_commands(use.command) if use.kind == RUN else [],
                self._files_of(use, made, context) if use.kind == EDIT else [],
            )
            for use in actions
        ]
        for memory, guard in self.list_in_force(context):
            broken = sum(
                guard.forbids(commands, _concerned(memory, guard, files), use.added)
                for use, commands, files in done
            )
            counted = guard.session == session
            kept_before = counted and guard.session_kept
            keeps = not broken and (not counted or kept_before)
            guard = guard.replace(  # noqa: PLW2901
                broken=guard.broken + broken,
                kept=guard.kept + keeps - kept_before,
                session=session,
                session_kept=keeps,
            )
            metadata = {**memory.metadata, GUARD: guard.to_metadata()}
            self._store.memories.change(memory.key, metadata=metadata)

    def _files_of(
        self, use: ToolUse, made: Collection[str], context: CallContext
    ) -> list[TargetFile]:
        located = locate_files(self._files, [use.path], context)
        return [file.replace(is_new=use.path in made) for file in located]


def _concerned(memory: Memory, guard: Guard, files: Sequence[TargetFile]) -> list[str]:
    """Return the paths of the files that a rule is about: existing ones, new ones, or all."""
    return [
        file.path
        for file in files
        if file.is_in(stated_state(memory.content, file.path, guard.files))
    ]
