"""Values of a digest: what happened in a session, and what is written about it."""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.digest.dead_ends import DeadEnd
    from aforesaid.domain.digest.failed_attempt import Failure
    from aforesaid.domain.digest.memory_candidates import MemoryCandidate

USER, ASSISTANT, BOTH = "user", "assistant", "both"

#: Kinds of items, in the order in which a digest shows them.
KINDS = (
    "asked", "decision", "correction", "preference", "fact", "done", "found", "error",
    "command", "commit", "file", "open",
)  # fmt: skip


class SessionStatement(Value):
    """A statement of a session. `weight`, in [0, 1], ranks it among its kind."""

    text: str
    at_ms: int
    by: str = USER
    weight: float = 0.5


class ChangedFile(Value):
    """A file that was written, relative to the session's folder."""

    path: str
    edits: int
    is_new: bool
    at_ms: int


class CommandRuns(Value):
    """The runs of one tool; `outcomes` are (passed, counts) of each, oldest first."""

    kind: str
    tool: str
    outcomes: tuple[tuple[bool, str], ...]
    at_ms: int


class CommitMade(Value):
    """A commit of this session; `id` may be empty."""

    id: str
    subject: str
    at_ms: int


class ResolvedError(Value):
    """An error that no longer occurs, the files changed, and what the assistant said about it."""

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
    is_trivial: bool
    asked: tuple[SessionStatement, ...] = ()
    decisions: tuple[SessionStatement, ...] = ()
    corrections: tuple[SessionStatement, ...] = ()
    preferences: tuple[SessionStatement, ...] = ()
    facts: tuple[SessionStatement, ...] = ()
    done: tuple[SessionStatement, ...] = ()
    findings: tuple[SessionStatement, ...] = ()
    errors: tuple[ResolvedError, ...] = ()
    runs: tuple[CommandRuns, ...] = ()
    commits: tuple[CommitMade, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    open_items: tuple[SessionStatement, ...] = ()
    candidates: tuple[MemoryCandidate, ...] = ()
    changes: tuple[MemoryCandidate, ...] = ()  #: remarks kept only if they end an earlier memory
    failures: tuple[Failure | DeadEnd, ...] = ()
    command_heads: tuple[str, ...] = ()  #: heads of successful shell commands, in order


class DigestItem(Value):
    """One item of a digest; the caller may drop it or change its text.

    `short` is a generated phrase for the summary, never quoted text. `reports` tells whether the
    text says what was achieved, not only where it stands in an answer; `remembered`, whether a
    memory says it, too.
    """

    kind: str
    text: str
    at_ms: int
    by: str = ""
    short: str = ""
    reports: bool = False
    remembered: bool = False


class Digest(Value):
    """What is written about one session.

    `items` has everything that may be shown, most important first; `text` is what fits.
    `revise_digest` drops or changes items, then rewrites title and summary.
    """

    title: str
    text: str
    summary: str
    event_date_ms: int
    started_ms: int
    branch: str
    max_tokens: int
    items: tuple[DigestItem, ...]
    work: float = 0  #: how much was achieved, see outcome.py
    command_heads: tuple[str, ...] = ()  #: heads of successful shell commands, in order

    def texts(self, kind: str) -> tuple[str, ...]:
        """Return the texts of one kind, most important first."""
        return tuple(item.text for item in self.items if item.kind == kind)
