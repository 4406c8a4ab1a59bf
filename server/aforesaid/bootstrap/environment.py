"""Builds the environment that Aforesaid runs in, from the locks, once for each lock and Python.

Runs on any Python from 3.11, standard library only. Nothing here talks to a client or a person
but through `say`. Next: installers.py runs uv and pip, paths.py says where things are.

A build takes place under a lock that its children inherit: a killed build leaves no child behind
that still writes. The marker `ready` comes last but for the pointer that every door follows, so
what has no marker is half-built, and is built anew.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time

from aforesaid.bootstrap import paths
from aforesaid.bootstrap.installers import ExtraError, Installer, SetupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Say = Callable[[str], None]

STEPS = (
    "making a Python environment",
    "installing the packages",
    "installing what recall by meaning needs",
    "compiling",
    "checking what was installed",
)
CORE_MODULES = ("apsw", "click", "git", "mcp", "platformdirs")
SEMANTIC_MODULES = ("onnxruntime", "sqlite_vec", "tokenizers")
# onnxruntime reports to Microsoft from its import on, unless it is told not to.
_CHECK = """
import importlib, json, os, sys
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
problems = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception as error:
        problems[name] = f"{type(error).__name__}: {error}"
print(json.dumps(problems))
"""


def ensure(say: Say, *, rebuild: bool = False, wait: bool = True) -> str:
    """Returns the interpreter of the ready environment, built now if there is none.

    Args:
        say: Is told each step as one line for a person.
        rebuild: Builds it anew even where one is ready.
        wait: Waits while another process builds it; otherwise returns nothing at once.

    Raises:
        SetupError: It could not be built; also written to the state folder for every door.
    """
    named = os.environ.get("AFORESAID_ENV", "")
    if named:
        if python := paths.ready_python():
            return python
        raise SetupError(
            f"AFORESAID_ENV names {named}, which has no Python to run",
            "unset AFORESAID_ENV, or let it name a ready environment",
        )
    try:
        with _only_builder(say, wait=wait) as held:
            if not held:
                return ""
            python = "" if rebuild else paths.ready_python()
            installer = Installer(python, held)
            if python and installer.works(python):
                installer.enter(os.path.dirname(os.path.dirname(python)), stable_base())
                _add_extras(say, installer)
                return python
            return _build(say, held)
    except ExtraError:
        raise  # the environment is there: no door has to tell of it
    except SetupError as error:
        _keep_error(error)
        raise
    except OSError as error:
        failure = SetupError(
            f"could not set up in {paths.environments_folder()}: {error}",
            "make room on that disk, or make the folder writable, and try again",
        )
        _keep_error(failure)
        raise failure from error


def retire_unused() -> list[str]:
    """Removes environments that nothing used for 14 days, and pointers to none; returns them."""
    gone = []
    oldest = time.time() - paths.UNUSED_DAYS * 86_400
    folder = paths.environments_folder()
    current = paths.ready_python()
    for name in _listing(folder):
        path = os.path.join(folder, name)
        ours = re.match(r"[0-9a-f]{12}-", name) and not current.startswith(path + os.sep)
        if ours and _last_used(path) < oldest:
            shutil.rmtree(path, ignore_errors=True)
            gone.append(path)
    state = paths.state_folder()
    for name in _listing(state):
        if re.fullmatch(r"env-[0-9a-f]{12}", name):
            path = os.path.join(state, name)
            if not os.path.exists(paths.read_pointer(path)):
                paths.remove(path)
    return gone


def _build(say: Say, lock: int) -> str:
    environment = os.path.join(paths.environments_folder(), paths.environment_name())
    python = paths.environment_python(environment)
    started = time.monotonic()
    step = _steps(say)
    if paths.read_pointer(paths.pointer_path()) == python:
        paths.remove(paths.pointer_path())  # else doors would follow it into what is half-built
    shutil.rmtree(environment, ignore_errors=True)
    os.makedirs(os.path.dirname(environment), exist_ok=True)
    installer = Installer(python, lock)

    next(step)
    installer.make(environment, stable_base())
    next(step)
    installer.install(os.path.join(paths.SERVER, "requirements.txt"))
    next(step)
    refused = installer.install_what_goes(os.path.join(paths.SERVER, "requirements-semantic.txt"))
    try:
        _add_extras(say, installer)
    except ExtraError as error:  # nobody needs them to remember: the next set-up tries again
        say(str(error))
    next(step)
    installer.compile(paths.PACKAGE)
    next(step)
    _check(installer, environment, refused)

    about = {
        "lock": paths.lock_name(),
        "python": sys.version.split()[0],
        "base": stable_base(),
        "installer": installer.name,
        "seconds": round(time.monotonic() - started, 1),
    }
    paths.write_whole(os.path.join(environment, "ready"), json.dumps(about) + "\n")
    paths.mark_used(environment)
    paths.write_whole(paths.pointer_path(), f"{python}\n{environment}\n")
    state = paths.state_folder()
    paths.remove(os.path.join(state, "setup-error.txt"))
    paths.remove(os.path.join(state, "setup-progress.json"))
    retire_unused()
    return python


def _add_extras(say: Say, installer: Installer) -> None:
    """Installs the extras that were asked for and are not there.

    Raises:
        ExtraError: One cannot be installed.
    """
    for name in paths.wanted_extras():
        marker = os.path.join(installer.environment, f"extra-{name}")
        if not os.path.exists(marker):
            say(f"installing what {name} needs")
            installer.add(paths.extra_lock(name))
            paths.write_whole(marker, paths.lock_name() + "\n")


def _check(installer: Installer, environment: str, refused: dict[str, str]) -> None:
    """Imports everything once; the core must go, the rest is recorded in `semantic.json`."""
    answer = installer.run_in(_CHECK, *CORE_MODULES, *SEMANTIC_MODULES)
    problems = json.loads(answer)
    broken = {name: problems[name] for name in CORE_MODULES if name in problems}
    if broken:
        raise SetupError(
            "the packages were installed but do not load: "
            + "; ".join(f"{name} ({reason})" for name, reason in broken.items()),
            "try another Python: AFORESAID_PYTHON=/path/to/python3.12 aforesaid setup --rebuild",
        )
    missing = {name: problems[name] for name in SEMANTIC_MODULES if name in problems}
    for name, reason in refused.items():
        module = name.replace("-", "_")
        missing[module if module in missing else name] = reason
    record = {"missing": missing, "checked_at": int(time.time() * 1000)}
    paths.write_whole(os.path.join(environment, "semantic.json"), json.dumps(record) + "\n")


def stable_base() -> str:
    """Returns the interpreter behind this one, by the name that outlives its minor updates."""
    base = getattr(sys, "_base_executable", "") or sys.executable
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    versioned = os.path.join(os.path.dirname(base), name)
    # `python3` may come to mean another version; `python3.12` will not.
    if os.path.exists(versioned) and os.path.samefile(base, versioned):
        return versioned
    return base


class _only_builder:  # noqa: N801 - read as a verb, used as a context manager only
    """Holds the one lock of set-up; gives its descriptor, or 0 where another process has it."""

    def __init__(self, say: Say, *, wait: bool) -> None:
        self._say = say
        self._wait = wait
        self._descriptor = 0

    def __enter__(self) -> int:
        folder = paths.state_folder()
        paths.make_private_folder(folder)
        path = os.path.join(folder, f"setup-{paths.lock_name()}.lock")
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if _try_lock(self._descriptor):
            return self._descriptor
        if not self._wait:
            return 0
        self._say("another process is setting up; waiting for it")
        while not _try_lock(self._descriptor):
            time.sleep(0.2)
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _steps(say: Say) -> Iterator[None]:
    """Says and records one step each time it is advanced."""
    path = os.path.join(paths.state_folder(), "setup-progress.json")
    for number, text in enumerate(STEPS, start=1):
        say(f"setting up, {number} of {len(STEPS)}: {text}")
        told = {"step": number, "of": len(STEPS), "text": text, "pid": os.getpid()}
        paths.write_whole(path, json.dumps(told) + "\n")
        yield
    yield


def _keep_error(error: SetupError) -> None:
    state = paths.state_folder()
    try:
        paths.write_whole(os.path.join(state, "setup-error.txt"), f"{error}\n")
        if error.details:
            paths.write_whole(os.path.join(state, "setup.log"), error.details)
        paths.remove(os.path.join(state, "setup-progress.json"))
    except OSError:
        # The state folder itself cannot be written: whoever called is told by the error.
        return


def _listing(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _last_used(environment: str) -> float:
    for path in (os.path.join(environment, "used"), environment):
        try:
            return os.stat(path).st_mtime
        except OSError:
            continue
    return time.time()
