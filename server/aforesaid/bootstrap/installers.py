"""Runs uv, or venv and pip, so that exactly the locked wheels arrive, whatever the user has set.

The user's package index settings are theirs and are kept (mirrors, proxies, certificates); what
would send packages elsewhere or change the set is not. Nothing here decides where or when.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec

LIMIT_SECONDS = 1_200
# Settings of the user that would install elsewhere, or something else than the lock says.
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
# An empty value takes back what a pip.conf says.
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
    """Set-up cannot go on: what happened, and what to do about it."""

    def __init__(self, what: str, fix: str, details: str = "") -> None:
        super().__init__(f"Aforesaid could not set up: {what}. To fix it: {fix}.")
        self.what = what
        self.fix = fix
        self.details = details


class ExtraError(SetupError):
    """An extra that was asked for cannot be installed; everything else goes on."""


class Installer:
    """Makes one environment and fills it; every child holds the lock of set-up open."""

    def __init__(self, python: str, lock: int) -> None:
        self._python = python
        self._lock = lock
        self._uv = ""
        self._pip: list[str] = []
        self._base = ""
        self.environment = ""  #: the folder that is made or filled
        self.name = ""

    def works(self, python: str) -> bool:
        """Returns whether an interpreter still starts."""
        try:
            return self._run([python, "-I", "-c", "pass"]).returncode == 0
        except OSError:
            return False

    def enter(self, environment: str, base: str) -> None:
        """Takes an environment that is there; what was made by uv has no pip of its own."""
        self.environment = environment
        self._base = base
        self._uv = find_uv()
        if not self._uv:
            self._find_pip()

    def make(self, environment: str, base: str) -> None:
        """Makes an empty environment of the interpreter `base`: with uv where there is one.

        Raises:
            SetupError: Neither uv nor venv can.
        """
        self.environment = environment
        self._base = base
        uv = find_uv()
        if uv:
            made = self._run([uv, "venv", "--quiet", "--no-project", "--python", base, environment])
            if made.returncode == 0:
                self._uv, self.name = uv, "uv"
                return
            shutil.rmtree(environment, ignore_errors=True)
        self._make_with_venv()

    def install(self, requirements: str) -> None:
        """Installs a lock: these wheels and no others.

        Raises:
            SetupError: A package could not be fetched, or is not what the lock says.
        """
        done = self._install(requirements)
        if done.returncode and self._uv:
            # Behind a mirror that only pip was told of, pip still succeeds.
            told_by_uv = done.stderr
            shutil.rmtree(self.environment, ignore_errors=True)
            self._uv = ""
            try:
                self._make_with_venv()
            except SetupError:
                raise explain(told_by_uv) from None
            done = self._install(requirements)
        if done.returncode:
            raise explain(done.stderr + done.stdout)

    def add(self, requirements: str) -> None:
        """Installs a lock beside what is there.

        Raises:
            ExtraError: A package could not be fetched, or is not what the lock says.
        """
        done = self._install(requirements)
        if done.returncode:
            error = explain(done.stderr + done.stdout)
            raise ExtraError(error.what, error.fix, error.details)

    def install_what_goes(self, requirements: str) -> dict[str, str]:
        """Installs a lock as far as it goes; returns the packages that did not, with the reason."""
        if self._install(requirements).returncode == 0:
            return {}
        refused = {}
        with open(requirements, encoding="utf-8") as file:
            packages = re.findall(r"^[A-Za-z0-9].*\n(?:[ ]+.*\n)*", file.read(), re.MULTILINE)
        for package in packages:
            with tempfile.TemporaryDirectory() as folder:
                one = os.path.join(folder, "requirements.txt")
                with open(one, "w", encoding="utf-8") as file:
                    file.write(package)
                done = self._install(one)
            if done.returncode:
                refused[package.partition("==")[0]] = explain(done.stderr + done.stdout).what
        return refused

    def compile(self, package: str) -> None:
        """Compiles what was installed, and our own package where its folder can be written."""
        where = self.run_in("import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        skipped = r"[/\\](tests?|pip)[/\\]"
        # What cannot be compiled (a template, a read-only folder) is left as it is.
        for folder in (where, package):
            self._run([self._python, "-I", "-m", "compileall", "-q", "-j0", "-x", skipped, folder])

    def run_in(self, code: str, *arguments: str) -> str:
        """Returns what a line of Python prints inside the environment."""
        done = self._run([self._python, "-I", "-c", code, *arguments])
        if done.returncode:
            raise SetupError(
                f"the environment in {self.environment} does not run: {last_line(done.stderr)}",
                "remove that folder and try again, or name another Python in AFORESAID_PYTHON",
                done.stderr,
            )
        return done.stdout

    def _make_with_venv(self) -> None:
        base = self._base
        command = [base, "-I", "-m", "venv"]
        if not self._find_pip():
            raise SetupError(
                f"{base} can make no environment: its venv and pip are not installed",
                "sudo apt install python3-venv (Debian, Ubuntu), or install uv",
            )
        if self._pip[0] == base:
            command.append("--without-pip")
        made = self._run([*command, self.environment])
        if made.returncode:
            raise SetupError(
                f"{base} could not make an environment: {last_line(made.stderr + made.stdout)}",
                "sudo apt install python3-venv (Debian, Ubuntu), or install uv",
                made.stderr + made.stdout,
            )

    def _find_pip(self) -> bool:
        """Chooses the environment's own pip, else the base interpreter's; False if neither is."""
        if find_spec("ensurepip"):
            self._pip = [self._python, "-I", "-m", "pip"]
            self.name = "pip"
        elif find_spec("pip"):
            self._pip = [self._base, "-m", "pip", "--python", self._python]
            self.name = "pip of the base interpreter"
        return bool(self._pip)

    def _install(self, requirements: str) -> subprocess.CompletedProcess[str]:
        wanted = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement"]
        if self._uv:
            command = [self._uv, "pip", "install", "--quiet", "--python", self._python]
        else:
            command = [*self._pip, "install", "--quiet", "--no-input", "--no-compile"]
            command += ["--disable-pip-version-check", "--progress-bar=off"]
        return self._run([*command, *wanted, requirements])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                command,
                # Not in the user's project: its pyproject.toml could hold settings for uv.
                cwd=os.path.dirname(self.environment or self._python) or None,
                env=clean_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=LIMIT_SECONDS,
                check=False,
                # Held by the child too: see environment.py.
                pass_fds=(self._lock,) if os.name == "posix" else (),
            )
        except subprocess.TimeoutExpired as error:
            raise SetupError(
                f"{os.path.basename(command[0])} took longer than {LIMIT_SECONDS // 60} minutes",
                "look at the network, then try again",
            ) from error


def find_uv() -> str:
    """Returns uv's path, or nothing; a client started from a desktop has a short PATH."""
    home = os.path.expanduser("~")
    places = [
        os.environ.get("PATH", os.defpath),
        os.path.join(home, ".local", "bin"),
        os.path.join(home, ".cargo", "bin"),
        "/opt/homebrew/bin",
        "/usr/local/bin",
    ]
    return shutil.which("uv", path=os.pathsep.join(places)) or ""


def clean_environment() -> dict[str, str]:
    """Returns the environment for children: the user's, less what would change the result."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    quiet = {"GIT_PYTHON_REFRESH": "quiet", "ORT_DISABLE_TELEMETRY": "1"}
    return kept | dict.fromkeys(_EMPTIED, "") | quiet


_CAUSES = (
    (
        (
            r"ConnectionError|Connection (?:refused|reset)|timed out|unreachable|getaddrinfo"
            r"|dns error|name resolution|error sending request|ProxyError|SSLError"
            r"|certificate verify"
        ),
        "the package index could not be reached",
        "look at the network, and at PIP_INDEX_URL or UV_INDEX_URL and the proxy if you use one",
    ),
    (
        r"No space left|disk quota|os error 28",
        "the disk is full",
        "free about 500 MB and try again",
    ),
    (
        r"hashes? (?:are required|mismatch|do not match)|DO NOT MATCH|[Hh]ash mismatch",
        "a package is not the one that the lock names (its hash differs)",
        "look at what your package index or proxy serves, then try again",
    ),
    (
        r"No matching distribution|no usable wheels|no wheels? with a matching|unsatisfiable",
        "a package has no wheel for this Python and platform",
        "name another Python, 3.11 to 3.13 say, in AFORESAID_PYTHON, or look at your package index",
    ),
)


def explain(output: str) -> SetupError:
    """Returns an installer's failure as one that says what to do."""
    for pattern, what, fix in _CAUSES:
        if re.search(pattern, output):
            return SetupError(f"{what} ({last_line(output)})", fix, output)
    return SetupError(
        f"the packages could not be installed ({last_line(output)})",
        "read setup.log in the state folder, then run: aforesaid setup --rebuild",
        output,
    )


def last_line(output: str) -> str:
    """Returns the line of an installer's output that says most, at most 300 characters."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if re.match(r"(?i)error|.*: error", line)]
    return (told or lines or ["it said nothing"])[-1][:300].rstrip(".")
