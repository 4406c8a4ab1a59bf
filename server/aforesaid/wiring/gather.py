"""Taking in what other programs remember: the parts of ``aforesaid import --from``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.place import Place
from aforesaid.domain.project import Identity
from aforesaid.services.gather import Gather

from . import parts

if TYPE_CHECKING:
    from aforesaid.domain.memory import Project
    from aforesaid.domain.piece import LeftOut

    from .core import Core


def make_gather(core: Core, left_out: LeftOut) -> Gather:
    """Return the way in for pieces; projects whose memory is switched off get none."""

    def place_of(project: str | None, folder: str | None) -> Place | None:
        if folder is not None:
            place = core.projects.settle(parts.look(folder, core.settings, core.environment))
        else:
            place = _named(core.projects.named(project or core.settings["project.default"]))
        return None if parts.is_off(place, core.settings) else place

    return Gather(core.store, core.clock, core.remember, place_of, left_out)


def _named(project: Project) -> Place:
    identity = Identity(
        key=project.identity,
        name=project.name,
        keys=(project.identity,),
        root=project.root,
        confidence=1.0,
        source="named",
        evidence="named in the import",
    )
    return Place(project=project, identity=identity, folder=project.root)
