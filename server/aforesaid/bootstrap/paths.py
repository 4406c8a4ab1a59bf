"""Where set-up keeps things: the user's state folder, environments, the pointer between them.

No process starts here and nothing is built. The launcher (bin/aforesaid) knows the same places in
sh: change both. Next: environment.py builds, handshake_server.py and setup_pending.py read.
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
NOT_OFF = ("", "0", "false", "no", "off")  #: AFORESAID_OFF in lower case, as the launcher reads it
EXTRAS = ("anthropic",)  #: what set-up installs only when asked, each with a lock of its own
_DAY_SECONDS = 86_400.0


def from_wheel() -> bool:
    """Returns whether this code was installed as a package, into an environment of its own."""
    return not os.path.exists(START)


def started_by_client() -> bool:
    """Returns whether a client holds our standard input; then it means MCP there."""
    import stat

    try:
        kind = stat.S_IFMT(os.fstat(0).st_mode)
    except OSError:
        return False
    return kind in (stat.S_IFIFO, stat.S_IFSOCK)


def state_folder() -> str:
    """Returns the user's state folder, as platformdirs names it; it may not exist yet."""
    chosen = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(chosen):
        return os.path.join(chosen, "aforesaid")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        return os.path.join(local, "aforesaid", "aforesaid")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/aforesaid")
    return os.path.expanduser("~/.local/state/aforesaid")


def token_path() -> str:
    """Returns the file with the token that clients over HTTP bear."""
    return os.path.join(state_folder(), "http-token")


def environments_folder() -> str:
    """Returns the folder that new environments are built in: the plugin's own, else a cache."""
    plugin = os.environ.get("CLAUDE_PLUGIN_DATA", "")
    if os.path.isabs(plugin):
        return os.path.join(plugin, "env")
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(chosen):
        cache = os.path.join(chosen, "aforesaid")
    elif sys.platform == "win32":
        cache = os.path.join(state_folder(), "Cache")
    elif sys.platform == "darwin":
        cache = os.path.expanduser("~/Library/Caches/aforesaid")
    else:
        cache = os.path.expanduser("~/.cache/aforesaid")
    return os.path.join(cache, "env")


def extra_lock(name: str) -> str:
    """Returns the lock of an extra; empty where there is no such extra."""
    path = os.path.join(SERVER, f"requirements-{name}.txt")
    return path if name in EXTRAS and os.path.exists(path) else ""


def wanted_extras() -> list[str]:
    """Returns the extras that the user has asked for, once for all environments to come."""
    try:
        with open(os.path.join(state_folder(), "extras"), encoding="utf-8") as file:
            names = file.read().split()
    except OSError:
        return []
    return [name for name in dict.fromkeys(names) if extra_lock(name)]


def want_extra(name: str) -> None:
    """Keeps that the user asked for an extra."""
    make_private_folder(state_folder())
    names = dict.fromkeys([*wanted_extras(), name])
    write_whole(os.path.join(state_folder(), "extras"), "\n".join(names) + "\n")


def lock_name() -> str:
    """Returns the committed hash of the locks: 12 hex digits that name what is to be installed."""
    with open(os.path.join(SERVER, "lock.hash"), encoding="ascii") as file:
        return file.readline().strip()


def environment_name() -> str:
    """Returns the folder name of the environment that this Python would build."""
    implementation = "cp" if sys.implementation.name == "cpython" else sys.implementation.name
    version = f"{implementation}{sys.version_info[0]}{sys.version_info[1]}{_abi_flags()}"
    machine = (
        os.environ.get("PROCESSOR_ARCHITECTURE", "") if os.name == "nt" else os.uname().machine
    )
    return f"{lock_name()}-{version}-{sys.platform}-{machine}"


def environment_python(environment: str) -> str:
    """Returns the path of an environment's interpreter."""
    if os.name == "nt":
        return os.path.join(environment, "Scripts", "python.exe")
    return os.path.join(environment, "bin", "python")


def pointer_path() -> str:
    """Returns the file whose first line is the interpreter of the environment for our lock."""
    return os.path.join(state_folder(), f"env-{lock_name()}")


def read_pointer(path: str) -> str:
    """Returns the interpreter that a pointer names, or nothing where it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().rstrip("\n")
    except (OSError, UnicodeDecodeError):
        return ""


def ready_python() -> str:
    """Returns the interpreter of the ready environment, or nothing while there is none."""
    named = os.environ.get("AFORESAID_ENV", "")
    python = environment_python(named) if named else read_pointer(pointer_path())
    return python if os.access(python, os.X_OK) else ""


def discard_broken() -> str:
    """Returns the interpreter of the environment if it does not start, and forgets where it is.

    One that AFORESAID_ENV names stays named.
    """
    named = os.environ.get("AFORESAID_ENV", "")
    pointer = pointer_path()
    python = environment_python(named) if named else read_pointer(pointer)
    if not python or _starts(python):
        return ""
    if not named:
        remove(pointer)  # else every door would follow it again
    return python


def _starts(python: str) -> bool:
    import subprocess

    nothing = subprocess.DEVNULL
    command = [python, "-I", "-S", "-c", ""]
    try:
        done = subprocess.run(
            command, stdin=nothing, stdout=nothing, stderr=nothing, timeout=5, check=False
        )
    except subprocess.TimeoutExpired:
        return True  # it is slow, not broken
    except OSError:
        return False
    return done.returncode == 0


def write_whole(path: str, text: str) -> None:
    """Writes a small file of the user's own, so that no reader ever sees half of it."""
    make_private_folder(os.path.dirname(path))
    half = f"{path}.{os.getpid()}"
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(half, path)
    except OSError:
        remove(half)
        raise


def make_private_folder(path: str) -> None:
    """Makes a folder, and what leads to it; the folder is the user's alone."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return


def remove(path: str) -> None:
    """Removes a file that may not be there."""
    try:
        os.remove(path)
    except FileNotFoundError:
        return


def progress() -> dict[str, Any]:
    """Returns how far set-up is: `step`, `of`, `text`; empty when none has begun."""
    import json  # hooks come here for folders alone

    try:
        with open(os.path.join(state_folder(), "setup-progress.json"), encoding="utf-8") as file:
            read = json.load(file)
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def setup_error() -> str:
    """Returns what stopped the last set-up, or stops any, and how to fix it; or nothing."""
    state = state_folder()
    try:
        make_private_folder(state)
    except OSError as error:  # set-up has no place to tell of it, or to begin
        return (
            f"Aforesaid could not set up: the folder {state} cannot be made ({error.strerror}). "
            "To fix it: make it, or name another one in XDG_STATE_HOME."
        )
    try:
        with open(os.path.join(state, "setup-error.txt"), encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def mark_used(environment: str) -> bool:
    """Notes that an environment is in use; returns whether that was the first time today."""
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
    """Notes that the environment of this process is in use, if set-up built it.

    A server may run for weeks, while newer versions build other environments and remove those that
    nothing used for `UNUSED_DAYS`.
    """
    if os.path.exists(os.path.join(sys.prefix, "ready")):
        mark_used(sys.prefix)


def _abi_flags() -> str:
    return getattr(sys, "abiflags", "")
