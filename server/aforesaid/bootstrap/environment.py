"""Builds the environment from the lock files, once for each lock hash and Python version.

It runs on any Python from 3.11 with the standard library only.

A build holds a file lock that its child processes inherit, so the next build waits until the
children of a killed one have ended. The marker `ready` is written last, just before the pointer
that the launcher follows: an environment without it is incomplete and is built again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from contextlib import contextmanager

from aforesaid.bootstrap import paths
from aforesaid.bootstrap.installers import ExtraError, PackageInstaller, SetupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Report = Callable[[str], None]

STEPS = (
    "creating a Python environment",
    "installing packages",
    "installing packages for semantic recall",
    "compiling",
    "checking the installation",
)
CORE_MODULES = ("apsw", "click", "git", "mcp", "platformdirs")
SEMANTIC_MODULES = ("onnxruntime", "sqlite_vec", "tokenizers")
# onnxruntime sends telemetry from its import on unless this variable is set.
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


def ensure(report: Report, *, rebuild: bool = False, wait: bool = True) -> str:
    """Return the interpreter of the environment; build it if it is missing or broken.

    Args:
        report: called with each step, as a line for the user.
        rebuild: build it again even if it is ready.
        wait: wait while another process builds it; otherwise return an empty text.

    Raises:
        SetupError: the build failed; the error is also stored in the state folder.
    """
    chosen = os.environ.get("AFORESAID_ENV", "")
    if chosen:
        if python := paths.ready_python():
            return python
        raise SetupError(
            f"AFORESAID_ENV is {chosen}, which has no Python",
            "unset AFORESAID_ENV, or set it to a ready environment",
        )
    try:
        with _setup_lock(report, wait=wait) as lock:
            if not lock:
                return ""
            python = "" if rebuild else paths.ready_python()
            installer = PackageInstaller(python, lock)
            if python and installer.works(python):
                installer.enter(os.path.dirname(os.path.dirname(python)), stable_base())
                _add_extras(report, installer)
                return python
            return _build(report, lock)
    except ExtraError:
        raise  # the environment is usable, so nothing is stored
    except SetupError as error:
        _store_error(error)
        raise
    except OSError as error:
        failure = SetupError(
            f"cannot build in {paths.environments_folder()}: {error}",
            "free disk space or make the folder writable, then try again",
        )
        _store_error(failure)
        raise failure from error


def retire_unused() -> list[str]:
    """Remove environments unused for 14 days, and dangling pointers; return the environments."""
    removed = []
    oldest = time.time() - paths.UNUSED_DAYS * 86_400
    folder = paths.environments_folder()
    current = paths.ready_python()
    for name in _list_folder(folder):
        path = os.path.join(folder, name)
        retirable = re.match(r"[0-9a-f]{12}-", name) and not current.startswith(path + os.sep)
        if retirable and _last_used(path) < oldest:
            shutil.rmtree(path, ignore_errors=True)
            removed.append(path)
    state = paths.state_folder()
    for name in _list_folder(state):
        if re.fullmatch(r"env-[0-9a-f]{12}", name):
            path = os.path.join(state, name)
            if not os.path.exists(paths.read_pointer(path)):
                paths.remove(path)
    return removed


def _build(report: Report, lock: int) -> str:
    environment = os.path.join(paths.environments_folder(), paths.environment_name())
    python = paths.environment_python(environment)
    started = time.monotonic()
    step = _steps(report)
    if paths.read_pointer(paths.pointer_path()) == python:
        paths.remove(
            paths.pointer_path()
        )  # or other processes would use the incomplete environment
    shutil.rmtree(environment, ignore_errors=True)
    os.makedirs(os.path.dirname(environment), exist_ok=True)
    installer = PackageInstaller(python, lock)

    next(step)
    installer.make(environment, stable_base())
    next(step)
    installer.install(os.path.join(paths.SERVER, "requirements.txt"))
    next(step)
    failures = installer.install_available(os.path.join(paths.SERVER, "requirements-semantic.txt"))
    try:
        _add_extras(report, installer)
    except ExtraError as error:  # extras are optional: the next set-up tries again
        report(str(error))
    next(step)
    installer.compile(paths.PACKAGE)
    next(step)
    _check(installer, environment, failures)

    record = {
        "lock": paths.lock_name(),
        "python": sys.version.split()[0],
        "base": stable_base(),
        "installer": installer.name,
        "seconds": round(time.monotonic() - started, 1),
    }
    paths.write_whole(os.path.join(environment, "ready"), json.dumps(record) + "\n")
    paths.mark_used(environment)
    paths.write_whole(paths.pointer_path(), f"{python}\n{environment}\n")
    state = paths.state_folder()
    paths.remove(os.path.join(state, "setup-error.txt"))
    paths.remove(os.path.join(state, "setup-progress.json"))
    retire_unused()
    return python


def _add_extras(report: Report, installer: PackageInstaller) -> None:
    """Install the requested extras that are missing.

    Raises:
        ExtraError: an extra cannot be installed.
    """
    for name in paths.requested_extras():
        marker = os.path.join(installer.environment, f"extra-{name}")
        if not os.path.exists(marker):
            report(f"installing packages for {name}")
            installer.add(paths.extra_lock(name))
            paths.write_whole(marker, paths.lock_name() + "\n")


def _check(installer: PackageInstaller, environment: str, failures: dict[str, str]) -> None:
    """Import all modules: core ones must work, missing semantic ones go into `semantic.json`."""
    problems = json.loads(installer.run_in(_CHECK, *CORE_MODULES, *SEMANTIC_MODULES))
    broken = {name: problems[name] for name in CORE_MODULES if name in problems}
    if broken:
        raise SetupError(
            "the installed packages cannot be imported: "
            + "; ".join(f"{name} ({reason})" for name, reason in broken.items()),
            "use another Python: AFORESAID_PYTHON=/path/to/python3.12 aforesaid setup --rebuild",
        )
    missing = {name: problems[name] for name in SEMANTIC_MODULES if name in problems}
    for name, reason in failures.items():
        module = name.replace("-", "_")
        missing[module if module in missing else name] = reason
    record = {"missing": missing, "checked_at": int(time.time() * 1000)}
    paths.write_whole(os.path.join(environment, "semantic.json"), json.dumps(record) + "\n")


def stable_base() -> str:
    """Return the base interpreter by its versioned name, which survives minor updates."""
    base = getattr(sys, "_base_executable", "") or sys.executable
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    versioned = os.path.join(os.path.dirname(base), name)
    # `python3` may point to another version later; `python3.12` will not
    if os.path.exists(versioned) and os.path.samefile(base, versioned):
        return versioned
    return base


@contextmanager
def _setup_lock(report: Report, *, wait: bool) -> Iterator[int]:
    """Yield the descriptor of the set-up lock, or 0 if another process holds it."""
    folder = paths.state_folder()
    paths.make_private_folder(folder)
    path = os.path.join(folder, f"setup-{paths.lock_name()}.lock")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        locked = _try_lock(descriptor)
        if wait and not locked:
            report("waiting for another process that is setting up")
            while not _try_lock(descriptor):
                time.sleep(0.2)
        yield descriptor if locked or wait else 0
    finally:
        os.close(descriptor)


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


def _steps(report: Report) -> Iterator[None]:
    """Report and record the next step each time the iterator is advanced."""
    path = os.path.join(paths.state_folder(), "setup-progress.json")
    for number, text in enumerate(STEPS, start=1):
        report(f"setting up, {number} of {len(STEPS)}: {text}")
        progress = {"step": number, "of": len(STEPS), "text": text, "pid": os.getpid()}
        paths.write_whole(path, json.dumps(progress) + "\n")
        yield
    yield


def _store_error(error: SetupError) -> None:
    state = paths.state_folder()
    try:
        paths.write_whole(os.path.join(state, "setup-error.txt"), f"{error}\n")
        if error.details:
            paths.write_whole(os.path.join(state, "setup.log"), error.details)
        paths.remove(os.path.join(state, "setup-progress.json"))
    except OSError:
        return  # the state folder is not writable; the caller still gets the error


def _list_folder(folder: str) -> list[str]:
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
