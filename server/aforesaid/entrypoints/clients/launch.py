"""How the server that a snippet names is started on this machine, or reached over HTTP."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from aforesaid.bootstrap import paths
from aforesaid.bootstrap.path_link import stable_launcher
from aforesaid.domain.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "memory"  #: of the server, in every client
#: What decides which memory this is. Clients pass on part of a shell's variables, those that are
#: started from a desktop none of them: what is set here stands in the snippet.
_DECIDES = (
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
)


class StdioLaunch(Value):
    """A command that serves on standard input and output."""

    command: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str] = {}


class HttpEndpoint(Value):
    """Where a server over HTTP is, and what its requests bear."""

    address: str
    headers: Mapping[str, str] = {}


def start_here(
    environment: Mapping[str, str], *, uvx: bool = False, project: str | None = None
) -> StdioLaunch:
    """Return how to start this very Aforesaid.

    Args:
        environment: of this process.
        uvx: as the published package, whatever runs here.
        project: what every session of the client is about, where it cannot tell.
    """
    named = {
        "AFORESAID_ENV": environment.get("AFORESAID_ENV"),
        "AFORESAID_DB": environment.get("AFORESAID_DB")
        or environment.get("AFORESAID_STORAGE_DB_PATH"),
    }
    variables = {
        name: os.path.abspath(os.path.expanduser(path))  # the client works in another folder
        for name, path in named.items()
        if path
    }
    variables |= {name: environment[name] for name in _DECIDES if environment.get(name)}
    if project:
        variables["AFORESAID_PROJECT"] = project
    if uvx or _passes_away():
        variables.pop("AFORESAID_ENV", None)
        command = shutil.which("uvx") or "uvx"
        return StdioLaunch(command=command, arguments=("aforesaid", "serve"), variables=variables)
    if paths.from_wheel():
        name = "aforesaid.exe" if os.name == "nt" else "aforesaid"
        command = os.path.join(os.path.dirname(sys.executable), name)
        variables.pop("AFORESAID_ENV", None)
    elif os.name == "nt":
        command = os.path.join(paths.ROOT, "bin", "aforesaid.cmd")
    else:
        command = stable_launcher()
    return StdioLaunch(command=command, arguments=("serve",), variables=variables)


def _passes_away() -> bool:
    """Tell whether this environment is uvx's own, which its cache may drop."""
    return paths.from_wheel() and f"{os.sep}archive-v" in sys.prefix
