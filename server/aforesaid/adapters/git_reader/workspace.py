"""Gathers what surrounds a folder, for domain/projects/detection.py to decide on.

Here: the folder itself, what was said about it, its repository or package.
Not here: any decision; what set_project stored (the caller adds it: Surroundings.chosen).
"""

from __future__ import annotations

import os

from aforesaid.adapters.git_reader.repository import read_repository
from aforesaid.domain.projects.detection import WorkspaceFacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def list_temporary_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the temporary folders: TMPDIR, TEMP or TMP where set, else the system's.

    The variable replaces the system's folders, as everywhere: that is how tests move them away.
    """
    named = tuple(environment[name] for name in ("TMPDIR", "TEMP", "TMP") if environment.get(name))
    return named or ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108 -- named, never written to


def read_workspace(
    folder: str,
    environment: Mapping[str, str],
    mapping: Mapping[str, str],
    home: str,
    temporary: Sequence[str],
) -> WorkspaceFacts:
    """Return the facts about a folder; it may be gone, unreadable, or "" where none is known.

    Args:
        folder: where the session runs.
        environment: only AFORESAID_PROJECT is read; GIT_* never.
        mapping: project.map of the settings, folder to project.
        home: the user's home folder, or "" if there is none.
        temporary: the temporary folders (``list_temporary_folders``).
    """
    here = _real(folder)
    asked = environment.get("AFORESAID_PROJECT", "").strip() or None
    asked_for_folder = asked is not None and _is_path(asked)
    if asked is not None and asked_for_folder:
        here = _real(os.path.join(here, _expand(asked, home)))
    home = _real(home)
    temporary = [real for given in temporary if (real := _real(given)) and real != "/"]
    ceilings = frozenset(("/", *temporary, *((home,) if home else ())))
    nobodys = _say_whose(here, home, temporary)
    repository = read_repository(here, ceilings)
    if repository is not None and repository.root in temporary:
        # Anyone may write there: a repository planted in /tmp itself names no project of ours.
        repository = None
    marker = None
    if here and repository is None and nobodys is None:
        # Late: most sessions run in a repository.
        from aforesaid.adapters.git_reader.package_markers import find_marker

        marker = find_marker(here, ceilings)
    mapped = _find_mapped(here, mapping, home)
    return WorkspaceFacts(
        folder=here,
        asked=asked,
        asked_for_folder=asked_for_folder,
        mapped=mapped[1] if mapped else None,
        mapped_folder=mapped[0] if mapped else None,
        repository=repository,
        marker=marker,
        nobodys=nobodys,
        gone=bool(here) and repository is None and not os.path.isdir(here),
    )


def _say_whose(folder: str, home: str, temporary: Sequence[str]) -> str | None:
    """Return why a folder is nobody's project, or None."""
    if not folder:
        return "no folder"
    if folder == home:
        return "home folder"
    if folder == "/":
        return "root of the file system"
    if any(_within(folder, place) for place in temporary):
        return "temporary folder"
    return None


def _find_mapped(folder: str, mapping: Mapping[str, str], home: str) -> tuple[str, str] | None:
    """Return the mapped folder nearest at or above, and its project."""
    found: tuple[str, str] | None = None
    if not folder:
        return None
    for given, project in mapping.items():
        place = _real(_expand(given, home))
        if not place or not project.strip() or not _within(folder, place):
            continue
        if found is None or len(place) > len(found[0]):
            found = place, project.strip()
    return found


def _is_path(text: str) -> bool:
    """Return whether AFORESAID_PROJECT means a folder: a name never begins like this."""
    return text in {".", "..", "~"} or text.startswith(("/", "~/", "./", "../"))


def _expand(path: str, home: str) -> str:
    if path == "~" or path.startswith("~/"):
        return home + path[1:] if home else ""
    return path


def _real(path: str) -> str:
    """Return the real path; "" for none, and for what cannot be one."""
    try:
        return os.path.realpath(path) if path else ""
    except (OSError, ValueError):
        return ""


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
