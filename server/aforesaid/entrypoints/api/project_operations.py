"""What people do with projects: merging two, saying whose a folder is; no tools of the model's."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.statement import check_tags
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.serialize import memories
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.domain.projects.detection import WorkspaceFacts
    from aforesaid.services.projects.merge import Mapped, ProjectMerge
    from aforesaid.wiring.container import ServiceContainer


def change_projects(core: ServiceContainer, given: dict[str, Any]) -> dict[str, Any]:
    """Do, or plan, what ``action`` says: plan, merge, map, unmap, or say whose a folder is."""
    mend, action = core.mend_projects, given["action"]
    if action == "plan":
        return _merged(mend.plan(given["source"], given["target"]))
    if action == "merge":
        return _merged(mend.merge(given["source"], given["target"]))
    surroundings = _look(core, given["folder"])
    if action == "map":
        clean = core.remember.cleaner().clean
        description, keywords = given.get("description"), given.get("keywords")
        mapped = mend.map(
            surroundings,
            given["project"],
            description=None if description is None else clean(description),
            keywords=None if keywords is None else check_tags([clean(one) for one in keywords]),
            new=given.get("new", False),
        )
        return {**memories.call_context(mapped.place, {}), **_left(mapped)}
    place = mend.unmap(surroundings) if action == "unmap" else core.projects.settle(surroundings)
    return {
        **memories.call_context(place, {}),
        **(_namesake(core, place) if action == "whose" else {}),
    }


def _namesake(core: ServiceContainer, place: CallContext) -> dict[str, Any]:
    """Return the project that has only this name, from an import perhaps, and how it is moved."""
    here = place.project
    for one in core.store.projects.list_all():
        if one.identity == f"name:{here.name}" and one.key != here.key:
            return {
                "same_name": f"{one.name}, a project without a folder",
                "to_move": f"aforesaid projects merge {shlex.quote(one.identity)} "
                f"{shlex.quote(here.identity)}",
            }
    return {}


def _left(mapped: Mapped) -> dict[str, Any]:
    """Return what a folder's former project kept or gave away when the folder was mapped."""
    if mapped.moved:
        return {"moved": pluralize(mapped.moved, "memory", "memories")}
    if not mapped.left:
        return {}
    former, target = mapped.former.identity, mapped.place.project.identity
    return {
        "stays_behind": f"{pluralize(mapped.left, 'memory', 'memories')} in {mapped.former.name}",
        "to_move": f"aforesaid projects merge {shlex.quote(former)} {shlex.quote(target)}",
    }


def _look(core: ServiceContainer, folder: str) -> WorkspaceFacts:
    """Return what is known of a folder, whatever project this process was told to be in."""
    whole = os.path.realpath(folder)
    if not os.path.isdir(whole):
        raise InvalidInputError(f"there is no folder {folder}")
    return factories.read_workspace(
        whole, core.settings, factories.without_project_override(core.environment)
    )


def _merged(done: ProjectMerge) -> dict[str, Any]:
    return memories.drop_empty(
        {
            "source": done.source.name,
            "target": done.target.name,
            "memories": done.memories,
            "open_tasks": done.tasks,
            "keys": list(done.keys),
            "copy": done.copy,
        }
    )
