"""What each tool does: arguments to services, values to plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.hints import Candidate, choose_hint, match_hint
from aforesaid.domain.memory import (
    GLOBAL_PROJECT,
    SCOPES,
    STATUSES,
    TYPES,
    Filters,
    Visibility,
    one_of,
)
from aforesaid.domain.place import DEFAULT_IDENTITY, Place
from aforesaid.domain.project import Identity
from aforesaid.domain.relation import Link
from aforesaid.domain.statement import Statement, check_tags, read_importance
from aforesaid.domain.task import TASK_FIELDS, Assignment
from aforesaid.domain.times import to_iso
from aforesaid.services.explore import MAX_DEPTH
from aforesaid.services.recall import Question

from . import entity_calls, render, render_topics
from .dating import read_dates, read_time_filters
from .render_inspected import inspected

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.memory import Project
    from aforesaid.ports import DateReader
    from aforesaid.services.explore import Explore, Explored
    from aforesaid.services.recall import Recalled
    from aforesaid.wiring.core import Core
    from aforesaid.wiring.server import Conversation

MIN_CONFIDENCE = 0.1
CONTEXT_LEAST_TOKENS, CONTEXT_MOST_TOKENS = 100, 10_000


class Calls:
    """The tools of one conversation. ``after`` holds work that need not delay the reply."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._core: Core = conversation.core
        self.after: list[Callable[[], None]] = []

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Do what a tool does, with arguments that were read by ``read_arguments``.

        Raises:
            AforesaidError: what the model, or the person, can do something about.
        """
        does: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "store_memory": self.store_memory,
            "recall_memory": self.recall_memory,
            "update_memory": self.update_memory,
            "forget_memory": self.forget_memory,
            "link_memories": self.link_memories,
            "explore_memory": self.explore_memory,
            "get_context": self.get_context,
            "set_project": self.set_project,
            "memory_inspect": self.memory_inspect,
            "memory_stats": self.memory_stats,
            "search_entities": self.search_entities,
            "list_projects": self.list_projects,
            "change_entities": self.change_entities,
        }
        return does[tool](arguments)

    def store_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Store one statement."""
        place = self._place_named(given.pop("project", None))
        done = self._core.remember.store(read_statement(given, self._core.dates), place)
        assert done is not None
        return render.stored(done, self._names())

    def recall_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Answer from memory."""
        project = given.get("project")
        place = self._conversation.place()
        visible = self._core.visible(project, place, given.get("task_id"))
        question = read_question(given, self._core, visible)
        answer = self._core.recall.recall(question, visible)
        self.after.append(lambda: self._reinforce(answer))
        cited = [one.memory for one in answer.results if one.memory.forgotten_at is None]
        return render.recalled(
            answer,
            self._names(),
            stale=self._core.remember.anchors.stale(cited, place),
            summary_only=question.summary_only,
            naming=project is not None,
        )

    def update_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Change one memory."""
        reference = given.pop("id")
        changes = read_dates(given, self._core.dates, given.get("type"))
        done = self._core.curate.update(reference, changes, self._conversation.place())
        return render.updated(done, self._names())

    def forget_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Forget one memory."""
        done = self._core.curate.forget(
            given["id"],
            self._conversation.place(),
            reason=given.get("reason"),
            erase=given.get("erase", False),
        )
        return render.forgotten(done)

    def link_memories(self, given: dict[str, Any]) -> dict[str, Any]:
        """Link two memories, or take the link back."""
        done = self._core.relate.link(
            given["source_id"],
            given["kind"],
            given["target_id"],
            self._conversation.place().visible,
            remove=given.get("remove", False),
        )
        return render.linked(done, self._names())

    def explore_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Look around in the topic tree."""
        project = given.get("project")
        visible = self._core.visible(project, self._conversation.place())
        found = look_around(self._core.explore, given, visible)
        return render_topics.explored(found, self._names(), naming=project is not None)

    def get_context(self, given: dict[str, Any]) -> dict[str, Any]:
        """Say where the session is, and what is known there."""
        place = self._conversation.place()
        hints: dict[str, Any] = {}
        title = self._core.environment.get("AFORESAID_HINT")
        hint = given.get("hint") or title
        if hint and (place.identity is None or place.identity.provisional):
            place, hints = self._by_hint(hint, place, title="hint" not in given)
        budget = given.get("token_budget") or self._core.settings["retrieval.preload_token_budget"]
        if not CONTEXT_LEAST_TOKENS <= budget <= CONTEXT_MOST_TOKENS:
            raise InvalidInputError(
                f"token_budget {budget}: use {CONTEXT_LEAST_TOKENS} to {CONTEXT_MOST_TOKENS}"
            )
        shown = self._core.context.whole(place, budget_tokens=budget)
        about = {
            "client": self._conversation.client_name,
            "timestamp": to_iso(self._core.clock.now()),
            "title": title,
        }
        return {**render.place(place, about), **hints, "context": shown.text}

    def set_project(self, given: dict[str, Any]) -> dict[str, Any]:
        """Fix the session's project."""
        place = self._conversation.place()
        clean = self._core.remember.cleaner().clean
        description, keywords = given.get("description"), given.get("keywords")
        project = self._core.projects.choose(
            given["project"],
            place,
            self._conversation.surroundings(),
            description=None if description is None else clean(description),
            keywords=None if keywords is None else check_tags([clean(one) for one in keywords]),
            new=given.get("new", False),
        )
        self._conversation.choose(project)
        here = self._conversation.place().replace(project=project)
        count, _everywhere = self._core.context.counts(here)
        newest = self._core.store.statistics(Visibility(projects=(project.key,)))["newest"]
        return render.lean(
            {
                "project": project.name,
                "description": project.description,
                "keywords": list(project.keywords),
                "memory_count": count,
                "last_updated": to_iso(newest) if isinstance(newest, int) else None,
                "related_projects": entity_calls.related_projects(
                    self._core, project.key, self._names()
                ),
                "note": "this session's project from now on"
                + (", and this folder's" if place.known else ""),
            }
        )

    def memory_inspect(self, given: dict[str, Any]) -> dict[str, Any]:
        """Tell everything known of one memory."""
        found = self._core.inspect.inspect(
            given["id"],
            self._conversation.place(),
            log=given.get("include_log", False),
        )
        return inspected(found, self._names())

    def memory_stats(self, given: dict[str, Any]) -> dict[str, Any]:
        """Count what is remembered."""
        place = self._conversation.place()
        visible = self._core.visible(given.get("project"), place)
        names = self._names()
        found = self._core.store.statistics(visible)
        shown = [names.project(key) for key in visible.projects if key != GLOBAL_PROJECT]
        return render.statistics(found, shown, self._core.health())

    def search_entities(self, given: dict[str, Any]) -> dict[str, Any]:
        """Find or list what memories are about."""
        visible = self._core.visible(given.get("project"), self._conversation.place())
        return entity_calls.search_entities(self._core, visible, given)

    def change_entities(self, given: dict[str, Any]) -> dict[str, Any]:
        """Merge, rename or undo that; for people, no tool of the model's."""
        visible = self._conversation.place().visible
        return entity_calls.change_entities(self._core, visible, given)

    def list_projects(self, _given: dict[str, Any]) -> dict[str, Any]:
        """Name the known projects; for people, no tool of the model's."""
        store = self._core.store
        return {
            "projects": [
                render.lean(
                    {
                        "project": one.name,
                        "key": one.identity,
                        "memories": store.count(Visibility(projects=(one.key,)), Filters()),
                        "last_used": to_iso(one.used_at),
                        "description": one.description,
                        "keywords": list(one.keywords),
                    }
                )
                for one in store.projects()
            ]
        }

    # -- parts

    def _names(self) -> render.Names:
        return render.Names(self._core.store)

    def _reinforce(self, answer: Recalled) -> None:
        self._core.recall.reinforce(answer)

    def _place_named(self, project: str | None) -> Place:
        place = self._conversation.place()
        if project is None:
            return place
        named = self._core.projects.get(project)
        return place if named.key == place.project.key else named_place(named, place)

    def _by_hint(self, hint: str, place: Place, *, title: bool) -> tuple[Place, dict[str, Any]]:
        """Return the project that a hint means if it is sure, else those that it may mean."""
        store = self._core.store
        known = {one.key: one for one in store.projects() if one.identity != DEFAULT_IDENTITY}
        spoken_of = store.entity_names(entity_calls.HINT_NAMES)
        candidates = [
            Candidate(
                project=one.key,
                name=one.name,
                aliases=tuple(store.aliases(one.key)),
                keywords=one.keywords,
                description=one.description,
                entities=tuple(spoken_of.get(one.key, ())),
            )
            for one in known.values()
        ]
        choice = choose_hint(match_hint(hint, candidates), title=title)
        if choice.taken is not None:
            meant = named_place(known[choice.taken.project], place)
            assert meant.identity is not None
            identity = meant.identity.replace(
                source="hint", evidence=choice.taken.why, confidence=choice.taken.score
            )
            return meant.replace(identity=identity), {}
        offered = [
            {"project": known[match.project].name, "score": round(match.score, 2), "why": match.why}
            for match in choice.offered
        ]
        return place, ({"may_be": offered, "ask": "which? then set_project"} if offered else {})


def named_place(project: Project, place: Place | None = None) -> Place:
    """Return the place of a project that was named, seen from another place if there is one."""
    identity = Identity(
        key=project.identity,
        name=project.name,
        keys=(project.identity,),
        confidence=1.0,
        source="named",
        evidence="named in the call",
    )
    if place is None:
        return Place(project=project, identity=identity)
    return place.replace(project=project, identity=identity)


def read_statement(given: dict[str, Any], dates: DateReader) -> Statement:
    """Return the statement that a call's arguments make.

    Raises:
        InvalidInputError: a date or an importance cannot be read.
    """
    given = read_dates(given, dates, given.get("type", "semantic"))
    return Statement(
        content=given["content"],
        type=given.get("type", "semantic"),
        scope=given.get("scope"),
        summary=given.get("summary"),
        entity=given.get("entity"),
        tags=tuple(given.get("tags", ())),
        importance=read_importance(given.get("importance")),
        confidence=given.get("confidence", 1.0),
        pinned=given.get("pinned", False),
        supersedes=tuple(given.get("supersedes", ())),
        relations=tuple(
            Link(kind=one["kind"], target=one["target_id"]) for one in given.get("relations", ())
        ),
        topic=given.get("topic"),
        parent=given.get("parent_id"),
        depth=_whole(given.get("depth")),
        provenance=given.get("provenance", "assistant"),
        anchors=tuple(given.get("anchors", ())),
        assignment=Assignment(**{name: given.get(name) for name in TASK_FIELDS}),
        valid_from=given.get("valid_from") or None,
        valid_to=given.get("valid_to") or None,
        event_at=given.get("event_at"),
        metadata=given.get("metadata", {}),
    )


def read_question(given: dict[str, Any], core: Core, visible: Visibility) -> Question:
    """Return the question that a call's arguments make.

    Raises:
        InvalidInputError: a filter has a value that there is not.
        NotFoundError: there is no entity of a name.
    """
    settings = core.settings
    summary_only = given.get("summary_only", False)
    budget = given.get("token_budget")
    if budget is None and not summary_only:
        budget = settings["retrieval.recall_token_budget"]
    filters = Filters(
        types=tuple(one_of("type", one, TYPES) for one in given.get("type", ())),
        scopes=tuple(one_of("scope", one, SCOPES) for one in given.get("scope", ())),
        tags=check_tags(given.get("tags", ())),
        statuses=tuple(one_of("status", one, STATUSES) for one in given.get("status", ())),
        entities=entity_calls.keys_of(core, given.get("entity", ()), visible),
        min_confidence=given.get("min_confidence", MIN_CONFIDENCE),
        history=given.get("include_history", False),
    )
    depth = given.get("include_related")
    return Question(
        query=given.get("query"),
        ids=tuple(given.get("ids", ())),
        filters=read_time_filters(given, filters, core.dates),
        max_results=int(given.get("max_results", settings["retrieval.max_results"])),
        token_budget=None if budget is None else int(budget),
        summary_only=summary_only,
        include_related=None if depth is None else int(depth),
        cursor=given.get("cursor"),
        min_relevance=given.get("min_relevance"),
        depth=_whole(given.get("depth")),
    )


def look_around(explore: Explore, given: dict[str, Any], visible: Visibility) -> Explored:
    """Return what the arguments of explore_memory ask for.

    Raises:
        InvalidInputError: they contradict each other, or an id or depth is wrong.
        NotFoundError: nothing is there by that name or id.
    """
    topic, reference, direction = given.get("topic"), given.get("id"), given.get("direction")
    depth = _whole(given.get("max_depth"))
    if reference is not None:
        if topic is not None:
            raise InvalidInputError("give topic, or id with a direction, not both")
        return explore.step(reference, direction or "children", visible)
    if direction is not None:
        raise InvalidInputError(f"direction {direction} needs id: a memory's, or a topic's path")
    if topic is None:
        return explore.everything(visible, max_depth=depth or 0)
    return explore.branch(topic, visible, max_depth=MAX_DEPTH if depth is None else depth)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
