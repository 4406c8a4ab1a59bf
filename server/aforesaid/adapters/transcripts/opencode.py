"""Reads the sessions of OpenCode from its database, ``~/.local/share/opencode/opencode.db``.

A transcript's path is that of the database with ``#SESSION``; the watermark is the time (ms) of the
last change of a part. Source: the database of OpenCode 1.18.
"""

from __future__ import annotations

import json
import os

import apsw

from aforesaid.adapters.transcripts.lines import REJECTED, LineChain, text
from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.backlog import Transcript
from aforesaid.domain.text.timestamps import to_iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from aforesaid.domain.model.transcript import Conversation

_EDITS = {"edit": "Edit", "write": "Write", "multiedit": "MultiEdit", "patch": "Edit"}
_MEMORY_SERVER = "memory_"  #: OpenCode joins the names of server and tool
_BUSY_MS = 2_000


def open_database(path: str) -> apsw.Connection:
    """Open OpenCode's database for reading.

    Raises:
        NotFoundError: It does not exist.
        InvalidInputError: It is not a regular file.
    """
    if not os.path.lexists(path):
        raise NotFoundError(f"the transcript {path} does not exist")
    if os.path.islink(path) or not os.path.isfile(path):
        raise InvalidInputError(f"the transcript {path} is not a regular file, so it is not read")
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def list_sessions(path: str) -> list[Transcript]:
    """Return the sessions of a database, without subagents'; none if it cannot be read."""
    return [
        Transcript(path=f"{path}#{session}", session=session, size=changed, changed_at=changed)
        for session, _, changed in _sessions(path)
    ]


def list_folders(path: str) -> dict[str, str]:
    """Return the folders in which the sessions of a database started, by session."""
    return {session: folder for session, folder, _ in _sessions(path)}


def _sessions(path: str) -> list[tuple[str, str, int]]:
    """Return id, folder and time of the last change (ms) of each session."""
    try:
        connection = open_database(path)
    except (NotFoundError, InvalidInputError, apsw.Error):
        return []
    try:
        return list(
            connection.execute(
                """SELECT session.id, session.directory, max(part.time_updated)
                  FROM session JOIN part ON part.session_id = session.id
                  WHERE session.parent_id IS NULL GROUP BY session.id"""
            )
        )
    except apsw.Error:
        return []
    finally:
        connection.close()


def read_session(
    path: str, *, redact: Callable[[str], str] | None, private_tag: str, seen_bytes: int
) -> Conversation:
    """Return the conversation of a session; parameters and errors as of ``read_conversation``."""
    database, _, session = path.rpartition("#")
    chain = LineChain(redact, private_tag)
    connection = open_database(database)
    try:
        connection.execute("BEGIN")  # one state of the database
        return _read(connection, path, session, chain, seen_bytes)
    except (apsw.BusyError, apsw.CantOpenError, apsw.IOError) as error:
        raise UnavailableError(f"cannot read {database} now: {error}") from error
    except apsw.Error as error:
        raise InvalidInputError(f"{database} is not a database of OpenCode: {error}") from error
    finally:
        connection.close()


def _read(
    connection: apsw.Connection, path: str, session: str, chain: LineChain, seen: int
) -> Conversation:
    row = connection.execute(
        "SELECT directory, version, parent_id, time_created, revert FROM session WHERE id = ?",
        (session,),
    ).get
    if row is None:
        raise NotFoundError(f"the transcript {path} does not exist")
    folder, version, parent, created, revert = row
    chain.subagent = "subagent" if parent else ""
    chain.describe(_stamp(created), sessionId=session, cwd=folder, version=version)
    reverted_from = text(_object(revert).get("messageID")) or "\U0010ffff"
    watermark = 0
    for message_id, message, part_id, part, changed in connection.execute(
        """SELECT message.id, message.data, part.id, part.data, part.time_updated
          FROM part JOIN message ON message.id = part.message_id
          WHERE part.session_id = ? ORDER BY message.time_created, message.id, part.id""",
        (session,),
    ):
        watermark = max(watermark, changed)
        if message_id < reverted_from:
            _add(chain, _object(message), str(part_id), _object(part))
        if changed <= seen:
            chain.mark_seen()
    return chain.build(path, watermark)


def _stamp(at_ms: int) -> str:
    return f"{to_iso(at_ms)[:-1]}.{at_ms % 1000:03}Z"


def _object(data: object) -> dict[str, Any]:
    try:
        value = json.loads(text(data)) if data else {}
    except (ValueError, RecursionError):
        value = {}
    return value if isinstance(value, dict) else {}


def _add(chain: LineChain, message: dict[str, Any], part_id: str, part: dict[str, Any]) -> None:
    times = message.get("time")
    created = times.get("created") if isinstance(times, dict) else 0
    stamp = _stamp(created if isinstance(created, int) else 0)
    kind, words = part.get("type"), text(part.get("text"))
    if kind == "text" and message.get("role") == "user":
        if part.get("synthetic"):
            chain.injected(stamp, words)
        else:
            chain.prompt(stamp, [words])
    elif kind == "text":
        chain.answer(stamp, words)
    elif kind == "tool":
        _add_call(chain, part, part_id, stamp)
    elif kind == "compaction":
        chain.compaction(stamp)
    if kind == "step-start" and _is_aborted(message):
        chain.interruption(stamp)


def _is_aborted(message: dict[str, Any]) -> bool:
    error = message.get("error")
    return isinstance(error, dict) and error.get("name") == "MessageAbortedError"


def _add_call(chain: LineChain, part: dict[str, Any], part_id: str, stamp: str) -> None:
    state = part.get("state")
    state = state if isinstance(state, dict) else {}
    arguments, details = state.get("input"), state.get("metadata")
    arguments = arguments if isinstance(arguments, dict) else {}
    details = details if isinstance(details, dict) else {}
    name, failed = text(part.get("tool")), state.get("status") == "error"
    result = None
    if failed or state.get("status") == "completed":
        result = text(state.get("error" if failed else "output"))
    if failed and "rejected permission" in str(result):
        result = REJECTED
    exit_code = details.get("exit")
    if name == "bash" and result is not None and not failed and isinstance(exit_code, int):
        chain.run(stamp, part_id, text(arguments.get("command")), result, exit_code)
    elif name == "todowrite":
        chain.todos(stamp, part_id, arguments.get("todos"), "content")
    else:
        arguments = {**arguments, "file_path": arguments.get("filePath")}
        chain.call(
            stamp, part_id, _name(name), arguments, result,
            failed=failed, is_new_file=details.get("exists") is False,
        )  # fmt: skip


def _name(name: str) -> str:
    """Return Claude Code's name of a tool."""
    if name.startswith(_MEMORY_SERVER):
        return f"mcp__memory__{name.removeprefix(_MEMORY_SERVER)}"
    return _EDITS.get(name, {"bash": "Bash", "task": "Task"}.get(name, name))
