"""Installs the locked wheels with uv, or with venv and pip, regardless of the user's settings.

The user's package index settings (mirrors, proxies, certificates) apply. Settings that would
install elsewhere or install other packages do not.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec

TIMEOUT_SECONDS = 1_200
# Settings that would install elsewhere, or something other than the lock file says.
_DROPPED = {
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONNOUSERSITE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPYCACHEPREFIX",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PIP_REQUIREMENT",
    "UV_BUILD_CONSTRAINT",
    "UV_CONSTRAINT",
    "UV_EXCLUDE",
    "UV_EXCLUDE_NEWER",
    "UV_OVERRIDE",
    "UV_PREFIX",
    "UV_PYTHON",
    "UV_REQUIRE_HASHES",
    "UV_SYSTEM_PYTHON",
    "UV_TARGET",
    "UV_WORKING_DIRECTORY",
    "UV_WORKING_DIR",
    "UV_NO_BINARY",
    "UV_NO_BINARY_PACKAGE",
}
# An empty value overrides pip.conf.
_EMPTIED = (
    "PIP_CONSTRAINT",
    "PIP_DRY_RUN",
    "PIP_NO_BINARY",
    "PIP_PREFIX",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_ROOT",
    "PIP_TARGET",
    "PIP_USER",
)


class SetupError(Exception):
    """Set-up failed: the cause, and how to fix it."""

    def __init__(self, cause: str, fix: str, details: str = "") -> None:
        super().__init__(f"Aforesaid could not set up: {cause}. To fix it: {fix}.")
        self.cause = cause
        self.fix = fix
        self.details = details


class ExtraError(SetupError):
    """A requested extra cannot be installed; the environment works without it."""


class PackageInstaller:
    """Creates one environment and installs into it; child processes inherit the set-up lock."""

    def __init__(self, python: str, lock: int) -> None:
        self._python = python
        self._lock = lock
        self._uv = ""
        self._pip: list[str] = []
        self._base = ""
        self.environment = ""  #: its folder
        self.name = ""

    def works(self, python: str) -> bool:
        """Return whether an interpreter starts."""
        try:
            return self._run([python, "-I", "-c", "pass"]).returncode == 0
        except OSError:
            return False

    def enter(self, environment: str, base: str) -> None:
        """Use an existing environment; if uv created it, it has no pip of its own."""
        self.environment = environment
        self._base = base
        self._uv = find_uv()
        if not self._uv:
            self._find_pip()

    def make(self, environment: str, base: str) -> None:
        """Create an empty environment for the interpreter `base`, with uv if it is installed.

        Raises:
            SetupError: neither uv nor venv can create it.
        """
        self.environment = environment
        self._base = base
        uv = find_uv()
        if uv:
            venv = self._run([uv, "venv", "--quiet", "--no-project", "--python", base, environment])
            if venv.returncode == 0:
                self._uv, self.name = uv, "uv"
                return
            shutil.rmtree(environment, ignore_errors=True)
        self._make_with_venv()

    def install(self, requirements: str) -> None:
        """Install the wheels of a lock file.

        Raises:
            SetupError: a package could not be fetched, or does not match the lock file.
        """
        process = self._install(requirements)
        if process.returncode and self._uv:
            # with a mirror that only pip is configured for, pip still succeeds
            uv_output = process.stderr
            shutil.rmtree(self.environment, ignore_errors=True)
            self._uv = ""
            try:
                self._make_with_venv()
            except SetupError:
                raise explain(uv_output) from None
            process = self._install(requirements)
        if process.returncode:
            raise explain(process.stderr + process.stdout)

    def add(self, requirements: str) -> None:
        """Install a lock file into an environment that already has packages.

        Raises:
            ExtraError: a package could not be fetched, or does not match the lock file.
        """
        process = self._install(requirements)
        if process.returncode:
            error = explain(process.stderr + process.stdout)
            raise ExtraError(error.cause, error.fix, error.details)

    def install_available(self, requirements: str) -> dict[str, str]:
        """Install as much of a lock file as possible; return failed packages with the cause."""
        if self._install(requirements).returncode == 0:
            return {}
        failures = {}
        with open(requirements, encoding="utf-8") as file:
            packages = re.findall(r"^[A-Za-z0-9].*\n(?:[ ]+.*\n)*", file.read(), re.MULTILINE)
        for package in packages:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "requirements.txt")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(package)
                process = self._install(path)
            if process.returncode:
                error = explain(process.stderr + process.stdout)
                failures[package.partition("==")[0]] = error.cause
        return failures

    def compile(self, package: str) -> None:
        """Compile the installed packages, and this one if its folder is writable."""
        packages = self.run_in("import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        exclude = r"[/\\](tests?|pip)[/\\]"
        # files that cannot be compiled (a template, a read-only folder) are skipped
        for folder in (packages, package):
            self._run([self._python, "-I", "-m", "compileall", "-q", "-j0", "-x", exclude, folder])

    def run_in(self, code: str, *arguments: str) -> str:
        """Return what Python code prints inside the environment."""
        process = self._run([self._python, "-I", "-c", code, *arguments])
        if process.returncode:
            raise SetupError(
                f"the environment in {self.environment} does not run: {last_line(process.stderr)}",
                "remove that folder and try again, or set AFORESAID_PYTHON to another Python",
                process.stderr,
            )
        return process.stdout

    def _make_with_venv(self) -> None:
        base = self._base
        command = [base, "-I", "-m", "venv"]
        if not self._find_pip():
            raise SetupError(
                f"{base} cannot create an environment: its venv and pip are not installed",
                "sudo apt install python3-venv (Debian, Ubuntu), or install uv",
            )
        if self._pip[0] == base:
            command.append("--without-pip")
        process = self._run([*command, self.environment])
        if process.returncode:
            output = process.stderr + process.stdout
            raise SetupError(
                f"{base} could not create an environment: {last_line(output)}",
                "sudo apt install python3-venv (Debian, Ubuntu), or install uv",
                output,
            )

    def _find_pip(self) -> bool:
        """Choose the environment's own pip or the base interpreter's; False if there is none."""
        if find_spec("ensurepip"):
            self._pip = [self._python, "-I", "-m", "pip"]
            self.name = "pip"
        elif find_spec("pip"):
            self._pip = [self._base, "-m", "pip", "--python", self._python]
            self.name = "pip of the base interpreter"
        return bool(self._pip)

    def _install(self, requirements: str) -> subprocess.CompletedProcess[str]:
        options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement"]
        if self._uv:
            command = [self._uv, "pip", "install", "--quiet", "--python", self._python]
        else:
            command = [*self._pip, "install", "--quiet", "--no-input", "--no-compile"]
            command += ["--disable-pip-version-check", "--progress-bar=off"]
        return self._run([*command, *options, requirements])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                command,
                # not the user's project, whose pyproject.toml may have settings for uv
                cwd=os.path.dirname(self.environment or self._python) or None,
                env=clean_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=TIMEOUT_SECONDS,
                check=False,
                # see environment.py
                pass_fds=(self._lock,) if os.name == "posix" else (),
            )
        except subprocess.TimeoutExpired as error:
            raise SetupError(
                f"{os.path.basename(command[0])} took longer than {TIMEOUT_SECONDS // 60} minutes",
                "check the network connection and try again",
            ) from error


def find_uv() -> str:
    """Return uv's path, or an empty text; a client started from a desktop has a short PATH."""
    home = os.path.expanduser("~")
    folders = [
        os.environ.get("PATH", os.defpath),
        os.path.join(home, ".local", "bin"),
        os.path.join(home, ".cargo", "bin"),
        "/opt/homebrew/bin",
        "/usr/local/bin",
    ]
    return shutil.which("uv", path=os.pathsep.join(folders)) or ""


def clean_environment() -> dict[str, str]:
    """Return the variables for child processes, without those that would change the result."""
    variables = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    added = {"GIT_PYTHON_REFRESH": "quiet", "ORT_DISABLE_TELEMETRY": "1"}
    return variables | dict.fromkeys(_EMPTIED, "") | added


_CAUSES = (
    (
        (
            r"ConnectionError|Connection (?:refused|reset)|timed out|unreachable|getaddrinfo"
            r"|dns error|name resolution|error sending request|ProxyError|SSLError"
            r"|certificate verify"
        ),
        "the package index could not be reached",
        "check the network connection, and PIP_INDEX_URL, UV_INDEX_URL and the proxy if set",
    ),
    (
        r"No space left|disk quota|os error 28",
        "the disk is full",
        "free about 500 MB and try again",
    ),
    (
        r"hashes? (?:are required|mismatch|do not match)|DO NOT MATCH|[Hh]ash mismatch",
        "a package does not match the lock file (its hash differs)",
        "check what your package index or proxy serves, then try again",
    ),
    (
        r"No matching distribution|no usable wheels|no wheels? with a matching|unsatisfiable",
        "a package has no wheel for this Python and platform",
        "set AFORESAID_PYTHON to another Python, such as 3.13, or check your package index",
    ),
)


def explain(output: str) -> SetupError:
    """Return the error for an installer's output."""
    for pattern, cause, fix in _CAUSES:
        if re.search(pattern, output):
            return SetupError(f"{cause} ({last_line(output)})", fix, output)
    return SetupError(
        f"the packages could not be installed ({last_line(output)})",
        "read setup.log in the state folder, then run: aforesaid setup --rebuild",
        output,
    )


def last_line(output: str) -> str:
    """Return the most informative line of an installer's output, at most 300 characters."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(?i)error|.*: error", line)]
    return (errors or lines or ["no output"])[-1][:300].rstrip(".")
