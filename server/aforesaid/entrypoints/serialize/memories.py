"""Values of the services as plain data, one shape for MCP, command line and Python.

Every token counts: what is empty or as by default is left out, ids are short, times ISO 8601.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.topic import FACT
from aforesaid.domain.text.timestamps import due_text, to_iso

from .labels import LabelResolver
from .topics import found_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aforesaid.domain.model.memory import Project
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.services.graph.entities import EntityMatch
    from aforesaid.services.graph.relations import LinkResult
    from aforesaid.services.memories.editor import UpdateResult
    from aforesaid.services.memories.results import StoreResult
    from aforesaid.services.recall.query import RecallHit, RecallResult
    from aforesaid.services.tasks import TaskView

OUT_OF_SIGHT = "a memory out of sight"  #: of another project


def drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that say something."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and value not in ("", [], {}, ())
    }


def store_result(done: StoreResult, names: LabelResolver) -> dict[str, Any]:
    """Return what became of a stored statement."""
    memory = done.memory
    project = names.project(memory.project)
    return drop_empty(
        {
            "id": names.short(memory.key),
            "type": memory.type,
            "scope": memory.scope,
            "project": None if memory.scope == "global" else project,
            "topic": done.filing.path,
            **names.task(memory.task),
            **_subject(done.named),
            "deduplicated": done.deduplicated,
            "superseded": [names.short(one.key) for one in done.superseded],
            "conflicts": [
                {
                    "id": names.short(conflict.memory.key),
                    "preview": conflict.memory.preview,
                    "differs": list(conflict.differs),
                }
                for conflict in done.conflicts
            ],
            "redacted": list(done.redacted),
            "note": _note(done, project, names.short(memory.key)),
        }
    )


def _note(done: StoreResult, project: str, short: str) -> str:
    """Return what was chosen for the caller, and how to change it."""
    notes = []
    if done.deduplicated:
        grown = f", {done.linked} new relations" if done.linked else ""
        notes.append(f"known already: its confidence grew{grown}")
    elif done.scope_chosen:
        where, other = {
            "global": ("everywhere (global)", "project"),
            "task": (f"in a task of {project}", "project"),
        }.get(done.memory.scope, (f"in {project}", "global"))
        notes.append(f'kept {where}; update_memory(id, scope="{other}") changes that')
    if done.filing.note:
        notes.append(done.filing.note)
    if about := _subject_note(done.named, short):
        notes.append(about)
    if done.conflicts:
        notes.append("near memories say otherwise: supersede those that are no longer true")
    if done.redacted or done.private_removed:
        what = [*done.redacted, *(["private text"] if done.private_removed else [])]
        notes.append(f"not stored: {', '.join(what)}")
    return "; ".join(notes)


def _subject(named: EntityMatch | None) -> dict[str, Any]:
    """Return which entity a memory is about."""
    if named is None:
        return {}
    return drop_empty(
        {"entity": named.entity.name, "near_entities": [one.name for one in named.near]}
    )


def _subject_note(named: EntityMatch | None, short: str) -> str:
    """Return what was chosen for a name, and how to change it; empty where it is as said."""
    if named is None:
        return ""
    notes = []
    entity = named.entity
    if named.new:
        notes.append(f"entity {entity.name!r} is new")
        if named.near:
            notes.append(
                f'if {named.near[0].name!r} is meant: update_memory(id="{short}", '
                f'entity="{named.near[0].name}")'
            )
    elif entity.name != named.given:
        notes.append(f"entity {named.given!r} is known as {entity.name!r}")
    if named.skipped:
        notes.append(f"aliases that mean another entity: {', '.join(named.skipped)}")
    return "; ".join(notes)


def recall_result(
    answer: RecallResult,
    names: LabelResolver,
    *,
    summary_only: bool,
    naming: bool,
) -> dict[str, Any]:
    """Return an answer.

    Args:
        answer: what was recalled.
        names: for ids and projects.
        summary_only: previews instead of full text.
        naming: each result names its project.
    """
    return {
        "results": [
            found_node(result, names, naming=naming)
            if result.node is not None
            else {
                **(_summary if summary_only else _full)(result, names, naming=naming),
                **drop_empty({"stale": list(result.stale)}),
            }
            for result in answer.results
        ],
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


def _summary(result: RecallHit, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    memory = result.memory
    preview = memory.preview if result.preview is None else result.preview
    return drop_empty(
        {
            "id": names.short(memory.key),
            "type": memory.type,
            "project": names.project(memory.project) if naming else None,
            "preview": "(forgotten)" if memory.forgotten_at is not None else preview,
            "status": names.task(memory.task).get("status"),
            "score": result.score,
            "below": result.below or None,
            "created_at": to_iso(memory.created_at),
            "related": _related(result, names, naming=naming),
            **_state(result, names),
        }
    )


def _full(result: RecallHit, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    memory = result.memory
    if memory.forgotten_at is not None:
        return {"id": names.short(memory.key), **_state(result, names)}
    return drop_empty(
        {
            "id": names.short(memory.key),
            "type": memory.type,
            "scope": memory.scope,
            "project": names.project(memory.project) if naming else None,
            "topic": names.topic(memory.topic),
            "depth": memory.depth if memory.depth > FACT else None,
            "below": result.below or None,
            **names.task(memory.task),
            "entity": names.entity(memory.entity),
            "tags": list(memory.tags),
            "content": result.content,
            "metadata": {name: one for name, one in memory.metadata.items() if name != "cues"},
            "provenance": memory.provenance,
            "confidence": None if memory.confidence >= 1 else round(memory.confidence, 2),
            "score": result.score,
            "relevance": result.relevance,
            "why": result.why,
            "created_at": to_iso(memory.created_at),
            "updated_at": (
                to_iso(memory.updated_at) if memory.updated_at != memory.created_at else None
            ),
            "valid_from": to_iso(memory.valid_from) if memory.valid_from else None,
            "valid_to": to_iso(memory.valid_to) if memory.valid_to else None,
            "pinned": memory.pinned,
            "superseded_query_hit": result.superseded_query_hit,
            "related": _related(result, names, naming=naming),
            **_state(result, names),
        }
    )


def _related(result: RecallHit, names: LabelResolver, *, naming: bool) -> list[dict[str, Any]]:
    """Return what a result is linked to; a text that the answer holds already is not repeated."""
    return [
        drop_empty(
            {
                "id": names.short(one.memory.key),
                "kind": one.kind,
                "direction": one.direction,
                "via": None if one.via is None else names.short(one.via),
                "inferred": one.inferred,
                "project": names.project(one.memory.project) if naming else None,
                "preview": one.memory.preview if one.shown else None,
            }
        )
        for one in result.related
    ]


def _state(result: RecallHit, names: LabelResolver) -> dict[str, Any]:
    """Return what stands against taking a memory as current."""
    memory, by = result.memory, result.replaced_by
    fields: dict[str, Any] = {}
    if memory.superseded_by is not None:
        fields["superseded_by"] = OUT_OF_SIGHT if by is None else names.short(by)
    if memory.forgotten_at is not None:
        fields["forgotten_at"] = to_iso(memory.forgotten_at)
    if memory.archived_at is not None:
        fields["archived_at"] = to_iso(memory.archived_at)
    return fields


def linked(done: LinkResult, names: LabelResolver) -> dict[str, Any]:
    """Return what became of a link."""
    again = done.in_force
    return {
        "source": names.short(done.source.key),
        "kind": done.kind,
        "target": names.short(done.target.key),
        ("removed" if done.removed else "created"): done.changed,
        **({} if again is None else {"note": f"[{names.short(again.key)}] is in force again"}),
    }


def updated(done: UpdateResult, names: LabelResolver) -> dict[str, Any]:
    """Return what an update did."""
    more = store_result(done.stored, names) if done.stored is not None else {}
    return drop_empty(
        {
            "id": names.short(done.memory.key),
            "superseded": names.short(done.superseded.key) if done.superseded else None,
            "changed": list(done.changed),
            "topic": None if done.filing is None else done.filing.path,
            "note": None if done.filing is None else done.filing.note,
            **_subject(done.named),
            "conflicts": more.get("conflicts"),
            "redacted": more.get("redacted"),
        }
    )


def task(one: TaskView, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return a task with what it says and waits for."""
    task, objective = one.task, one.objective
    return drop_empty(
        {
            "task_id": task.task_id,
            "project": names.project(task.project) if naming else None,
            "title": task.title,
            "status": task.status,
            "priority": task.priority,
            "due": None if task.due is None else due_text(task.due),
            "waits_for": [other.task_id for other in one.waits_for],
            "objective": None if objective is None else objective.preview,
            "id": None if objective is None else names.short(objective.key),
        }
    )


def project(known: Project, memories: int) -> dict[str, Any]:
    """Return a project with how many memories of it are in force."""
    return drop_empty(
        {
            "project": known.name,
            "key": known.identity,
            "memories": memories,
            "last_used": to_iso(known.used_at),
            "description": known.description,
            "keywords": list(known.keywords),
        }
    )


def call_context(
    found: CallContext, surroundings: Mapping[str, Any], nobodys: str | None = None
) -> dict[str, Any]:
    """Return where a session is and how that is known; ``nobodys``: why that is no project."""
    identity = found.identity
    return drop_empty(
        {
            **surroundings,
            "folder": found.folder,
            "repo": identity.root if identity is not None else None,
            "branch": identity.branch if identity is not None else None,
            "remote": identity.remote if identity is not None else None,
            "project": found.project.name if found.known else None,
            "confidence": identity.confidence if identity is not None else 0.0,
            "source": identity.source if identity is not None else "none",
            "evidence": identity.evidence
            if identity is not None
            else f"no project here ({nobodys or 'nobody said which'}): what is true is kept for "
            f"everywhere, what happened in {found.project.name!r}",
        }
    )


def statistics(
    found: Mapping[str, Any], projects: Iterable[str], health: list[str]
) -> dict[str, Any]:
    """Return counts with times as text, and what does not work."""
    shown = dict(found)
    for name in ("oldest", "newest"):
        if shown.get(name) is not None:
            shown[name] = to_iso(int(shown[name]))
        else:
            shown.pop(name, None)
    return {**shown, "projects": list(projects), "health": health or ["ok"]}


def context_tokens(use: Mapping[str, Any]) -> int:
    """Return what memory took of a context: shown unasked, shown to subagents, recalled."""
    return int(use["shown_tokens"] + use["subagent_tokens"] + use["asked_tokens"])


def session_use(use: Mapping[str, Any], names: LabelResolver) -> dict[str, Any]:
    """Return what one session was shown and used, with names and times as text."""
    told = {
        **use,
        "project": names.project(use["project"]),
        "started_at": to_iso(use["started_at"]),
        "ended_at": None if use["ended_at"] is None else to_iso(use["ended_at"]),
        "digest": None if use["digest"] is None else names.short(use["digest"]),
        "tokens": context_tokens(use),
    }
    return {name: value for name, value in told.items() if value is not None}
