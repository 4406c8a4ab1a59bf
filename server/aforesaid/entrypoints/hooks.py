"""``aforesaid hook EVENT``: an event on stdin, an answer on stdout, exit code 0 whatever happens.

A session must never suffer from its memory: every failure becomes one line for the person.
"""

from __future__ import annotations

import os
import sys

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.plain_json import read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

DEADLINE_SECONDS = 2.0
EVENT_CHARS = 4_000_000


def main(arguments: Sequence[str]) -> int:
    """Answer one event; return the exit code, always 0."""
    name = arguments[1] if len(arguments) > 1 else ""
    try:
        if name == "sweep":
            from aforesaid.wiring.sweep import sweep

            sweep(os.environ)
            return 0
        _set_deadline()
        answer = _answer(name, sys.stdin.read(EVENT_CHARS))
    except Exception as error:  # noqa: BLE001 - the outermost boundary of a hook
        answer = {"systemMessage": _in_words(error)} if name != "sweep" else None
        sys.stderr.write(f"aforesaid hook {name}: {type(error).__name__}: {error}\n")
    if answer:
        sys.stdout.write(write_json(answer) + "\n")
    return 0


def _answer(name: str, text: str) -> dict[str, Any] | None:
    if name == "session-start":
        return _session_start(_event(text))
    if name == "session-end":
        from aforesaid.wiring.hook import end_session

        if not text.strip():
            # Client 2.1.197 is gone before it has written to an async hook: the id is left.
            text = write_json({"session_id": os.environ.get("CLAUDE_CODE_SESSION_ID")})
        _event(text)  # what is no event must not become a note
        end_session(os.environ, text)
    return None


def _session_start(event: dict[str, Any]) -> dict[str, Any] | None:
    from aforesaid.wiring.hook import start_session, start_sweep

    started = start_session(
        os.environ,
        session_id=str(event["session_id"]),
        transcript_path=str(event.get("transcript_path") or ""),
        folder=str(event.get("cwd") or os.getcwd()),
        source=str(event.get("source") or "startup"),
    )
    if started is None:
        return None
    if started.work_due:
        start_sweep()
    answer: dict[str, Any] = {"systemMessage": started.line}
    if started.context:
        answer["hookSpecificOutput"] = {
            "hookEventName": "SessionStart",
            "additionalContext": started.context,
        }
    return answer


def _event(text: str) -> dict[str, Any]:
    try:
        event = read_json(text)
    except (ValueError, RecursionError):
        raise InvalidInputError(
            f"the client told no event on standard input but {text[:40]!r}: nothing was done"
        ) from None
    if not isinstance(event, dict) or not event.get("session_id"):
        raise InvalidInputError("the event on standard input names no session_id")
    return event


def _in_words(error: Exception) -> str:
    """Return one line that a person understands."""
    if isinstance(error, ImportError):
        from aforesaid.bootstrap.damage import explain

        return explain(error)
    line = " ".join(str(error).split()) or type(error).__name__
    return f"Aforesaid: {line[:300]}"


def _give_up(*_: object) -> None:
    line = f"Aforesaid took over {DEADLINE_SECONDS:g} s and was left out: is the disk busy?"
    os.write(1, f'{{"systemMessage": "{line}"}}\n'.encode())
    os._exit(0)


def _set_deadline() -> None:
    """End the process, quietly and well, when it takes too long."""
    if hasattr(os, "fork"):  # setitimer is POSIX's
        # signal itself makes enums of its constants, and enum takes long to import
        import _signal as signal  # type: ignore[import-not-found]

        signal.signal(signal.SIGALRM, _give_up)
        signal.setitimer(signal.ITIMER_REAL, DEADLINE_SECONDS)
