"""The official MCP inspector in its command-line mode, from npm: one request a run.

It needs a newer node than systems bring, so one comes with it, from npm too.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import ClientUnavailableError
from .npm import NpmError, clients_folder, install_from_npm

INSPECTOR = "2.12.0"
NODE = "22.23.3"
_SERVER = Path(__file__).resolve().parents[2] / "bin" / "aforesaid"


def find_inspector() -> Path:
    """Return the folder of programs that holds the inspector and its node.

    Raises:
        ClientUnavailableError: where npm is missing or cannot install them.
    """
    folder = clients_folder() / f"inspector-{INSPECTOR}"
    if not _is_whole(folder):
        packages = [f"@modelcontextprotocol/inspector@{INSPECTOR}", f"node@{NODE}"]
        try:
            install_from_npm(packages, folder, _is_whole)
        except NpmError as error:
            raise ClientUnavailableError(str(error)) from error
    return _programs(folder)


def _programs(folder: Path) -> Path:
    return folder / "node_modules" / ".bin"


def _is_whole(folder: Path) -> bool:
    programs = _programs(folder)
    if not (programs / "inspector").exists() or not (programs / "node").exists():
        return False
    result = subprocess.run(
        [programs / "node", "--version"], check=False, capture_output=True, text=True, timeout=60
    )
    return f"v{NODE}" == result.stdout.strip()


class Inspector:
    """Our server as the inspector sees it, for a user with these variables in this folder."""

    def __init__(self, programs: Path, environment: Mapping[str, str], folder: Path) -> None:
        self._programs = programs
        self._environment = dict(environment)
        self._folder = folder

    def ask(self, method: str, *options: str) -> Any:
        """Return what the server answers to one request.

        Raises:
            AssertionError: the inspector failed; says how.
        """
        passed = [
            part
            for name, value in self._environment.items()
            if name.startswith(("AFORESAID_", "XDG_"))
            for part in ("-e", f"{name}={value}")
        ]
        done = subprocess.run(
            [
                self._programs / "inspector",
                *("--cli", _SERVER, "serve", *passed, "--method", method, *options),
            ],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=self._folder,
            env={
                **self._environment,
                "PATH": f"{self._programs}{os.pathsep}{self._environment['PATH']}",
            },
        )
        assert 0 == done.returncode, done.stderr
        return json.loads(done.stdout)

    def call(self, tool: str, **arguments: str) -> Any:
        """Return the answer of a tool."""
        values = [
            part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")
        ]
        answer = self.ask("tools/call", "--tool-name", tool, *values)
        assert answer.get("isError") is not True, answer
        return json.loads(answer["content"][0]["text"])
