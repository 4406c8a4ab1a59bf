"""What people do with projects: merging two, saying whose a folder is; no tools of the model's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.statement import check_tags
from aforesaid.wiring import parts

from . import render

if TYPE_CHECKING:
    from aforesaid.domain.project import Surroundings
    from aforesaid.services.organising.mend_projects import ProjectMerge
    from aforesaid.wiring.core import Core


def change_projects(core: Core, given: dict[str, Any]) -> dict[str, Any]:
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
        place = mend.map(
            surroundings,
            given["project"],
            description=None if description is None else clean(description),
            keywords=None if keywords is None else check_tags([clean(one) for one in keywords]),
            new=given.get("new", False),
        )
    elif action == "unmap":
        place = mend.unmap(surroundings)
    else:
        place = core.projects.settle(surroundings)
    return render.place(place, {})


def _look(core: Core, folder: str) -> Surroundings:
    """Return what is known of a folder, whatever project this process was told to be in."""
    whole = os.path.realpath(folder)
    if not os.path.isdir(whole):
        raise InvalidInputError(f"there is no folder {folder}")
    return parts.look(whole, core.settings, parts.without_asked(core.environment))


def _merged(done: ProjectMerge) -> dict[str, Any]:
    return render.lean(
        {
            "source": done.source.name,
            "target": done.target.name,
            "memories": done.memories,
            "open_tasks": done.tasks,
            "keys": list(done.keys),
            "copy": done.copy,
        }
    )
