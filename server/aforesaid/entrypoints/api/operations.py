"""What each tool does: one set of operations behind the MCP server, the shell and the library.

``Operations`` takes arguments that arguments.py read and a call context, and returns the services'
values, as the library does. ``ToolCalls`` answers a client's calls in plain data, for the server
and the shell. Not here: what answers look like (entrypoints/serialize).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import (
    GLOBAL_PROJECT,
    OPEN,
    SCOPES,
    STATUSES,
    Filters,
    Visibility,
)
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.entrypoints.serialize import registries
from aforesaid.entrypoints.serialize.memories import LabelResolver
from aforesaid.services.graph.explore import DEFAULT_DEPTH, ExploreResult
from aforesaid.services.projects.registry import context_for_project
from aforesaid.services.recall.folder_check import check_folder
from aforesaid.services.recall.query import RecallResult
from aforesaid.wiring import factories

from . import registry_operations
from .argument_dates import read_dates
from .arguments import (
    check_text,
    read_arguments,
    read_choices,
    read_query,
    read_statement,
    to_int,
)
from .plain import plain
from .program_arguments import PROGRAM_PARAMETERS
from .tool_schemas import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.domain.context.session_context import RenderedContext
    from aforesaid.domain.model.memory import CallContext, Project
    from aforesaid.domain.projects.detection import WorkspaceFacts
    from aforesaid.operations.client_connection import ClientConnection
    from aforesaid.services.graph.entity_search import FoundEntities
    from aforesaid.services.graph.relations import LinkResult
    from aforesaid.services.memories.editor import UpdateResult
    from aforesaid.services.memories.forget import ForgetResult
    from aforesaid.services.memories.results import StoreResult
    from aforesaid.services.recall.inspect import Inspection
    from aforesaid.services.tasks import TaskView
    from aforesaid.wiring.container import ServiceContainer

    from .arguments import Arguments
    from .session_project import SessionProject

MIN_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS = 100, 10_000
SEARCHED_ENTITIES = 5  #: default limit of a search
LISTED_ENTITIES = 20  #: default limit of a list
ALL_TASKS = "all"


class Operations:
    """The tools over one process's services. Methods raise what the services do."""

    def __init__(self, core: ServiceContainer) -> None:
        self._core = core

    def store_many(
        self, statements: Sequence[Arguments], context: CallContext
    ) -> list[StoreResult]:
        """Store statements in one transaction, all or none."""
        factories.refuse_if_off(context, self._core.settings)
        dates = self._core.dates
        read = [read_statement(each, dates, needs_event_date=False) for each in statements]
        results = [each for each in self._core.writer.store_many(read, context) if each is not None]
        # a known memory may have new cues
        if any(result.deduplicated and result.memory.cues for result in results):
            self._core.writer.embed_changed()
        return results

    def recall(self, arguments: Arguments, context: CallContext) -> RecallResult:
        """Recall memories; results name the files that they cite and that have changed since.

        The usage is recorded in memory and written after the reply.
        """
        visible = self._core.visibility_of(
            arguments.get("project"), context, arguments.get("task_id")
        )
        answer = self._answer(arguments, context, visible)
        browsed = not arguments.get("query") and not arguments.get("ids")
        self._core.recall.uses.collect(answer, context.session, browsed=browsed)
        return answer

    def list_memories(self, arguments: Arguments, context: CallContext) -> RecallResult:
        """List or search for a person: of any confidence, in every task; this is no use of them."""
        visible = self._core.visibility_of(
            arguments.get("project"), context, arguments.get("task_id")
        ).replace(all_tasks=arguments.get("task_id") is None)
        answer = self._answer({"min_confidence": 0.0, **arguments}, context, visible)
        self._core.recall.uses.collect(answer, context.session, browsed=True)
        return answer

    def _answer(
        self, arguments: Arguments, context: CallContext, visible: Visibility
    ) -> RecallResult:
        query = read_query(arguments, self._core, visible)
        if PROGRAM_PARAMETERS["recall_memory"].keys() & arguments.keys():
            from .person_filters import narrow

            filters = narrow(query.filters, arguments, self._core.store, visible)
            query = query.replace(filters=filters)
        if "path" in arguments or "error" in arguments:
            from .subject import select_subject  # imports the digest's reader of errors

            query, visible = select_subject(query, arguments, self._core, context, visible)
        answer = self._core.recall.recall(query, visible)
        return check_folder(answer, context, self._core.anchors, self._core.branches)

    def update(self, arguments: Arguments, context: CallContext) -> UpdateResult:
        """Change one memory."""
        factories.refuse_if_off(context, self._core.settings)
        check_text("content", arguments.get("content", ""))
        changes = read_dates(arguments, self._core.dates, arguments.get("type"))
        if "project" in changes:
            target = context_for_project(self._core.projects.named(changes["project"]))
            factories.refuse_if_off(target, self._core.settings)
            changes["project"] = target.project.key
        return self._core.editor.update(changes.pop("id"), changes, context)

    def forget(self, arguments: Arguments, context: CallContext) -> ForgetResult:
        """Hide or erase one memory and what repeats it."""
        return self._core.forgetter.forget(
            arguments["id"],
            context,
            reason=arguments.get("reason"),
            erase=arguments.get("erase", False),
            also=arguments.get("also", ()),
            preview=arguments.get("preview", False),
            backups=arguments.get("backups", False),
        )

    def link(self, arguments: Arguments, context: CallContext) -> LinkResult:
        """Link two memories, or remove the link."""
        factories.refuse_if_off(context, self._core.settings)
        return self._core.relations.link(
            arguments["source_id"],
            arguments["kind"],
            arguments["target_id"],
            context.visible,
            remove=arguments.get("remove", False),
        )

    def explore(self, arguments: Arguments, context: CallContext) -> ExploreResult:
        """Return all topics, one branch, one step from a memory or node, or one file's memories."""
        visible = self._core.visibility_of(arguments.get("project"), context)
        explorer, topic, node = self._core.explorer, arguments.get("topic"), arguments.get("id")
        if "path" in arguments or "error" in arguments:
            if {"topic", "id", "direction", "max_depth"} & arguments.keys():
                raise InvalidInputError("give path or error alone: they list memories, not topics")
            from .subject import find_subject

            keys, visible = find_subject(arguments, self._core, context, visible)
            return explorer.list_memories(keys or (), visible)
        direction, depth = arguments.get("direction"), to_int(arguments.get("max_depth"))
        if node is not None:
            if topic is not None:
                raise InvalidInputError("give topic, or id with a direction, not both")
            return explorer.step(node, direction or "children", visible)
        if direction is not None:
            raise InvalidInputError(
                f"direction {direction} needs id: a memory's id, or a topic's path"
            )
        if topic is None:
            return explorer.list_topics(visible, max_depth=depth or 0)
        return explorer.find_branch(
            topic, visible, max_depth=DEFAULT_DEPTH if depth is None else depth
        )

    def inspect(self, arguments: Arguments, context: CallContext) -> Inspection:
        """Return everything known about one memory."""
        log = arguments.get("include_log", False)
        return self._core.inspector.inspect(arguments["id"], context, log=log)

    def context(self, arguments: Arguments, context: CallContext) -> RenderedContext:
        """Render what a session that starts here is shown."""
        budget = arguments.get("token_budget")
        budget = budget or self._core.settings["retrieval.preload_token_budget"]
        if not MIN_CONTEXT_TOKENS <= budget <= MAX_CONTEXT_TOKENS:
            raise InvalidInputError(
                f"token_budget {budget}: use {MIN_CONTEXT_TOKENS} to {MAX_CONTEXT_TOKENS}"
            )
        return self._core.context_builder.build_full(context, budget_tokens=int(budget))

    def set_project(
        self, arguments: Arguments, context: CallContext, workspace: WorkspaceFacts
    ) -> Project:
        """Make a project that of a session, and of its folder from now on."""
        return self._core.projects.choose(
            arguments["project"],
            context,
            workspace,
            **registry_operations.clean_description(self._core, arguments),
            new=arguments.get("new", False),
        )

    def entities(self, arguments: Arguments, context: CallContext) -> FoundEntities:
        """Search entities, or list a page of all."""
        visible = self._core.visibility_of(arguments.get("project"), context)
        query, cursor = arguments.get("query"), arguments.get("cursor")
        limit = int(arguments.get("limit", LISTED_ENTITIES if query is None else SEARCHED_ENTITIES))
        filters: dict[str, Any] = {
            "scopes": list(read_choices(arguments, "scope", SCOPES)),
            "types": [
                " ".join(clean_text(kind).lower().split()) for kind in arguments.get("type", ())
            ],
            "limit": limit,
        }
        if query is None:
            return self._core.entity_search.page(visible, **filters, cursor=cursor)
        if cursor is not None:
            raise InvalidInputError("cursor works only without a query: leave one of them out")
        return self._core.entity_search.search(query, visible, **filters)

    def tasks(self, arguments: Arguments, context: CallContext) -> list[TaskView]:
        """List tasks, most urgent first: open ones, those of a ``status``, or ``all``."""
        visible = self._core.visibility_of(arguments.get("project"), context)
        named = read_choices(arguments, "status", (*STATUSES, ALL_TASKS))
        statuses = () if ALL_TASKS in named else named or OPEN
        tasks = self._core.store.tasks.find(visible.projects, statuses=statuses)
        return self._core.tasks.describe(tasks, self._core.clock.now())

    def projects(self) -> list[tuple[Project, int]]:
        """List the known projects, latest used first, each with its number of memories in force."""
        store = self._core.store
        known = []
        for each in store.projects.list_all():
            visible = Visibility(projects=(each.key,), all_tasks=True)
            known.append((each, store.memories.count(visible, Filters())))
        return [(each, count) for each, count in known if count or not each.is_default]

    # -- counts, as plain data

    def statistics(self, arguments: Arguments, context: CallContext) -> dict[str, Any]:
        """Count memories, and report whether all parts work."""
        visible = self._core.visibility_of(arguments.get("project"), context)
        names = LabelResolver(self._core.store)
        return registries.statistics(
            self._core.store.memories.statistics(visible),
            [names.project(key) for key in visible.projects if key != GLOBAL_PROJECT],
            [*self._core.health(), *self._core.api_health()],
        )

    def statistics_with_use(self, arguments: Arguments, context: CallContext) -> dict[str, Any]:
        """Count memories, and by project what sessions were shown and used."""
        visible = self._core.visibility_of(arguments.get("project"), context)
        names = LabelResolver(self._core.store)
        use = [
            registries.project_use(counts, names)
            for counts in self._core.store.inspection.usage(visible.projects)
        ]
        return {**self.statistics(arguments, context), "use": use}

    def session_usage(self, arguments: Arguments, context: CallContext) -> dict[str, Any]:
        """Return what each session was shown and used, latest first."""
        visible = self._core.visibility_of(arguments.get("project"), context)
        names = LabelResolver(self._core.store)
        sessions = self._core.store.inspection.session_usage(
            visible.projects, int(arguments["limit"])
        )
        return {"sessions": [registries.session_use(session, names) for session in sessions]}

    def quality(self, arguments: Arguments, context: CallContext) -> dict[str, Any]:
        """Find memories that are worth little, doubtful or stored twice."""
        visible = self._core.visibility_of(arguments.get("project"), context)
        report = self._core.quality_reviewer().review(visible, context)
        return registries.quality(report, LabelResolver(self._core.store))


#: Operations for people that take a tool's parameters.
SCHEMA_OF = {"list_memories": "recall_memory"}
#: Tools, and operations for people, that are one operation in the client's call context.
_OPERATIONS: dict[str, Callable[[Operations, Arguments, CallContext], Any]] = {
    "recall_memory": Operations.recall,
    "list_memories": Operations.list_memories,
    "forget_memory": Operations.forget,
    "link_memories": Operations.link,
    "explore_memory": Operations.explore,
    "memory_inspect": Operations.inspect,
    "memory_stats": Operations.statistics,
    "search_entities": Operations.entities,
    "count_with_use": Operations.statistics_with_use,
    "list_sessions": Operations.session_usage,
    "review_quality": Operations.quality,
}


class ToolCalls:
    """Answers one client's calls as plain data; ``after`` collects work that can wait."""

    def __init__(self, client: ClientConnection) -> None:
        self._client = client
        self._core = client.core
        self._operations = Operations(client.core)
        self.after: list[Callable[[], None]] = []

    def call(
        self, tool: str, arguments: Mapping[str, Any] | None, *, check: bool = True
    ) -> dict[str, Any]:
        """Return the answer of a tool, or of an operation that is offered to people only.

        Args:
            tool: its name.
            arguments: as the caller gave them.
            check: whether to check the arguments against the tool's schema. False for callers that
                may also use values that the schema forbids to models.

        Raises:
            AforesaidError: any failure that the caller can resolve.
        """
        schema = SCHEMA_OF.get(tool, tool)
        if check and schema in TOOLS:
            arguments = read_arguments(schema, arguments)
        arguments = dict(arguments or {})
        handlers = {
            "store_memory": self._store,
            "update_memory": self._update,
            "get_context": lambda fields: self._session_project().describe(fields),
            "set_project": lambda fields: self._session_project().choose(fields),
            "list_tasks": self._list_tasks,
            "list_projects": self._list_projects,
            "change_entities": self._change_entities,
            "change_projects": self._change_projects,
            "confirm_memories": self._confirm_memories,
        }
        if tool in handlers:
            answer = handlers[tool](arguments)
        else:
            answer = _OPERATIONS[tool](self._operations, arguments, self._client.call_context())
        fields: dict[str, Any] = plain(
            answer,
            self._core.store,
            naming=arguments.get("project") is not None,
            summary_only=arguments.get("summary_only", False),
        )
        return fields

    def _update(self, arguments: Arguments) -> UpdateResult:
        if name := arguments.get("project"):  # as for storing, a mistyped name creates none
            arguments = {**arguments, "project": self._core.projects.get(name).identity}
        return self._operations.update(arguments, self._client.call_context())

    def _store(self, arguments: Arguments) -> StoreResult:
        context = self._client.call_context()
        factories.refuse_if_off(context, self._core.settings)
        if arguments.get("project") is not None:
            named = self._core.projects.get(arguments["project"])
            if named.key != context.project.key:
                context = context_for_project(self._core.projects.touch(named), context)
        return self._operations.store_many([arguments], context)[0].replace(
            outside=context.excluded_reason
        )

    def _session_project(self) -> SessionProject:
        from .session_project import SessionProject  # imports the matching of hints

        return SessionProject(self._client, self._operations, self.after)

    def _list_tasks(self, arguments: Arguments) -> dict[str, Any]:
        tasks = self._operations.tasks(arguments, self._client.call_context())
        names, naming = LabelResolver(self._core.store), arguments.get("project") is not None
        return {"tasks": [registries.task(task, names, naming=naming) for task in tasks]}

    def _list_projects(self, _arguments: Arguments) -> dict[str, Any]:
        return {"projects": [registries.project(*record) for record in self._operations.projects()]}

    def _change_entities(self, arguments: Arguments) -> dict[str, Any]:
        visible = self._client.call_context().visible
        return registry_operations.change_entities(self._core, visible, arguments)

    def _change_projects(self, arguments: Arguments) -> dict[str, Any]:
        answer = registry_operations.change_projects(self._core, arguments)
        self.after.append(self._embed_missing)
        return answer

    def _confirm_memories(self, arguments: Arguments) -> dict[str, Any]:
        from .confirmation import confirm_memories

        return confirm_memories(self._core, self._client.call_context(), arguments)

    def _embed_missing(self) -> None:
        self._core.writer.embed_missing(sys.maxsize)
