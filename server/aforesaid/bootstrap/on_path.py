"""`setup --on-path`: a link to the launcher where the user's shell looks for commands."""

from __future__ import annotations

import os

from aforesaid.bootstrap import places

NAME = "aforesaid"


class NotLinked(Exception):  # noqa: N818 - says why, in words for a person
    """The link cannot be made."""


def put_on_path() -> tuple[str, str, list[str]]:
    """Links the launcher into the user's own folder of commands; returns link, launcher, advice.

    Raises:
        NotLinked: something else has that name, or the folder cannot be written.
    """
    if os.name != "posix":
        raise NotLinked(f"add {os.path.join(places.ROOT, 'bin')} to PATH in the system's settings")
    folder = os.path.expanduser("~/.local/bin")
    link = os.path.join(folder, NAME)
    launcher = os.path.join(places.ROOT, "bin", NAME)
    if os.path.lexists(link) and not _is_ours(link):
        raise NotLinked(f"{link} is something else and stays: move it away, then say it again")
    try:
        os.makedirs(folder, exist_ok=True)
        draft = f"{link}.{os.getpid()}"
        os.symlink(launcher, draft)
        os.replace(draft, link)
    except OSError as error:
        raise NotLinked(f"{link} cannot be made ({error.strerror})") from error
    told = []
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        told.append(
            f'{folder} is not on PATH: add  export PATH="$HOME/.local/bin:$PATH"  to your shell\'s '
            "profile"
        )
    if f"{os.sep}plugins{os.sep}" in launcher:
        told.append("an update of the plugin moves it: say this again then")
    return link, launcher, told


def _is_ours(link: str) -> bool:
    """Returns whether that is a link to a launcher of ours, there or gone."""
    return os.path.islink(link) and os.readlink(link).endswith(os.path.join("bin", NAME))
