"""Run three more real agents in a throw-away home, against a MockModels.

Here: getting Codex, Gemini CLI and OpenCode from npm (``find_agent``), and a HOME and a project to
run each in. What each agent has its own way to do stands in its class. Not here: what it talks to
(mock_models.py). Nothing of the caller's environment reaches an agent but what ``env`` lists.
"""

from __future__ import annotations

import abc
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
from typing import Any, ClassVar, Self

from .client import ClientUnavailableError
from .inspector import find_inspector
from .mock_api import ScriptItem
from .mock_models import MockModels, ModelRequest
from .npm import NpmError, clients_folder, install_from_npm
from .processes import processes_of_home

LEAST_NODE = 20  #: Gemini CLI's engines


def find_agent(kind: type[Agent]) -> Path:
    """Return the agent's executable, installed from npm if it is not there.

    Raises:
        ClientUnavailableError: npm is missing or cannot install it.
    """
    folder = clients_folder() / f"{kind.name}-{kind.version}"
    if not _executable(kind, folder):
        try:
            packages = [f"{kind.package}@{kind.version}"]
            install_from_npm(packages, folder, lambda made: bool(_executable(kind, made)))
        except NpmError as error:
            raise ClientUnavailableError(str(error)) from error
    results = _executable(kind, folder)
    assert results is not None
    return results


def find_node() -> str:
    """Return a node that is new enough for what runs by it; one from npm where the system's is not.

    Raises:
        ClientUnavailableError: there is none, and none to be had.
    """
    own = shutil.which("node")
    if own is not None:
        result = subprocess.run([own, "--version"], check=False, capture_output=True, text=True)
        if int(result.stdout.strip().lstrip("v").partition(".")[0] or 0) >= LEAST_NODE:
            return own
    return str(find_inspector() / "node")


def _executable(kind: type[Agent], folder: Path) -> Path | None:
    return next(iter(sorted(folder.glob(kind.binary))), None)


@dataclass(kw_only=True)
class AgentResult:
    """One finished run of an agent."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    main: list[ModelRequest]  #: the requests of its main loop
    events: list[dict[str, Any]] = field(default_factory=list)  #: what it printed as JSON lines


class Agent(abc.ABC):
    """A HOME, a project and a mock of the model's API."""

    name: ClassVar[str]
    package: ClassVar[str]
    version: ClassVar[str]
    binary: ClassVar[str]  #: where npm puts the executable
    model: ClassVar[str] = "mock"
    told_in: ClassVar[str] = "AGENTS.md"  #: the project's file with instructions

    def __init__(self, root: Path, executable: Path) -> None:
        self.executable = executable
        self.home, self.project, self.tmp = (
            root.resolve() / name for name in ("home", "project", "tmp")
        )
        for folder in (self.home, self.project, self.tmp):
            folder.mkdir(parents=True)
        self.api = MockModels()
        self.setup()
        subprocess.run(
            ["git", "init", "-q", "-b", "main", str(self.project)], check=True, env=self.env()
        )

    # -- what each agent has its own way to do

    @abc.abstractmethod
    def setup(self) -> None:
        """Write the configuration that the agent needs to start."""

    @abc.abstractmethod
    def add_snippet(self, text: str) -> None:
        """Put what ``aforesaid config --client`` printed where its user puts it."""

    @abc.abstractmethod
    def arguments(self, prompt: str) -> list[str]:
        """Return the arguments that run one prompt and print events as JSON lines."""

    def given(self, _prompt: str) -> str:
        """Return the prompt, if the agent takes it on standard input."""
        return ""

    def own_env(self) -> dict[str, str]:
        """Return the variables that this agent needs."""
        return {}

    # -- what they have in common

    def env(self) -> dict[str, str]:
        """Return the whole environment of the agent."""
        node = shutil.which("node")
        path = [*([os.path.dirname(node)] if node else []), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "PATH": ":".join(dict.fromkeys(path)),
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "SHELL": "/bin/bash",
            "USER": "dev",
            "HTTPS_PROXY": self.api.url,
            "HTTP_PROXY": self.api.url,
            "NO_PROXY": "127.0.0.1,localhost,::1",
            "GIT_CONFIG_NOSYSTEM": "1",
            **self.own_env(),
        }

    def prompt(
        self,
        prompt: str,
        *,
        script: Iterable[ScriptItem],
        folder: Path | None = None,
        timeout: float = 120,
    ) -> AgentResult:
        """Run one prompt to its end, with these answers of the model, in the project or a folder.

        Raises:
            AssertionError: it called a tool that the model was not offered, or left turns over.
        """
        before, began = len(self.api.requests), time.monotonic()
        self.api.extend(script)
        node = [find_node()] if self.executable.suffix == ".js" else []
        done = subprocess.run(
            [*node, str(self.executable), *self.arguments(prompt)],
            check=False,
            cwd=folder or self.project,
            env=self.env(),
            input=self.given(prompt),
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        main = [request for request in self.api.requests[before:] if request.kind == "main"]
        text = f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
        assert [] == self.api.not_offered, text
        assert 0 == self.api.left, text
        return AgentResult(
            code=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            seconds=time.monotonic() - began,
            main=main,
            events=_events(done.stdout),
        )

    def close(self) -> None:
        """End what still runs."""
        for process in processes_of_home(self.home):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        self.api.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Codex(Agent):
    """OpenAI's Codex CLI. Its own default model calls MCP tools from code."""

    name, package, version = "codex", "@openai/codex", "0.169.0"
    binary = "node_modules/@openai/codex-*/vendor/*/bin/codex"
    model = "gpt-6.1-sol"

    def setup(self) -> None:
        self.config = self.home / ".codex" / "config.toml"
        self.config.parent.mkdir()
        self.config.write_text(
            f'model = "{self.model}"\nmodel_provider = "mock"\n'
            "check_for_update_on_startup = false\n"
            "[analytics]\nenabled = false\n[features]\nplugins = false\n"
            '[model_providers.mock]\nname = "mock"\nwire_api = "responses"\n'
            f'base_url = "{self.api.url}/v1"\nenv_key = "RIG_DUMMY_KEY"\n'
            f'[projects."{self.project}"]\ntrust_level = "trusted"\n'
        )

    def add_snippet(self, text: str) -> None:
        with self.config.open("a") as file:
            file.write("\n" + text)

    def own_env(self) -> dict[str, str]:
        return {"RIG_DUMMY_KEY": "dummy"}

    def arguments(self, prompt: str) -> list[str]:
        # the user's trust in hooks, which Codex otherwise asks for in its terminal
        trust = "--dangerously-bypass-hook-trust"
        return ["exec", "--json", "--skip-git-repo-check", trust, "--", prompt]


class GeminiCli(Agent):
    """Google's Gemini CLI."""

    name, package, version = "gemini", "@google/gemini-cli", "0.61.0"
    binary = "node_modules/@google/gemini-cli/bundle/gemini.js"
    model = "gemini-2.5-pro"  # a plain name: "auto" asks a model which to take
    server = "memory"  # whose tools it may use
    told_in = "GEMINI.md"

    def setup(self) -> None:
        self.config = self.home / ".gemini" / "settings.json"
        _merge(
            self.config,
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
                "privacy": {"usageStatisticsEnabled": False},
                "telemetry": {"enabled": False},
            },
        )

    def add_snippet(self, text: str) -> None:
        _merge(self.config, json.loads(text))

    def own_env(self) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "dummy",
            "GOOGLE_GEMINI_BASE_URL": self.api.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def arguments(self, prompt: str) -> list[str]:
        # headless runs offer the tools of a server only if it is named here, or trusted
        named = ["--allowed-mcp-server-names", self.server]
        return ["-m", self.model, "-o", "stream-json", *named, f"--prompt={prompt}"]


class OpenCode(Agent):
    """OpenCode."""

    name, package, version = "opencode", "opencode-ai", "1.18.33"
    binary = "node_modules/opencode-ai/bin/opencode*"
    options: tuple[str, ...] = ()  # of `opencode run`

    def setup(self) -> None:
        self.config = self.home / ".config" / "opencode" / "opencode.json"
        limits = {"name": self.model, "limit": {"context": 100_000, "output": 4_000}}
        _merge(
            self.config,
            {
                "model": f"rig/{self.model}",
                "small_model": f"rig/{self.model}",
                "share": "disabled",
                "autoupdate": False,
                "provider": {
                    "rig": {
                        "npm": "@ai-sdk/openai-compatible",
                        "name": "rig",
                        "models": {self.model: limits},
                        "options": {"baseURL": f"{self.api.url}/v1", "apiKey": "dummy"},
                    }
                },
            },
        )
        # As if npm had been there: it installs its plugin package over the network.
        (self.config.parent / "node_modules").mkdir()
        (self.config.parent / "package-lock.json").write_text(
            json.dumps({"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}})
        )

    def add_snippet(self, text: str) -> None:
        _merge(self.config, json.loads(text))

    def own_env(self) -> dict[str, str]:
        return {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def arguments(self, _prompt: str) -> list[str]:
        return ["run", "--format", "json", *self.options]

    def given(self, prompt: str) -> str:
        return prompt  # as an argument it would be shown in quotes


AGENTS: tuple[type[Agent], ...] = (Codex, GeminiCli, OpenCode)


def _merge(path: Path, more: dict[str, Any]) -> None:
    """Merge into a JSON file, objects by key."""

    def merged(old: Any, new: Any) -> Any:
        if isinstance(old, dict) and isinstance(new, dict):
            return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}
        return new

    path.parent.mkdir(parents=True, exist_ok=True)
    old = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(merged(old, more), indent=1))


def _events(stdout: str) -> list[dict[str, Any]]:
    events = []
    for line in stdout.splitlines():
        with contextlib.suppress(ValueError):
            event = json.loads(line)
            if isinstance(event, dict):
                events.append(event)
    return events
