"""How a snippet starts the server on this machine, or reaches it over HTTP."""

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

NAME = "memory"  #: the server's name in every client
#: Variables that determine the store. Clients pass on only some of a shell's variables, or none if
#: started from a desktop: so those that are set go into the snippet.
_STORE_VARIABLES = (
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
    """The address of a server over HTTP, and the headers of requests to it."""

    address: str
    headers: Mapping[str, str] = {}


def start_here(
    environment: Mapping[str, str], *, uvx: bool = False, project: str | None = None
) -> StdioLaunch:
    """Return the command that starts this installation.

    Args:
        environment: the variables of this process.
        uvx: start the published package instead.
        project: the project of every session, for a client that cannot tell.
    """
    variable_paths = {
        "AFORESAID_ENV": environment.get("AFORESAID_ENV"),
        "AFORESAID_DB": environment.get("AFORESAID_DB")
        or environment.get("AFORESAID_STORAGE_DB_PATH"),
    }
    variables = {
        name: os.path.abspath(os.path.expanduser(path))  # the client works in another folder
        for name, path in variable_paths.items()
        if path
    }
    variables |= {name: environment[name] for name in _STORE_VARIABLES if environment.get(name)}
    if project:
        variables["AFORESAID_PROJECT"] = project
    if uvx or _in_uvx_cache():
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


def _in_uvx_cache() -> bool:
    """Return whether this environment is in uvx's cache, which may be cleaned."""
    return paths.from_wheel() and f"{os.sep}archive-v" in sys.prefix
