"""Importing the memories of other programs and git history, for ``aforesaid import --from``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.errors import InvalidInputError
from aforesaid.services.projects.registry import context_for_project
from aforesaid.services.transfer.import_items import ItemImporter
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.wiring.container import ServiceContainer


def make_skip_counter(core: ServiceContainer) -> SkipCounter:
    """Return the counter of skipped items, which also redacts texts for a reader."""
    return factories.make_skip_counter(core.writer)


def make_item_importer(
    core: ServiceContainer, left_out: SkipCounter, outside: str | None = None
) -> ItemImporter:
    """Return the importer of items; it skips projects whose memory is switched off.

    Args:
        core: The services.
        left_out: Counts what is skipped, and why.
        outside: The project of items from folders that are in none, created if new.
    """
    environment = factories.without_project_override(core.environment)

    def context_of(project: str | None, folder: str | None) -> CallContext | None:
        context = None
        if folder is not None:
            context = core.projects.resolve(
                factories.read_workspace(folder, core.settings, environment)
            )
        if context is None or (outside is not None and not context.has_project):
            named = core.projects.named(project or outside or core.settings["project.default"])
            context = context_for_project(named, root=named.root)
        return None if factories.is_off(context, core.settings) else context

    return ItemImporter(core.store, core.clock, core.writer, context_of, left_out)


def refuse_if_off(core: ServiceContainer, context: CallContext) -> None:
    """Refuse a project whose memory is switched off.

    Raises:
        InvalidInputError: Memory is switched off.
    """
    factories.refuse_if_off(context, core.settings)


def find_history(
    core: ServiceContainer, folder: str, left_out: SkipCounter, *, since: int | None, max_count: int
) -> tuple[CallContext, Iterator[ImportItem]]:
    """Return the call context of a folder's repository, and its commits as import items.

    Args:
        core: The services.
        folder: Any folder of the repository.
        left_out: Counts what is skipped, and why.
        since: Skip older commits (ms).
        max_count: The maximum number of commits, newest first.

    Raises:
        InvalidInputError: There is no repository, or memory is switched off in its project.
    """
    from aforesaid.adapters.git_history import read_history

    workspace = factories.read_workspace(folder, core.settings, core.environment)
    if workspace.repository is None:
        raise InvalidInputError(f"{folder} is not in a git repository")
    context = core.projects.resolve(workspace)
    refuse_if_off(core, context)
    project = context.project.identity
    commits = read_history(
        workspace.repository, project, left_out, since=since, max_commits=max_count
    )
    return context, commits
