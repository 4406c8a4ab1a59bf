"""The lines of a transcript, and the way from the last one back to the first.

Here: the file, in bounded memory, and which lines belong to the conversation. Not here: what a
line means (line_parser.py).
"""

from __future__ import annotations

import json
import os
import stat

from aforesaid.adapters.claude_transcripts import line_parser
from aforesaid.adapters.claude_transcripts.memory_output import MemoryToolOutput
from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.transcript import PRIVATE, AssistantTurn, Conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from aforesaid.domain.model.transcript import Turn

MAX_BYTES = 1 << 30
MAX_LINE = 8 << 20
CHUNK = 1 << 18
#: Characters of turns kept at once; a session beyond it loses turns from its middle.
MAX_KEPT = 12_000_000
#: Line ids remembered, to find a parent by; a line whose parent is older follows the last one.
MAX_IDS = 60_000
#: Tool calls that wait for a result, and reasons counted apart.
MAX_WAITING = 4000
MAX_REASONS = 64
#: A line so much earlier than one before it was written after the clock was set back: lines that
#: are written side by side differ by less.
SET_BACK_MS = 60_000
#: What a kept turn costs beside its text, in characters.
_TURN_COST = 300
READ = frozenset({"user", "assistant", "attachment", "system"})


def read_conversation(
    path: str,
    *,
    max_bytes: int = MAX_BYTES,
    redact: Callable[[str], str] | None = None,
    private_tag: str = "private",
    seen_bytes: int = 0,
) -> Conversation:
    """Return the conversation of one transcript.

    Args:
        path: a regular file; symbolic links and pipes are refused.
        max_bytes: how far to read; lines beyond are left for another day.
        redact: takes secrets out of a text; called before anything is cut, so that no half of
            a secret stays behind.
        private_tag: the tag of spans that must not be kept.
        seen_bytes: what an earlier pass has read, up to the end of a line.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it is not a regular file.
        UnavailableError: it cannot be read.
    """
    descriptor = open_transcript(path)
    try:
        thread = _Thread(line_parser.LineReader(redact=redact, private_tag=private_tag))
        source = TranscriptFile(descriptor, max_bytes)
        for line in source.lines():
            thread.take(line)
            if source.complete_bytes <= seen_bytes:
                thread.mark_seen()
    except OSError as error:
        raise UnavailableError(f"{path} could not be read to its end: {error.strerror}") from error
    finally:
        os.close(descriptor)
    return thread.conversation(path, source.complete_bytes)


def open_transcript(path: str) -> int:
    """Return a handle of a regular file, to be closed; links are not followed.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it is not a regular file, or cannot be opened.
    """
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no transcript at {path}: it may be gone") from error
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{path} cannot be opened as a transcript: {error}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidInputError(f"{path} is not a regular file, so it is not read as a transcript")
    return descriptor


class TranscriptFile:
    """The complete lines of a file. A last line without its end waits for the next pass."""

    def __init__(self, descriptor: int, max_bytes: int) -> None:
        self._descriptor = descriptor
        self._max_bytes = max_bytes
        self.complete_bytes = 0

    def lines(self) -> Iterator[bytes | None]:
        """Yield each complete line without its end; None for one that is too long."""
        rest: list[bytes] = []
        held = total = 0
        too_long = False
        while total < self._max_bytes:
            chunk = os.read(self._descriptor, min(CHUNK, self._max_bytes - total))
            if not chunk:
                return
            pieces = chunk.split(b"\n")
            start = total
            total += len(chunk)
            for piece in pieces[:-1]:
                start += len(piece) + 1
                self.complete_bytes = start
                long = too_long or held + len(piece) > MAX_LINE
                yield None if long else b"".join([*rest, piece])
                rest, held, too_long = [], 0, False
            held += len(pieces[-1])
            too_long = too_long or held > MAX_LINE
            rest = [] if too_long else [*rest, pieces[-1]]


class _Thread:
    """Follows parents: which lines lead to the last one, and what they hold.

    A place is a line that holds turns; lines that hold none stand for the place they follow.
    """

    def __init__(self, reader: line_parser.LineReader) -> None:
        self._reader = reader
        self._parents: list[int] = []
        self._turns: list[list[tuple[str, Turn]] | None] = []
        self._messages: list[str] = []
        self._places: dict[str, int] = {}
        self._waiting: dict[str, int] = {}
        self._leaf = -1
        self._answered = False
        self._kept = self._trimmed = 0
        self._shown = MemoryToolOutput()
        self._skipped: dict[str, int] = {}
        self._seen: dict[str, str] = {}
        self._title = ""
        self._started = self._ended = self._seen_ms = 0

    def skip(self, reason: str) -> None:
        """Count a line that is not conversation."""
        if reason not in self._skipped and len(self._skipped) >= MAX_REASONS:
            reason = "other"
        self._skipped[reason] = self._skipped.get(reason, 0) + 1

    def mark_seen(self) -> None:
        """Note that an earlier pass has read all lines up to this one."""
        self._seen_ms = self._ended

    def take(self, raw: bytes | None) -> None:
        """Take one line, whatever it is."""
        if raw is None:
            self.skip("too long")
            return
        named = type_at_start(raw)
        if named and named not in READ and named not in line_parser.TITLES:
            self.skip(named)
            return
        if not raw or raw.isspace():
            return
        try:
            entry = json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError):
            self.skip("unreadable")
            return
        if not isinstance(entry, dict):
            self.skip("unreadable")
            return
        kind = entry.get("type")
        kind = kind[:40] if isinstance(kind, str) else "untyped"
        if kind in line_parser.TITLES:
            self._take_title(kind, entry)
        elif kind not in READ:
            self.skip(kind)
        else:
            self._take_line(kind, entry)

    def _take_title(self, kind: str, entry: dict[str, Any]) -> None:
        title = entry.get(line_parser.TITLES[kind])
        if isinstance(title, str) and (kind == "custom-title" or "custom" not in self._seen):
            self._title = self._reader.words(title, 120)
            if kind == "custom-title":
                self._seen["custom"] = "yes"
        self.skip(kind)

    def _take_line(self, kind: str, entry: dict[str, Any]) -> None:
        if entry.get("isSidechain") is True:
            self._seen.setdefault(
                "subagent", line_parser.text_of(entry, "agentId", 80) or "unknown"
            )
            self.skip("sidechain")
            return
        uuid = line_parser.text_of(entry, "uuid", 80)
        if uuid:
            self._seen.setdefault("first line", uuid)
        if uuid and uuid in self._places:
            self.skip("repeated")
            return
        at_ms = self._time(entry)
        self._note_place(entry)
        if isinstance(entry.get("forkedFrom"), dict):
            # Copied from the session that this one was forked from: told there already.
            self.skip("forked")
            return
        self._take_results(entry, at_ms)
        turns, reason = self._reader.turns(kind, entry, at_ms)
        if reason:
            self.skip(reason)
        for text in self._reader.recalled(kind, entry):
            self._shown.add(text)
        place = self._parent(kind, entry, has_turns=bool(turns))
        if turns:
            place = self._add(place, turns, line_parser.message_id(entry))
        self._leaf = place
        if uuid:
            self._remember(uuid, place)

    def _time(self, entry: dict[str, Any]) -> int:
        at_ms = line_parser.milliseconds(entry.get("timestamp"))
        if at_ms is None:
            return self._ended
        if at_ms < self._ended - SET_BACK_MS:  # what was said later stays later
            at_ms = self._ended + 1
        self._started = min(self._started or at_ms, at_ms)
        self._ended = max(self._ended, at_ms)
        return at_ms

    def _note_place(self, entry: dict[str, Any]) -> None:
        for field, first in (
            ("sessionId", True),
            ("cwd", True),
            ("gitBranch", False),
            ("version", False),
        ):
            value = line_parser.text_of(entry, field, 4096)
            if value and not (first and field in self._seen):
                self._seen[field] = value

    def _parent(self, kind: str, entry: dict[str, Any], *, has_turns: bool) -> int:
        """Return the place that this line follows (-1: none)."""
        parent = entry.get("parentUuid")
        if parent is None:
            parent = entry.get("logicalParentUuid")
        if isinstance(parent, str):
            return self._places.get(parent, self._leaf)
        # A second beginning. A prompt typed anew before any answer replaces the first one;
        # everything else is a conversation that goes on.
        return -1 if kind == "user" and has_turns and not self._answered else self._leaf

    def _add(self, parent: int, turns: list[tuple[str, Turn]], message: str) -> int:
        place = len(self._parents)
        self._parents.append(parent)
        self._turns.append(turns)
        self._messages.append(message)
        for call, turn in turns:
            self._answered = self._answered or bool(call) or isinstance(turn, AssistantTurn)
            if call:
                self._waiting[call] = place
        if len(self._waiting) > MAX_WAITING:
            self._waiting = dict(list(self._waiting.items())[MAX_WAITING // 2 :])
        self._kept += _cost(turns)
        if self._kept > MAX_KEPT:
            self._trim()
        return place

    def _take_results(self, entry: dict[str, Any], at_ms: int) -> None:
        """Put results to the calls that wait for them; their own parents do not matter.

        Of calls made side by side only the last is the parent of what follows.
        """
        for call, block in line_parser.results_of(entry):
            place = self._waiting.pop(call, None)
            turns = None if place is None else self._turns[place]
            if place is None or turns is None:
                self.skip("result without a call")
                continue
            done: list[tuple[str, Turn]] = []
            for own_call, turn in turns:
                if own_call == call:
                    self._shown.take(turn, block)
                    answers = self._reader.answered(turn, block, entry, at_ms)
                    done += [("", answer) for answer in answers]
                else:
                    done.append((own_call, turn))
            self._turns[place] = done
            self._kept += _cost(done) - _cost(turns)

    def _remember(self, uuid: str, place: int) -> None:
        self._places[uuid] = place
        if len(self._places) > MAX_IDS:
            self._places = dict(list(self._places.items())[MAX_IDS // 2 :])

    def _trim(self) -> None:
        """Forget turns of the middle: how it began and how it ended matter most."""
        held = [place for place, turns in enumerate(self._turns) if turns]
        for place in held[len(held) // 8 : len(held) // 2]:
            turns = self._turns[place] or []
            self._kept -= _cost(turns)
            self._trimmed += len(turns)
            self._turns[place] = None
            self._messages[place] = ""

    def conversation(self, path: str, complete_bytes: int) -> Conversation:
        """Return what leads to the last line, in the order of the file."""
        on_path: set[int] = set()
        place = self._leaf
        while place >= 0 and place not in on_path:
            on_path.add(place)
            place = self._parents[place]
        messages = {self._messages[place] for place in on_path} - {""}
        turns: list[Turn] = []
        for place, found in enumerate(self._turns):
            if place in on_path or self._messages[place] in messages:
                turns += [turn for _, turn in found or []]
            elif found:
                self._skipped["abandoned"] = self._skipped.get("abandoned", 0) + len(found)
        if self._reader.private:
            self._skipped[PRIVATE] = self._reader.private
        name = os.path.basename(path).removesuffix(".jsonl")
        return Conversation(
            session_id=self._seen.get("sessionId", name)[:200],
            cwd=self._seen.get("cwd", ""),
            branch=self._seen.get("gitBranch", "")[:200],
            version=self._seen.get("version", "")[:40],
            title=self._title,
            subagent="" if turns else self._seen.get("subagent", "")[:80],
            started_ms=self._started,
            ended_ms=self._ended,
            turns=tuple(turns),
            recalled=tuple(self._shown.texts),
            erased=self._shown.erased,
            skipped=self._skipped,
            bytes_read=complete_bytes,
            trimmed=self._trimmed,
            seen_ms=self._seen_ms,
            first_line=self._seen.get("first line", ""),
        )


def _cost(turns: list[tuple[str, Turn]]) -> int:
    return sum(line_parser.size(turn) + _TURN_COST for _, turn in turns)


def type_at_start(raw: bytes) -> str:
    """Return the type of a line that begins with it: such lines need no parsing to be skipped."""
    if not raw.startswith(b'{"type":"'):
        return ""
    end = raw.find(b'"', 9, 60)
    return raw[9:end].decode("ascii", "replace") if end > 0 else ""
