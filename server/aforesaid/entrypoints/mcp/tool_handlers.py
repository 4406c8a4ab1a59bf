"""What each tool does: arguments to services, values to plain data."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.projects.call_context import DEFAULT_IDENTITY
from aforesaid.domain.projects.hint_matching import ProjectCandidate, choose_hint, match_hint
from aforesaid.domain.text.invisible import remove_invisible_in
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.entrypoints.api import entity_operations
from aforesaid.entrypoints.api.operations import Operations
from aforesaid.entrypoints.serialize import forgotten, memories, topics
from aforesaid.entrypoints.serialize.inspection import inspected
from aforesaid.entrypoints.serialize.labels import LabelResolver
from aforesaid.services.projects.registry import named_place
from aforesaid.services.sessions.session_context import question_of
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.operations.client_connection import ClientConnection
    from aforesaid.wiring.container import ServiceContainer


class ToolHandlers:
    """The tools of one conversation. ``after`` holds work that need not delay the reply."""

    def __init__(self, conversation: ClientConnection) -> None:
        self._conversation = conversation
        self._core: ServiceContainer = conversation.core
        self._requests = Operations(self._core)
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
            "change_entities": self.change_entities,
            "list_tasks": self.list_tasks,
            "review_quality": self.review_quality,
            "count_with_use": self.count_with_use,
            "list_sessions": self.list_sessions,
            "list_projects": self.list_projects,
            "change_projects": self.change_projects,
        }
        return remove_invisible_in(does[tool](arguments))

    def store_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Store one statement."""
        factories.refuse_if_off(self._conversation.place(), self._core.settings)
        place = self._place_named(given.pop("project", None))
        return memories.store_result(self._requests.store(given, place), self._names())

    def recall_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Answer from memory."""
        place = self._conversation.place()
        answer = self._requests.recall(given, place)
        self._core.recall.uses.note(answer, place.session)
        return memories.recall_result(
            answer,
            self._names(),
            summary_only=given.get("summary_only", False),
            naming=given.get("project") is not None,
        )

    def update_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Change one memory."""
        done = self._requests.update(given, self._conversation.place())
        return memories.updated(done, self._names())

    def forget_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Forget one memory."""
        return forgotten.forgotten(self._requests.forget(given, self._conversation.place()))

    def link_memories(self, given: dict[str, Any]) -> dict[str, Any]:
        """Link two memories, or take the link back."""
        done = self._requests.link(given, self._conversation.place())
        return memories.linked(done, self._names())

    def explore_memory(self, given: dict[str, Any]) -> dict[str, Any]:
        """Look around in the topic tree."""
        found = self._requests.explore(given, self._conversation.place())
        naming = given.get("project") is not None
        return topics.explored(found, self._names(), naming=naming)

    def get_context(self, given: dict[str, Any]) -> dict[str, Any]:
        """Say where the session is, and what is known there."""
        place = self._conversation.place()
        hints: dict[str, Any] = {}
        title = self._conversation.environment.get("AFORESAID_HINT")
        hint = given.get("hint") or title
        if hint and (place.identity is None or place.identity.provisional):
            place, hints = self._by_hint(hint, place, title="hint" not in given)
        shown = self._requests.context(given, place)
        about = {
            "client": self._conversation.client_name,
            "timestamp": to_iso(self._core.clock.now()),
            "title": title,
        }
        nobodys = None if place.known else self._conversation.surroundings().nobodys
        if not hints and self._is_to_ask(place):
            hints = {"ask": question_of(place)}
        return {**memories.call_context(place, about, nobodys), **hints, "context": shown.text}

    def _is_to_ask(self, place: CallContext) -> bool:
        """Tell whether the agent shall ask about the project, which it does once and never again.

        A person at a shell, who is no client, is not asked by the way.
        """
        if not (
            place.unclear and place.project.asked_at is None and self._conversation.client_name
        ):
            return False
        self.after.append(lambda: self._core.projects.asked(place.project))
        return True

    def set_project(self, given: dict[str, Any]) -> dict[str, Any]:
        """Fix the session's project."""
        place = self._conversation.place()
        project = self._requests.set_project(given, place, self._conversation.surroundings())
        self._conversation.choose(project)
        here = self._conversation.place().replace(project=project)
        count, _everywhere = self._core.context.counts(here)
        newest = self._core.store.memories.statistics(Visibility(projects=(project.key,)))["newest"]
        return memories.drop_empty(
            {
                "project": project.name,
                "description": project.description,
                "keywords": list(project.keywords),
                "memory_count": count,
                "last_updated": to_iso(newest) if isinstance(newest, int) else None,
                "related_projects": entity_operations.related_projects(
                    self._core, project.key, self._names()
                ),
                "note": self._chosen_for(place),
            }
        )

    def _chosen_for(self, place: CallContext) -> str:
        if self._conversation.lasts:
            return "this session's project from now on" + (
                ", and this folder's" if place.known else ""
            )
        if place.known:
            return "this folder's project from now on"
        return "this client keeps no session: name the project in each call (project=...)"

    def memory_inspect(self, given: dict[str, Any]) -> dict[str, Any]:
        """Tell everything known of one memory."""
        found = self._requests.inspect(given, self._conversation.place())
        return inspected(found, self._names())

    def memory_stats(self, given: dict[str, Any]) -> dict[str, Any]:
        """Count what is remembered."""
        return self._requests.statistics(given, self._conversation.place())

    def search_entities(self, given: dict[str, Any]) -> dict[str, Any]:
        """Find or list what memories are about."""
        found = self._requests.entities(given, self._conversation.place())
        return entity_operations.found_entities(found, self._names())

    # -- for people; no tools of the model's

    def change_entities(self, given: dict[str, Any]) -> dict[str, Any]:
        """Merge, rename or undo that."""
        visible = self._conversation.place().visible
        return entity_operations.change_entities(self._core, visible, given)

    def list_tasks(self, given: dict[str, Any]) -> dict[str, Any]:
        """List what is to be done."""
        found = self._requests.tasks(given, self._conversation.place())
        naming = given.get("project") is not None
        names = self._names()
        return {"tasks": [memories.task(one, names, naming=naming) for one in found]}

    def count_with_use(self, given: dict[str, Any]) -> dict[str, Any]:
        """Count what is remembered, and what sessions were shown, recalled and used of it."""
        place = self._conversation.place()
        use = self._requests.usage(given, place)
        return {**self._requests.statistics(given, place), "use": use}

    def list_sessions(self, given: dict[str, Any]) -> dict[str, Any]:
        """Tell of single sessions what they were shown, and what of it was used."""
        return {"sessions": self._requests.session_usage(given, self._conversation.place())}

    def review_quality(self, given: dict[str, Any]) -> dict[str, Any]:
        """Say what is the matter with what is remembered, with examples."""
        from aforesaid.entrypoints.serialize import quality

        found = self._requests.quality(given, self._conversation.place())
        return quality.quality(found, self._names())

    def list_projects(self, _given: dict[str, Any]) -> dict[str, Any]:
        """Name the known projects."""
        return {"projects": [memories.project(*one) for one in self._requests.projects()]}

    def change_projects(self, given: dict[str, Any]) -> dict[str, Any]:
        """Merge two, or say whose a folder is; what moved gets its vectors again afterwards."""
        from aforesaid.entrypoints.api import project_operations

        done = project_operations.change_projects(self._core, given)
        self.after.append(self._embed_all)
        return done

    # -- parts

    def _names(self) -> LabelResolver:
        return LabelResolver(self._core.store)

    def _embed_all(self) -> None:
        self._core.remember.embed_missing(sys.maxsize)

    def _place_named(self, project: str | None) -> CallContext:
        place = self._conversation.place()
        if project is None:
            return place
        named = self._core.projects.get(project)
        return place if named.key == place.project.key else named_place(named, place)

    def _by_hint(
        self, hint: str, place: CallContext, *, title: bool
    ) -> tuple[CallContext, dict[str, Any]]:
        """Return the project that a hint means if it is sure, else those that it may mean."""
        store = self._core.store
        known = {
            one.key: one for one in store.projects.list_all() if one.identity != DEFAULT_IDENTITY
        }
        spoken_of = store.entities.names(entity_operations.HINT_NAMES)
        candidates = [
            ProjectCandidate(
                project=one.key,
                name=one.name,
                aliases=tuple(store.projects.aliases(one.key)),
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
