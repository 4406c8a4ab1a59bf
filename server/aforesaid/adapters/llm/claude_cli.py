"""Summariser that runs the user's own client headless (``claude -p``), isolated from this session.

It starts in an empty private folder, without tools, MCP servers, project settings or hooks (by its
settings, by safe mode, and by ``AFORESAID_OFF`` for ours), and leaves no transcript, so that a run
is neither remembered nor starts another one. Measured with client 2.1.330: docs/adr/0029.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from typing import Any

from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.text.token_budget import SummaryLimits

from . import check_size

DEFAULT_MODEL = "haiku"  #: the client's name for its cheapest model
_MAX_DOLLARS = "0.25"  #: per call; a higher cost would indicate an error
_ERROR_CHARS = 200
#: Variables with which the client tells its child processes about their session.
_SESSION_VARIABLES = (
    "CLAUDECODE",
    "CLAUDE_PID",
    "CLAUDE_ENV_FILE",
    "CLAUDE_EFFORT",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "AI_AGENT",
)
#: Usual locations of the client, which a desktop's PATH may lack.
_USUAL_FOLDERS = ("~/.local/bin", "~/.claude/local", "/opt/homebrew/bin", "/usr/local/bin")


class ClaudeCli:
    """A ``Summariser`` that runs the client."""

    def __init__(
        self, client: str, model: str, folder: str, environment: Mapping[str, str]
    ) -> None:
        """Configure the client.

        Args:
            client: its command or path.
            model: the client's name of the model; empty for its cheapest.
            folder: a private folder to run in, created if missing.
            environment: the process environment, with the user's credentials.
        """
        self._client = client
        self._model = model or DEFAULT_MODEL
        self._folder = folder
        self._environment = environment

    @property
    def name(self) -> str:
        """The name that is stored with summaries."""
        return f"claude-cli ({self._model})"

    def check(self) -> None:
        """Check that the client is installed.

        Raises:
            UnavailableError: the client is not installed.
        """
        self._program()

    def _program(self) -> str:
        path = self._environment.get("PATH", os.defpath)
        folders = (path, *map(os.path.expanduser, _USUAL_FOLDERS))
        program = shutil.which(os.path.expanduser(self._client), path=os.pathsep.join(folders))
        if program is None:
            raise UnavailableError(
                f"digest.summariser is claude-cli, but the program {self._client} was not found: "
                "set digest.client to the path of the client's executable"
            )
        return program

    def summarise(self, text: str, instruction: str, limits: SummaryLimits) -> str:
        """Return the model's answer.

        Raises:
            UnavailableError: it did not answer in time.
            InvalidInputError: the text is too long, or the model refused it or was cut off.
        """
        check_size(text, instruction, limits)
        os.makedirs(self._folder, 0o700, exist_ok=True)
        command = [
            self._program(), "-p",
            "--output-format", "json",
            "--model", self._model,
            "--system-prompt", instruction,
            "--tools", "",
            "--strict-mcp-config",
            "--setting-sources", "user",
            "--settings", '{"disableAllHooks": true}',
            "--disable-slash-commands",
            "--no-session-persistence",
            "--max-budget-usd", _MAX_DOLLARS,
        ]  # fmt: skip
        output, errors, code = self._run(command, text, limits)
        return _result(output, errors, code)

    def _run(self, command: list[str], text: str, limits: SummaryLimits) -> tuple[str, str, int]:
        """Run the client; on timeout, kill it and its child processes."""
        try:
            child = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._isolated_environment(limits),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise UnavailableError(f"cannot run {command[0]}: {error}") from error
        try:
            output, errors = child.communicate(text, timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            _kill(child)
            raise UnavailableError(
                f"the client did not answer within {limits.seconds:g} s (digest.timeout_seconds); "
                "the batch will be retried later"
            ) from None
        return output, errors, child.returncode

    def _isolated_environment(self, limits: SummaryLimits) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in self._environment.items()
            if name not in _SESSION_VARIABLES
        }
        return inherited | {
            "AFORESAID_OFF": "1",
            "CLAUDE_CODE_SAFE_MODE": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "MAX_THINKING_TOKENS": "0",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(limits.output_tokens),
        }


def _kill(child: subprocess.Popen[str]) -> None:
    """Kill a client and its child processes."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    else:
        child.kill()
    child.communicate()


def _result(output: str, errors: str, code: int) -> str:
    """Return the model's answer from the client's JSON.

    Raises:
        UnavailableError: the client failed.
        InvalidInputError: the model refused, or was cut off.
    """
    result = _parse(output)
    text = result.get("result")
    if code != 0 or result.get("is_error") is not False or not isinstance(text, str):
        reason = text if isinstance(text, str) and text else errors or output
        details = " ".join(reason.split())[:_ERROR_CHARS] or "no output"
        raise UnavailableError(f"the client ended with exit code {code}: {details}")
    if result.get("stop_reason") in {"refusal", "max_tokens"}:
        raise InvalidInputError(f"the client's model stopped with {result['stop_reason']}")
    return text


def _parse(output: str) -> dict[str, Any]:
    try:
        result = json.loads(output)
    except (ValueError, RecursionError):
        return {}
    return result if isinstance(result, dict) else {}
