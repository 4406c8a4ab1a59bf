"""What a session is shown unasked: gathered from the store, composed by the domain."""

from __future__ import annotations

from aforesaid.domain.context.session_context import (
    CONTEXT_TOKENS,
    SUBAGENT_TOKENS,
    UNPROVEN_EVENTS,
    UPDATE_TOKENS,
    Line,
    RenderedContext,
    contradiction_line,
    digest_line,
    has_been_used,
    memory_line,
    missing_line,
    offer_line,
    rank_for_context,
    render_context,
    select_lines,
    stale_line,
    superseded_keys,
    task_line,
    week_line,
)
from aforesaid.domain.model.decay import DAY_MS, FACTORS
from aforesaid.domain.model.memory import GLOBAL_PROJECT, OPEN, Filters, Visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, FileReader, Store

LASTING = ("semantic", "procedural", "entity")
GATHERED, RECALLED = 30, 20  #: of each type; recalled last
EVENTS, NEWEST = 6, 12  #: the newest, digests among them, of so many
IMPORTANT_EVENTS, SEARCHED = 3, 12  #: that may be older; summaries among them are left out
CONTRADICTIONS, FLAGS = 5, 100  #: that are told, that are looked at
OLD_DAYS, OLD_EVENTS = 30, 5  #: of a week that is due to be summed up
OFFERS = 3  #: of maintenance
STALE = 5  #: memories whose cited files changed


class SessionContextBuilder:
    """The context of a session."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        files: Callable[[], FileReader] | None = None,
        factors: Factors = FACTORS,
    ) -> None:
        """Join the context to its world.

        Args:
            store: where memories are.
            clock: the present time.
            files: gives what reads cited files, once something is cited.
            factors: how fast memories fade.
        """
        self._store = store
        self._clock = clock
        self._files = files
        self._factors = factors

    def whole(
        self,
        place: CallContext,
        *,
        budget_tokens: int = CONTEXT_TOKENS,
        ask: bool = False,
        counts: tuple[int, int] | None = None,
        missing: str = "",
    ) -> RenderedContext:
        """Return all that a new session should know.

        Args:
            place: where it is.
            budget_tokens: for the whole text.
            ask: whether to ask which project an unclear folder belongs to.
            counts: as ``counts`` returns them, where they are known.
            missing: says which last sessions have no digest yet, if any.
        """
        user, project, sessions = self._gather(place)
        attention = [
            *self._attention(place),
            *self._stale(place, [*project, *user, *sessions]),
            *self._due(place),
            *self._offers(place),
        ]
        beside = {"tasks": self._tasks(place), "attention": attention}
        return self._composed(
            place, user, project, sessions, beside, budget_tokens,
            ask=ask, counts=counts, missing=missing,
        )  # fmt: skip

    def since(
        self,
        place: CallContext,
        at: int,
        *,
        budget_tokens: int = UPDATE_TOKENS,
        counts: tuple[int, int] | None = None,
        known: Collection[int] = (),
        missing: str = "",
    ) -> RenderedContext:
        """Return what became known since a time (ms) by others than this session, if anything.

        Args:
            place: where the session is.
            at: the time.
            budget_tokens: for the whole text.
            counts: as ``counts`` returns them, where they are known.
            known: keys of the events that the session was shown already.
            missing: says which last sessions have no digest yet, if any.
        """
        gathered = [
            [one for one in part if one.updated_at > at and one.session != place.session]
            for part in self._gather(place)
        ]
        beside = {"tasks": self._tasks(place, at), "attention": self._attention(place, at)}
        user, project, sessions = gathered
        sessions = [one for one in sessions if one.key not in known]
        if not (user or project or sessions or missing or any(beside.values())):
            return RenderedContext(text="")
        return self._composed(
            place, user, project, sessions, beside, budget_tokens,
            new=True, counts=counts, missing=missing,
        )  # fmt: skip

    def for_subagent(
        self, place: CallContext, *, budget_tokens: int = SUBAGENT_TOKENS
    ) -> RenderedContext:
        """Return what a subagent should know: the project's section alone, if there is one."""
        kept = self._project(place)
        if not kept:
            return RenderedContext(text="")
        return self._composed(place, [], kept, [], {}, budget_tokens)

    def counts(self, place: CallContext) -> tuple[int, int]:
        """Return how many memories in force this project has, and how many are global."""
        here = self._store.memories.count(Visibility(projects=(place.project.key,)), Filters())
        everywhere = self._store.memories.count(Visibility(projects=(GLOBAL_PROJECT,)), Filters())
        return here, everywhere

    def header(self, place: CallContext, counts: tuple[int, int] | None = None) -> str:
        """Return one line: project, how it was found, branch, how much is known."""
        here, everywhere = counts or self.counts(place)
        parts = [place.project.name if place.known else "no project"]
        if place.identity is not None:
            parts[0] += f" ({place.identity.source})"
            if place.identity.branch:
                parts.append(place.identity.branch)
        parts.append(f"{here} {'memory' if here == 1 else 'memories'} here, {everywhere} global")
        return " · ".join(parts)

    # -- parts

    def _gather(self, place: CallContext) -> tuple[list[Memory], list[Memory], list[Memory]]:
        now = self._clock.now()
        user = self._store.memories.most_important(GLOBAL_PROJECT, LASTING, GATHERED)
        user = [one for one in user if not one.is_expired(now - now % DAY_MS)]
        user = rank_for_context(user, now, self._factors)
        return user, self._project(place), self._events(place)

    def _project(self, place: CallContext) -> list[Memory]:
        """Return what lasts of the project, best first: important, recalled last, or new."""
        now = self._clock.now()
        key = place.project.key
        found = {
            one.key: one
            for one in (
                *self._store.memories.most_important(key, LASTING, GATHERED),
                *self._store.memories.last_recalled(key, LASTING, RECALLED),
            )
            if not one.is_expired(now - now % DAY_MS)
        }
        outdated = self._outdated(place) if found else set()
        lasting = [one for one in found.values() if one.key not in outdated]
        return select_lines(rank_for_context(lasting, now, self._factors))

    def _outdated(self, place: CallContext) -> set[int]:
        """Return what a later memory contradicts: it is told in "Needs attention" alone."""
        pairs = self._store.relations.contradictions(place.visible, FLAGS)
        if not pairs:
            return set()
        read = {
            one.key: one
            for one in self._store.memories.get([key for pair in pairs for key in pair])
        }
        return superseded_keys(
            (read[one], read[other]) for one, other in pairs if one in read and other in read
        )

    def _events(self, place: CallContext) -> list[Memory]:
        """Return the last sessions and what else happened lately, and older events that matter."""
        newest = self._store.memories.latest_events(place.project.key, NEWEST)
        digests = {event.key for event in newest if event.provenance == "derived"}
        others = [event for event in newest if event.key not in digests]
        kept = digests.union(event.key for event in select_lines(others, UNPROVEN_EVENTS, 0))
        latest = [event for event in newest if event.key in kept][:EVENTS]
        known = {event.key for event in latest}
        important = self._store.memories.most_important(place.project.key, ("episodic",), SEARCHED)
        older = [
            event
            for event in important
            if event.key not in known and not event.metadata.get("summary") and has_been_used(event)
        ][:IMPORTANT_EVENTS]
        return sorted([*latest, *older], key=lambda one: (-one.created_at, one.id))

    def _tasks(self, place: CallContext, since: int | None = None) -> list[Line]:
        """Return the project's open tasks, told by others since a time (ms) if one is given."""
        found = self._store.tasks.find((place.project.key,), statuses=OPEN)
        if not found:
            return []
        from aforesaid.services.tasks import Tasks

        now = self._clock.now()
        shown = [
            (one, one.objective)
            for one in Tasks(self._store, self._clock).describe(found, now - now % DAY_MS)
            if one.objective is not None
            and one.objective.trusted
            and (
                since is None
                or (one.objective.updated_at > since and one.objective.session != place.session)
            )
        ]
        short = self._store.memories.short_ids([objective.key for _one, objective in shown])
        return [
            task_line(one.task, objective, one.waits_for, short[objective.key], now)
            for one, objective in shown
        ]

    def _attention(self, place: CallContext, since: int | None = None) -> list[Line]:
        """Return what wants to be settled, new since a time (ms) if one is given."""
        pairs = self._store.relations.contradictions(place.visible, CONTRADICTIONS, since)
        if not pairs:
            return []
        short = self._store.memories.short_ids({key for pair in pairs for key in pair})
        return [contradiction_line(short[one], short[other]) for one, other in pairs]

    def _due(self, place: CallContext) -> list[Line]:
        """Return which weeks are about to be summed up by rules, so that somebody words it better.

        What is older than the setting is summed up soon after; a default is near enough here.
        """
        now = self._clock.now()
        before = now - now % DAY_MS - OLD_DAYS * DAY_MS
        weeks = self._store.maintenance.weeks_due(place.project.key, before, OLD_EVENTS)
        return [week_line(start, events) for start, events in weeks]

    def _offers(self, place: CallContext) -> list[Line]:
        """Return what maintenance offers in this project; one query where it offers nothing."""
        offers = self._store.suggestions.list_open((place.project.key,), OFFERS)
        if not offers:
            return []
        from aforesaid.domain.model.suggestion import in_words

        short = self._store.memories.short_ids({key for one in offers for key in one.memories})
        return [offer_line(one.key, in_words(one, short)) for one in offers]

    def _stale(self, place: CallContext, memories: Sequence[Memory]) -> list[Line]:
        """Return which of these cite what has changed since; one query where none does."""
        keys = [one.key for one in memories]
        if self._files is None or not keys or not self._store.anchors.of(keys):
            return []
        from aforesaid.services.anchors import Anchors

        found = Anchors(self._store, self._files()).stale(memories, place)
        short = self._store.memories.short_ids(list(found))
        return [stale_line(short[key], said) for key, said in found.items()][:STALE]

    def _composed(
        self,
        place: CallContext,
        user: list[Memory],
        project: list[Memory],
        sessions: list[Memory],
        beside: dict[str, list[Line]],
        budget_tokens: int,
        *,
        ask: bool = False,
        new: bool = False,
        counts: tuple[int, int] | None = None,
        missing: str = "",
    ) -> RenderedContext:
        now = self._clock.now()
        keys = [one.key for part in (user, project, sessions) for one in part]
        short = self._store.memories.short_ids(keys)
        lines: dict[str, list[Line]] = {
            "user": [memory_line(one, short[one.key], now) for one in user],
            "project": [memory_line(one, short[one.key], now) for one in project],
            "sessions": [digest_line(one, short[one.key], now) for one in sessions],
            **beside,
        }
        if missing:
            lines["sessions"].insert(0, missing_line(missing))
        header = self.header(place, counts)
        if new:
            header = f"New since you were last shown this: {header}"
        question = question_of(place) if ask else ""
        secret = self._store.meta("install_secret") or ""
        return render_context(header, lines, secret, budget_tokens=budget_tokens, question=question)


def question_of(place: CallContext) -> str:
    """Return what the agent should ask once where the project is not clear."""
    if place.claimed is not None:
        known = place.claimed
        return (
            f"Ask the user once: is this repository the project {known.name!r}? It names that "
            "project, but nothing recorded shows that it is, so nothing of it is shown here. If it "
            f"is: set_project(project={known.identity!r}); if not, go on."
        )
    if place.known:
        doubt = f"is this folder the project {place.project.name!r}, or part of another?"
    else:
        doubt = "is this session about a project?"
    return f"Ask the user once: {doubt} Then set_project(project=…); if they decline, go on."
