"""Gathers the facts about a folder from which domain/projects/detection.py detects the project.

The facts are settings for the folder, its repository and its package. The caller adds what
set_project stored (``WorkspaceFacts.chosen``).
"""

from __future__ import annotations

import os

from aforesaid.adapters.git_reader.repository import read_repository
from aforesaid.domain.projects.detection import WorkspaceFacts, is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def list_temporary_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the temporary folders: TMPDIR, TEMP and TMP if any is set, else the system's."""
    named = tuple(environment[name] for name in ("TMPDIR", "TEMP", "TMP") if environment.get(name))
    return named or ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108 -- named, never written to


def read_workspace(
    folder: str,
    environment: Mapping[str, str],
    mapping: Mapping[str, str],
    home: str,
    temporary: Sequence[str],
) -> WorkspaceFacts:
    """Return the facts about a folder.

    Args:
        folder: the session's folder; it may be missing or unreadable, or "" if unknown.
        environment: only AFORESAID_PROJECT is read.
        mapping: the setting project.map, folder to project.
        home: the user's home folder, or "" if there is none.
        temporary: the temporary folders (``list_temporary_folders``).
    """
    real_folder = _real(folder)
    asked = environment.get("AFORESAID_PROJECT", "").strip() or None
    asked_for_folder = asked is not None and _is_path(asked)
    if asked is not None and asked_for_folder:
        real_folder = _real(os.path.join(real_folder, _expand(asked, home)))
    home = _real(home)
    temporary = [real for path in temporary if (real := _real(path)) and real != "/"]
    ceilings = frozenset(("/", *temporary, *((home,) if home else ())))
    excluded_reason = _why_no_project(real_folder, home, temporary)
    repository = read_repository(real_folder, ceilings)
    if repository is not None and repository.root in temporary:
        # any user may create a repository in /tmp itself
        repository = None
    marker = None
    if real_folder and repository is None and excluded_reason is None:
        # imported here because most sessions run in a repository
        from aforesaid.adapters.git_reader.package_markers import find_marker

        marker = find_marker(real_folder, ceilings)
    mapped = _find_mapped(real_folder, mapping, home)
    return WorkspaceFacts(
        folder=real_folder,
        asked=asked,
        asked_for_folder=asked_for_folder,
        mapped=mapped[1] if mapped else None,
        mapped_folder=mapped[0] if mapped else None,
        repository=repository,
        marker=marker,
        excluded_reason=excluded_reason,
        is_gone=bool(real_folder) and repository is None and not os.path.isdir(real_folder),
    )


def _why_no_project(folder: str, home: str, temporary: Sequence[str]) -> str | None:
    """Return why a folder cannot be a project, or None."""
    if not folder:
        return "no folder"
    if folder == home:
        return "home folder"
    if folder == "/":
        return "root of the file system"
    if any(is_within(folder, path) for path in temporary):
        return "temporary folder"
    return None


def _find_mapped(folder: str, mapping: Mapping[str, str], home: str) -> tuple[str, str] | None:
    """Return the nearest mapped folder at or above a folder, and its project."""
    nearest: tuple[str, str] | None = None
    if not folder:
        return None
    for path, project in mapping.items():
        mapped = _real(_expand(path, home))
        if not mapped or not project.strip() or not is_within(folder, mapped):
            continue
        if nearest is None or len(mapped) > len(nearest[0]):
            nearest = mapped, project.strip()
    return nearest


def _is_path(text: str) -> bool:
    """Return whether AFORESAID_PROJECT names a folder rather than a project."""
    return text in {".", "..", "~"} or text.startswith(("/", "~/", "./", "../"))


def _expand(path: str, home: str) -> str:
    if path == "~" or path.startswith("~/"):
        return home + path[1:] if home else ""
    return path


def _real(path: str) -> str:
    """Return the real path; "" if the path is empty or invalid."""
    try:
        return os.path.realpath(path) if path else ""
    except (OSError, ValueError):
        return ""
