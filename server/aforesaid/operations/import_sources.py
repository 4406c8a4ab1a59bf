"""Taking in what other programs remember: the parts of ``aforesaid import --from``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.errors import InvalidInputError
from aforesaid.services.projects.registry import named_place
from aforesaid.services.transfer.import_items import ItemImporter
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.wiring.container import ServiceContainer


def left_out_of(core: ServiceContainer) -> SkipCounter:
    """Return what counts for a reader, and takes out what must not be stored."""
    return factories.make_skip_counter(core.remember)


def make_gather(core: ServiceContainer, left_out: SkipCounter) -> ItemImporter:
    """Return the way in for pieces; projects whose memory is switched off get none."""
    environment = factories.without_project_override(core.environment)

    def place_of(project: str | None, folder: str | None) -> CallContext | None:
        if folder is not None:
            place = core.projects.settle(
                factories.read_workspace(folder, core.settings, environment)
            )
        else:
            named = core.projects.named(project or core.settings["project.default"])
            place = named_place(named, root=named.root)
        return None if factories.is_off(place, core.settings) else place

    return ItemImporter(core.store, core.clock, core.remember, place_of, left_out)


def refuse_if_off(core: ServiceContainer, place: CallContext) -> None:
    """Refuse a place where the user wants no memory.

    Raises:
        InvalidInputError: it is one.
    """
    factories.refuse_if_off(place, core.settings)


def find_history(
    core: ServiceContainer, folder: str, left_out: SkipCounter, *, since: int | None, most: int
) -> tuple[CallContext, Iterator[ImportItem]]:
    """Return the place of the repository that a folder is in, and its commits as pieces.

    Args:
        core: the services.
        folder: any folder of it.
        left_out: told what is not taken, and why.
        since: leave out what was committed before (ms).
        most: the newest so many.

    Raises:
        InvalidInputError: there is no repository, or memory is off in its project.
    """
    from aforesaid.adapters.git_history import read_history

    surroundings = factories.read_workspace(folder, core.settings, core.environment)
    if surroundings.repository is None:
        raise InvalidInputError(f"{folder} is in no git repository")
    place = core.projects.settle(surroundings)
    refuse_if_off(core, place)
    project = place.project.identity
    commits = read_history(surroundings.repository, project, left_out, since=since, most=most)
    return place, commits
