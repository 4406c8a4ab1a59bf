"""Reading a client's transcripts on request: the parts of ``aforesaid ingest`` and ``watch``."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from aforesaid.adapters.claude_transcripts.discovery import (
    entrypoint_of,
    folder_of,
    list_transcripts,
    transcripts_folder,
)
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.projects.detection import identify
from aforesaid.services.sessions.backfill import SessionBackfill
from aforesaid.wiring import factories

from . import session_start

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.backlog import Transcript
    from aforesaid.ports import Embedder

__all__ = ["find_transcripts", "make_backfill", "of_project", "transcripts_folder", "wanted"]


def make_backfill(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None] = factories.no_embedder,
) -> SessionBackfill:
    """Return the way from transcripts on the disk to digests."""
    ingest = factories.make_ingest(store, settings, environment, embedder)
    failed = partial(factories.log_undigested, environment)
    return SessionBackfill(store, SystemClock(), ingest, session_start.is_over, failed)


def find_transcripts(paths: Sequence[str], environment: Mapping[str, str]) -> list[Transcript]:
    """Return the transcripts in these files and folders, else those of this user's client.

    Raises:
        NotFoundError: there is no such file or folder.
        InvalidInputError: it is a pipe or a device.
    """
    asked = list(paths) or [transcripts_folder(environment)]
    for path in asked:
        if not os.path.exists(path):
            raise NotFoundError(
                f"there is nothing at {path}: name the folder that holds the transcripts "
                "(Claude Code's is projects/ in its configuration folder)"
            )
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise InvalidInputError(f"{path} is neither a regular file nor a folder: not read")
    return list_transcripts(asked)


def wanted(transcripts: Sequence[Transcript], settings: Settings) -> list[Transcript]:
    """Return the transcripts without those of headless runs, where the user wants none of these."""
    if settings["hooks.headless"]:
        return list(transcripts)
    return [one for one in transcripts if not entrypoint_of(one.path).startswith("sdk")]


def of_project(
    transcripts: Sequence[Transcript],
    project: str,
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
) -> list[Transcript]:
    """Return the transcripts of sessions that began in a project; nothing is registered.

    Args:
        transcripts: which to look at.
        project: a folder, or a project's key, name or last part of a name.
        store: what is known of projects.
        settings: the folders that are mapped.
        environment: where home and temporary folders are.
    """
    wanted = project.strip().casefold()
    environment = factories.without_project_override(environment)
    inside = os.path.realpath(project) if os.path.isdir(project) else None
    answers: dict[str, bool] = {}

    def belongs(folder: str) -> bool:
        real = os.path.realpath(folder)
        if inside is not None:
            return real == inside or real.startswith(inside + os.sep)
        identity = identify(factories.read_workspace(folder, settings, environment))
        if identity is None:
            return False
        known = next((one for key in identity.keys if (one := store.projects.by_key(key))), None)
        names = {identity.name, *identity.keys}
        if known is not None:
            names |= {known.name, known.identity, *store.projects.aliases(known.key)}
        names |= {name.rpartition("/")[2] for name in (identity.name, known.name if known else "")}
        return wanted in {name.casefold() for name in names}

    kept = []
    for one in transcripts:
        folder = folder_of(one.path)
        if folder and folder not in answers:
            answers[folder] = belongs(folder)
        if folder and answers[folder]:
            kept.append(one)
    return kept
