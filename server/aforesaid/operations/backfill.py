"""Finds and digests transcripts on disk, for ``aforesaid ingest`` and ``watch``."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from aforesaid.adapters.system.machine import SystemClock
from aforesaid.adapters.transcripts.discovery import (
    entrypoint_of,
    folder_of,
    list_transcripts,
    transcript_folders,
    transcripts_folder,
)
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

__all__ = [
    "find_transcripts",
    "make_backfill",
    "select_project",
    "skip_headless",
    "transcripts_folder",
]


def make_backfill(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None] = factories.no_embedder,
) -> SessionBackfill:
    """Return the service that digests transcripts on disk."""
    digester = factories.make_session_digester(store, settings, environment, embedder)
    failed = partial(factories.log_digest_failure, environment)
    return SessionBackfill(store, SystemClock(), digester, session_start.is_client_gone, failed)


def find_transcripts(paths: Sequence[str], environment: Mapping[str, str]) -> list[Transcript]:
    """Return the transcripts in these files and folders; by default, those of this user's clients.

    Raises:
        NotFoundError: A file or folder does not exist.
        InvalidInputError: A path is a pipe or a device.
    """
    locations = list(paths) or transcript_folders(environment)
    if not locations:
        raise NotFoundError(
            f"no client has kept sessions here ({transcripts_folder(environment)} does not "
            "exist); if you have transcripts elsewhere, name their folder"
        )
    for path in locations:
        if not os.path.exists(path):
            raise NotFoundError(
                f"{path} does not exist: name the folder with the transcripts (for Claude Code, "
                "projects/ in its configuration folder)"
            )
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise InvalidInputError(f"{path} is neither a regular file nor a folder")
    return list_transcripts(locations)


def skip_headless(transcripts: Sequence[Transcript], settings: Settings) -> list[Transcript]:
    """Return the transcripts, without those of headless runs unless the settings include these."""
    if settings["hooks.headless"]:
        return list(transcripts)
    return [
        transcript
        for transcript in transcripts
        if not entrypoint_of(transcript.path).startswith("sdk")
    ]


def select_project(
    transcripts: Sequence[Transcript],
    project: str,
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
) -> list[Transcript]:
    """Return the transcripts of sessions that started in a project; register nothing.

    Args:
        transcripts: The transcripts to filter.
        project: A folder, or a project's key, name or last part of a name.
        store: The store with the known projects.
        settings: The settings, which map folders to projects.
        environment: The environment variables.
    """
    query = project.strip().casefold()
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
        owners = map(store.projects.by_key, identity.keys)
        known = next((owner for owner in owners if owner is not None), None)
        names = {identity.name, *identity.keys}
        if known is not None:
            names |= {known.name, known.identity, *store.projects.aliases(known.key)}
        names |= {name.rpartition("/")[2] for name in (identity.name, known.name if known else "")}
        return query in {name.casefold() for name in names}

    selected = []
    for transcript in transcripts:
        folder = folder_of(transcript.path)
        if folder and folder not in answers:
            answers[folder] = belongs(folder)
        if folder and answers[folder]:
            selected.append(transcript)
    return selected
