"""Exporting the store as a folder of Markdown, one file for each project."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from aforesaid.adapters.markdown import check_output, write_project
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import GLOBAL_PROJECT
from aforesaid.domain.text.sanitize import remove_invisible
from aforesaid.services.transfer.export import read_by_topic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aforesaid.adapters.sqlite.store import SqliteStore

_MAX_NAME_CHARS = 80
GLOBAL_NAME = "global"


def write_markdown(
    store: SqliteStore,
    folder: str,
    progress: Callable[[int], None] = lambda _count: None,
    *,
    overwrite: bool = False,
) -> dict[str, int]:
    """Write all memories in force to a folder; return the number of memories in each file.

    A new folder is private. All files are checked before the first is written.

    Args:
        store: The store.
        folder: The folder for the files.
        progress: Called with the number of memories written so far.
        overwrite: Replace files of an earlier export.

    Raises:
        ConflictError: A file exists and must not be overwritten, or is not such an export.
        InvalidInputError: The folder, or a file in it, exists as something else.
        UnavailableError: The store cannot be read.
    """
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise InvalidInputError(f"{folder} is not a folder: name a folder for the Markdown files")
    os.makedirs(folder, 0o700, exist_ok=True)
    names: dict[str, tuple[int, str, str | None]] = {}
    known = sorted(store.projects.list_all(), key=lambda project: project.key)
    projects: list[tuple[int, str, str | None]] = [(GLOBAL_PROJECT, GLOBAL_NAME, None)]
    projects += [
        (project.key, remove_invisible(project.name), project.identity) for project in known
    ]
    for key, name, identity in projects:
        if not store.memories.in_force_after(key, 0, 1):
            continue
        names[_file_name(name, names)] = (key, name, identity)
    for file in names:
        check_output(os.path.join(folder, file), overwrite=overwrite, database=store.path)
    written: dict[str, int] = {}
    for file, (key, name, identity) in names.items():
        written[file] = write_project(
            os.path.join(folder, file), name, identity, read_by_topic(store, key),
            overwrite=overwrite, database=store.path,
        )  # fmt: skip
        progress(sum(written.values()))
    return written


def _file_name(name: str, used_names: Iterable[str]) -> str:
    """Return a new file name for a project, whose name cannot turn it into a path."""
    plain = re.sub(r"[^\w-]+", "-", name).strip("-")[:_MAX_NAME_CHARS] or "project"
    file, number = f"{plain}.md", 1
    while file.casefold() in {other.casefold() for other in used_names}:
        number += 1
        file = f"{plain}-{number}.md"
    return file
