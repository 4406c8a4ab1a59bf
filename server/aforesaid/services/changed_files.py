"""Finds the files of a project that an action changes."""

from __future__ import annotations

from aforesaid.domain.context.file_state import TargetFile
from aforesaid.domain.errors import InvalidInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aforesaid.domain.model.memory import CallContext
    from aforesaid.ports import FileReader


def locate_files(
    files: FileReader,
    paths: Sequence[str],
    context: CallContext,
    folder: str = "",
    created: Collection[str] = (),
) -> list[TargetFile]:
    """Return those of the paths that are below the project's root, and whether they are new.

    Args:
        files: reads the project's files.
        paths: that an action changes; empty ones are left out.
        context: of the session.
        folder: in which it acts; a relative path without one is below the root.
        created: paths below the root that the session made: they are new, too.
    """
    root = None if context.identity is None else context.identity.root
    if root is None:
        return []
    located: dict[str, TargetFile] = {}
    for path in paths:
        absolute = path if path.startswith("/") or not folder else f"{folder}/{path}"
        try:
            relative = files.resolve(root, absolute) if path else ""
        except InvalidInputError:
            continue  # outside the project
        if relative:
            is_new = relative in created or not files.exists(root, relative)
            located[relative] = TargetFile(path=relative, is_new=is_new)
    return list(located.values())
