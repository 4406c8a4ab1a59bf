"""Finds Claude Code's transcripts, and reads a session's folder from the first lines.

Not here: reading a whole transcript (conversation.py).
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence

from aforesaid.domain.model.backlog import Transcript

ENDING = ".jsonl"
HEAD_BYTES = 1 << 18  #: the first lines, which name the session's folder
MAX_FILES = 200_000
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LEVELS = 3  #: of folders, such as projects/<slug>/


def transcripts_folder(environment: Mapping[str, str]) -> str:
    """Return the client's folder of transcripts."""
    config = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(
        environment.get("HOME", ""), ".claude"
    )
    return os.path.join(config, "projects")


def find_transcript(folder: str, session: str) -> str:
    """Return the path of a session's transcript below a folder; empty if there is none."""
    name = f"{session}{ENDING}"
    if os.path.basename(name) != name or not name.isprintable():
        return ""
    try:
        with os.scandir(folder) as entries:
            paths = [os.path.join(entry.path, name) for entry in entries]
    except OSError:
        return ""
    return next((path for path in paths if os.path.isfile(path)), "")


def list_transcripts(paths: Sequence[str]) -> list[Transcript]:
    """Return the transcripts of sessions in files and folders, without duplicates.

    Transcripts of subagents (``agent-*``, ``*/subagents/``) are skipped, because they are part of
    their session's; links and files that are not regular are skipped, too.
    """
    transcripts: dict[str, Transcript] = {}
    for path in map(os.path.abspath, paths):
        for name in [path] if os.path.isfile(path) else _files_below(path, _LEVELS):
            transcript = _describe(name)
            if transcript is not None and len(transcripts) < MAX_FILES:
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
        elif entry.name.endswith(ENDING) and not entry.name.startswith("agent-"):
            yield entry.path


def _describe(path: str) -> Transcript | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return None
    return Transcript(
        path=path,
        session=os.path.basename(path).removesuffix(ENDING)[:200],
        size=status.st_size,
        changed_at=status.st_mtime_ns // 1_000_000,
    )


def folder_of(path: str) -> str:
    """Return the folder in which a session started; empty if unknown."""
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
        value = entry.get(field) if isinstance(entry, dict) else None
        if isinstance(value, str) and value:
            return value[:4096]
    return ""
