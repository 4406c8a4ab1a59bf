"""``aforesaid hook EVENT``: an event on stdin, an answer on stdout, exit code 0 whatever happens.

A session must never suffer from its memory: every failure becomes one line, for the person at a
session's start and end, for the log where a line each time would be a nuisance.
"""

from __future__ import annotations

import os
import sys

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.invisible import remove_invisible, remove_invisible_in
from aforesaid.domain.text.lean_json import read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

DEADLINE_SECONDS = 2.0
EVENT_CHARS = 4_000_000
LINE_CHARS = 700  #: of an error, of which the end says what to do
#: Hooks whose failures go to the log alone: they run again and again.
QUIET = ("user-prompt-submit", "subagent-start", "pre-compact")


def main(arguments: Sequence[str]) -> int:
    """Answer one event; return the exit code, always 0."""
    name = arguments[1] if len(arguments) > 1 else ""
    try:
        if name == "sweep":
            from aforesaid.operations.maintenance_schedule import ONE_CORE
            from aforesaid.operations.session_sweep import sweep

            os.environ |= ONE_CORE
            sweep(os.environ)
            return 0
        _set_deadline(quiet=name in QUIET)
        answer = _answer(name, sys.stdin.read(EVENT_CHARS))
    except Exception as error:  # noqa: BLE001 - the outermost boundary of a hook
        told = name != "sweep" and name not in QUIET
        answer = {"systemMessage": _in_words(error)} if told else None
        if name == "session-start":
            answer = {**(answer or {}), **(_context("SessionStart", _for_model(error)) or {})}
        _log(f"hook {name}: {_for_log(error)}")
    if answer:
        sys.stdout.write(write_json(remove_invisible_in(answer)) + "\n")
    return 0


def _answer(name: str, text: str) -> dict[str, Any] | None:
    if name == "session-start":
        return _session_start(_event(text))
    if name == "session-end":
        from aforesaid.operations.session_start import end_session

        if not text.strip():
            # Client 2.1.197 is gone before it has written to an async hook: the id is left.
            text = write_json({"session_id": os.environ.get("CLAUDE_CODE_SESSION_ID")})
        _event(text)  # what is no event must not become a note
        end_session(os.environ, text)
    if name == "user-prompt-submit":
        return _prompt(_event(text))
    if name == "subagent-start":
        return _subagent_start(_event(text))
    if name == "pre-compact":
        from aforesaid.operations.session_start import checkpoint

        _event(text)
        checkpoint(os.environ, text)
    return None


def _prompt(event: dict[str, Any]) -> dict[str, Any] | None:
    from aforesaid.operations.prompt_hook import recall_for_prompt

    text = recall_for_prompt(
        os.environ,
        session_id=str(event["session_id"]),
        folder=str(event.get("cwd") or os.getcwd()),
        prompt=str(event.get("prompt") or ""),
    )
    return _context("UserPromptSubmit", text)


def _subagent_start(event: dict[str, Any]) -> dict[str, Any] | None:
    if event.get("agent_type") == "":
        return None  # the client's own compaction, not a subagent
    from aforesaid.operations.session_start import subagent_context

    text = subagent_context(
        os.environ,
        session_id=str(event["session_id"]),
        folder=str(event.get("cwd") or os.getcwd()),
    )
    return _context("SubagentStart", text)


def _context(event: str, text: str) -> dict[str, Any] | None:
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _session_start(event: dict[str, Any]) -> dict[str, Any] | None:
    from aforesaid.operations.session_start import start_session, start_sweep

    silent = event.get("seconds_since_last_response")
    started = start_session(
        os.environ,
        session_id=str(event["session_id"]),
        transcript_path=str(event.get("transcript_path") or ""),
        folder=str(event.get("cwd") or os.getcwd()),
        source=str(event.get("source") or "startup"),
        silent_seconds=silent if isinstance(silent, int) else None,
        sweep=start_sweep,
    )
    if started is None:
        return None
    if started.work_due:
        start_sweep()
    answer: dict[str, Any] = {"systemMessage": started.line}
    return answer | (_context("SessionStart", started.context) or {})


def _event(text: str) -> dict[str, Any]:
    try:
        event = read_json(text)
    except (ValueError, RecursionError):
        raise InvalidInputError(
            f"standard input holds {text[:40]!r} and not an event as JSON: nothing was done"
        ) from None
    if not isinstance(event, dict):
        raise InvalidInputError("the event on standard input is not a JSON object")
    event["session_id"] = remove_invisible(str(event.get("session_id") or ""))
    if not event["session_id"]:
        raise InvalidInputError("the event on standard input names no session_id")
    return event


def _in_words(error: Exception) -> str:
    """Return one line that a person understands."""
    if isinstance(error, ImportError):
        from aforesaid.bootstrap.import_errors import explain

        return explain(error)
    line = " ".join(str(error).split()) or type(error).__name__
    return f"Aforesaid: {line[:LINE_CHARS]}"


def _for_model(error: Exception) -> str:
    """Return what the agent is told where the store cannot be used in the whole session."""
    from aforesaid.domain.errors import CorruptError, NewerSchemaError, SchemaError

    if not isinstance(error, (CorruptError, SchemaError, NewerSchemaError)):
        return ""
    return (
        "Aforesaid, the long-term memory, cannot be used in this session, and the user should "
        f"know: {_in_words(error)}"
    )


def _for_log(error: Exception) -> str:
    """Return an error for the log: our own words; of others the kind alone, they may quote."""
    from aforesaid.domain.errors import AforesaidError

    if isinstance(error, (AforesaidError, ImportError)):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


def _log(text: str) -> None:
    """Write a line to standard error, and to the log, since nobody sees a hook's."""
    try:
        sys.stderr.write(f"aforesaid {text}\n")
    except OSError:
        pass  # it is a file on a full disk, say
    from aforesaid.adapters.system.log import write_line
    from aforesaid.bootstrap.paths import state_folder

    write_line(state_folder(), "error", text)


def _give_up(*_: object) -> None:
    line = f"Aforesaid took over {DEADLINE_SECONDS:g} s and was left out: is the disk busy?"
    os.write(1, f'{{"systemMessage": "{line}"}}\n'.encode())
    os._exit(0)


def _give_up_quietly(*_: object) -> None:
    _log(f"hook {sys.argv[-1]}: took over {DEADLINE_SECONDS:g} s and was left out")
    os._exit(0)


def _set_deadline(*, quiet: bool) -> None:
    """End the process, well, when it takes too long."""
    if hasattr(os, "fork"):  # setitimer is POSIX's
        # signal itself makes enums of its constants, and enum takes long to import
        import _signal as signal  # type: ignore[import-not-found]

        signal.signal(signal.SIGALRM, _give_up_quietly if quiet else _give_up)
        signal.setitimer(signal.ITIMER_REAL, DEADLINE_SECONDS)
