"""Finds the transcripts of clients, and reads a session's folder from the first lines.

Not here: reading a whole transcript (conversation.py and the readers of other clients).
"""

from __future__ import annotations

import glob
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence

from aforesaid.domain.model.backlog import Transcript
from aforesaid.domain.model.client_names import (
    CODEX,
    GEMINI,
    OPENCODE,
    OPENCODE_DATABASE,
    client_of,
    opencode_folder,
)

ENDING = ".jsonl"
HEAD_BYTES = 1 << 18  #: the first lines, which name the session's folder
MAX_FILES = 200_000
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LEVELS = 4  #: of folders, such as projects/<slug>/ or sessions/YYYY/MM/DD/

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ROLLOUT = re.compile(rf"rollout-[\dT-]+-({_UUID})\.jsonl")


def transcript_folders(environment: Mapping[str, str]) -> list[str]:
    """Return the folders in which this user's clients keep transcripts, those that exist."""
    home = environment.get("HOME", "")
    codex = environment.get("CODEX_HOME") or os.path.join(home, ".codex")
    folders = [
        transcripts_folder(environment),
        os.path.join(codex, "sessions"),
        os.path.join(home, ".gemini", "tmp"),
        opencode_folder(environment),
    ]
    return [folder for folder in folders if os.path.isdir(folder)]


def transcripts_folder(environment: Mapping[str, str]) -> str:
    """Return Claude Code's folder of transcripts."""
    config = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(
        environment.get("HOME", ""), ".claude"
    )
    return os.path.join(config, "projects")


def find_transcript(environment: Mapping[str, str], session: str) -> str:
    """Return the path of a session's transcript, of whichever client; empty if there is none."""
    if not re.fullmatch(r"[\w-]{1,200}", session):
        return ""
    for folder in transcript_folders(environment):
        if os.path.isfile(database := os.path.join(folder, OPENCODE_DATABASE)):
            from aforesaid.adapters.transcripts.opencode import list_sessions

            paths = [listed.path for listed in list_sessions(database) if listed.session == session]
        else:
            names = (
                f"*/{session}{ENDING}",
                f"*/*/*/rollout-*-{session}{ENDING}",
                f"*/chats/session-*-{session[:8]}{ENDING}",
            )
            pattern = os.path.join(glob.escape(folder), "")
            paths = [path for name in names for path in glob.iglob(pattern + name)]
            paths = [path for path in paths if _session_of(path) == session]
        if paths:
            return paths[0]
    return ""


def _session_of(path: str) -> str:
    """Return the id of the session that a transcript belongs to."""
    name = os.path.basename(path)
    if client_of(path) == CODEX:
        match = _ROLLOUT.fullmatch(name)
        return match.group(1) if match else ""
    if client_of(path) == GEMINI:
        return _first_value(path, "sessionId")
    return name.removesuffix(ENDING)[:200]


def list_transcripts(paths: Sequence[str]) -> list[Transcript]:
    """Return the transcripts of sessions in files and folders, without duplicates.

    Transcripts of subagents (``agent-*``, ``*/subagents/``) are skipped, because they are part of
    their session's; links and files that are not regular are skipped, too.
    """
    transcripts: dict[str, Transcript] = {}
    for path in map(os.path.abspath, paths):
        for name in [path] if os.path.isfile(path) else _files_below(path, _LEVELS):
            for transcript in _describe(name):
                if len(transcripts) < MAX_FILES:
                    transcripts[transcript.path] = transcript
    return list(transcripts.values())


def _files_below(folder: str, levels: int) -> Iterator[str]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if levels > 1 and entry.name != "subagents":
                yield from _files_below(entry.path, levels - 1)
        elif entry.name == OPENCODE_DATABASE or (
            entry.name.endswith(ENDING) and not entry.name.startswith("agent-")
        ):
            yield entry.path


def _describe(path: str) -> list[Transcript]:
    """Return the transcripts in a file: one, or one for each session of OpenCode's database."""
    try:
        status = os.lstat(path)
    except OSError:
        return []
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return []
    if os.path.basename(path) == OPENCODE_DATABASE:
        from aforesaid.adapters.transcripts.opencode import list_sessions

        return list_sessions(path)
    session = _session_of(path)
    if not session:
        return []
    return [
        Transcript(
            path=path,
            session=session,
            size=status.st_size,
            changed_at=status.st_mtime_ns // 1_000_000,
        )
    ]


def folder_of(path: str) -> str:
    """Return the folder in which a session started; empty if unknown."""
    client = client_of(path)
    if client == GEMINI:
        from aforesaid.adapters.transcripts.gemini import read_folder

        return read_folder(path)
    if client == OPENCODE:
        from aforesaid.adapters.transcripts.opencode import list_folders

        database, _, session = path.rpartition("#")
        return list_folders(database).get(session, "")
    return _first_value(path, "cwd")


def entrypoint_of(path: str) -> str:
    """Return how a session's client was started, such as ``cli``; empty if unknown."""
    return _first_value(path, "entrypoint")


def _first_value(path: str, field: str) -> str:
    """Return the first value of a field within the first HEAD_BYTES of a transcript."""
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        head = os.read(descriptor, HEAD_BYTES)
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    for line in head.split(b"\n"):
        if field.encode() not in line:
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue  # incomplete or damaged; a later line may have the field
        if not isinstance(entry, dict):
            continue
        payload = entry.get("payload")  # of Codex
        value = entry.get(field) or (payload.get(field) if isinstance(payload, dict) else None)
        if isinstance(value, str) and value:
            return value[:4096]
    return ""
