"""Tasks, projects, entities, counts and quality reports as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.client_names import client_of
from aforesaid.domain.text.timestamps import due_text, to_iso

from .memories import LabelResolver, drop_empty

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aforesaid.domain.model.entity import Entity, EntityChange
    from aforesaid.domain.model.memory import CallContext, Project
    from aforesaid.services.graph.entity_search import FoundEntities, FoundEntity
    from aforesaid.services.maintenance.quality_report import Example, QualityFinding, QualityReport
    from aforesaid.services.projects.merge import ProjectMerge
    from aforesaid.services.tasks import TaskView


def task(view: TaskView, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return a task with its objective and the tasks that it waits for."""
    task, objective = view.task, view.objective
    return drop_empty(
        {
            "task_id": task.task_id,
            "project": names.project(task.project) if naming else None,
            "title": task.title,
            "status": task.status,
            "priority": task.priority,
            "due": None if task.due is None else due_text(task.due),
            "waits_for": [blocker.task_id for blocker in view.waits_for],
            "objective": None if objective is None else objective.preview,
            "id": None if objective is None else names.short(objective.key),
        }
    )


def project(record: Project, memories: int | None = None) -> dict[str, Any]:
    """Return a project with its number of memories in force, if that was counted."""
    return drop_empty(
        {
            "project": record.name,
            "key": record.identity,
            "memories": memories,
            "last_used": to_iso(record.used_at),
            "description": record.description,
            "keywords": list(record.keywords),
        }
    )


def project_merge(merge: ProjectMerge) -> dict[str, Any]:
    """Return what a merge of projects moved, or would move."""
    return drop_empty(
        {
            "source": merge.source.name,
            "target": merge.target.name,
            "memories": merge.memories,
            "open_tasks": merge.tasks,
            "keys": list(merge.keys),
            "copy": merge.copy,
        }
    )


def call_context(context: CallContext, surroundings: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a session is and how that is known, or why it is in no project."""
    identity = context.identity
    if identity is None:
        reason = context.excluded_reason or "none was named"
        fields = {
            "confidence": 0.0,
            "source": "none",
            "evidence": f"no project here ({reason}): facts are stored "
            f"globally, events in {context.project.name!r}",
        }
    else:
        fields = {
            "repo": identity.root,
            "branch": identity.branch,
            "remote": identity.remote,
            "project": context.project.name,
            "confidence": identity.confidence,
            "source": identity.source,
            "evidence": identity.evidence,
        }
    return drop_empty({**surroundings, "folder": context.folder, **fields})


def statistics(
    counts: Mapping[str, Any], projects: Iterable[str], health: list[str]
) -> dict[str, Any]:
    """Return counts with times as text, and what does not work."""
    fields = dict(counts)
    for name in ("oldest", "newest"):
        if fields.get(name) is not None:
            fields[name] = to_iso(int(fields[name]))
        else:
            fields.pop(name, None)
    return {**fields, "projects": list(projects), "health": health or ["ok"]}


def project_use(use: Mapping[str, Any], names: LabelResolver) -> dict[str, Any]:
    """Return what the sessions of one project were shown and used, in total and per session."""
    return {
        **use,
        "project": names.project(use["project"]),
        "tokens_per_session": _context_tokens(use) // max(use["sessions"], 1),
    }


def session_use(use: Mapping[str, Any], names: LabelResolver) -> dict[str, Any]:
    """Return what one session was shown and used, with names and times as text."""
    fields = {
        **use,
        "project": names.project(use["project"]),
        "started_at": to_iso(use["started_at"]),
        "ended_at": None if use["ended_at"] is None else to_iso(use["ended_at"]),
        "digest": None if use["digest"] is None else names.short(use["digest"]),
        "tokens": _context_tokens(use),
        "client": client_of(use["transcript_path"]) if use["transcript_path"] else None,
        "transcript_path": None,
        "opened_at": None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _context_tokens(use: Mapping[str, Any]) -> int:
    """Return the tokens of a context that memory took: shown, shown to subagents, recalled."""
    return int(use["shown_tokens"] + use["subagent_tokens"] + use["asked_tokens"])


def found_entities(answer: FoundEntities, names: LabelResolver) -> dict[str, Any]:
    return {
        "results": [_result(result, names) for result in answer.results],
        "total_matched": answer.total_matched,
        **drop_empty({"next_cursor": answer.next_cursor}),
    }


def _result(result: FoundEntity, names: LabelResolver) -> dict[str, Any]:
    entity, use = result.entity, result.use
    first = entity.created_at if use.first_at is None else use.first_at
    last = max(entity.updated_at, use.last_at or 0)
    return {
        **drop_empty(
            {
                "entity": entity.name,
                "entity_type": entity.entity_type,
                "aliases": list(entity.aliases),
                "scope": "project" if entity.project else "global",
                "project": names.project(entity.project) if entity.project else None,
                "score": result.score,
            }
        ),
        "memory_count": use.count,
        **drop_empty(
            {
                "tags": list(use.tags),
                "first_seen": to_iso(first) if first else None,
                "last_updated": to_iso(last) if last else None,
            }
        ),
    }


def entity(changed: Entity) -> dict[str, Any]:
    """Return an entity that was merged or renamed."""
    return drop_empty({"entity": changed.name, "aliases": list(changed.aliases)})


def entity_change(change: EntityChange) -> dict[str, Any]:
    """Return a merge or rename that can be undone, or was."""
    names = change.details.get("names", [])
    first, second = names if isinstance(names, list) else ("", "")
    verb = "merged into" if change.operation == "entity_merge" else "renamed"
    return {
        "change": change.key,
        "at": to_iso(change.at),
        "what": f"{first} {verb} {second}",
    }


def quality(report: QualityReport, names: LabelResolver) -> dict[str, Any]:
    """Return each finding with its count, the number checked, and examples."""
    return {
        "total": report.total,
        "findings": [
            {
                "what": finding.name,
                "count": finding.count,
                "looked_at": finding.checked,
                "examples": [_example(finding, example, names) for example in finding.examples],
            }
            for finding in report.findings
        ],
    }


def _example(finding: QualityFinding, example: Example, names: LabelResolver) -> dict[str, Any]:
    from aforesaid.services.maintenance.quality_report import SECRETS  # imports the checks

    fields = {"id": names.short(example.key)}
    if example.other is not None:
        fields["other"] = names.short(example.other)
    if finding.name != SECRETS:
        fields["memory"] = names.preview(example.key)
    if example.detail:
        fields["detail"] = example.detail
    return fields
