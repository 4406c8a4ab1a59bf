"""What two transcripts have in common: a fork begins with a copy of another session's lines.

Here: ids and times of lines. Not here: which sessions are compared (services/sessions/digester.py),
where a start is told as one of a fork (operations/session_start.py).
"""

from __future__ import annotations

import json
import os

from aforesaid.adapters.claude_transcripts import line_parser
from aforesaid.adapters.claude_transcripts.conversation import (
    MAX_BYTES,
    MAX_IDS,
    READ,
    TranscriptFile,
    open_transcript,
    type_at_start,
)
from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The last answer is followed by bookkeeping alone.
TAIL_BYTES = 1 << 18


def shared_until(path: str, other: str, since_ms: int = 0) -> int:
    """Return the latest time (ms) of a line that two transcripts have both; 0 for none.

    Args:
        path: of one.
        other: of the other.
        since_ms: lines of before are passed over.

    Raises:
        NotFoundError: one is not there.
        InvalidInputError: one is no regular file.
        UnavailableError: one cannot be read.
    """
    told = {uuid for uuid, at_ms in _line_ids(other) if at_ms >= since_ms}
    return max((at_ms for uuid, at_ms in _line_ids(path) if uuid in told), default=0)


def _line_ids(path: str) -> Iterator[tuple[str, int]]:
    """Yield id and time (ms) of each line of a conversation; at most MAX_IDS."""
    descriptor = open_transcript(path)
    try:
        left = MAX_IDS
        for line in TranscriptFile(descriptor, MAX_BYTES).lines():
            if not line or b'"uuid"' not in line or type_at_start(line) not in {"", *READ}:
                continue
            try:
                entry = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError):
                continue
            if not isinstance(entry, dict) or entry.get("type") not in READ:
                continue
            uuid, at_ms = (
                line_parser.text_of(entry, "uuid", 80),
                line_parser.milliseconds(entry.get("timestamp")),
            )
            left -= 1
            if left < 0:
                return
            if uuid and at_ms is not None:
                yield uuid, at_ms
    except OSError as error:
        raise UnavailableError(f"{path} could not be read to its end: {error.strerror}") from error
    finally:
        os.close(descriptor)


def last_answer(path: str) -> int:
    """Return when the agent last spoke in a transcript (ms), as far as its end tells; 0 if not."""
    for line in reversed(_end(path).split(b"\n")):
        if b'"assistant"' not in line:
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and entry.get("type") == "assistant":
            return line_parser.milliseconds(entry.get("timestamp")) or 0
    return 0


def _end(path: str) -> bytes:
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
