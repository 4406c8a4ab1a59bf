"""The statements of a memory that were overtaken, and are no longer shown in a project.

A memory that a hook made of several sentences joins them by ``"; "``. Its metadata names those that
no longer hold by a checksum, for each project in which something overtook them.
"""

from __future__ import annotations

from binascii import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .memory import Memory

OVERTAKEN = "overtaken"  #: metadata key: {identity of a project: checksums of statements}
EVERYWHERE = "*"  #: instead of a project's identity
#: What precedes the loose ends in the line about a session.
LEFT_OPEN, ALSO_OPEN = "left open: ", "also open: "
FILES = " (changed "  #: precedes the files that a session changed, in its line
_SEPARATOR = "; "


def parts_of(text: str) -> list[str]:
    """Return the statements that were joined in a memory, or in the line about a session."""
    return text.split(_SEPARATOR)


def joined(parts: Iterable[str]) -> str:
    """Return statements as one text."""
    return _SEPARATOR.join(parts)


def standing_parts(memory: Memory, project: str) -> list[str]:
    """Return the statements of a memory that were not overtaken.

    Args:
        memory: any memory.
        project: identity of the session's project.
    """
    marks = _marks(memory)
    hidden = {*marks.get(project, ()), *marks.get(EVERYWHERE, ())}
    parts = parts_of(memory.content)
    return [part for part in parts if _checksum(part) not in hidden] if hidden else parts


def without_overtaken(memory: Memory, project: str) -> Memory | None:
    """Return a memory as a session is shown it; None if nothing of it still holds.

    The arguments are those of ``standing_parts``.
    """
    if memory.pinned or OVERTAKEN not in memory.metadata:
        return memory
    parts = standing_parts(memory, project)
    return memory.replace(content=joined(parts)) if parts else None


def with_overtaken(memory: Memory, project: str, parts: Iterable[str]) -> dict[str, object]:
    """Return a memory's metadata once these statements of it were overtaken.

    Args:
        memory: any memory.
        project: identity of the project in which they were, or ``EVERYWHERE``.
        parts: the statements.
    """
    marks = _marks(memory)
    marks[project] = sorted({*marks.get(project, ()), *map(_checksum, parts)})
    return {**memory.metadata, OVERTAKEN: marks}


def _marks(memory: Memory) -> dict[str, list[str]]:
    marks = memory.metadata.get(OVERTAKEN)
    return dict(marks) if isinstance(marks, dict) else {}


def _checksum(text: str) -> str:
    return f"{crc32(text.encode()):08x}"
