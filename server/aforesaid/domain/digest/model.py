"""The values of a digest: what happened in a session, and what is written about it.

Here: the values. Not here: how they come about (session_facts.py), how they read (render.py).
"""

from __future__ import annotations

from aforesaid.domain.digest.memory_candidates import MemoryCandidate
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

USER, ASSISTANT, BOTH = "user", "assistant", "both"

#: Kinds of items, in the order in which a digest shows them.
KINDS = (
    "asked", "decision", "correction", "preference", "fact", "done", "found", "error",
    "command", "commit", "file", "open",
)  # fmt: skip


class SessionStatement(Value):
    """Something that somebody said. `weight` in [0, 1] ranks it among its kind."""

    text: str
    at_ms: int
    by: str = USER
    weight: float = 0.5


class FileChange(Value):
    """A file that was written, relative to the session's folder."""

    path: str
    edits: int
    created: bool
    at_ms: int


class CommandRuns(Value):
    """How the runs of one tool went, oldest first: (passed?, what it counted)."""

    kind: str
    tool: str
    endings: tuple[tuple[bool, str], ...]
    at_ms: int


class CommitMade(Value):
    """A commit of this session; the id may be unknown."""

    id: str
    subject: str
    at_ms: int


class ResolvedError(Value):
    """An error that went away: what was changed, and what the agent said of cause and fix."""

    error: str
    at_ms: int
    until_ms: int
    changed: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()


class SessionFacts(Value):
    """What happened in one session, each kind oldest first."""

    session_id: str
    branch: str
    title: str
    started_ms: int
    ended_ms: int
    trivial: bool
    asked: tuple[SessionStatement, ...] = ()
    decisions: tuple[SessionStatement, ...] = ()
    corrections: tuple[SessionStatement, ...] = ()
    preferences: tuple[SessionStatement, ...] = ()
    facts: tuple[SessionStatement, ...] = ()
    done: tuple[SessionStatement, ...] = ()
    found: tuple[SessionStatement, ...] = ()
    errors: tuple[ResolvedError, ...] = ()
    runs: tuple[CommandRuns, ...] = ()
    commits: tuple[CommitMade, ...] = ()
    files: tuple[FileChange, ...] = ()
    open_ends: tuple[SessionStatement, ...] = ()
    candidates: tuple[MemoryCandidate, ...] = ()
    ran: tuple[str, ...] = ()  #: heads of shell commands that went well, in order


class DigestItem(Value):
    """One thing that a digest says; the caller may drop it or change its text.

    `short` is a few words of our own for the summary, never anybody's.
    """

    kind: str
    text: str
    at_ms: int
    by: str = ""
    short: str = ""


class Digest(Value):
    """What is written about one session.

    `items` holds all that may be said, most important first; `text` is what fits. Drop or change
    items with `keep`: title and summary are then made anew from what stays.
    """

    title: str
    text: str
    summary: str
    event_date_ms: int
    started_ms: int
    branch: str
    max_tokens: int
    items: tuple[DigestItem, ...]
    ran: tuple[str, ...] = ()  #: heads of shell commands that went well, in order

    def texts(self, kind: str) -> tuple[str, ...]:
        """Return the texts of one kind, most important first."""
        return tuple(item.text for item in self.items if item.kind == kind)

    @property
    def asked(self) -> tuple[str, ...]:
        """What the user asked for."""
        return self.texts("asked")

    @property
    def decisions(self) -> tuple[str, ...]:
        """What was decided, with what it replaced."""
        return self.texts("decision")

    @property
    def corrections(self) -> tuple[str, ...]:
        """What the user put right."""
        return self.texts("correction")

    @property
    def preferences(self) -> tuple[str, ...]:
        """How the user wants things done."""
        return self.texts("preference")

    @property
    def facts(self) -> tuple[str, ...]:
        """What the user told about the project and its people."""
        return self.texts("fact")

    @property
    def done(self) -> tuple[str, ...]:
        """What the assistant reported as done."""
        return self.texts("done")

    @property
    def found(self) -> tuple[str, ...]:
        """What the assistant found out."""
        return self.texts("found")

    @property
    def errors(self) -> tuple[str, ...]:
        """Errors, with what solved them."""
        return self.texts("error")

    @property
    def commands(self) -> tuple[str, ...]:
        """Tests, builds and checks, and how they ended."""
        return self.texts("command")

    @property
    def commits(self) -> tuple[str, ...]:
        """Commits, each with its id where known."""
        return self.texts("commit")

    @property
    def files(self) -> tuple[str, ...]:
        """Files that were written, the most edited first."""
        return self.texts("file")

    @property
    def open_ends(self) -> tuple[str, ...]:
        """What is left to do."""
        return self.texts("open")
