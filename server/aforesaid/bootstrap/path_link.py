"""`setup --on-path`: a link to the launcher where the user's shell looks for commands.

The client keeps each version of the plugin in a folder of its own. The link follows an update, so
it is also the path by which other clients start Aforesaid.
"""

from __future__ import annotations

import os

from aforesaid.bootstrap import paths

NAME = "aforesaid"
ORPHANED = ".orphaned_at"  #: the client's mark in the folder of a version that it has replaced


class LinkError(Exception):  # says why, in words for a person
    """The link cannot be made."""


def put_on_path() -> tuple[str, str, list[str]]:
    """Links the launcher into the user's own folder of commands; returns link, launcher, advice.

    Raises:
        NotLinked: something else has that name, or the folder cannot be written.
    """
    if os.name != "posix":
        raise LinkError(f"add {os.path.join(paths.ROOT, 'bin')} to PATH in the system's settings")
    link, launcher = link_path(), _launcher()
    if os.path.lexists(link) and not _is_ours(link):
        raise LinkError(f"{link} is something else and stays: move it away, then say it again")
    try:
        _link(link, launcher)
    except OSError as error:
        raise LinkError(f"{link} cannot be made ({error.strerror})") from error
    folder = os.path.dirname(link)
    told = []
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        told.append(
            f'{folder} is not on PATH: add  export PATH="$HOME/.local/bin:$PATH"  to your shell\'s '
            "profile"
        )
    return link, launcher, told


def follow_update() -> None:
    """Points the link to this version if it leads to one that an update of the plugin replaced."""
    link = link_path()
    try:
        old = os.path.dirname(os.path.dirname(os.readlink(link)))
        replaced = not os.path.exists(old) or os.path.exists(os.path.join(old, ORPHANED))
        current = not os.path.exists(os.path.join(paths.ROOT, ORPHANED))
        beside = os.path.dirname(old) == os.path.dirname(paths.ROOT)
        if moves_with_updates() and beside and replaced and current and _is_ours(link):
            _link(link, _launcher())
    except OSError:
        return  # no link, or it stays as it is: nobody waits for it


def stable_launcher() -> str:
    """Returns the link if it leads to this launcher, else the launcher's own path."""
    link, launcher = link_path(), _launcher()
    return link if os.path.islink(link) and os.readlink(link) == launcher else launcher


def moves_with_updates() -> bool:
    """Returns whether the client keeps this code in a folder that is named by its version."""
    return os.path.join(os.sep, "plugins", "cache", "") in paths.ROOT


def link_path() -> str:
    """Returns where the link is, or would be."""
    return os.path.join(os.path.expanduser("~/.local/bin"), NAME)


def _launcher() -> str:
    return os.path.join(paths.ROOT, "bin", NAME)


def _link(link: str, launcher: str) -> None:
    os.makedirs(os.path.dirname(link), exist_ok=True)
    draft = f"{link}.{os.getpid()}"
    os.symlink(launcher, draft)
    os.replace(draft, link)


def _is_ours(link: str) -> bool:
    """Returns whether that is a link to a launcher of ours, there or gone."""
    return os.path.islink(link) and os.readlink(link).endswith(os.path.join("bin", NAME))
