"""One stored statement, and the values that select and locate it.

Here: the memory itself, its vocabulary and limits. Not here: rules about how memories outdate each
other (domain/conflict/supersession.py), fade (decay.py) or are found (ranking/).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TYPES = ("episodic", "semantic", "procedural", "entity")
SCOPES = ("global", "project", "task")
PROVENANCES = ("user", "assistant", "tool", "import", "derived")
#: provenance that is shown unasked; the rest waits for a confirmation
TRUSTED = ("user", "assistant", "derived")

STATUSES = ("active", "blocked", "completed", "archived")  #: of a task
OPEN = STATUSES[:2]  #: these wait to be done

DAY_MS = 86_400_000
#: Tags of what was written out of sessions by itself.
DIGEST_TAG, CANDIDATE_TAG, EXTRACTED_TAG = "digest", "candidate", "extracted"
GLOBAL_PROJECT = 0  #: key of the project that every session sees

CONTENT_CHARS = 32_000
SUMMARY_CHARS = 1_000
PREVIEW_CHARS = 80
METADATA_BYTES = 16_384
METADATA_LEVELS = 8
TAGS = 50
TAG_CHARS = 100
CUES = 8
CUE_CHARS = 100
REPLY_CHARS = 40_000
IMPORTANCE_WORDS = {"high": 0.9, "medium": 0.5, "low": 0.2}


class Memory(Value):
    """One memory as it is stored. Times are ms since the epoch, UTC; keys are row numbers."""

    key: int = 0  #: 0 until it is stored
    id: str  #: UUIDv7
    type: str = "semantic"
    scope: str = "project"
    project: int = GLOBAL_PROJECT  #: 0 where the scope is global
    origin_project: int | None = None  #: where it was stored from, whatever its scope
    task: int | None = None
    topic: int | None = None
    parent: int | None = None
    depth: int = 2
    content: str
    summary: str | None = None
    entity: int | None = None
    importance: float = 0.5
    confidence: float = 1.0
    access_count: int = 0
    last_accessed_at: int | None = None
    last_reinforced_at: int
    pinned: bool = False
    head: int = 0  #: key of the last version of its chain; its own while in force
    superseded_by: int | None = None
    superseded_at: int | None = None
    compacted_into: int | None = None
    forgotten_at: int | None = None
    archived_at: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    event_at: int | None = None  #: when what an episodic memory tells happened, if said
    created_at: int
    updated_at: int
    provenance: str = "assistant"
    session: str | None = None
    metadata: dict[str, Any] = {}
    tags: tuple[str, ...] = ()
    content_hash: str = ""

    @property
    def in_force(self) -> bool:
        """Whether nothing has replaced, forgotten or set it aside."""
        return self.superseded_by is None and self.forgotten_at is None

    @property
    def cues(self) -> tuple[str, ...]:
        """How someone may speak who needs it, in other words than its own."""
        return all_cues(self.metadata)

    @property
    def trusted(self) -> bool:
        """Whether it was said here: by the user, the assistant, or derived from both."""
        return self.provenance in TRUSTED

    @property
    def is_current(self) -> bool:
        """Whether it stands for itself: in force, and neither set aside nor summed up."""
        return self.in_force and self.archived_at is None and self.compacted_into is None

    def is_expired(self, at: int) -> bool:
        """Tell whether it says itself that it was true only until before a time (ms)."""
        return self.valid_to is not None and self.valid_to < at

    @property
    def preview(self) -> str:
        """Return its summary, else the first 80 characters of its content, on one line."""
        text = self.summary or self.content
        line = " ".join(text.split())
        if self.summary or len(line) <= PREVIEW_CHARS:
            return line
        return line[: PREVIEW_CHARS - 1].rstrip() + "…"


def all_cues(metadata: dict[str, Any]) -> tuple[str, ...]:
    """Return the cues of a memory, and the trigger of a procedure, which is one."""
    trigger = metadata.get("trigger")
    named = (trigger,) if trigger and isinstance(trigger, str) else ()
    return tuple(dict.fromkeys((*stored_cues(metadata), *named)))


def stored_cues(metadata: dict[str, Any]) -> tuple[str, ...]:
    """Return what metadata names as cues; a row of elsewhere may hold anything there."""
    told = metadata.get("cues")
    given = told if isinstance(told, list) else ()
    return tuple(dict.fromkeys(one for one in given if one and isinstance(one, str)))


def text_to_embed(content: str, metadata: dict[str, Any]) -> str:
    """Return what a memory's vector is made of: its text, and its cues behind it."""
    cues = all_cues(metadata)
    return f"{content}\n{'; '.join(cues)}" if cues else content


class Visibility(Value):
    """Which memories a caller may see: these projects, and nothing else.

    ``projects`` are keys; 0 is global. Of what is of scope task: the objectives, and all of
    ``tasks``, also keys, whose inside the caller stands in. Every query filters by it inside SQL.
    """

    projects: tuple[int, ...]
    tasks: tuple[int, ...] = ()

    @classmethod
    def of_project(cls, project: int | None) -> Visibility:
        """Return what a session of this project sees: the project and global."""
        if project is None or project == GLOBAL_PROJECT:
            return cls(projects=(GLOBAL_PROJECT,))
        return cls(projects=(GLOBAL_PROJECT, project))


class Filters(Value):
    """What a memory in force must be like to be returned. Empty tuples do not filter."""

    types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  #: any of them
    tasks: tuple[int, ...] = ()  #: keys: what belongs to one of these
    statuses: tuple[str, ...] = ()  #: what belongs to a task of one of these
    entities: tuple[int, ...] = ()  #: about any of them, or what was merged into them
    since: int | None = None  #: ms, happened (an event) or was stored at or after
    until: int | None = None  #: ms, happened or was stored before
    as_of: int | None = None  #: ms: what was believed then, as if nothing had come after
    min_confidence: float = 0.0
    archived: bool = False  #: also what was set aside
    history: bool = False  #: superseded versions as results of their own
    trusted: bool = False  #: only what may be shown unasked


class PageCursor(Value):
    """Where a memory stands in the order of lists: a page begins after one, whatever is added."""

    pinned: bool
    day: int  #: of its creation, counted from the epoch
    importance: float
    id: str

    @classmethod
    def of(cls, memory: Memory) -> PageCursor:
        """Return where a memory stands."""
        return cls(
            pinned=memory.pinned,
            day=memory.created_at // DAY_MS,
            importance=memory.importance,
            id=memory.id,
        )


class Hit(Value):
    """A row that matched a search, and the head of its chain that stands for it."""

    key: int
    head: int
    score: float  #: words: BM25, higher is better; vectors: cosine in [-1, 1]


class SessionNeighbours(Value):
    """What a session stored just before and after one memory, nearest first."""

    key: int
    session: str
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


class Project(Value):
    """A registered project."""

    key: int
    identity: str  #: its first key, such as git:github.com/acme/payments
    name: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    root: str | None = None
    remote: str | None = None
    provisional: bool = False  #: taken from the folder alone: the user was not asked yet
    asked_at: int | None = None  #: when the context asked which project the folder is
    created_at: int = 0
    used_at: int = 0


class Session(Value):
    """One session of a client, as the hooks know it."""

    id: str
    client_pid: int | None = None
    client_start: int | None = None  #: what tells a pid from its next holder
    project: int | None = None
    chosen_project: bool = False  #: by set_project in this session
    folder: str | None = None
    transcript_path: str | None = None
    branch: str | None = None
    started_at: int
    opened_at: int = 0  #: when its client last started or resumed it
    forked_at: int | None = None  #: what its transcript holds from before is told elsewhere
    ended_at: int | None = None
    bytes_ingested: int = 0
    digest: int | None = None  #: key of its head digest
    digest_refused: bool = False  #: its digest was erased: none is written again
    shown: tuple[int, ...] = ()  #: keys of the memories that it was shown unasked
    shown_at: int | None = None  #: when it was last shown its context
    shown_tokens: int = 0  #: of all that it was shown unasked
    subagents: int = 0  #: of its subagents, how many were shown something
    subagent_tokens: int = 0  #: of all that those were shown
    asked_tokens: int = 0  #: of what it recalled itself
    first_line: str | None = (
        None  #: id of its transcript's first line, which a fork begins with, too
    )
    project_dir: str | None = None  #: CLAUDE_PROJECT_DIR of its client, as its server has it, too
    awaited: tuple[str, ...] = ()  #: sessions whose digests its next prompt shows


def check_choice(what: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return the value if it is one of those allowed, compared without case.

    Raises:
        InvalidInputError: it is not; the message lists what is.
    """
    word = value.strip().lower()
    if word in allowed:
        return word
    raise InvalidInputError(f"{what} {value[:60]!r} is unknown: use one of {', '.join(allowed)}")


def check_unit_interval(what: str, value: float) -> float:
    """Return the value as a float in [0, 1].

    Raises:
        InvalidInputError: it is outside, or no number.
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{what} is no number from 0 to 1") from None
    if not 0.0 <= number <= 1.0:  # also refuses NaN
        raise InvalidInputError(f"{what} {value} is outside 0 to 1")
    return number
