"""Changes to the registries of entities and projects, for people only, not for models."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.statement import check_tags
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.serialize import registries
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from aforesaid.domain.model.entity import Entity
    from aforesaid.domain.model.memory import CallContext, Visibility
    from aforesaid.domain.projects.detection import WorkspaceFacts
    from aforesaid.services.projects.merge import FolderMapping
    from aforesaid.wiring.container import ServiceContainer

    from .arguments import Arguments


def clean_description(core: ServiceContainer, arguments: Arguments) -> dict[str, Any]:
    """Return a project's ``description`` and ``keywords`` without secrets; None if not given."""
    clean = core.writer.cleaner().clean
    description, keywords = arguments.get("description"), arguments.get("keywords")
    return {
        "description": None if description is None else clean(description),
        "keywords": None if keywords is None else check_tags([clean(word) for word in keywords]),
    }


def rename_entity(core: ServiceContainer, name: str, new_name: str, visible: Visibility) -> Entity:
    """Rename an entity; secrets and private spans are removed from the new name."""
    return core.entity_merger.rename(name, core.writer.cleaner().clean(new_name), visible)


def change_entities(
    core: ServiceContainer, visible: Visibility, arguments: Arguments
) -> dict[str, Any]:
    """Merge, rename, undo, or list the changes that can be undone, as ``action`` says."""
    merger, action = core.entity_merger, arguments["action"]
    if action == "changes":
        return {"changes": [registries.entity_change(change) for change in merger.changes(visible)]}
    if action == "undo":
        return {"undone": registries.entity_change(merger.undo(arguments.get("change"), visible))}
    if action == "merge":
        changed = merger.merge(arguments["source"], arguments["target"], visible)
    else:
        changed = rename_entity(core, arguments["source"], arguments["target"], visible)
    last = merger.changes(visible)[0]
    return {**registries.entity(changed), "undo": f"aforesaid entities undo {last.key}"}


def change_projects(core: ServiceContainer, arguments: Arguments) -> dict[str, Any]:
    """Plan or do a merge, map or unmap a folder, or find its project, as ``action`` says."""
    merger, action = core.project_merger, arguments["action"]
    if action == "plan":
        return registries.project_merge(merger.plan(arguments["source"], arguments["target"]))
    if action == "merge":
        return registries.project_merge(merger.merge(arguments["source"], arguments["target"]))
    workspace = _read_workspace(core, arguments["folder"])
    if action == "map":
        mapped = merger.map(
            workspace,
            arguments["project"],
            **clean_description(core, arguments),
            new=arguments.get("new", False),
        )
        return {**registries.call_context(mapped.context, {}), **_former_project(mapped)}
    if action == "unmap":
        return registries.call_context(merger.unmap(workspace), {})
    context = core.projects.resolve(workspace)
    return {**registries.call_context(context, {}), **_same_name(core, context)}


def _same_name(core: ServiceContainer, context: CallContext) -> dict[str, Any]:
    """Return the project that shares only this one's name (from an import, say), and the remedy."""
    current = context.project
    for project in core.store.projects.list_all():
        if project.identity == f"name:{current.name}" and project.key != current.key:
            return {
                "same_name": f"{project.name}, a project without a folder",
                "to_move": _merge_command(project.identity, current.identity),
            }
    return {}


def _former_project(mapped: FolderMapping) -> dict[str, Any]:
    """Return how many memories of the folder's former project moved along, or stayed there."""
    if mapped.moved:
        return {"moved": pluralize(mapped.moved, "memory", "memories")}
    if not mapped.stayed:
        return {}
    return {
        "stays_behind": f"{pluralize(mapped.stayed, 'memory', 'memories')} in {mapped.former.name}",
        "to_move": _merge_command(mapped.former.identity, mapped.context.project.identity),
    }


def _merge_command(source: str, target: str) -> str:
    return f"aforesaid projects merge {shlex.quote(source)} {shlex.quote(target)}"


def _read_workspace(core: ServiceContainer, folder: str) -> WorkspaceFacts:
    """Return the facts about a folder, ignoring the project that this process was set to use."""
    path = os.path.realpath(folder)
    if not os.path.isdir(path):
        raise InvalidInputError(f"there is no folder {folder}")
    environment = factories.without_project_override(core.environment)
    return factories.read_workspace(path, core.settings, environment)
