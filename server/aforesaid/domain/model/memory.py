"""The memory, its vocabulary and limits; filters, visibility, and the project of a call.

Supersession: domain/conflict. Decay: decay.py. Ranking: domain/retrieval.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.timestamps import DAY_MS, days_text
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TYPES = ("episodic", "semantic", "procedural", "entity")
SCOPES = ("global", "project", "task")
PROVENANCES = ("user", "assistant", "tool", "import", "derived")
#: Provenances whose memories are shown automatically.
TRUSTED = ("user", "assistant", "derived")

STATUSES = ("active", "blocked", "completed", "archived")  #: of a task
COMPLETED = STATUSES[2]  #: what was learnt in such a task is visible to its project
OPEN = STATUSES[:2]  #: of a task that remains to be done

#: Tags of memories that were derived from sessions: digests, candidates, extracted items.
DIGEST_TAG, CANDIDATE_TAG, EXTRACTED_TAG = "digest", "candidate", "extracted"
FAILURE_TAG = "failure"  #: of a command that failed, and what fixed it
GUARD_TAG = "guard"  #: of a rule, accepted by the user, that actions are checked against
GUARD = "guard"  #: key of what is checked in its metadata
NAMED_DAYS = "named_days"  #: key of the days that its text names in words, as {words: ISO date}
SAYS_NOTHING = "says_nothing"  #: key that marks a text such as "ok", which no session is shown
COMMAND_LINE = "$ "  #: begins a line of a trigger that is a command
WORK = "work"  #: metadata key of a digest: how much its session achieved (domain/digest/outcome.py)
GLOBAL_PROJECT = 0  #: key of the pseudo-project whose memories every session sees

CONTENT_CHARS = 32_000
SUMMARY_CHARS = 1_000
PREVIEW_CHARS = 80
METADATA_BYTES = 16_384
MAX_METADATA_LEVELS = 8
MAX_TAGS = 50
TAG_CHARS = 100
MAX_CUES = 8
CUE_CHARS = 100
SESSION_CHARS = 200  #: of a session's id
REPLY_CHARS = 40_000
IMPORTANCE_WORDS = {"high": 0.9, "medium": 0.5, "low": 0.2}


class Memory(Value):
    """A memory as it is stored. Times are ms since the epoch, UTC; keys are row numbers."""

    key: int = 0  #: 0 until it is stored
    id: str  #: UUIDv7
    type: str = "semantic"
    scope: str = "project"
    project: int = GLOBAL_PROJECT  #: 0 if the scope is global
    origin_project: int | None = None  #: project of the session that stored it, whatever the scope
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
    head: int = 0  #: key of the newest version of its chain; its own key while in force
    superseded_by: int | None = None
    superseded_at: int | None = None
    compacted_into: int | None = None
    forgotten_at: int | None = None
    archived_at: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    event_at: int | None = None  #: when the event of an episodic memory happened, if stated
    created_at: int
    updated_at: int
    provenance: str = "assistant"
    session: str | None = None
    metadata: dict[str, Any] = {}
    tags: tuple[str, ...] = ()
    content_hash: str = ""

    @property
    def in_force(self) -> bool:
        """Whether it is neither superseded nor forgotten."""
        return self.superseded_by is None and self.forgotten_at is None

    @property
    def is_failure(self) -> bool:
        """Whether it is about a command that failed, as sessions show it."""
        return FAILURE_TAG in self.tags and "error" in self.metadata

    @property
    def says_nothing(self) -> bool:
        """Whether its text has no content, and nobody marked it important since."""
        return SAYS_NOTHING in self.metadata and self.importance <= IMPORTANCE_WORDS["low"]

    @property
    def cues(self) -> tuple[str, ...]:
        """Its cues, including a procedure's trigger."""
        return all_cues(self.metadata)

    @property
    def trusted(self) -> bool:
        """Whether it comes from the user or the assistant, or was derived from such memories."""
        return self.provenance in TRUSTED

    @property
    def is_current(self) -> bool:
        """Whether it is in force and neither archived nor compacted."""
        return self.in_force and self.archived_at is None and self.compacted_into is None

    def is_expired(self, at: int) -> bool:
        """Return whether its stated validity ended before a time (ms)."""
        return self.valid_to is not None and self.valid_to < at

    def is_to_come(self, at: int) -> bool:
        """Return whether its stated validity begins after a time (ms)."""
        return self.valid_from is not None and self.valid_from > at

    def next_start(self, now: int) -> int:
        """Return from when (ms) a new version is true: from now, or its own later start."""
        return max(now, self.valid_from or 0)

    def __repr__(self) -> str:
        return f"Memory(id={self.id!r}, type={self.type!r}, preview={self.preview!r})"

    @property
    def preview(self) -> str:
        """The summary, else the first 80 characters of the content, on one line."""
        line = " ".join((self.summary or self.content).split())
        if self.summary or len(line) <= PREVIEW_CHARS:
            return line + self.days_note(line)
        blank = line.rfind(" ", PREVIEW_CHARS // 2, PREVIEW_CHARS)
        start = line[: blank if blank > 0 else PREVIEW_CHARS - 1].rstrip()
        return f"{start}…{self.days_note(start)}"

    def days_note(self, text: str) -> str:
        """Return the days that a shown part of its text names, as `` (27 Nov 2026)``."""
        days = self.metadata.get(NAMED_DAYS)
        if not isinstance(days, dict):
            return ""
        texts = {words: days_text(str(iso)) for words, iso in days.items() if words in text}
        named = [each if len(texts) == 1 else f"{words}: {each}" for words, each in texts.items()]
        return f" ({', '.join(named)})" if named else ""


def all_cues(metadata: dict[str, Any]) -> tuple[str, ...]:
    """Return the cues in a memory's metadata, and a trigger in words as further cues."""
    trigger = metadata.get("trigger")
    lines = trigger.splitlines() if isinstance(trigger, str) else ()
    triggers = (line for line in lines if line and not line.startswith(COMMAND_LINE))
    return tuple(dict.fromkeys((*stored_cues(metadata), *triggers)))


def stored_cues(metadata: dict[str, Any]) -> tuple[str, ...]:
    """Return the cues in metadata; values of a wrong type, as imports may hold, are ignored."""
    value = metadata.get("cues")
    cues = value if isinstance(value, list) else ()
    return tuple(dict.fromkeys(cue for cue in cues if cue and isinstance(cue, str)))


def text_to_embed(content: str, metadata: dict[str, Any]) -> str:
    """Return the text that is embedded for a memory: its content, followed by its cues."""
    cues = all_cues(metadata)
    return f"{content}\n{'; '.join(cues)}" if cues else content


class Visibility(Value):
    """The projects and tasks whose memories a caller may see; every SQL query filters by it.

    Of memories with scope ``task``, the caller sees all objectives, everything in completed tasks,
    and everything in ``tasks``.
    """

    projects: tuple[int, ...]  #: keys; 0 is global
    tasks: tuple[int, ...] = ()  #: keys
    all_tasks: bool = False  #: for counts, and for lists that people read

    @classmethod
    def of_project(cls, project: int | None) -> Visibility:
        """Return the visibility of a session: the project's memories and global ones."""
        if project is None or project == GLOBAL_PROJECT:
            return cls(projects=(GLOBAL_PROJECT,))
        return cls(projects=(GLOBAL_PROJECT, project))


class Filters(Value):
    """Conditions on the memories to return. Empty tuples do not filter."""

    types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  #: with any of them
    tasks: tuple[int, ...] = ()  #: keys: in any of these tasks
    statuses: tuple[str, ...] = ()  #: in a task with one of these statuses
    entities: tuple[int, ...] = ()  #: keys: about any of them, or of what was merged into them
    since: int | None = None  #: ms: the event happened, or the memory was stored, at or after
    until: int | None = None  #: ms: likewise, before
    #: Facts that state when they are true also count if that overlaps ``since`` to ``until``.
    or_valid: bool = False
    as_of: int | None = None  #: ms: the state of belief at this time
    min_confidence: float = 0.0
    include_archived: bool = False  #: also return archived memories
    include_history: bool = False  #: also return superseded versions, as separate results
    trusted_only: bool = False  #: only trusted provenances, see ``TRUSTED``
    only_keys: tuple[int, ...] | None = None  #: keys: only these; None for all
    provenances: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()  #: ids: stored in any of these sessions
    topics: tuple[int, ...] = ()  #: keys: filed under any of these topics
    forgotten_only: bool = False  #: only forgotten memories, whose text may not be shown; for lists


class PageCursor(Value):
    """Keyset of the last memory on a page of a list: the next page begins after it."""

    pinned: bool
    day: int  #: of its creation, in days since the epoch
    importance: float
    id: str

    @classmethod
    def of(cls, memory: Memory) -> PageCursor:
        """Return the cursor that follows a memory."""
        return cls(
            pinned=memory.pinned,
            day=memory.created_at // DAY_MS,
            importance=memory.importance,
            id=memory.id,
        )


class Hit(Value):
    """A row that matched a search, and the head of its chain, which represents it."""

    key: int
    head: int
    score: float  #: full text: BM25, higher is better; vectors: cosine in [-1, 1]


class SessionNeighbours(Value):
    """The memories that a session stored just before and after one, as keys, nearest first."""

    key: int
    session: str
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


class Project(Value):
    """A registered project."""

    key: int
    identity: str  #: its first project key, such as git:github.com/acme/payments
    name: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    root: str | None = None
    remote: str | None = None
    provisional: bool = False  #: derived from the folder alone; the user was not asked yet
    asked_at: int | None = None  #: ms, when the session context asked which project the folder is
    created_at: int = 0
    used_at: int = 0
    aliases: tuple[str, ...] = ()  #: all its project keys, with those of former names

    @property
    def is_default(self) -> bool:
        """Whether it is that of sessions outside any project."""
        return self.identity == DEFAULT_IDENTITY


class Session(Value):
    """A session of a client, as the hooks record it. Times are ms since the epoch."""

    id: str
    client_pid: int | None = None
    client_start: int | None = None  #: start time of that process, which detects a reused pid
    project: int | None = None
    chosen_project: bool = False  #: set by set_project in this session
    folder: str | None = None
    transcript_path: str | None = None
    branch: str | None = None
    started_at: int
    opened_at: int = 0  #: when the client last started or resumed it
    forked_at: int | None = (
        None  #: set on a fork; earlier turns of its transcript belong to the parent
    )
    ended_at: int | None = None
    bytes_ingested: int = 0
    digest: int | None = None  #: key of its head digest
    digest_refused: bool = False  #: its digest was erased, so none is written again
    shown: tuple[int, ...] = ()  #: keys of the memories shown in context and with prompts
    shown_at: int | None = None  #: when its context was last shown
    shown_tokens: int = 0  #: of everything shown in context and with prompts
    subagents: int = 0  #: number of subagents that were shown something
    subagent_tokens: int = 0  #: of everything shown to subagents
    recalled_tokens: int = 0  #: of the results of its own recalls
    first_line: str | None = None  #: id of its transcript's first line, equal in a fork
    project_dir: str | None = None  #: CLAUDE_PROJECT_DIR of its client and server
    awaited_digests: tuple[
        str, ...
    ] = ()  #: ids of sessions whose digests are shown with its next prompt


def check_choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return the value in lower case if it is allowed.

    Raises:
        InvalidInputError: it is not allowed; the message names the parameter and the choices.
    """
    word = value.strip().lower()
    if word in allowed:
        return word
    raise InvalidInputError(f"{name} {value[:60]!r} is unknown: use one of {', '.join(allowed)}")


def check_unit_interval(name: str, value: float) -> float:
    """Return the value as a float in [0, 1].

    Raises:
        InvalidInputError: it is outside, or not a number.
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{name} must be a number from 0 to 1") from None
    if not 0.0 <= number <= 1.0:  # also refuses NaN
        raise InvalidInputError(f"{name} {value} is outside 0 to 1")
    return number


#: Below this, a project is provisional: used at once, and the user is asked about it once.
MIN_SETTLED_CONFIDENCE = 0.8

DEFAULT_IDENTITY = "name:default project"  #: this installation's project for calls from no other


class Identity(Value):
    """The detected project, the confidence in it, and the reason."""

    key: str
    name: str
    keys: tuple[str, ...]  # all current keys, ``key`` first; stored as aliases
    former_keys: tuple[str, ...] = ()  # keys that it may have had before; looked up, never stored
    related_keys: tuple[str, ...] = ()  # keys of other remotes, and of the clone's source
    is_cloned: bool = False
    root: str | None = None
    remote: str | None = None  # without credentials
    branch: str | None = None
    confidence: float  # in [0, 1]
    source: str  # environment, session, mapping, git remote, git repository, marker, folder, hint
    evidence: str  # the reason, in a few words for users
    user_text: str | None = None  # the user's text: to be resolved as key, name or alias first

    @property
    def provisional(self) -> bool:
        """Whether to ask the user about it once."""
        return self.confidence < MIN_SETTLED_CONFIDENCE


class CallContext(Value):
    """Where a call comes from. Without a detected project, that is the default one."""

    project: Project
    identity: Identity | None = None  #: None if the folder belongs to no project
    session: str | None = None
    folder: str | None = None
    claimed_project: Project | None = (
        None  #: the project that the folder may belong to, unproven; its memories stay hidden
    )
    excluded_reason: str = ""  #: why the folder cannot be a project

    @property
    def has_project(self) -> bool:
        """Whether a project was detected."""
        return self.identity is not None

    @property
    def project_key(self) -> int | None:
        """The key of the detected project; None without one."""
        return self.project.key if self.has_project else None

    @property
    def is_unclear(self) -> bool:
        """Whether to ask the user, once, which project this is."""
        return self.project.provisional or not self.has_project or self.claimed_project is not None

    @property
    def visible(self) -> Visibility:
        """What a call from here may see: this project's memories and global ones."""
        return Visibility.of_project(self.project.key)
