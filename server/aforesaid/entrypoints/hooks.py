"""``aforesaid hook EVENT [--client NAME]``: an event on stdin, an answer on stdout, exit code 0.

A failure must never block a session. It becomes one line: for the user at a session's start and
end, and only for the log in hooks that run often.
"""

from __future__ import annotations

import os
import sys

from aforesaid.adapters.hook_clients import NAMES, hook_client
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.lean_json import read_json, write_json
from aforesaid.domain.text.sanitize import remove_invisible, remove_invisible_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.ports.hook_client import HookClient

DEADLINE_SECONDS = 2.0
EVENT_CHARS = 4_000_000
LINE_CHARS = 700  #: of an error; enough for the remedy at its end
#: Hooks whose failures are only logged, because they run often.
QUIET = ("user-prompt-submit", "action", "failure", "subagent-start", "pre-compact")


def main(arguments: Sequence[str]) -> int:
    """Answer one event; return the exit code, always 0."""
    name = arguments[1] if len(arguments) > 1 else ""
    client = hook_client("claude-code")
    try:
        client = _client(arguments[2:])
        if name == "sweep":
            from aforesaid.operations.maintenance_schedule import ONE_CORE
            from aforesaid.operations.session_sweep import sweep

            os.environ |= ONE_CORE
            sweep(os.environ)
            return 0
        _set_deadline(quiet=name in QUIET)
        answer = _answer(client, name, sys.stdin.read(EVENT_CHARS))
    except Exception as error:  # noqa: BLE001 - the outermost boundary of a hook
        show_user = name != "sweep" and name not in QUIET
        message = _user_message(error) if show_user else ""
        context = _model_message(error) if name == "session-start" else ""
        answer = client.answer(name, context, message)
        _log(f"hook {name}: {_log_message(error)}")
    if answer:
        sys.stdout.write(write_json(remove_invisible_in(answer)) + "\n")
    return 0


def _client(options: Sequence[str]) -> HookClient:
    if not options:
        return hook_client("claude-code")
    if len(options) != 2 or options[0] != "--client" or options[1] not in NAMES:  # noqa: PLR2004
        raise InvalidInputError(
            f"unknown options {' '.join(options)!r}: use --client with one of {', '.join(NAMES)}"
        )
    return hook_client(options[1])


def _answer(client: HookClient, name: str, text: str) -> dict[str, Any] | None:
    if name == "session-start":
        return _session_start(client, _event(text))
    if name == "session-end":
        from aforesaid.operations.session_start import end_session

        if not text.strip():
            # Client 2.1.197 exits before it writes to an async hook: only the id is known.
            text = write_json({"session_id": os.environ.get("CLAUDE_CODE_SESSION_ID")})
        _event(text)  # an invalid event must not become a note
        end_session(os.environ, text)
    if name == "user-prompt-submit":
        return _prompt(client, _event(text))
    if name in ("action", "failure"):
        return _action(client, name, _event(text))
    if name == "subagent-start":
        return _subagent_start(client, _event(text))
    if name == "pre-compact":
        from aforesaid.operations.session_start import checkpoint

        _event(text)
        checkpoint(os.environ, text)
    return None


def _prompt(client: HookClient, event: dict[str, Any]) -> dict[str, Any] | None:
    from aforesaid.operations.prompt_hook import recall_for_prompt

    text = recall_for_prompt(
        os.environ,
        session_id=str(event["session_id"]),
        folder=str(event.get("cwd") or os.getcwd()),
        prompt=client.prompt(event),
    )
    return client.answer("user-prompt-submit", text)


def _action(client: HookClient, name: str, event: dict[str, Any]) -> dict[str, Any] | None:
    from aforesaid.domain.text.edit_text import added_lines
    from aforesaid.operations.action_hook import recall_for_action

    tool_input = event.get("tool_input")
    if not isinstance(tool_input, dict):
        return None
    answer = recall_for_action(
        os.environ,
        session_id=str(event["session_id"]),
        agent_id=str(event.get("agent_id") or ""),
        folder=str(event.get("cwd") or os.getcwd()),
        path=str(tool_input.get("file_path") or tool_input.get("notebook_path") or ""),
        command=str(tool_input.get("command") or ""),
        added="" if name == "failure" else added_lines(tool_input),
        error=str(event.get("error") or "") if name == "failure" else "",
    )
    return client.answer(name, answer.text, ask=answer.ask)


def _subagent_start(client: HookClient, event: dict[str, Any]) -> dict[str, Any] | None:
    if event.get("agent_type") == "":
        return None  # the client's own compaction, not a subagent
    from aforesaid.operations.session_start import subagent_context

    text = subagent_context(
        os.environ,
        session_id=str(event["session_id"]),
        folder=str(event.get("cwd") or os.getcwd()),
    )
    return client.answer("subagent-start", text)


def _session_start(client: HookClient, event: dict[str, Any]) -> dict[str, Any] | None:
    from aforesaid.operations.session_start import start_session, start_sweep

    silent_seconds = event.get("seconds_since_last_response")
    start = start_session(
        os.environ,
        session_id=str(event["session_id"]),
        transcript_path=client.transcript(event, os.environ),
        folder=str(event.get("cwd") or os.getcwd()),
        source=str(event.get("source") or "startup"),
        silent_seconds=silent_seconds if isinstance(silent_seconds, int) else None,
        sweep=start_sweep,
    )
    if start is None:
        return None
    if start.work_due:
        start_sweep()
    return client.answer("session-start", start.context, start.line)


def _event(text: str) -> dict[str, Any]:
    try:
        event = read_json(text)
    except (ValueError, RecursionError):
        raise InvalidInputError(
            f"standard input is {text[:40]!r}, not an event as JSON: nothing was done"
        ) from None
    if not isinstance(event, dict):
        raise InvalidInputError("the event on standard input is not a JSON object")
    event["session_id"] = remove_invisible(str(event.get("session_id") or ""))
    if not event["session_id"]:
        raise InvalidInputError("the event on standard input names no session_id")
    return event


def _user_message(error: Exception) -> str:
    """Return an error as one line for the user."""
    if isinstance(error, ImportError):
        from aforesaid.bootstrap.import_errors import explain

        return explain(error)
    line = " ".join(str(error).split()) or type(error).__name__
    return f"Aforesaid: {line[:LINE_CHARS]}"


def _model_message(error: Exception) -> str:
    """Return an error as a text for the model; empty unless the store is unusable all session."""
    from aforesaid.domain.errors import CorruptError, NewerSchemaError, SchemaError

    if not isinstance(error, (CorruptError, SchemaError, NewerSchemaError)):
        return ""
    return (
        "Aforesaid, the long-term memory, cannot be used in this session, and the user should "
        f"know: {_user_message(error)}"
    )


def _log_message(error: Exception) -> str:
    """Return an error for the log; of foreign errors only the type, as they may quote content."""
    from aforesaid.domain.errors import AforesaidError

    if isinstance(error, (AforesaidError, ImportError)):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


def _log(text: str) -> None:
    """Write a line to the log and to standard error, which clients hide."""
    try:
        sys.stderr.write(f"aforesaid {text}\n")
    except OSError:
        pass  # such as a file on a full disk
    from aforesaid.adapters.system.log import write_line
    from aforesaid.bootstrap.paths import state_folder

    write_line(state_folder(), "error", text)


def _time_out(*_: object) -> None:
    line = f"Aforesaid was skipped after {DEADLINE_SECONDS:g} s: the disk may be busy"
    os.write(1, f'{{"systemMessage": "{line}"}}\n'.encode())
    os._exit(0)


def _time_out_quietly(*_: object) -> None:
    _log(f"hook {sys.argv[-1]}: skipped after {DEADLINE_SECONDS:g} s")
    os._exit(0)


def _set_deadline(*, quiet: bool) -> None:
    """Exit with code 0 if the hook takes too long."""
    if hasattr(os, "fork"):  # setitimer exists only on POSIX
        # the signal module imports enum, which is slow
        import _signal as signal  # type: ignore[import-not-found]

        signal.signal(signal.SIGALRM, _time_out_quietly if quiet else _time_out)
        signal.setitimer(signal.ITIMER_REAL, DEADLINE_SECONDS)
