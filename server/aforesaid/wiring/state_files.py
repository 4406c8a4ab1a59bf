"""Files in the state folder, which an erase searches for the erased text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.config import Settings


def list_state_files(settings: Settings) -> list[str]:
    """Return the paths of notes, logs and other small files in the state folder.

    Stores and their copies are left out; they are searched as databases.
    """
    store = os.path.basename(settings.db_path)
    folders = (settings.state_folder, settings.notes_folder)
    return [
        path
        for folder in folders
        for path in _files_in(folder)
        if not os.path.basename(path).startswith(store) and ".db" not in os.path.basename(path)
    ]


def _files_in(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    yield entry.path
    except OSError:
        return
