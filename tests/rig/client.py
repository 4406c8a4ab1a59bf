"""Run the real Claude Code client in a throw-away home, against a MockAPI.

Here: getting a client from npm (``find_client``), and an isolated HOME to run it in (``Sandbox``).
Not here: what it talks to (mock_api.py) and its terminal (terminal.py). Nothing of the caller's
environment reaches the client but what ``Sandbox.env`` lists; in particular no API key.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from .mock_api import MockAPI, Request, ScriptItem
from .npm import NpmError, clients_folder, install_from_npm
from .processes import processes_of_home
from .terminal import Terminal

#: the version that the tests were last shown with
PINNED = "2.1.330"
PACKAGE = "@anthropic-ai/claude-code"
API_KEY = "sk-ant-dummy-key-of-the-test-rig-0000000000"

_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_BUG_COMMAND": "1",
}
_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "dev",
    "GIT_AUTHOR_EMAIL": "dev@example.com",
    "GIT_COMMITTER_NAME": "dev",
    "GIT_COMMITTER_EMAIL": "dev@example.com",
}


class ClientUnavailableError(Exception):
    """The client is not here and cannot be had; says why and what to do."""


def find_client(version: str | None = None) -> Path:
    """Return the client's executable, installed with npm if need be.

    ``AFORESAID_TEST_CLIENT`` names an executable and installs nothing;
    ``AFORESAID_TEST_CLIENT_VERSION`` chooses a version (default ``PINNED``);
    ``AFORESAID_TEST_CLIENTS`` is the folder to keep clients in, by version.

    Raises:
        ClientUnavailableError: where npm is missing or cannot install it.
    """
    named = os.environ.get("AFORESAID_TEST_CLIENT")
    if named and version is None:
        return Path(named).resolve()
    version = version or os.environ.get("AFORESAID_TEST_CLIENT_VERSION") or PINNED
    folder = clients_folder() / version
    return _executable(folder) or _install(version, folder)


def _executable(folder: Path) -> Path | None:
    for native in sorted((folder / "node_modules/@anthropic-ai").glob("claude-code-*/claude*")):
        if native.is_file() and os.access(native, os.X_OK):
            return native
    return None


def _install(version: str, folder: Path) -> Path:
    try:
        # The version is asked for: with an older node, npm silently picks an older client.
        install_from_npm([f"{PACKAGE}@{version}"], folder, lambda made: bool(_executable(made)))
    except NpmError as error:
        raise ClientUnavailableError(
            f"{error}; or name the client's executable in AFORESAID_TEST_CLIENT"
        ) from error
    installed = _executable(folder)
    assert installed is not None
    return installed


@dataclass(kw_only=True)
class Result:
    """One finished run of the client."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    began: float  #: monotonic seconds, as in ``Request.time``
    requests: list[Request]
    events: list[dict[str, Any]] = field(default_factory=list)  #: of stream-json

    @property
    def main(self) -> list[Request]:
        """The requests of the main loop and of subagents."""
        return [request for request in self.requests if request.kind == "main"]

    def event(self, kind: str, subtype: str | None = None) -> dict[str, Any]:
        """Return the first stream-json event of this kind; empty where there is none."""
        for event in self.events:
            if event.get("type") == kind and subtype in (None, event.get("subtype")):
                return event
        return {}

    @property
    def init(self) -> dict[str, Any]:
        """What the client said when it began: tools, mcp_servers, plugins."""
        return self.event("system", "init")

    @property
    def final(self) -> dict[str, Any]:
        """What it said at the end."""
        return self.event("result")

    @property
    def session_id(self) -> str:
        """The session's id."""
        return str(self.init["session_id"])


class Sandbox:
    """A HOME, a project and a mock API for the client to run with."""

    def __init__(
        self,
        root: Path,
        client: Path,
        *,
        env: dict[str, str | None] | None = None,
    ) -> None:
        self.root = root.resolve()
        self.client = client
        self.home = self.root / "home"
        self.config = self.home / ".claude"
        self.tmp = self.root / "tmp"
        for folder in (self.config, self.tmp):
            folder.mkdir(parents=True, exist_ok=True)
        self.api = MockAPI()
        self.extra_env = dict(env or {})
        self.children: list[subprocess.Popen[str]] = []
        self.trusted: list[Path] = []
        self.project = self.repository("project")

    def repository(self, name: str) -> Path:
        """Return a new git repository whose trust dialog is already answered."""
        folder = self.root / name
        folder.mkdir()
        subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True, env=self.env())
        self.trusted.append(folder)
        self._answer_dialogs()
        return folder

    def _answer_dialogs(self) -> None:
        """Answer the first-run dialogs before they are asked."""
        path = self.config / ".claude.json"
        state = json.loads(path.read_text()) if path.exists() else {}
        state.update(
            hasCompletedOnboarding=True,
            theme="dark",
            numStartups=5,
            lastOnboardingVersion=PINNED,
            lastReleaseNotesSeen=PINNED,
            customApiKeyResponses={"approved": [API_KEY[-20:]], "rejected": []},
        )
        answered = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state.setdefault("projects", {}).update({str(f): answered for f in self.trusted})
        path.write_text(json.dumps(state, indent=1))

    def env(self, **more: str | None) -> dict[str, str]:
        """Return the whole environment of the client; ``None`` takes a variable away."""
        node = shutil.which("node")
        path = [*([os.path.dirname(node)] if node else []), "/usr/local/bin", "/usr/bin", "/bin"]
        env: dict[str, str | None] = {
            "PATH": ":".join(dict.fromkeys(path)),
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/bash",
            "USER": "dev",
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": API_KEY,
            "HTTPS_PROXY": self.api.url,
            "HTTP_PROXY": self.api.url,
            "NO_PROXY": "127.0.0.1,localhost,::1",
            **_QUIET,
            **_GIT,
            **self.extra_env,
            **more,
        }
        return {key: value for key, value in env.items() if value is not None}

    def command(
        self,
        *args: str,
        timeout: float = 120,
        cwd: Path | None = None,
        env: dict[str, str | None] | None = None,
    ) -> Result:
        """Run ``claude ARGS`` to its end."""
        before, began = len(self.api.requests), time.monotonic()
        done = subprocess.run(
            [str(self.client), *args],
            check=False,
            cwd=cwd or self.project,
            env=self.env(**(env or {})),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return Result(
            code=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            seconds=time.monotonic() - began,
            began=began,
            requests=self.api.requests[before:],
            events=_events(done.stdout),
        )

    @staticmethod
    def prompt_args(prompt: str, *args: str, resume: str | None = None) -> list[str]:
        """Return the arguments of a run in print mode."""
        out = ["-p", prompt, "--output-format", "stream-json", "--verbose"]
        out += ["--include-hook-events"]
        if resume:
            out += ["--resume", resume]
        return [*out, *args]

    def prompt(
        self,
        prompt: str,
        *args: str,
        script: Iterable[ScriptItem] = (),
        resume: str | None = None,
        timeout: float = 120,
        cwd: Path | None = None,
        env: dict[str, str | None] | None = None,
    ) -> Result:
        """Run ``claude -p PROMPT`` to its end, with these answers of the model."""
        self.api.extend(script)
        arguments = self.prompt_args(prompt, *args, resume=resume)
        return self.command(*arguments, timeout=timeout, cwd=cwd, env=env)

    def start(self, *args: str, env: dict[str, str | None] | None = None) -> subprocess.Popen[str]:
        """Start ``claude ARGS`` in its own process group and do not wait; output is dropped."""
        child = subprocess.Popen(
            [str(self.client), *args],
            cwd=self.project,
            env=self.env(**(env or {})),
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.children.append(child)
        return child

    def terminal(self, *args: str, script: Iterable[ScriptItem] = ()) -> Terminal:
        """Start the interactive client on a pseudo-terminal."""
        self.api.extend(script)
        return Terminal([str(self.client), *args], cwd=self.project, env=self.env())

    def transcript(self, session_id: str) -> list[dict[str, Any]]:
        """Return the lines of a session's transcript."""
        (path,) = (self.config / "projects").glob(f"*/{session_id}.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines() if line]

    def close(self) -> None:
        """End what still runs, detached children included."""
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        for process in processes_of_home(self.home):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        self.api.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _events(stdout: str) -> list[dict[str, Any]]:
    events = []
    for line in stdout.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events
