"""The subject of a recall: a file, or the error of a command, by which memories are selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.adapters.system.cited_files import CitedFiles
from aforesaid.domain.retrieval.relevance import SURE
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.services.recall.about_file import keys_about_file
from aforesaid.services.recall.known_failures import KnownFailures

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext, Visibility
    from aforesaid.services.recall.query import RecallQuery
    from aforesaid.wiring.container import ServiceContainer

    from .arguments import Arguments

_LINE_CHARS = 500  #: of the last line of an error, by which all memories are searched


def select_subject(
    query: RecallQuery,
    arguments: Arguments,
    core: ServiceContainer,
    context: CallContext,
    visible: Visibility,
) -> tuple[RecallQuery, Visibility]:
    """Return a query that is limited to memories about ``path`` or ``error``, if one is given.

    What fixed an error in another project is visible, too. If no failed command has the error, it
    is searched for in all memories.

    Raises:
        InvalidInputError: the path is empty.
    """
    keys, visible = find_subject(arguments, core, context, visible)
    if keys is None:
        return query, visible
    lines = clean_text(arguments.get("error", "")).split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")[:_LINE_CHARS]
    if not keys and last and not query.query and "path" not in arguments:
        return query.replace(query=last, min_relevance=SURE), visible
    return query.replace(filters=query.filters.replace(only_keys=keys)), visible


def find_subject(
    arguments: Arguments, core: ServiceContainer, context: CallContext, visible: Visibility
) -> tuple[tuple[int, ...] | None, Visibility]:
    """Return the memories about ``path`` or ``error``, and what is visible with them.

    None if neither is given.

    Raises:
        InvalidInputError: the path is empty.
    """
    keys: tuple[int, ...] | None = None
    path, error = arguments.get("path"), arguments.get("error")
    if path is not None:
        keys = keys_about_file(core.store, CitedFiles(), clean_text(path), context, visible)
    if error is not None:
        failures = KnownFailures(core.store).of_error(clean_text(error), context)
        keys = tuple(memory.key for memory in failures if keys is None or memory.key in keys)
        projects = dict.fromkeys([*visible.projects, *(memory.project for memory in failures)])
        visible = visible.replace(projects=tuple(projects))
    return keys, visible
