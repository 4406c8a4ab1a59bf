"""The whole memory as a folder of Markdown, a file for each project."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from aforesaid.adapters.markdown import write_project
from aforesaid.domain.memory import GLOBAL_PROJECT
from aforesaid.services.sources.records import read_by_topic

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.adapters.sqlite.store import SqliteStore

_NAME_CHARS = 80
GLOBAL_NAME = "global"


def write_markdown(
    store: SqliteStore, folder: str, progress: Callable[[int], None] = lambda _count: None
) -> dict[str, int]:
    """Write what is in force to a folder (private if made); return how many memories a file got.

    Raises:
        ConflictError: a file there is none of ours.
        UnavailableError: the store cannot be read.
    """
    os.makedirs(folder, 0o700, exist_ok=True)
    written: dict[str, int] = {}
    known = sorted(store.projects(), key=lambda one: one.key)
    projects: list[tuple[int, str, str | None]] = [(GLOBAL_PROJECT, GLOBAL_NAME, None)]
    projects += [(one.key, one.name, one.identity) for one in known]
    for key, name, identity in projects:
        if not store.in_force_after(key, 0, 1):
            continue
        file = _file_name(name, written)
        path = os.path.join(folder, file)
        written[file] = write_project(path, name, identity, read_by_topic(store, key))
        progress(sum(written.values()))
    return written


def _file_name(name: str, taken: dict[str, int]) -> str:
    """Return a file name that no name of a project can make a path of."""
    plain = re.sub(r"[^\w-]+", "-", name).strip("-")[:_NAME_CHARS] or "project"
    file, number = f"{plain}.md", 1
    while file.casefold() in {one.casefold() for one in taken}:
        number += 1
        file = f"{plain}-{number}.md"
    return file
