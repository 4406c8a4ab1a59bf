"""Reads a transcript of Claude Code in bounded memory, following parents from its last line.

Here too: the builder that the readers of other clients use. Not here: parsing a line
(line_parser.py).
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator

from aforesaid.adapters.transcripts import line_parser
from aforesaid.adapters.transcripts.tool_calls import MemoryToolOutput
from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.transcript import PRIVATE, AssistantTurn, Conversation, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 1 << 30
MAX_LINE = 8 << 20
CHUNK = 1 << 18
MAX_TURN_CHARS = 12_000_000  #: held in memory; beyond that, turns from the middle are dropped
#: Line ids held to find parents; a line whose parent is no longer held follows the last line.
MAX_IDS = 60_000
MAX_PENDING_CALLS = 4000  #: tool calls without a result
MAX_REASONS = 64  #: reasons for skipping that are counted separately
#: A line that is earlier than its predecessor by more than this was written after the clock was
#: set back; lines written concurrently differ by less.
SET_BACK_MS = 60_000
_TURN_OVERHEAD = 300  #: size of a held turn without its text, in characters
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
        max_bytes: how far to read.
        redact: removes secrets from a text; called before truncation, so that no half of a secret
            remains.
        private_tag: the tag of spans that must not be stored.
        seen_bytes: the number of bytes that an earlier pass has read, to the end of a line.

    Raises:
        NotFoundError: the file does not exist.
        InvalidInputError: it is not a regular file.
        UnavailableError: it cannot be read.
    """
    descriptor = open_transcript(path)
    try:
        builder = ConversationBuilder(
            line_parser.LineReader(redact=redact, private_tag=private_tag)
        )
        source = TranscriptFile(descriptor, max_bytes)
        for line in source.lines():
            builder.add_line(line)
            if source.complete_bytes <= seen_bytes:
                builder.mark_seen()
    except OSError as error:
        raise UnavailableError(f"cannot read {path} to its end: {error.strerror}") from error
    finally:
        os.close(descriptor)
    return builder.build(path, source.complete_bytes)


def open_transcript(path: str) -> int:
    """Open a regular file and return its descriptor; links are not followed.

    Raises:
        NotFoundError: the file does not exist.
        InvalidInputError: it is not a regular file, or cannot be opened.
    """
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError as error:
        raise NotFoundError(f"the transcript {path} does not exist") from error
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"cannot open the transcript {path}: {error}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidInputError(f"the transcript {path} is not a regular file, so it is not read")
    return descriptor


class TranscriptFile:
    """The complete lines of a file; an incomplete last line is left to the next pass."""

    def __init__(self, descriptor: int, max_bytes: int) -> None:
        self._descriptor = descriptor
        self._max_bytes = max_bytes
        self.complete_bytes = 0

    def lines(self) -> Iterator[bytes | None]:
        """Yield each complete line without its line end; None for one that is too long."""
        rest: list[bytes] = []
        rest_bytes = total = 0
        too_long = False
        while total < self._max_bytes:
            chunk = os.read(self._descriptor, min(CHUNK, self._max_bytes - total))
            if not chunk:
                return
            parts = chunk.split(b"\n")
            end = total
            total += len(chunk)
            for part in parts[:-1]:
                end += len(part) + 1
                self.complete_bytes = end
                too_long = too_long or rest_bytes + len(part) > MAX_LINE
                yield None if too_long else b"".join([*rest, part])
                rest, rest_bytes, too_long = [], 0, False
            rest_bytes += len(parts[-1])
            too_long = too_long or rest_bytes > MAX_LINE
            rest = [] if too_long else [*rest, parts[-1]]


class ConversationBuilder:
    """Builds the tree of lines by their parents, and the path to the last line.

    A node is a line with turns; the id of a line without turns refers to the node that it follows.
    """

    def __init__(self, reader: line_parser.LineReader) -> None:
        self._reader = reader
        self._parents: list[int] = []
        self._turns: list[list[tuple[str, Turn]] | None] = []
        self._messages: list[str] = []
        self._nodes: dict[str, int] = {}  #: by the ids of lines
        self._pending_calls: dict[str, int] = {}  #: nodes by the ids of tool calls
        self._leaf = -1
        self._answered = False
        self._chars = self._trimmed = 0
        self._memory_output = MemoryToolOutput()
        self._skipped: dict[str, int] = {}
        self._facts: dict[str, str] = {}  #: about the session, by field
        self._title = ""
        self._started = self._ended = self._seen_ms = 0

    def _skip(self, reason: str) -> None:
        if reason not in self._skipped and len(self._skipped) >= MAX_REASONS:
            reason = "other"
        self._skipped[reason] = self._skipped.get(reason, 0) + 1

    def mark_seen(self) -> None:
        """Mark all lines so far as read by an earlier pass."""
        self._seen_ms = self._ended

    def add_line(self, raw: bytes | None) -> None:
        """Add one line; None is one that was too long."""
        if raw is None:
            self._skip("too long")
            return
        line_type = type_at_start(raw)
        if line_type and line_type not in READ and line_type not in line_parser.TITLES:
            self._skip(line_type)
            return
        if not raw or raw.isspace():
            return
        try:
            entry = json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError):
            self._skip("unreadable")
            return
        if not isinstance(entry, dict):
            self._skip("unreadable")
            return
        kind = entry.get("type")
        kind = kind[:40] if isinstance(kind, str) else "untyped"
        if kind in line_parser.TITLES:
            self._add_title(kind, entry)
        elif kind not in READ:
            self._skip(kind)
        else:
            self.add_entry(kind, entry)

    def _add_title(self, kind: str, entry: dict[str, Any]) -> None:
        title = entry.get(line_parser.TITLES[kind])
        if isinstance(title, str) and (kind == "custom-title" or "custom" not in self._facts):
            self._title = self._reader.words(title, 120)
            if kind == "custom-title":
                self._facts["custom"] = "yes"
        self._skip(kind)

    def add_entry(self, kind: str, entry: dict[str, Any]) -> None:
        """Add one parsed line of a conversation; ``kind`` is one of READ."""
        if entry.get("isSidechain") is True:
            agent = line_parser.text_of(entry, "agentId", 80) or "unknown"
            self._facts.setdefault("subagent", agent)
            self._skip("sidechain")
            return
        uuid = line_parser.text_of(entry, "uuid", 80)
        if uuid:
            self._facts.setdefault("first line", uuid)
        if uuid and uuid in self._nodes:
            self._skip("repeated")
            return
        at_ms = self._time(entry)
        self._read_facts(entry)
        if isinstance(entry.get("forkedFrom"), dict):
            self._skip("forked")  # copied from the original session, which reports it
            return
        self._add_results(entry, at_ms)
        turns, reason = self._reader.turns(kind, entry, at_ms)
        if reason:
            self._skip(reason)
        for text in self._reader.recalled(kind, entry):
            self._memory_output.add(text)
        node = self._parent(kind, entry, has_turns=bool(turns))
        if turns:
            node = self._add_node(node, turns, line_parser.message_id(entry))
        self._leaf = node
        if uuid:
            self._nodes[uuid] = node
            self._nodes = _drop_older_half(self._nodes, MAX_IDS)

    def _time(self, entry: dict[str, Any]) -> int:
        at_ms = line_parser.milliseconds(entry.get("timestamp"))
        if at_ms is None:
            return self._ended
        if at_ms < self._ended - SET_BACK_MS:  # keep the order of the lines
            at_ms = self._ended + 1
        self._started = min(self._started or at_ms, at_ms)
        self._ended = max(self._ended, at_ms)
        return at_ms

    def _read_facts(self, entry: dict[str, Any]) -> None:
        for field in ("sessionId", "cwd", "gitBranch", "version"):
            value = line_parser.text_of(entry, field, 4096)
            keep_first = field in ("sessionId", "cwd")
            if value and not (keep_first and field in self._facts):
                self._facts[field] = value

    def _parent(self, kind: str, entry: dict[str, Any], *, has_turns: bool) -> int:
        """Return the node that a line follows (-1: none)."""
        parent = entry.get("parentUuid")
        if parent is None:
            parent = entry.get("logicalParentUuid")
        if isinstance(parent, str):
            return self._nodes.get(parent, self._leaf)
        # A second root. A prompt typed again before any answer replaces the first one; anything
        # else continues the conversation.
        return -1 if kind == "user" and has_turns and not self._answered else self._leaf

    def _add_node(self, parent: int, turns: list[tuple[str, Turn]], message: str) -> int:
        node = len(self._parents)
        self._parents.append(parent)
        self._turns.append(turns)
        self._messages.append(message)
        for call, turn in turns:
            self._answered = self._answered or bool(call) or isinstance(turn, AssistantTurn)
            if call:
                self._pending_calls[call] = node
        self._pending_calls = _drop_older_half(self._pending_calls, MAX_PENDING_CALLS)
        self._chars += _size(turns)
        if self._chars > MAX_TURN_CHARS:
            self._trim()
        return node

    def _add_results(self, entry: dict[str, Any], at_ms: int) -> None:
        """Add results to their calls; a result line's own parent does not matter.

        Of parallel calls, only the last is the parent of the following line.
        """
        for call, block in line_parser.results_of(entry):
            node = self._pending_calls.pop(call, None)
            turns = None if node is None else self._turns[node]
            if node is None or turns is None:
                self._skip("result without a call")
                continue
            updated: list[tuple[str, Turn]] = []
            for own_call, turn in turns:
                if own_call == call:
                    self._memory_output.add_answer(turn, block)
                    results = self._reader.answered(turn, block, entry, at_ms)
                    updated += [("", result) for result in results]
                else:
                    updated.append((own_call, turn))
            self._turns[node] = updated
            self._chars += _size(updated) - _size(turns)

    def _trim(self) -> None:
        """Drop turns from the middle, because the beginning and the end matter most."""
        nodes = [node for node, turns in enumerate(self._turns) if turns]
        for node in nodes[len(nodes) // 8 : len(nodes) // 2]:
            turns = self._turns[node] or []
            self._chars -= _size(turns)
            self._trimmed += len(turns)
            self._turns[node] = None
            self._messages[node] = ""

    def build(self, path: str, complete_bytes: int) -> Conversation:
        """Return the turns on the path to the last line, in the order of the file."""
        on_path: set[int] = set()
        node = self._leaf
        while node >= 0 and node not in on_path:
            on_path.add(node)
            node = self._parents[node]
        messages = {self._messages[node] for node in on_path} - {""}
        turns: list[Turn] = []
        for node, node_turns in enumerate(self._turns):
            if node in on_path or self._messages[node] in messages:
                turns += [turn for _, turn in node_turns or []]
            elif node_turns:
                self._skipped["abandoned"] = self._skipped.get("abandoned", 0) + len(node_turns)
        if self._reader.private:
            self._skipped[PRIVATE] = self._reader.private
        name = os.path.basename(path).removesuffix(".jsonl")
        return Conversation(
            session_id=self._facts.get("sessionId", name)[:200],
            cwd=self._facts.get("cwd", ""),
            branch=self._facts.get("gitBranch", "")[:200],
            version=self._facts.get("version", "")[:40],
            title=self._title,
            subagent="" if turns else self._facts.get("subagent", "")[:80],
            started_ms=self._started,
            ended_ms=self._ended,
            turns=tuple(turns),
            recalled=tuple(self._memory_output.texts),
            erased=self._memory_output.erased,
            skipped=self._skipped,
            bytes_read=complete_bytes,
            trimmed=self._trimmed,
            seen_ms=self._seen_ms,
            first_line=self._facts.get("first line", ""),
        )


def _drop_older_half(entries: dict[str, int], limit: int) -> dict[str, int]:
    return entries if len(entries) <= limit else dict(list(entries.items())[limit // 2 :])


def _size(turns: list[tuple[str, Turn]]) -> int:
    return sum(line_parser.size(turn) + _TURN_OVERHEAD for _, turn in turns)


def type_at_start(raw: bytes) -> str:
    """Return the type of a line that begins with it, so that it can be skipped without parsing."""
    if not raw.startswith(b'{"type":"'):
        return ""
    end = raw.find(b'"', 9, 60)
    return raw[9:end].decode("ascii", "replace") if end > 0 else ""
