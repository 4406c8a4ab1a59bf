"""Paths and small files of the set-up: state folder, environments, the pointer to the ready one.

The launcher (bin/aforesaid) computes the same paths in sh: change both together.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SERVER = os.path.dirname(PACKAGE)
ROOT = os.path.dirname(SERVER)
START = os.path.join(SERVER, "start.py")
UNUSED_DAYS = 14
NOT_OFF = (
    "",
    "0",
    "false",
    "no",
    "off",
)  #: values of AFORESAID_OFF, in lower case; the launcher has the same list
EXTRAS = ("anthropic",)  #: installed on request only, each with its own lock file
_DAY_SECONDS = 86_400.0


def from_wheel() -> bool:
    """Return whether this code was installed as a package (pip, uvx)."""
    return not os.path.exists(START)


def started_by_client() -> bool:
    """Return whether standard input is a pipe or socket, as MCP clients provide it."""
    import stat

    try:
        file_type = stat.S_IFMT(os.fstat(0).st_mode)
    except OSError:
        return False
    return file_type in (stat.S_IFIFO, stat.S_IFSOCK)


def state_folder() -> str:
    """Return the user's state folder, as platformdirs names it; it may not exist yet."""
    xdg_state = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(xdg_state):
        return os.path.join(xdg_state, "aforesaid")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        return os.path.join(local, "aforesaid", "aforesaid")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/aforesaid")
    return os.path.expanduser("~/.local/state/aforesaid")


def installation_record(state: str, client: str) -> str:
    """Return the path of the record of what ``aforesaid install`` wrote for a client."""
    return os.path.join(state, "clients", f"{client}.json")


def installed_clients(state: str) -> dict[str, list[str]]:
    """Return the files that ``aforesaid install`` wrote, by client."""
    import json

    clients = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder := f"{state}/clients") else ():
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                clients[name.removesuffix(".json")] = list(json.load(file))
        except (OSError, ValueError):
            continue  # not a record of ours
    return clients


def token_path() -> str:
    """Return the file with the bearer token of HTTP clients."""
    return os.path.join(state_folder(), "http-token")


def environments_folder() -> str:
    """Return the folder for new environments: the plugin's data folder, or the user's cache."""
    plugin = os.environ.get("CLAUDE_PLUGIN_DATA", "")
    if os.path.isabs(plugin):
        return os.path.join(plugin, "env")
    xdg_cache = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(xdg_cache):
        cache = os.path.join(xdg_cache, "aforesaid")
    elif sys.platform == "win32":
        cache = os.path.join(state_folder(), "Cache")
    elif sys.platform == "darwin":
        cache = os.path.expanduser("~/Library/Caches/aforesaid")
    else:
        cache = os.path.expanduser("~/.cache/aforesaid")
    return os.path.join(cache, "env")


def extra_lock(name: str) -> str:
    """Return the lock file of an extra; empty if there is no such extra."""
    path = os.path.join(SERVER, f"requirements-{name}.txt")
    return path if name in EXTRAS and os.path.exists(path) else ""


def requested_extras() -> list[str]:
    """Return the extras that the user asked for; every new environment gets them."""
    try:
        with open(os.path.join(state_folder(), "extras"), encoding="utf-8") as file:
            names = file.read().split()
    except OSError:
        return []
    return [name for name in dict.fromkeys(names) if extra_lock(name)]


def request_extra(name: str) -> None:
    """Record that the user asked for an extra."""
    make_private_folder(state_folder())
    names = dict.fromkeys([*requested_extras(), name])
    write_whole(os.path.join(state_folder(), "extras"), "\n".join(names) + "\n")


def lock_name() -> str:
    """Return the hash of the lock files (12 hex digits), which identifies the dependencies."""
    with open(os.path.join(SERVER, "lock.hash"), encoding="ascii") as file:
        return file.readline().strip()


def environment_name() -> str:
    """Return the folder name of the environment that this Python would build."""
    implementation = "cp" if sys.implementation.name == "cpython" else sys.implementation.name
    version = f"{implementation}{sys.version_info[0]}{sys.version_info[1]}"
    version += getattr(sys, "abiflags", "")
    machine = (
        os.environ.get("PROCESSOR_ARCHITECTURE", "") if os.name == "nt" else os.uname().machine
    )
    return f"{lock_name()}-{version}-{sys.platform}-{machine}"


def environment_python(environment: str) -> str:
    """Return the path of an environment's interpreter."""
    if os.name == "nt":
        return os.path.join(environment, "Scripts", "python.exe")
    return os.path.join(environment, "bin", "python")


def pointer_path() -> str:
    """Return the pointer file: its first line is the interpreter of the ready environment."""
    return os.path.join(state_folder(), f"env-{lock_name()}")


def read_pointer(path: str) -> str:
    """Return the interpreter that a pointer file names; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().rstrip("\n")
    except (OSError, UnicodeDecodeError):
        return ""


def ready_python() -> str:
    """Return the interpreter of the ready environment; empty if there is none."""
    named = os.environ.get("AFORESAID_ENV", "")
    python = environment_python(named) if named else read_pointer(pointer_path())
    return python if os.access(python, os.X_OK) else ""


def discard_broken() -> str:
    """Return the environment's interpreter if it no longer starts, and remove the pointer to it.

    An environment that AFORESAID_ENV names is left alone.
    """
    named = os.environ.get("AFORESAID_ENV", "")
    pointer = pointer_path()
    python = environment_python(named) if named else read_pointer(pointer)
    if not python or _starts(python):
        return ""
    if not named:
        remove(pointer)  # or every process would follow it again
    return python


def _starts(python: str) -> bool:
    import subprocess

    null = subprocess.DEVNULL
    command = [python, "-I", "-S", "-c", ""]
    try:
        process = subprocess.run(
            command, stdin=null, stdout=null, stderr=null, timeout=5, check=False
        )
    except subprocess.TimeoutExpired:
        return True  # slow, not broken
    except OSError:
        return False
    return process.returncode == 0


def write_whole(path: str, text: str) -> None:
    """Write a small private file atomically."""
    make_private_folder(os.path.dirname(path))
    temporary = f"{path}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        raise


def make_private_folder(path: str) -> None:
    """Create a folder that only the user can read, and its parents."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return


def remove(path: str) -> None:
    """Remove a file if it exists."""
    try:
        os.remove(path)
    except FileNotFoundError:
        return


def progress() -> dict[str, Any]:
    """Return the progress of set-up: `step`, `of`, `text`; empty if it has not begun."""
    import json  # hooks import this module for its paths only

    try:
        with open(os.path.join(state_folder(), "setup-progress.json"), encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def setup_error() -> str:
    """Return why the last set-up failed, or none can begin, and how to fix it; empty if fine."""
    state = state_folder()
    try:
        make_private_folder(state)
    except OSError as error:  # set-up could neither begin nor report this
        return (
            f"Aforesaid could not set up: cannot create the folder {state} ({error.strerror}). "
            "To fix it: create it, or set XDG_STATE_HOME to another folder."
        )
    try:
        with open(os.path.join(state, "setup-error.txt"), encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def mark_used(environment: str) -> bool:
    """Record that an environment is in use; return whether this is the first time today."""
    stamp = os.path.join(environment, "used")
    try:
        if time.time() - os.stat(stamp).st_mtime < _DAY_SECONDS:
            return False
        os.utime(stamp)
    except OSError:
        try:
            os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT, 0o644))
        except OSError:
            return False
    return True


def mark_own_environment_used() -> None:
    """Record that the environment of this process is in use, if set-up built it.

    A server may run for weeks, while newer versions remove environments that were unused for
    `UNUSED_DAYS`.
    """
    if os.path.exists(os.path.join(sys.prefix, "ready")):
        mark_used(sys.prefix)
