"""Recall at the action: the memories that apply to a file, a command or its error, if any.

Runs in the server only. What matches: domain/context/action_context.py.
"""

from __future__ import annotations

from aforesaid.domain.context.action_context import (
    ACTION_HEADER,
    ACTION_TOKENS,
    FAILURE_HEADER,
    GUARD_HEADER,
    NOTHING_SHOWN,
    ShownBefore,
    is_rule,
    list_changed_paths,
    list_commands,
)
from aforesaid.domain.context.file_state import TargetFile, stated_state
from aforesaid.domain.context.prompt_context import (
    REASON_CHARS,
    PromptMatch,
    render_matches,
    with_notes,
)
from aforesaid.domain.context.session_context import RenderedContext
from aforesaid.domain.context.trigger import already_has_setting, is_about_commands, matches_trigger
from aforesaid.domain.model.anchor import is_folder_pattern, matches_any, split_state
from aforesaid.domain.model.overtaken_parts import without_overtaken
from aforesaid.domain.model.transcript import relevant_lines
from aforesaid.domain.value import Value
from aforesaid.services.anchors import Anchors
from aforesaid.services.branches import Branches
from aforesaid.services.changed_files import locate_files
from aforesaid.services.guards import Guards
from aforesaid.services.recall.known_failures import KnownFailures

from .prompt_recall import MAX_TRIGGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.context.action_context import Action
    from aforesaid.domain.context.guard import Guard
    from aforesaid.domain.context.simple_command import SimpleCommand
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import BranchReader, Clock, FileReader, Store

_MAX_CITING = 50  #: memories that cite the files of one action


def _forbids(guard: Guard) -> str:
    return f"a guard against {guard.describe()}"


class RenderedAction(Value):
    """What is shown with an action."""

    context: RenderedContext  #: for the model; its text is empty if nothing applies
    ask: str = ""  #: why the user is asked before the action; empty if there is no question
    created: tuple[str, ...] = ()  #: files that the action makes, relative to the project's root


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
        self, action: Action, context: CallContext, conversation: ShownBefore = NOTHING_SHOWN
    ) -> RenderedAction:
        """Return what is shown with an action, and why the user is asked before it.

        A guard is shown each time that it is broken, another memory once in a conversation.

        Args:
            action: what the agent is about to do.
            context: of the session.
            conversation: what it contains already.
        """
        if action.error:
            errors = self.find_error(action, context, conversation)
            return RenderedAction(context=self._render(FAILURE_HEADER, errors))
        commands = list_commands(action.command, action.folder)
        edited, changed = (
            locate_files(self._files, paths, context, action.folder, conversation.created)
            for paths in ([action.path], list_changed_paths(commands))
        )
        broken = self._guards.broken_by(context, action.command, edited, action.added)
        guards = [PromptMatch(memory=memory, reason=_forbids(guard)) for memory, guard in broken]
        conversation = _with_shown(conversation, guards)
        matches = self._find(action.command, commands, [*edited, *changed], context, conversation)
        asking = [f"{memory.content} ({_forbids(guard)})" for memory, guard in broken if guard.asks]
        return RenderedAction(
            context=self._render(GUARD_HEADER if broken else ACTION_HEADER, [*guards, *matches]),
            ask="; ".join(asking),
            created=tuple(file.path for file in (*edited, *changed) if file.is_new),
        )

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

    def _find(
        self,
        command: str,
        commands: list[SimpleCommand],
        files: list[TargetFile],
        context: CallContext,
        conversation: ShownBefore,
    ) -> list[PromptMatch]:
        """Return what applies to an action.

        Memories that cite its files, newest first; failures of its command; procedures for it.
        """
        citing = self._find_citing(files, context, conversation)
        steps = [each.text for each in commands]
        failed = self._find_failures(steps, context, conversation)
        matches = [*citing, *failed]
        conversation = _with_shown(conversation, matches)
        matches += self._find_triggered(command, commands, files, context, conversation)
        notes = self._branches.notes((match.memory for match in matches), context)
        return with_notes(matches, notes)

    def find_error(
        self, action: Action, context: CallContext, conversation: ShownBefore = NOTHING_SHOWN
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
            if self._is_eligible(memory, context, conversation)
        ]

    def _find_failures(
        self, steps: list[str], context: CallContext, conversation: ShownBefore
    ) -> list[PromptMatch]:
        return [
            PromptMatch(memory=memory, reason="this command failed before")
            for memory in self._failures.of_commands(steps, context.visible)
            if self._is_eligible(memory, context, conversation)
        ]

    def _find_citing(
        self, files: list[TargetFile], context: CallContext, conversation: ShownBefore
    ) -> list[PromptMatch]:
        paths = [file.path for file in files]
        keys = self._store.anchors.citing(paths, context.visible, _MAX_CITING) if paths else []
        project = context.project.key
        memories = [
            memory
            for memory in self._store.memories.get(keys)
            if project in {memory.project, memory.origin_project}
            and self._is_eligible(memory, context, conversation)
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

    def _cited_labels(
        self, memories: Sequence[Memory], files: Sequence[TargetFile]
    ) -> dict[int, str]:
        """Return the first anchor of each memory that is one of these files, or matches one.

        A folder does not count if the memory's trigger is about running something, a pattern not
        for files in a state that the memory is not about.
        """
        by_key = {memory.key: memory for memory in memories}
        labels: dict[int, str] = {}
        anchors = self._store.anchors.of(list(by_key))
        left_out: dict[int, list[str]] = {}
        for anchor in anchors:
            if anchor.path.startswith("!"):
                left_out.setdefault(anchor.memory, []).append(anchor.path)
        for anchor in anchors:
            patterns = [anchor.path, *left_out.get(anchor.memory, ())]
            if any(
                _concerns(by_key[anchor.memory], patterns, file)
                if anchor.is_pattern and not anchor.is_to_come
                else anchor.path == file.path
                for file in files
            ):
                labels.setdefault(anchor.memory, anchor.label)
        return labels

    def _find_triggered(
        self,
        command: str,
        commands: list[SimpleCommand],
        files: list[TargetFile],
        context: CallContext,
        conversation: ShownBefore,
    ) -> list[PromptMatch]:
        triggers = {
            key: trigger
            for key, trigger in self._store.search.triggers(context.visible, MAX_TRIGGERS)
            if key not in conversation.shown and matches_trigger(trigger, commands, files)
        }
        return [
            PromptMatch(
                memory=memory,
                reason=f"its trigger: {' '.join(triggers[memory.key].split())[:REASON_CHARS]}",
            )
            for memory in self._store.memories.get(list(triggers))
            if self._is_eligible(memory, context, conversation)
            and matches_trigger(triggers[memory.key], commands, files, memory.content)
            and not already_has_setting(command, memory.content, triggers[memory.key])
        ]

    def _is_eligible(self, memory: Memory, context: CallContext, conversation: ShownBefore) -> bool:
        """Tell whether a memory may be shown: valid, and not in this conversation already."""
        return (
            memory.key not in conversation.shown
            and (context.session is None or memory.session != context.session)
            and not memory.is_expired(self._clock.now())
            and without_overtaken(memory, context.project.identity) is not None
            and (
                is_rule(memory)
                or memory.key not in conversation.told()
                or self._cites_patterns(memory)
            )
        )

    def _cites_patterns(self, memory: Memory) -> bool:
        """Tell whether a memory cites a pattern or a folder, as only rules for its files do."""
        anchors = self._store.anchors.of([memory.key])
        return any(anchor.is_pattern and not anchor.is_to_come for anchor in anchors)


def _with_shown(conversation: ShownBefore, matches: Sequence[PromptMatch]) -> ShownBefore:
    keys = {match.memory.key for match in matches}
    return conversation.replace(shown={*conversation.shown, *keys})


def _concerns(memory: Memory, patterns: Sequence[str], file: TargetFile) -> bool:
    """Tell whether a memory is about a file that is changed.

    Args:
        memory: which cites a pattern.
        patterns: the one that it cites, and those that leave files out.
        file: to compare.
    """
    pattern = patterns[0]
    if not matches_any(file.path, patterns):
        return False
    trigger = str(memory.metadata.get("trigger", ""))
    if is_folder_pattern(pattern) and is_about_commands(trigger):
        return False
    states = (
        split_state(pattern)[0],
        stated_state(memory.content, file.path, pattern),
        stated_state(trigger, file.path, pattern),
    )
    return file.is_in(next(filter(None, states), ""))
