"""The session context: collected from the store, selected and written by the domain."""

from __future__ import annotations

from aforesaid.domain.context.session_context import (
    CONTEXT_TOKENS,
    SHOWN_OFTEN,
    SHOWN_SESSIONS,
    SUBAGENT_TOKENS,
    UNPROVEN_EVENTS,
    UPDATE_TOKENS,
    Line,
    RenderedContext,
    closed_line,
    closed_task_line,
    contradiction_line,
    digest_line,
    event_line,
    has_been_used,
    is_important,
    is_unused_fact,
    memory_line,
    missing_line,
    question_of,
    rank_for_context,
    rank_sessions,
    render_context,
    select_lines,
    stale_line,
    superseded_keys,
    task_line,
)
from aforesaid.domain.context.session_lines import without_finished, without_repeated
from aforesaid.domain.model.decay import FACTORS
from aforesaid.domain.model.memory import GLOBAL_PROJECT, OPEN, Filters, Visibility
from aforesaid.domain.model.overtaken_parts import without_overtaken
from aforesaid.domain.text.timestamps import DAY_MS
from aforesaid.services.branches import Branches, put_last

from .offers import offer_lines
from .replaced_parts import REPLACED, mark_replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import BranchReader, Clock, FileReader, Store

LASTING_TYPES = ("semantic", "procedural", "entity")
MAX_IMPORTANT, MAX_RECALLED = 50, 20  #: candidates per project: most important, last recalled
_LASTING = Filters(types=LASTING_TYPES, trusted_only=True)
MAX_EVENTS, NEWEST_EVENTS = 6, 20  #: shown, out of the newest
MAX_WEEKS = 2  #: summaries of old weeks, shown where few sessions are recent
MAX_OLDER_EVENTS, IMPORTANT_EVENTS = 3, 12  #: shown, out of the most important of any age
MAX_CONTRADICTIONS, MAX_FLAGS = 5, 100  #: shown; read to find outdated memories
MAX_STALE = 5  #: memories whose cited files changed


class SessionContextBuilder:
    """Builds what sessions are shown."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        files: Callable[[], FileReader] | None = None,
        factors: Factors = FACTORS,
        branches: Callable[[], BranchReader] | None = None,
    ) -> None:
        """Create the builder.

        Args:
            store: where memories are.
            clock: the time.
            files: returns the reader of cited files, called once a memory cites one.
            factors: how fast memories fade.
            branches: returns the reader of branches, called once a memory has a branch.
        """
        self._store = store
        self._clock = clock
        self._files = files
        self._factors = factors
        self._branches = Branches(store, branches)

    def build_full(
        self,
        context: CallContext,
        *,
        budget_tokens: int = CONTEXT_TOKENS,
        ask: bool = False,
        counts: tuple[int, int] | None = None,
        missing: str = "",
    ) -> RenderedContext:
        """Return the full context of a new session.

        Args:
            context: of the session.
            budget_tokens: for the whole text.
            ask: whether to ask which project an unclear folder belongs to.
            counts: from ``counts``, if already known.
            missing: names the last sessions that have no digest yet, if any.
        """
        user, project, sessions = self._gather(context)
        attention = [
            *self._contradictions(context),
            *self._stale(context, [*project, *user, *sessions]),
            *offer_lines(self._store, context),
        ]
        other_lines = {"tasks": self._tasks(context), "attention": attention}
        return self._rendered(
            context, user, project, sessions, other_lines, budget_tokens,
            ask=ask, counts=counts, missing=missing,
            total=self._store.memories.count(context.visible, _LASTING),
        )  # fmt: skip

    def build_update(
        self,
        context: CallContext,
        at: int,
        *,
        counts: tuple[int, int] | None = None,
        known: Collection[int] = (),
        missing: str = "",
    ) -> RenderedContext:
        """Return what other sessions have added since a time; its text is empty if nothing.

        Args:
            context: of the session.
            at: the time (ms).
            counts: from ``counts``, if already known.
            known: keys of the memories that the session was shown before.
            missing: names the last sessions that have no digest yet, if any.
        """
        user, project, sessions = (
            [
                memory
                for memory in memories
                if memory.updated_at > at and memory.session != context.session
            ]
            for memories in self._gather(context)
        )
        sessions = [event for event in sessions if event.key not in known]
        other_lines = {
            "tasks": self._tasks(context, at),
            "attention": [*self._closed(context, at, known), *self._contradictions(context, at)],
        }
        if not (user or project or sessions or missing or any(other_lines.values())):
            return RenderedContext(text="")
        return self._rendered(
            context, user, project, sessions, other_lines, UPDATE_TOKENS,
            new=True, counts=counts, missing=missing,
        )  # fmt: skip

    def build_for_subagent(self, context: CallContext) -> RenderedContext:
        """Return the context of a subagent: the project's memories only."""
        memories = self._project_memories(context)
        if not memories:
            return RenderedContext(text="")
        return self._rendered(context, [], memories, [], {}, SUBAGENT_TOKENS)

    def counts(self, context: CallContext) -> tuple[int, int]:
        """Return the number of memories in force in this project, and of global ones."""
        project, everywhere = (
            self._store.memories.count(Visibility(projects=(key,), all_tasks=True), Filters())
            for key in (context.project.key, GLOBAL_PROJECT)
        )
        return project, everywhere

    def header(self, context: CallContext, counts: tuple[int, int] | None = None) -> str:
        """Return one line: project, how it was detected, branch, and counts."""
        project_count, global_count = counts or self.counts(context)
        parts = [context.project.name if context.has_project else "no project"]
        if context.identity is not None:
            parts[0] += f" ({context.identity.source})"
            if context.identity.branch:
                parts.append(context.identity.branch)
        noun = "memory" if project_count == 1 else "memories"
        parts.append(f"{project_count} {noun} here, {global_count} global")
        return " · ".join(parts)

    # -- parts

    def _gather(self, context: CallContext) -> tuple[list[Memory], list[Memory], list[Memory]]:
        now = self._clock.now()
        user = self._store.memories.most_important(GLOBAL_PROJECT, LASTING_TYPES, MAX_IMPORTANT)
        user = rank_for_context(_shown(user, context, now), now, self._factors)
        return user, self._project_memories(context), self._events(context)

    def _project_memories(self, context: CallContext) -> list[Memory]:
        """Return the project's important, new and recently recalled memories, best first."""
        now = self._clock.now()
        key = context.project.key
        often = self._store.sessions.keys_shown_often(key, SHOWN_SESSIONS, SHOWN_OFTEN)
        candidates = (
            *self._store.memories.most_important(key, LASTING_TYPES, MAX_IMPORTANT + len(often)),
            *self._store.memories.last_recalled(key, LASTING_TYPES, MAX_RECALLED),
        )
        memories = {memory.key: memory for memory in _shown(candidates, context, now)}
        outdated = self._outdated(context) if memories else set()
        current = [memory for memory in memories.values() if memory.key not in outdated]
        ranked = rank_for_context(current, now, self._factors)
        # a fact that many sessions were shown and none used makes room for others
        ranked.sort(key=lambda memory: memory.key in often and is_unused_fact(memory))
        notes = self._branches.notes(ranked, context)
        return put_last(select_lines(ranked), notes)

    def _outdated(self, context: CallContext) -> set[int]:
        """Return the keys of memories that a newer one contradicts: see "Needs attention"."""
        return superseded_keys(self.contradictions(context, MAX_FLAGS))

    def contradictions(
        self, context: CallContext, limit: int, since: int | None = None
    ) -> list[tuple[Memory, Memory]]:
        """Return contradicting memories; what holds on another branch contradicts nothing here."""
        pairs = self._store.relations.contradictions(context.visible, limit, since)
        keys = [key for pair in pairs for key in pair]
        memories = {memory.key: memory for memory in self._store.memories.get(keys)}
        notes = self._branches.notes(memories.values(), context)
        return [
            (memories[first], memories[second])
            for first, second in pairs
            if not (first in notes or second in notes)
        ]

    def _events(self, context: CallContext) -> list[Memory]:
        """Return the last digests and other events, older important events, and last weeks."""
        now = self._clock.now()
        newest = self._store.memories.latest_events(context.project.key, NEWEST_EVENTS)
        digests = {event.key for event in newest if event.provenance == "derived"}
        no_digests = [event for event in newest if event.key not in digests]
        selected = digests.union(
            event.key for event in select_lines(no_digests, UNPROVEN_EVENTS, 0)
        )
        latest = rank_sessions([event for event in newest if event.key in selected], now)
        lines = mark_replaced(self._store, [event for event in latest if event.key in digests])
        kept = {digest.key: digest for digest in without_finished(lines, REPLACED)}
        latest = [
            kept.get(event.key, event)
            for event in latest
            if event.key in kept or event.key not in digests
        ][:MAX_EVENTS]
        newest_keys = {event.key for event in newest}
        important = self._store.memories.most_important(
            context.project.key, ("episodic",), IMPORTANT_EVENTS
        )
        others = [event for event in important if event.key not in newest_keys]
        older = [
            event
            for event in others
            if not event.metadata.get("summary")
            and (event.provenance != "derived" or is_important(event))
            and has_been_used(event)
        ][:MAX_OLDER_EVENTS]
        weeks = [event for event in others if event.metadata.get("summary")]
        weeks = sorted(weeks, key=lambda event: (-event.created_at, event.id))[:MAX_WEEKS]
        room = MAX_EVENTS - len(latest) - len(older)
        return [*rank_sessions([*latest, *older], now), *weeks[: max(0, room)]]

    def _tasks(self, context: CallContext, since: int | None = None) -> list[Line]:
        """Return the project's open tasks; with a time (ms), those that others changed since."""
        tasks = self._store.tasks.find((context.project.key,), statuses=OPEN)
        if not tasks:
            return []
        from aforesaid.services.tasks import Tasks

        now = self._clock.now()
        shown = [
            (view, view.objective)
            for view in Tasks(self._store, self._clock).describe(tasks, now - now % DAY_MS)
            if view.objective is not None
            and view.objective.trusted
            and (
                since is None
                or (view.objective.updated_at > since and view.objective.session != context.session)
            )
        ]
        short_ids = self._store.memories.short_ids([objective.key for _, objective in shown])
        return [
            task_line(view.task, objective, view.waits_for, short_ids[objective.key], now)
            for view, objective in shown
        ]

    def _closed(self, context: CallContext, since: int, known: Collection[int]) -> list[Line]:
        """Return what a session was shown and others ended since: memories and tasks."""
        ended = [
            memory
            for memory in self._store.memories.get(list(known))
            if (memory.forgotten_at or memory.superseded_at or 0) > since
        ]
        successors = {
            memory.key: memory
            for memory in self._store.memories.get([memory.head for memory in ended])
            if memory.forgotten_at is None
        }
        short_ids = self._store.memories.short_ids([*(memory.key for memory in ended), *successors])
        lines = []
        for memory in ended:
            successor = None if memory.forgotten_at else successors.get(memory.head)
            if successor is None or successor.session != context.session:
                new_id = "" if successor is None else short_ids[successor.key]
                lines.append(closed_line(short_ids[memory.key], new_id))
        tasks = self._store.tasks.find((context.project.key,))
        lines += [
            closed_task_line(task)
            for task in tasks
            if not task.open and task.updated_at > since and task.objective in known
        ]
        return lines

    def _contradictions(self, context: CallContext, since: int | None = None) -> list[Line]:
        """Return the unresolved contradictions; with a time (ms), those since."""
        pairs = self.contradictions(context, MAX_CONTRADICTIONS, since)
        keys = {memory.key for pair in pairs for memory in pair}
        short_ids = self._store.memories.short_ids(keys) if keys else {}
        outdated = superseded_keys(pairs)
        ordered = [(b, a) if a.key in outdated else (a, b) for a, b in pairs]  # the older one last
        return [
            contradiction_line(short_ids[a.key], short_ids[b.key], b if b.key in outdated else None)
            for a, b in ordered
        ]

    def _stale(self, context: CallContext, memories: Sequence[Memory]) -> list[Line]:
        """Return which of these memories are stale; one query if none has an anchor."""
        keys = [memory.key for memory in memories]
        if self._files is None or not keys or not self._store.anchors.of(keys):
            return []
        from aforesaid.services.anchors import Anchors

        stale = Anchors(self._store, self._files()).find_stale(memories, context)
        ids = self._store.memories.short_ids(list(stale))
        return [stale_line(ids[key], changes) for key, changes in stale.items()][:MAX_STALE]

    def _rendered(
        self,
        context: CallContext,
        user: list[Memory],
        project: list[Memory],
        sessions: list[Memory],
        other_lines: dict[str, list[Line]],
        budget_tokens: int,
        *,
        ask: bool = False,
        new: bool = False,
        counts: tuple[int, int] | None = None,
        missing: str = "",
        total: int = 0,
    ) -> RenderedContext:
        now = self._clock.now()
        memories = (*user, *project, *sessions)
        short_ids = self._store.memories.short_ids([memory.key for memory in memories])
        notes = self._branches.notes(memories, context)

        def memory_lines(memories: Iterable[Memory]) -> list[Line]:
            return [
                memory_line(memory, short_ids[memory.key], now, notes.get(memory.key, ""))
                for memory in memories
            ]

        digests = mark_replaced(self._store, [e for e in sessions if e.provenance == "derived"])
        digests = without_repeated(digests, (*user, *project))
        events = [event for event in sessions if event.provenance != "derived"]
        lines = {
            "user": memory_lines(user),
            "project": memory_lines(m for m in project if m.type != "entity"),
            "people": memory_lines(m for m in project if m.type == "entity"),
            "sessions": [digest_line(each, short_ids[each.key], now) for each in digests],
            "events": [event_line(each, short_ids[each.key], now) for each in events],
            **other_lines,
        }
        if missing:
            lines["sessions"].insert(0, missing_line(missing))
        header = "New since you were last shown this: " if new else ""
        header += self.header(context, counts)
        question = question_of(context) if ask else ""
        return render_context(
            header, lines, self._store.meta("install_secret") or "",
            budget_tokens=budget_tokens, question=question, total=total,
        )  # fmt: skip


def _shown(memories: Iterable[Memory], context: CallContext, now: int) -> list[Memory]:
    """Return what a start may show: valid, no failure, with content, and not overtaken."""
    today = now - now % DAY_MS
    standing = (without_overtaken(memory, context.project.identity) for memory in memories)
    return [
        m for m in standing if m and not (m.is_expired(today) or m.is_failure or m.says_nothing)
    ]
