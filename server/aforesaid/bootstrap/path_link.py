"""`setup --on-path`: a link to the launcher in ~/.local/bin.

The client keeps each version of the plugin in its own folder. The link follows updates, so other
clients also start Aforesaid through it.
"""

from __future__ import annotations

import os

from aforesaid.bootstrap import paths

NAME = "aforesaid"
ORPHANED = ".orphaned_at"  #: file that the client puts into the folder of a replaced version


class LinkError(Exception):
    """The link cannot be created; the message says why."""


def put_on_path() -> tuple[str, str, list[str]]:
    """Link the launcher into ~/.local/bin; return the link, the launcher and advice.

    Raises:
        LinkError: another file has that name, or the folder cannot be written.
    """
    if os.name != "posix":
        folder = os.path.join(paths.ROOT, "bin")
        raise LinkError(
            f"--on-path is not supported on this system: add {folder} to PATH in its settings"
        )
    link, launcher = link_path(), _launcher()
    if os.path.lexists(link) and not _is_ours(link):
        raise LinkError(f"{link} exists and is not a link to Aforesaid: move it, then try again")
    try:
        _link(link, launcher)
    except OSError as error:
        raise LinkError(f"cannot create {link}: {error.strerror}") from error
    folder = os.path.dirname(link)
    advice = []
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        advice.append(
            f'{folder} is not on PATH: add  export PATH="$HOME/.local/bin:$PATH"  to your shell\'s '
            "profile"
        )
    return link, launcher, advice


def follow_update() -> None:
    """Point the link to this version if its target was replaced by an update of the plugin."""
    link = link_path()
    try:
        old = os.path.dirname(os.path.dirname(os.readlink(link)))
        replaced = not os.path.exists(old) or os.path.exists(os.path.join(old, ORPHANED))
        current = not os.path.exists(os.path.join(paths.ROOT, ORPHANED))
        same_cache = os.path.dirname(old) == os.path.dirname(paths.ROOT)
        if moves_with_updates() and same_cache and replaced and current and _is_ours(link):
            _link(link, _launcher())
    except OSError:
        return  # there is no link, or it cannot be changed


def stable_launcher() -> str:
    """Return the link if it points to this launcher, else the launcher's own path."""
    link, launcher = link_path(), _launcher()
    return link if os.path.islink(link) and os.readlink(link) == launcher else launcher


def moves_with_updates() -> bool:
    """Return whether this code is in the client's plugin cache, in a folder per version."""
    return os.path.join(os.sep, "plugins", "cache", "") in paths.ROOT


def link_path() -> str:
    """Return the path of the link, whether or not it exists."""
    return os.path.join(os.path.expanduser("~/.local/bin"), NAME)


def _launcher() -> str:
    return os.path.join(paths.ROOT, "bin", NAME)


def _link(link: str, launcher: str) -> None:
    os.makedirs(os.path.dirname(link), exist_ok=True)
    temporary = f"{link}.{os.getpid()}"
    os.symlink(launcher, temporary)
    os.replace(temporary, link)


def _is_ours(link: str) -> bool:
    return os.path.islink(link) and os.readlink(link).endswith(os.path.join("bin", NAME))
