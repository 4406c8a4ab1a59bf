"""The project of a client's session: get_context reports it, set_project changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.context.session_context import question_of
from aforesaid.domain.model.memory import DEFAULT_IDENTITY, Visibility
from aforesaid.domain.projects.hint_matching import ProjectCandidate, choose_hint, match_hint
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.entrypoints.serialize import memories, registries
from aforesaid.entrypoints.serialize.memories import LabelResolver
from aforesaid.services.projects.registry import context_for_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.model.memory import CallContext
    from aforesaid.operations.client_connection import ClientConnection

    from .arguments import Arguments
    from .operations import Operations

MAX_HINT_ENTITIES = 200  #: of each project, that a hint is compared with
MAX_RELATED = 5
MAX_SHARED_NAMES = 5


class SessionProject:
    """The project of one client's session."""

    def __init__(
        self,
        client: ClientConnection,
        operations: Operations,
        after: list[Callable[[], None]],
    ) -> None:
        self._client = client
        self._core = client.core
        self._operations = operations
        self._after = after

    def describe(self, arguments: Arguments) -> dict[str, Any]:
        """Return where the session is, and what a new session there is shown."""
        context = self._client.call_context()
        hints: dict[str, Any] = {}
        title = self._client.environment.get("AFORESAID_HINT")
        hint = arguments.get("hint") or title
        if hint and (context.identity is None or context.identity.provisional):
            context, hints = self._match_hint(hint, context, title="hint" not in arguments)
        rendered = self._operations.context(arguments, context)
        surroundings = {
            "client": self._client.client_name,
            "timestamp": to_iso(self._core.clock.now()),
            "title": title,
        }
        if not hints and self._should_ask(context):
            hints = {"ask": question_of(context)}
        shown = registries.call_context(context, surroundings)
        return {**shown, **hints, "context": rendered.text}

    def choose(self, arguments: Arguments) -> dict[str, Any]:
        """Make a project the session's, and its folder's from now on."""
        context = self._client.call_context()
        project = self._operations.set_project(arguments, context, self._client.workspace())
        self._client.choose(project)
        count, _everywhere = self._core.context_builder.counts(
            self._client.call_context().replace(project=project)
        )
        store = self._core.store
        newest = store.memories.statistics(Visibility(projects=(project.key,)))["newest"]
        names = LabelResolver(store)
        return memories.drop_empty(
            {
                "project": project.name,
                "description": project.description,
                "keywords": list(project.keywords),
                "memory_count": count,
                "last_updated": to_iso(newest) if isinstance(newest, int) else None,
                "related_projects": [
                    {"project": names.project(key), "shares": shared[:MAX_SHARED_NAMES]}
                    for key, shared in store.entities.sharing_projects(project.key, MAX_RELATED)
                ],
                "note": self._extent(context),
            }
        )

    def _extent(self, context: CallContext) -> str:
        if self._client.is_persistent:
            folder = ", and this folder's" if context.has_project else ""
            return f"this session's project from now on{folder}"
        if context.has_project:
            return "this folder's project from now on"
        return "not remembered, because this client has no session: pass project=... in each call"

    def _should_ask(self, context: CallContext) -> bool:
        """Return whether the agent should ask about the project: once, and never at a shell."""
        if not (
            context.is_unclear and context.project.asked_at is None and self._client.client_name
        ):
            return False
        self._after.append(lambda: self._core.projects.mark_asked(context.project))
        return True

    def _match_hint(
        self, hint: str, context: CallContext, *, title: bool
    ) -> tuple[CallContext, dict[str, Any]]:
        """Return the context of the project that a hint means; if unsure, the candidates."""
        store = self._core.store
        projects = {
            project.key: project
            for project in store.projects.list_all()
            if project.identity != DEFAULT_IDENTITY
        }
        entities = store.entities.names(MAX_HINT_ENTITIES)
        candidates = [
            ProjectCandidate(
                project=project.key,
                name=project.name,
                aliases=tuple(store.projects.aliases(project.key)),
                keywords=project.keywords,
                description=project.description,
                entities=tuple(entities.get(project.key, ())),
            )
            for project in projects.values()
        ]
        choice = choose_hint(match_hint(hint, candidates), title=title)
        if choice.chosen is not None:
            match = choice.chosen
            named = context_for_project(projects[match.project], context)
            assert named.identity is not None
            identity = named.identity.replace(
                source="hint", evidence=match.why, confidence=match.score
            )
            return named.replace(identity=identity), {}
        if not choice.suggested:
            return context, {}
        offered = [
            {
                "project": projects[match.project].name,
                "score": round(match.score, 2),
                "why": match.why,
            }
            for match in choice.suggested
        ]
        return context, {"may_be": offered, "ask": "ask the user which, then set_project"}
