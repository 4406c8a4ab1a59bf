"""What each tool does with a place and the arguments that ``arguments.py`` read, for every door.

The server and the shell show what comes back as plain data (entrypoints/mcp/tool_handlers.py),
programs get it as it is (library). Not here: where a call comes from, how answers look
(entrypoints/serialize/memories.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import (
    GLOBAL_PROJECT,
    OPEN,
    SCOPES,
    STATUSES,
    TYPES,
    Filters,
    Visibility,
    check_choice,
    check_unit_interval,
)
from aforesaid.domain.model.relation import Link
from aforesaid.domain.model.statement import Statement, check_tags, read_importance
from aforesaid.domain.model.task import TASK_FIELDS, Assignment
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.entrypoints.serialize import memories
from aforesaid.entrypoints.serialize.labels import LabelResolver
from aforesaid.services.graph.explore import MAX_DEPTH
from aforesaid.services.recall.query import RecallQuery
from aforesaid.wiring import factories

from .date_arguments import parse_date_arguments, read_time_filters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.context.session_context import RenderedContext
    from aforesaid.domain.model.memory import Project
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.domain.projects.detection import WorkspaceFacts
    from aforesaid.ports import DateReader
    from aforesaid.services.graph.entity_search import FoundEntities
    from aforesaid.services.graph.explore import ExploreResult, TopicExplorer
    from aforesaid.services.graph.relations import LinkResult
    from aforesaid.services.maintenance.quality_report import QualityReport
    from aforesaid.services.memories.editor import UpdateResult
    from aforesaid.services.memories.forget import ForgetResult
    from aforesaid.services.memories.results import StoreResult
    from aforesaid.services.recall.inspect import Inspection
    from aforesaid.services.recall.query import RecallResult
    from aforesaid.services.tasks import TaskView
    from aforesaid.wiring.container import ServiceContainer

MIN_CONFIDENCE = 0.1
CONTEXT_LEAST_TOKENS, CONTEXT_MOST_TOKENS = 100, 10_000
BEST_ENTITIES = 5  #: of a search
PAGE_OF_ENTITIES = 20  #: of a list
ALL_TASKS = "all"

Given = dict[str, "Any"]


class Operations:
    """The tools over one process's services. Methods raise what the services do."""

    def __init__(self, core: ServiceContainer) -> None:
        self._core = core

    def store(self, given: Given, place: CallContext) -> StoreResult:
        """Store one statement."""
        return self.store_many([given], place)[0]

    def store_many(self, several: Sequence[Given], place: CallContext) -> list[StoreResult]:
        """Store statements in one transaction, all or none."""
        factories.refuse_if_off(place, self._core.settings)
        read = [read_statement(given, self._core.dates) for given in several]
        stored = self._core.remember.store_many(read, place)
        done = [one for one in stored if one is not None]
        if any(one.deduplicated and one.memory.cues for one in done):  # it may have got new ones
            self._core.remember.embed_changed()
        return done

    def recall(self, given: Given, place: CallContext) -> RecallResult:
        """Answer from memory; what results cite that has changed since is named in them.

        Using it is not counted yet: ``Recall.uses`` does, off the reply's path.
        """
        visible = self._core.visible(given.get("project"), place, given.get("task_id"))
        answer = self._core.recall.recall(read_question(given, self._core, visible), visible)
        cited = [one.memory for one in answer.results if one.memory.forgotten_at is None]
        stale = self._core.anchors.stale(cited, place)
        if not stale:
            return answer
        return answer.replace(
            results=tuple(
                one.replace(stale=stale.get(one.memory.key, ())) for one in answer.results
            )
        )

    def update(self, given: Given, place: CallContext) -> UpdateResult:
        """Change one memory."""
        factories.refuse_if_off(place, self._core.settings)
        check_text("content", given.get("content", ""))
        changes = parse_date_arguments(given, self._core.dates, given.get("type"))
        reference = changes.pop("id")
        return self._core.curate.update(reference, changes, place)

    def forget(self, given: Given, place: CallContext) -> ForgetResult:
        """Hide one memory, or remove every trace of it, with all that repeats it."""
        return self._core.curate.forget(
            given["id"],
            place,
            reason=given.get("reason"),
            erase=given.get("erase", False),
            also=given.get("also", ()),
            preview=given.get("preview", False),
            backups=given.get("backups", False),
        )

    def link(self, given: Given, place: CallContext) -> LinkResult:
        """Link two memories, or take the link back."""
        factories.refuse_if_off(place, self._core.settings)
        return self._core.relate.link(
            given["source_id"],
            given["kind"],
            given["target_id"],
            place.visible,
            remove=given.get("remove", False),
        )

    def explore(self, given: Given, place: CallContext) -> ExploreResult:
        """Look around in the topic tree."""
        visible = self._core.visible(given.get("project"), place)
        return explore(self._core.explore, given, visible)

    def inspect(self, given: Given, place: CallContext) -> Inspection:
        """Tell everything known of one memory."""
        return self._core.inspect.inspect(given["id"], place, log=given.get("include_log", False))

    def statistics(self, given: Given, place: CallContext) -> dict[str, Any]:
        """Count what is remembered, as plain data, and say whether all parts work."""
        visible = self._core.visible(given.get("project"), place)
        names = LabelResolver(self._core.store)
        shown = [names.project(key) for key in visible.projects if key != GLOBAL_PROJECT]
        return memories.statistics(
            self._core.store.memories.statistics(visible), shown, self._core.health()
        )

    def usage(self, given: Given, place: CallContext) -> list[dict[str, Any]]:
        """Tell, by project, what sessions were shown unasked and what of that was used."""
        visible = self._core.visible(given.get("project"), place)
        names = LabelResolver(self._core.store)
        return [
            {
                **counts,
                "project": names.project(counts["project"]),
                "tokens_per_session": memories.context_tokens(counts) // max(counts["sessions"], 1),
            }
            for counts in self._core.store.inspection.usage(visible.projects)
        ]

    def session_usage(self, given: Given, place: CallContext) -> list[dict[str, Any]]:
        """Tell of single sessions, latest first, what they were shown and what of it was used."""
        visible = self._core.visible(given.get("project"), place)
        names = LabelResolver(self._core.store)
        found = self._core.store.inspection.session_usage(visible.projects, int(given["limit"]))
        return [memories.session_use(one, names) for one in found]

    def quality(self, given: Given, place: CallContext) -> QualityReport:
        """Look through what is remembered for what is not worth it, doubtful or stands twice."""
        visible = self._core.visible(given.get("project"), place)
        return self._core.review().review(visible, place)

    def context(self, given: Given, place: CallContext) -> RenderedContext:
        """Write what a session that starts at a place is shown."""
        budget = given.get("token_budget") or self._core.settings["retrieval.preload_token_budget"]
        if not CONTEXT_LEAST_TOKENS <= budget <= CONTEXT_MOST_TOKENS:
            raise InvalidInputError(
                f"token_budget {budget}: use {CONTEXT_LEAST_TOKENS} to {CONTEXT_MOST_TOKENS}"
            )
        return self._core.context.whole(place, budget_tokens=int(budget))

    def set_project(
        self, given: Given, place: CallContext, surroundings: WorkspaceFacts
    ) -> Project:
        """Make a project the one of a session, and of its folder from now on."""
        clean = self._core.remember.cleaner().clean
        description, keywords = given.get("description"), given.get("keywords")
        return self._core.projects.choose(
            given["project"],
            place,
            surroundings,
            description=None if description is None else clean(description),
            keywords=None if keywords is None else check_tags([clean(one) for one in keywords]),
            new=given.get("new", False),
        )

    def entities(self, given: Given, place: CallContext) -> FoundEntities:
        """Find what fits a query, or list a page of all."""
        visible = self._core.visible(given.get("project"), place)
        query, cursor = given.get("query"), given.get("cursor")
        chosen: dict[str, Any] = {
            "scopes": [check_choice("scope", one, SCOPES) for one in given.get("scope", ())],
            "types": [" ".join(clean_text(one).lower().split()) for one in given.get("type", ())],
        }
        if query is None:
            limit = int(given.get("limit", PAGE_OF_ENTITIES))
            return self._core.entity_search.page(visible, **chosen, limit=limit, cursor=cursor)
        if cursor is not None:
            raise InvalidInputError("cursor pages through the list: leave query out, or cursor")
        limit = int(given.get("limit", BEST_ENTITIES))
        return self._core.entity_search.search(query, visible, **chosen, limit=limit)

    def tasks(self, given: Given, place: CallContext) -> list[TaskView]:
        """List tasks, most urgent first: the open ones, those of a ``status``, or ``all``."""
        visible = self._core.visible(given.get("project"), place)
        named = [
            check_choice("status", one, (*STATUSES, ALL_TASKS)) for one in given.get("status", ())
        ]
        wanted = () if ALL_TASKS in named else tuple(named) or OPEN
        found = self._core.store.tasks.find(visible.projects, statuses=wanted)
        return self._core.tasks.describe(found, self._core.clock.now())

    def projects(self) -> list[tuple[Project, int]]:
        """List the known projects, most recently used first, each with its memories in force."""
        store = self._core.store
        return [
            (one, store.memories.count(Visibility(projects=(one.key,)), Filters()))
            for one in store.projects.list_all()
        ]


def check_text(name: str, text: str) -> None:
    """Refuse text that no reader would get back as it was given.

    Raises:
        InvalidInputError: it holds NUL, or half a surrogate pair.
    """
    at, what = text.find("\0"), "NUL"
    if at < 0:
        try:
            text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError as error:
            at, what = error.start // 2 - 1, "half a surrogate pair"
    if at >= 0:
        raise InvalidInputError(
            f"{name} holds {what} near character {at + 1}, which no text has: leave it out"
        )


def read_statement(given: dict[str, Any], dates: DateReader) -> Statement:
    """Return the statement that a call's arguments make.

    Raises:
        InvalidInputError: a date or an importance cannot be read, or the content is broken.
    """
    given = parse_date_arguments(given, dates, given.get("type", "semantic"))
    check_text("content", given["content"])
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
        metadata=_with_cues(given),
    )


def _with_cues(given: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata that a call gives, with the cues that it gives beside."""
    metadata: dict[str, Any] = given.get("metadata", {})
    return {**metadata, "cues": given["cues"]} if given.get("cues") else metadata


def read_question(
    given: dict[str, Any], core: ServiceContainer, visible: Visibility
) -> RecallQuery:
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
        types=tuple(check_choice("type", one, TYPES) for one in given.get("type", ())),
        scopes=tuple(check_choice("scope", one, SCOPES) for one in given.get("scope", ())),
        tags=check_tags(given.get("tags", ())),
        statuses=tuple(check_choice("status", one, STATUSES) for one in given.get("status", ())),
        entities=tuple(
            key
            for name in given.get("entity", ())
            for key in core.entities.keys_named(clean_text(name), visible)
        ),
        min_confidence=check_unit_interval(
            "min_confidence", given.get("min_confidence", MIN_CONFIDENCE)
        ),
        history=given.get("include_history", False),
        archived=given.get("include_archived", False),
    )
    depth = given.get("include_related")
    return RecallQuery(
        query=given.get("query"),
        ids=tuple(given.get("ids", ())),
        filters=read_time_filters(given, filters, core.dates),
        max_results=int(given.get("max_results", settings["retrieval.max_results"])),
        token_budget=None if budget is None else int(budget),
        summary_only=summary_only,
        include_related=None if depth is None else int(depth),
        cursor=given.get("cursor"),
        min_relevance=given.get("min_relevance", settings["retrieval.floor"] or None),
        depth=_whole(given.get("depth")),
    )


def explore(explore: TopicExplorer, given: dict[str, Any], visible: Visibility) -> ExploreResult:
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
