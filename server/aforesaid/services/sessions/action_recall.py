"""Recall at the action: the memories that apply to a file, a command or its error, if any.

Runs in the server only. What matches: domain/context/action_context.py.
"""

from __future__ import annotations

from aforesaid.domain.context.action_context import (
    ACTION_HEADER,
    ACTION_TOKENS,
    FAILURE_HEADER,
    GUARD_HEADER,
    list_changed_paths,
    list_commands,
)
from aforesaid.domain.context.prompt_context import (
    REASON_CHARS,
    PromptMatch,
    render_matches,
    with_notes,
)
from aforesaid.domain.context.session_context import RenderedContext
from aforesaid.domain.context.trigger import already_has_setting, is_about_commands, matches_trigger
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.anchor import is_folder_pattern, matches_any
from aforesaid.domain.model.overtaken_parts import without_overtaken
from aforesaid.domain.model.transcript import relevant_lines
from aforesaid.services.anchors import Anchors
from aforesaid.services.branches import Branches
from aforesaid.services.guards import Guards
from aforesaid.services.recall.known_failures import KnownFailures

from .prompt_recall import MAX_TRIGGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aforesaid.domain.context.action_context import Action
    from aforesaid.domain.context.guard import Guard
    from aforesaid.domain.context.simple_command import SimpleCommand
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import BranchReader, Clock, FileReader, Store

_MAX_CITING = 50  #: memories that cite the files of one action


def _forbids(guard: Guard) -> str:
    return f"a guard against {guard.describe()}"


class ActionRecall:
    """Finds memories that apply to an action."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        files: FileReader,
        branches: Callable[[], BranchReader] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._files = files
        self._failures = KnownFailures(store)
        self._branches = Branches(store, branches)
        self._guards = Guards(store, clock, files)

    def render(
        self, action: Action, context: CallContext, known: Collection[int]
    ) -> tuple[RenderedContext, str]:
        """Return what is shown with an action, and why the user is asked before it.

        Both are empty if nothing applies. A guard is shown each time that it is broken.

        Args:
            action: what the agent is about to do.
            context: of the session.
            known: keys of memories that the session was shown with earlier actions.
        """
        if action.error:
            return self._render(FAILURE_HEADER, self.find_error(action, context, known)), ""
        broken = self._guards.broken_by(context, action.command, action.path, action.added)
        guards = {memory.key for memory, _ in broken}
        matches = [
            *(PromptMatch(memory=memory, reason=_forbids(guard)) for memory, guard in broken),
            *self.find(action, context, {*known, *guards}),
        ]
        asking = [f"{memory.content} ({_forbids(guard)})" for memory, guard in broken if guard.asks]
        return self._render(GUARD_HEADER if broken else ACTION_HEADER, matches), "; ".join(asking)

    def _render(self, header: str, matches: list[PromptMatch]) -> RenderedContext:
        if not matches:
            return RenderedContext(text="")
        return render_matches(
            matches,
            self._store.memories.short_ids([match.memory.key for match in matches]),
            self._clock.now(),
            self._store.meta("install_secret") or "",
            budget_tokens=ACTION_TOKENS,
            header=header,
        )

    def find(
        self, action: Action, context: CallContext, known: Collection[int] = ()
    ) -> list[PromptMatch]:
        """Return what applies to an action.

        Memories that cite its files, newest first; failures of its command; procedures for it.
        """
        commands = list_commands(action.command, action.folder)
        files = self._list_files(action, commands, context)
        citing = self._find_citing(files, context, known)
        failed = self._find_failures([command.text for command in commands], context, known)
        matches = [*citing, *failed]
        known = {*known, *(match.memory.key for match in matches)}
        matches += self._find_triggered(action.command, commands, files, context, known)
        notes = self._branches.notes((match.memory for match in matches), context)
        return with_notes(matches, notes)

    def find_error(
        self, action: Action, context: CallContext, known: Collection[int] = ()
    ) -> list[PromptMatch]:
        """Return what is known about the error of a command that failed."""
        output, _ = relevant_lines(action.error)
        names = {project.key: project.name for project in self._store.projects.list_all()}
        return [
            PromptMatch(
                memory=memory,
                reason="seen here"
                if memory.project == context.project.key
                else f"in the project {names.get(memory.project, '?')}",
            )
            for memory in self._failures.of_error(output, context)
            if self._is_eligible(memory, context, known)
        ]

    def _find_failures(
        self, steps: list[str], context: CallContext, known: Collection[int]
    ) -> list[PromptMatch]:
        return [
            PromptMatch(memory=memory, reason="this command failed before")
            for memory in self._failures.of_commands(steps, context.visible)
            if self._is_eligible(memory, context, known)
        ]

    def _list_files(
        self, action: Action, commands: list[SimpleCommand], context: CallContext
    ) -> list[str]:
        """Return the files that an action changes, relative to the project's root."""
        root = None if context.identity is None else context.identity.root
        if root is None:
            return []
        files: dict[str, None] = {}
        for path in filter(None, (action.path, *list_changed_paths(commands))):
            absolute = path if path.startswith("/") else f"{action.folder}/{path}"
            try:
                files[self._files.resolve(root, absolute)] = None
            except InvalidInputError:
                continue  # outside the project
        return list(files)

    def _find_citing(
        self, files: list[str], context: CallContext, known: Collection[int]
    ) -> list[PromptMatch]:
        keys = self._store.anchors.citing(files, context.visible, _MAX_CITING) if files else []
        project = context.project.key
        memories = [
            memory
            for memory in self._store.memories.get(keys)
            if project in {memory.project, memory.origin_project}
            and self._is_eligible(memory, context, known)
        ]
        labels = self._cited_labels(memories, files)
        memories = [memory for memory in memories if memory.key in labels]
        stale = Anchors(self._store, self._files).find_stale(memories, context)
        return [
            PromptMatch(
                memory=memory,
                reason=f"check first: {stale[memory.key][0]}"
                if memory.key in stale
                else f"cites {labels[memory.key]}",
            )
            for memory in memories
        ]

    def _cited_labels(self, memories: Sequence[Memory], files: Sequence[str]) -> dict[int, str]:
        """Return the first anchor of each memory that is one of these files, or matches one.

        A folder does not count if the memory's trigger is about running something.
        """
        for_commands = {
            memory.key
            for memory in memories
            if is_about_commands(str(memory.metadata.get("trigger", "")))
        }
        labels: dict[int, str] = {}
        anchors = self._store.anchors.of([memory.key for memory in memories])
        left_out: dict[int, list[str]] = {}
        for anchor in anchors:
            if anchor.path.startswith("!"):
                left_out.setdefault(anchor.memory, []).append(anchor.path)
        for anchor in anchors:
            if not anchor.is_pattern:
                applies = anchor.path in files
            else:
                patterns = [anchor.path, *left_out.get(anchor.memory, ())]
                applies = any(matches_any(file, patterns) for file in files) and not (
                    is_folder_pattern(anchor.path) and anchor.memory in for_commands
                )
            if applies:
                labels.setdefault(anchor.memory, anchor.label)
        return labels

    def _find_triggered(
        self,
        command: str,
        commands: list[SimpleCommand],
        files: list[str],
        context: CallContext,
        known: Collection[int],
    ) -> list[PromptMatch]:
        triggers = {
            key: trigger
            for key, trigger in self._store.search.triggers(context.visible, MAX_TRIGGERS)
            if key not in known and matches_trigger(trigger, commands, files)
        }
        return [
            PromptMatch(
                memory=memory,
                reason=f"its trigger: {' '.join(triggers[memory.key].split())[:REASON_CHARS]}",
            )
            for memory in self._store.memories.get(list(triggers))
            if self._is_eligible(memory, context, known)
            and not already_has_setting(command, memory.content, triggers[memory.key])
        ]

    def _is_eligible(self, memory: Memory, context: CallContext, known: Collection[int]) -> bool:
        """Tell whether a memory may be shown: valid, and not of this conversation."""
        return (
            memory.key not in known
            and (context.session is None or memory.session != context.session)
            and not memory.is_expired(self._clock.now())
            and without_overtaken(memory, context.project.identity) is not None
        )
