"""The folder where Claude Code keeps its transcripts: which there are, and where each session ran.

Here: names and sizes, and the first lines of a file. Not here: reading a whole one
(conversation.py).
"""

from __future__ import annotations

import json
import os
import stat

from aforesaid.domain.model.backlog import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ENDING = ".jsonl"
#: The folder of a session stands in its first lines.
HEAD_BYTES = 1 << 18
MAX_FILES = 200_000
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LEVELS = 3  #: folders below the one named: projects/<slug>/


def transcripts_folder(environment: Mapping[str, str]) -> str:
    """Return where the client of this user keeps transcripts."""
    config = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(
        environment.get("HOME", ""), ".claude"
    )
    return os.path.join(config, "projects")


def find_transcript(folder: str, session: str) -> str:
    """Return the path of a session's transcript below a client's folder; empty if there is none."""
    name = f"{session}{ENDING}"
    if os.path.basename(name) != name or not name.isprintable():
        return ""
    try:
        with os.scandir(folder) as listed:
            paths = [os.path.join(entry.path, name) for entry in listed]
    except OSError:
        return ""
    return next((path for path in paths if os.path.isfile(path)), "")


def list_transcripts(paths: Sequence[str]) -> list[Transcript]:
    """Return the transcripts of sessions in files and folders, each once.

    Transcripts of subagents (``agent-*``, ``*/subagents/``) are part of their session's and left
    out; so are links and whatever is no regular file.
    """
    found: dict[str, Transcript] = {}
    for given in paths:
        path = os.path.abspath(given)
        for name in [path] if os.path.isfile(path) else _below(path, _LEVELS):
            one = _look_at(name)
            if one is not None and len(found) < MAX_FILES:
                found[one.path] = one
    return list(found.values())


def _below(folder: str, levels: int) -> Iterator[str]:
    """Yield the files below a folder; what cannot be listed is left out."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if levels > 1 and entry.name != "subagents":
                yield from _below(entry.path, levels - 1)
        elif entry.name.endswith(ENDING) and not entry.name.startswith("agent-"):
            yield entry.path


def _look_at(path: str) -> Transcript | None:
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(facts.st_mode) or not facts.st_size:
        return None
    return Transcript(
        path=path,
        session=os.path.basename(path).removesuffix(ENDING)[:200],
        size=facts.st_size,
        changed_at=facts.st_mtime_ns // 1_000_000,
    )


def folder_of(path: str) -> str:
    """Return the folder that a session began in; empty if its first lines name none."""
    return _first(path, "cwd")


def entrypoint_of(path: str) -> str:
    """Return how the client of a session was started, such as ``cli``; empty if nothing says so."""
    return _first(path, "entrypoint")


def _first(path: str, field: str) -> str:
    """Return a field of the first line that has it, of those at the beginning of a transcript."""
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
            continue  # cut off, or damaged: a later line may name it
        value = entry.get(field) if isinstance(entry, dict) else None
        if isinstance(value, str) and value:
            return value[:4096]
    return ""
