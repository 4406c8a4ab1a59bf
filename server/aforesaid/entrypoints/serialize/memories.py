"""Memories and topics as plain data, in one shape for MCP, command line and Python.

To save tokens, empty and default values are left out, ids are short and times are ISO 8601. Names
replace database keys: short ids, projects, topics, entities, tasks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.branch import BRANCH
from aforesaid.domain.model.client_names import CLAUDE_CODE, client_of
from aforesaid.domain.model.memory import GLOBAL_PROJECT, GUARD
from aforesaid.domain.model.relation import KINDS
from aforesaid.domain.model.topic import FACT
from aforesaid.domain.text.timestamps import due_text, local_due_text, local_time, to_iso

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.task import Task
    from aforesaid.domain.model.topic import Node
    from aforesaid.ports import Store
    from aforesaid.services.graph.explore import ExploreResult
    from aforesaid.services.graph.relations import LinkResult
    from aforesaid.services.recall.query import RecallHit, RecallResult

_NOT_SHOWN = {"cues", BRANCH, GUARD}  #: metadata that the answers of recall leave out
NOT_VISIBLE = "a memory that is not visible here"


class LabelResolver:
    """Looks up names for keys; projects and tasks are cached, so use one per reply."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._projects: dict[int, str] = {0: "global"}
        self._tasks: dict[int, Task] = {}
        self._clients: dict[str, str] = {}

    def short(self, key: int) -> str:
        """Return a memory's short id."""
        return self._store.memories.short_ids([key]).get(key, "?")

    def preview(self, key: int) -> str:
        """Return a memory on one line."""
        return next((memory.preview for memory in self._store.memories.get([key])), "")

    def client(self, memory: Memory) -> str:
        """Return the client that a memory was stored in; empty if Claude Code or unknown."""
        session_id = memory.session or ""
        if session_id not in self._clients:
            session = self._store.sessions.get(session_id) if session_id else None
            client = client_of(session.transcript_path or "") if session is not None else ""
            self._clients[session_id] = "" if client == CLAUDE_CODE else client
        return self._clients[session_id]

    def topic(self, key: int | None) -> str:
        """Return the path of a topic or concept; empty for none."""
        topic = None if key is None else self._store.topics.get(key)
        return "" if topic is None else topic.path

    def task(self, key: int | None) -> dict[str, Any]:
        """Return the fields of a result that describe its task."""
        if key is None:
            return {}
        if key not in self._tasks:
            self._tasks.update({task.key: task for task in self._store.tasks.get([key])})
        task = self._tasks[key]
        return {
            "task_id": task.task_id,
            "title": task.title,
            "status": task.status,
            "priority": None if task.priority == "medium" else task.priority,
            "due": None if task.due is None else due_text(task.due),
        }

    def past_due(self, memory: Memory) -> str:
        """Return a note if a memory's open task was due before the memory was changed."""
        self.task(memory.task)
        task = None if memory.task is None else self._tasks[memory.task]
        if task is None or not task.open or task.due is None or task.due >= memory.updated_at:
            return ""
        return f"that date is past: {task.task_id} is overdue since {local_due_text(task.due)}"

    def entity(self, key: int | None) -> str | None:
        """Return an entity's name."""
        entity = None if key is None else self._store.entities.get(key)
        return None if entity is None else entity.name

    def project(self, key: int) -> str:
        """Return a project's name."""
        if key not in self._projects:
            project = self._store.projects.get(key)
            self._projects[key] = "?" if project is None else project.name
        return self._projects[key]


def explored(answer: ExploreResult, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return the nodes of an answer with their children.

    Args:
        answer: of explore_memory.
        names: for ids and projects.
        naming: name the project of each top node.
    """
    hidden = answer.hidden
    more = f"{hidden} more: name one topic, or use a smaller max_depth" if hidden else ""
    return {
        "nodes": [_node(node, names, naming=naming) for node in answer.nodes],
        **_drop_empty_and_zero({"unfiled": answer.unfiled, "note": answer.note, "not_shown": more}),
    }


def found_node(result: RecallHit, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return a result of recall that is a topic or concept in place of a memory."""
    assert result.node is not None
    why = f"{result.why}: [{names.short(result.memory.key)}]".removeprefix(": ")
    return {
        **_node(result.node, names, naming=naming),
        **_drop_empty_and_zero({"score": result.score, "why": why}),
    }


def _node(node: Node, names: LabelResolver, *, naming: bool = False) -> dict[str, Any]:
    memory = node.memory
    children = {
        "children": [_node(child, names) for child in node.children],
        "not_shown": node.hidden,
    }
    project = names.project(node.project) if naming else None
    if memory is not None:
        state = "forgotten" if memory.forgotten_at is not None else ""
        if memory.superseded_by is not None:
            by = node.replaced_by
            state = f"superseded by {NOT_VISIBLE if by is None else names.short(by)}"
        return {
            "id": names.short(memory.key),
            "preview": "" if memory.forgotten_at is not None else memory.preview,
            "depth": node.depth,
            **_drop_empty_and_zero(
                {
                    "kind": node.kind,
                    "direction": node.direction,
                    "state": state,
                    "project": project,
                    "counts": _drop_empty_and_zero({"details": node.memories}),
                    **children,
                }
            ),
        }
    return {
        "id": node.path,
        "name": node.name,
        "depth": node.depth,
        **_drop_empty_and_zero(
            {
                "summary": node.summary,
                "overview": "" if node.overview is None else names.short(node.overview.key),
                "scope": "global" if node.project == GLOBAL_PROJECT and not naming else "",
                "project": project,
                "counts": _drop_empty_and_zero(
                    {"memories": node.memories, "concepts": node.concepts}
                ),
                **children,
            }
        ),
    }


def _drop_empty_and_zero(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are neither empty nor 0."""
    return {name: value for name, value in fields.items() if value not in (None, "", 0, [], {})}


def drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are neither empty nor false."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and value not in ("", [], {}, ())
    }


def recall_result(
    answer: RecallResult,
    names: LabelResolver,
    *,
    summary_only: bool,
    naming: bool,
) -> dict[str, Any]:
    """Return an answer of recall.

    Args:
        answer: the results.
        names: for ids and projects.
        summary_only: previews instead of full text.
        naming: name the project of each result.
    """
    return {
        "results": [
            found_node(hit, names, naming=naming)
            if hit.node is not None
            else {
                **(_summary if summary_only else _full)(hit, names, naming=naming),
                **drop_empty({"stale": list(hit.stale), "branch": hit.branch}),
            }
            for hit in answer.results
        ],
        **drop_empty({"no_good_match": answer.no_good_match}),
        "total_matched": answer.total_matched,
        "token_estimate": answer.token_estimate,
        **drop_empty(
            {
                "degradations": list(answer.degradations),
                "not_found": list(answer.not_found),
                "next_cursor": answer.next_cursor,
            }
        ),
    }


def _summary(hit: RecallHit, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    memory = hit.memory
    preview = memory.preview if hit.preview is None else hit.preview
    return drop_empty(
        {
            "id": names.short(memory.key),
            "type": memory.type,
            "project": names.project(memory.project) if naming else None,
            "preview": preview or "(forgotten)",
            "client": names.client(memory),
            "status": names.task(memory.task).get("status"),
            "relevance": hit.relevance,
            "below": hit.below or None,
            "created_at": to_iso(memory.created_at),
            "related": _related(hit, names, naming=naming),
            **_state(hit, names),
        }
    )


def _full(hit: RecallHit, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    memory = hit.memory
    if memory.forgotten_at is not None:
        return {"id": names.short(memory.key), **_state(hit, names)}
    return drop_empty(
        {
            "id": names.short(memory.key),
            "type": memory.type,
            "scope": memory.scope,
            "project": names.project(memory.project) if naming else None,
            "topic": names.topic(memory.topic),
            "depth": memory.depth if memory.depth > FACT else None,
            "below": hit.below or None,
            **names.task(memory.task),
            "entity": names.entity(memory.entity),
            "tags": list(memory.tags),
            "content": hit.content,
            "metadata": {
                name: value for name, value in memory.metadata.items() if name not in _NOT_SHOWN
            },
            "provenance": memory.provenance,
            "client": names.client(memory),
            "confidence": None if memory.confidence >= 1 else round(memory.confidence, 2),
            "relevance": hit.relevance,
            "why": hit.why,
            "created_at": to_iso(memory.created_at),
            "updated_at": (
                to_iso(memory.updated_at) if memory.updated_at != memory.created_at else None
            ),
            "valid_from": to_iso(memory.valid_from) if memory.valid_from else None,
            "valid_to": to_iso(memory.valid_to) if memory.valid_to else None,
            "pinned": memory.pinned,
            "superseded_query_hit": hit.superseded_query_hit,
            "related": _related(hit, names, naming=naming),
            **_state(hit, names),
        }
    )


def _related(hit: RecallHit, names: LabelResolver, *, naming: bool) -> list[dict[str, Any]]:
    """Return the memories linked to a result; a text that is already in the answer is left out."""
    return [
        drop_empty(
            {
                "id": names.short(related.memory.key),
                "kind": related.kind,
                "direction": related.direction,
                "via": None if related.via is None else names.short(related.via),
                "inferred": related.inferred,
                "project": names.project(related.memory.project) if naming else None,
                "preview": related.memory.preview if related.shown else None,
            }
        )
        for related in hit.related
    ]


def _state(hit: RecallHit, names: LabelResolver) -> dict[str, Any]:
    """Return why a memory is not current, if it is not."""
    memory, successor = hit.memory, hit.replaced_by
    fields: dict[str, Any] = {"expired": True} if hit.expired else {}
    if hit.to_come:
        fields["starts"] = local_time(memory.valid_from or 0)[:10]
    if memory.superseded_by is not None:
        fields["superseded_by"] = NOT_VISIBLE if successor is None else names.short(successor)
    if hit.outdated_by is not None:
        fields["maybe_replaced_by"] = names.short(hit.outdated_by)
    if memory.forgotten_at is not None:
        fields["forgotten_at"] = to_iso(memory.forgotten_at)
    if memory.archived_at is not None:
        fields["archived_at"] = to_iso(memory.archived_at)
    return fields


def linked(result: LinkResult, names: LabelResolver) -> dict[str, Any]:
    """Return the result of adding or removing a link."""
    return {
        "source": names.short(result.source.key),
        "kind": result.kind,
        "target": names.short(result.target.key),
        ("removed" if result.removed else "created"): result.changed,
        **_link_note(result, names),
    }


def _link_note(result: LinkResult, names: LabelResolver) -> dict[str, str]:
    if result.in_force is not None:
        return {"note": f"[{names.short(result.in_force.key)}] is in force again"}
    if result.changed and not result.removed and result.kind not in KINDS:
        known = ", ".join(KINDS)
        return {"note": f"{result.kind} is a kind of your own, which is only shown; known: {known}"}
    return {}
