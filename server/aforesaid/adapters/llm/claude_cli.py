"""The user's own client, run headless: ``claude -p`` with nothing of this session in it.

It starts in an empty private folder, with no tools, no MCP servers, no hooks (by its settings, by
safe mode, and by ``AFORESAID_OFF`` for ours), no project settings, and leaves no transcript: so a
run can neither be remembered nor start another. Measured with client 2.1.330: docs/adr/0029.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess

from aforesaid.domain.errors import InvalidInputError, UnavailableError

from . import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aforesaid.domain.text.token_budget import SummaryLimits

DEFAULT_MODEL = "haiku"  #: the client's own name for its cheapest
_MAX_DOLLARS = "0.25"  #: of one question; more means that something is wrong
_SHOWN = 200
#: What the client tells its children about the session that they belong to.
_OF_A_SESSION = (
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
#: Where installers put the client when it is not on a short PATH.
_USUAL = ("~/.local/bin", "~/.claude/local", "/opt/homebrew/bin", "/usr/local/bin")


class ClaudeCli:
    """A ``Summariser`` that asks the client."""

    def __init__(
        self, client: str, model: str, folder: str, environment: Mapping[str, str]
    ) -> None:
        """Name the client.

        Args:
            client: its command or path.
            model: as the client names it; empty for its cheapest.
            folder: a private folder to run in, made where missing.
            environment: the process's; it holds how the user signs in.
        """
        self._client = client
        self._model = model or DEFAULT_MODEL
        self._folder = folder
        self._environment = environment

    @property
    def name(self) -> str:
        """What made a summary."""
        return f"claude-cli ({self._model})"

    def check(self) -> None:
        """Find out whether there is a client.

        Raises:
            UnavailableError: there is none.
        """
        self._program()

    def _program(self) -> str:
        places = (self._environment.get("PATH", os.defpath), *map(os.path.expanduser, _USUAL))
        found = shutil.which(os.path.expanduser(self._client), path=os.pathsep.join(places))
        if found is None:
            raise UnavailableError(
                f"digest.summariser is claude-cli, but there is no program {self._client}: let "
                "digest.client name the client's executable"
            )
        return found

    def summarise(self, text: str, instruction: str, limits: SummaryLimits) -> str:
        """Return what the client's model says.

        Raises:
            UnavailableError: it did not answer, or not in time.
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
        """Run the client to its end; it and its children are ended when the time is up."""
        try:
            child = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._guarded(limits),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise UnavailableError(f"{command[0]} cannot be run: {error}") from error
        try:
            output, errors = child.communicate(text, timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            _end(child)
            raise UnavailableError(
                f"the client did not answer within {limits.seconds:g} s (digest.timeout_seconds): "
                "the batch is asked for again later"
            ) from None
        return output, errors, child.returncode

    def _guarded(self, limits: SummaryLimits) -> dict[str, str]:
        kept = {
            name: value for name, value in self._environment.items() if name not in _OF_A_SESSION
        }
        return kept | {
            "AFORESAID_OFF": "1",
            "CLAUDE_CODE_SAFE_MODE": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "MAX_THINKING_TOKENS": "0",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(limits.output_tokens),
        }


def _end(child: subprocess.Popen[str]) -> None:
    """End a client with all that it started."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    else:
        child.kill()
    child.communicate()


def _result(output: str, errors: str, code: int) -> str:
    """Return the model's words from the client's JSON.

    Raises:
        UnavailableError: it ended with an error.
        InvalidInputError: the model refused, or was cut off.
    """
    told = _parsed(output)
    words = told.get("result")
    if code != 0 or told.get("is_error") is not False or not isinstance(words, str):
        reason = words if isinstance(words, str) and words else errors or output
        said = " ".join(reason.split())[:_SHOWN]
        raise UnavailableError(f"the client ended with exit code {code}: {said or 'no word'}")
    if told.get("stop_reason") in {"refusal", "max_tokens"}:
        raise InvalidInputError(f"the client's model stopped with {told['stop_reason']}")
    return words


def _parsed(output: str) -> dict[str, Any]:
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
