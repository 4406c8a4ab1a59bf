"""The whole memory as a folder of Markdown, a file for each project."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from aforesaid.adapters.markdown import check_output, write_project
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import GLOBAL_PROJECT
from aforesaid.domain.text.invisible import remove_invisible
from aforesaid.services.transfer.export_records import read_by_topic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aforesaid.adapters.sqlite.store import SqliteStore

_NAME_CHARS = 80
GLOBAL_NAME = "global"


def write_markdown(
    store: SqliteStore,
    folder: str,
    progress: Callable[[int], None] = lambda _count: None,
    *,
    overwrite: bool = False,
) -> dict[str, int]:
    """Write what is in force to a folder (private if made); return how many memories a file got.

    All files are checked before the first is written.

    Args:
        store: whose memories.
        folder: where the files go.
        progress: told how many memories are written.
        overwrite: replace files of an earlier export.

    Raises:
        ConflictError: a file is there and is not to be overwritten, or is no export of ours.
        InvalidInputError: the folder, or a file in it, is there as something else.
        UnavailableError: the store cannot be read.
    """
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise InvalidInputError(f"{folder} is not a folder, to which Markdown goes: name another")
    os.makedirs(folder, 0o700, exist_ok=True)
    names: dict[str, tuple[int, str, str | None]] = {}
    known = sorted(store.projects.list_all(), key=lambda one: one.key)
    projects: list[tuple[int, str, str | None]] = [(GLOBAL_PROJECT, GLOBAL_NAME, None)]
    projects += [(one.key, remove_invisible(one.name), one.identity) for one in known]
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


def _file_name(name: str, taken: Iterable[str]) -> str:
    """Return a file name that no name of a project can make a path of."""
    plain = re.sub(r"[^\w-]+", "-", name).strip("-")[:_NAME_CHARS] or "project"
    file, number = f"{plain}.md", 1
    while file.casefold() in {one.casefold() for one in taken}:
        number += 1
        file = f"{plain}-{number}.md"
    return file
