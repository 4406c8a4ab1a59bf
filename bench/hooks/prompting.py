"""What a session's server answers at prompts, as a process that a bench starts and ends."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

from bench.timing import LAUNCHER

if TYPE_CHECKING:
    from collections.abc import Mapping


class Server:
    """A memory server whose client is this process."""

    def __init__(self, variables: Mapping[str, str], folder: str) -> None:
        """Start it, and wait until it answers a recall: then its model is loaded."""
        self._process = subprocess.Popen(
            [LAUNCHER, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**variables, "CLAUDE_PROJECT_DIR": folder},
            text=True,
        )
        client = {"name": "bench", "version": "1"}
        given = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self._ask("initialize", given)
        self._say({"method": "notifications/initialized"})
        self._ask("tools/call", {"name": "recall_memory", "arguments": {"query": "the queue"}})

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)

    def _ask(self, method: str, params: dict[str, Any]) -> None:
        self._say({"id": method, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if json.loads(line).get("id") == method:
                return
        raise RuntimeError(f"the server ended before it answered {method}")

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + os.linesep)
        self._process.stdin.flush()
