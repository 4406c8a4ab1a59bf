"""Compares transcripts by the ids of their lines: a fork begins with a copy of another session.

Not here: which sessions are compared (services/sessions/digester.py), a fork's start
(operations/session_start.py).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from aforesaid.adapters.transcripts import line_parser
from aforesaid.adapters.transcripts.conversation import (
    MAX_BYTES,
    MAX_IDS,
    READ,
    TranscriptFile,
    open_transcript,
    type_at_start,
)
from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError

TAIL_BYTES = 1 << 18  #: contains the last answer, which only bookkeeping lines follow


def shared_until(path: str, other: str, since_ms: int = 0) -> int:
    """Return the latest time (ms) of a line that both transcripts contain; 0 if there is none.

    Args:
        path: a transcript.
        other: another transcript.
        since_ms: earlier lines are ignored.

    Raises:
        NotFoundError: a file does not exist.
        InvalidInputError: a file is not a regular file.
        UnavailableError: a file cannot be read.
    """
    uuids = {uuid for uuid, at_ms in _line_ids(other) if at_ms >= since_ms}
    return max((at_ms for uuid, at_ms in _line_ids(path) if uuid in uuids), default=0)


def _line_ids(path: str) -> Iterator[tuple[str, int]]:
    """Yield id and time (ms) of at most MAX_IDS lines of a conversation."""
    descriptor = open_transcript(path)
    try:
        remaining = MAX_IDS
        for line in TranscriptFile(descriptor, MAX_BYTES).lines():
            if not line or b'"uuid"' not in line or type_at_start(line) not in {"", *READ}:
                continue
            try:
                entry = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError):
                continue
            if not isinstance(entry, dict) or entry.get("type") not in READ:
                continue
            uuid = line_parser.text_of(entry, "uuid", 80)
            at_ms = line_parser.milliseconds(entry.get("timestamp"))
            remaining -= 1
            if remaining < 0:
                return
            if uuid and at_ms is not None:
                yield uuid, at_ms
    except OSError as error:
        raise UnavailableError(f"cannot read {path} to its end: {error.strerror}") from error
    finally:
        os.close(descriptor)


def last_answer(path: str) -> int:
    """Return the time (ms) of the agent's last answer in a transcript; 0 if its end has none."""
    for line in reversed(_read_tail(path).split(b"\n")):
        if b'"assistant"' not in line:
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and entry.get("type") == "assistant":
            return line_parser.milliseconds(entry.get("timestamp")) or 0
    return 0


def _read_tail(path: str) -> bytes:
    try:
        descriptor = open_transcript(path)
    except (InvalidInputError, NotFoundError):
        return b""
    try:
        os.lseek(descriptor, max(0, os.fstat(descriptor).st_size - TAIL_BYTES), os.SEEK_SET)
        return os.read(descriptor, TAIL_BYTES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
