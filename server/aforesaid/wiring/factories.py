"""Ports joined to adapters, part by part. Each process takes what it needs, when it needs it.

Imports stand inside the functions: a session's start must not pay for what only its end uses.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.adapters.git_reader.reflog import Commit
    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.adapters.system.log import Log
    from aforesaid.config import Settings
    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.model.memory import Session
    from aforesaid.domain.model.transcript import Conversation
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.domain.projects.detection import Repository, WorkspaceFacts
    from aforesaid.ports import Embedder, FileReader, NameMatcher, SecretFilter
    from aforesaid.ports.reranker import Reranker
    from aforesaid.services.memories.writer import MemoryWriter
    from aforesaid.services.projects.registry import Projects
    from aforesaid.services.sessions.digester import SessionDigester
    from aforesaid.services.sessions.session_context import SessionContextBuilder

HOOK_BUSY_TIMEOUT_MS = 1_000  #: how long a hook waits for another process that writes


def no_embedder() -> Embedder | None:
    """Return None: this process stores and recalls by words."""
    return None


def open_store(settings: Settings, *, hook: bool = False) -> SqliteStore:
    """Open the store; hooks wait less for other processes, and never load vectors."""
    from aforesaid.adapters.sqlite.store import SqliteStore

    if hook:
        return SqliteStore(settings.db_path, busy_timeout_ms=HOOK_BUSY_TIMEOUT_MS, for_hook=True)
    from aforesaid.adapters.sqlite.extension import find_vec_extension

    return SqliteStore(settings.db_path, vec_extension=find_vec_extension())


def open_log(environment: Mapping[str, str]) -> Log:
    """Return the log of a process; with wrong settings, at the default level."""
    from aforesaid.adapters.system.log import Log
    from aforesaid.config import load_settings

    settings = load_settings(environment, lenient=True)
    return Log(settings.state_folder, settings["server.log_level"])


def log_undigested(environment: Mapping[str, str], error: Exception) -> None:
    """Keep what nobody foresaw in one session from the others. See ``log_unexpected``."""
    log_unexpected(environment, "a session was not digested", error)


def log_unexpected(environment: Mapping[str, str], said: str, error: Exception) -> None:
    """Keep what nobody foresaw in one thing from the others: the log has its kind and place.

    Raises:
        UnavailableError: it is the store's: the next ones would fare no better.
        CorruptError: likewise.
    """
    from aforesaid.adapters.system.log import kind_and_place
    from aforesaid.domain.errors import AforesaidError, CorruptError, UnavailableError

    if isinstance(error, (UnavailableError, CorruptError)):
        raise error
    why = str(error) if isinstance(error, AforesaidError) else kind_and_place(error)
    open_log(environment).write("error", f"{said}: {why}")


def read_workspace(
    folder: str, settings: Settings, environment: Mapping[str, str]
) -> WorkspaceFacts:
    """Return what is known of a folder."""
    from aforesaid.adapters.git_reader import list_temporary_folders, read_workspace

    return read_workspace(
        folder,
        environment,
        settings["project.map"],
        environment.get("HOME", ""),
        list_temporary_folders(environment),
    )


def without_project_override(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for looking at other sessions: which project it asks for is its own."""
    return {name: value for name, value in environment.items() if name != "AFORESAID_PROJECT"}


def is_off(place: CallContext, settings: Settings) -> bool:
    """Tell whether the user wants no memory in this project.

    Named by its name or the last part of it, its key, or a folder that it is in.
    """
    off = settings["project.off"]
    if not off:
        return False
    names = set()
    for project in (place.project, place.claimed):  # what may be a project that is off is off, too
        if project is not None:
            name = project.name.casefold()
            names |= {name, name.rpartition("/")[2], project.identity.casefold()}
    folders = [folder for folder in (place.folder, place.project.root) if folder]
    return any(
        _holds(one, folders) if one.startswith(("/", "~")) else one.casefold() in names
        for one in off
    )


def refuse_if_off(place: CallContext, settings: Settings) -> None:
    """Refuse to store anything in a project where the user wants no memory.

    Raises:
        InvalidInputError: this place is in one; the message says how to switch memory on.
    """
    if not is_off(place, settings):
        return
    from aforesaid.domain.errors import InvalidInputError

    source = settings.sources["project.off"]
    raise InvalidInputError(
        f"memory is off in {place.project.name}: nothing was stored. To switch it on, take the "
        f"project out of [project] off in {source}"
    )


def _holds(path: str, folders: Sequence[str]) -> bool:
    above = os.path.realpath(os.path.expanduser(path))
    return any(one == above or one.startswith(above.rstrip("/") + "/") for one in folders)


def make_projects(store: SqliteStore, settings: Settings) -> Projects:
    """Return the project service."""
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.services.projects.registry import Projects

    def clean(text: str) -> str:
        from aforesaid.services.memories.sanitizer import Sanitizer  # only a new name needs it

        return Sanitizer(make_secrets(settings), settings["privacy.private_tag"]).clean(text)

    return Projects(store, SystemClock(), settings["project.default"], clean, _RepositoryCommits())


class _RepositoryCommits:
    """Commits of repositories, read from their files when they are first asked for."""

    def list_known_commits(self, repository: Repository) -> Sequence[str]:
        """Return the commits by which other clones of a repository are recognised."""
        from aforesaid.adapters.git_reader import known_commits

        return known_commits.list_known_commits(repository)

    def holds_any(self, repository: Repository, commits: Sequence[str]) -> bool:
        """Return whether a repository itself holds one of these commits."""
        from aforesaid.adapters.git_reader import known_commits

        return known_commits.holds_any(repository, commits)

    def shares_commit(self, repository: Repository, common_dir: str) -> bool:
        """Return whether a repository holds a commit of the one with this shared git folder."""
        from aforesaid.adapters.git_reader import known_commits

        return known_commits.shares_commit(repository, common_dir)


def factors_of(settings: Settings) -> Factors:
    """Return how fast memories fade, and what use gives them, as the settings say."""
    from aforesaid.domain.model.decay import Factors

    return Factors(**{name: settings[f"maintenance.{name}"] for name in Factors._fields})


def make_context(store: SqliteStore, settings: Settings) -> SessionContextBuilder:
    """Return the context service."""
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.services.sessions.session_context import SessionContextBuilder

    return SessionContextBuilder(store, SystemClock(), _cited_files, factors_of(settings))


def _cited_files() -> FileReader:
    from aforesaid.adapters.system.cited_files import CitedFiles

    return CitedFiles()


def make_secrets(settings: Settings) -> SecretFilter | None:
    """Return the secret filter, None where the user switched it off."""
    if not settings["privacy.redact"]:
        return None
    from aforesaid.adapters.secrets import SecretRedactor

    return SecretRedactor(settings["privacy.extra_patterns"])


def make_remember(
    store: SqliteStore, settings: Settings, embedder: Callable[[], Embedder | None]
) -> MemoryWriter:
    """Return the write path."""
    from aforesaid.adapters.system.cited_files import CitedFiles
    from aforesaid.adapters.system.machine import SystemClock, Uuid7Source
    from aforesaid.services.memories.writer import MemoryWriter

    return MemoryWriter(
        store,
        SystemClock(),
        Uuid7Source(),
        embedder,
        make_secrets(settings),
        settings["privacy.private_tag"],
        settings["retrieval.dedup_threshold"],
        make_matcher(),
        CitedFiles(),
        settings["maintenance.repeat_confidence"],
    )


def make_matcher() -> NameMatcher:
    """Return the matcher of names; what it needs is imported when it first compares any."""
    from aforesaid.adapters.name_matcher import RapidfuzzNameMatcher

    return RapidfuzzNameMatcher()


def make_reranker(settings: Settings) -> Callable[[], Reranker] | None:
    """Return what loads the reranker when it is first asked for; None where none is chosen."""
    folder = settings["retrieval.reranker"]
    if folder in {"", "none"}:
        return None
    loaded: list[Reranker] = []

    def load() -> Reranker:
        if not loaded:
            from aforesaid.adapters.embedding.reranker import OnnxReranker

            loaded.append(OnnxReranker(os.path.abspath(os.path.expanduser(folder))))
        return loaded[0]

    return load


def make_ingest(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None] = no_embedder,
) -> SessionDigester:
    """Return the path from transcripts to digests."""
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.domain.model.import_item import SkipCounter
    from aforesaid.services.sessions.digester import SessionDigester

    remember = make_remember(store, settings, embedder)
    projects = make_projects(store, settings)
    environment = without_project_override(environment)

    def settle(folder: str, session: Session | None) -> CallContext | None:
        if session is not None and session.project:  # told at its start; its folder may be gone
            session = session.replace(chosen_project=True)
        place = projects.settle(read_workspace(folder, settings, environment), session)
        return None if is_off(place, settings) else place

    def take(pieces: Sequence[ImportItem], place: CallContext) -> None:
        from aforesaid.services.transfer.import_items import ItemImporter

        gather = ItemImporter(store, SystemClock(), remember, lambda *_named: place, SkipCounter())
        gather.take(pieces, place, lambda _done: None)

    return SessionDigester(
        store,
        SystemClock(),
        remember,
        _Transcripts(make_secrets(settings), settings["privacy.private_tag"], environment),
        _Commits(settings, environment, remember),
        settle,
        settings["digest.max_tokens"],
        candidates=settings["digest.candidates"],
        take=take if settings["digest.commits"] else None,
    )


def make_skip_counter(remember: MemoryWriter) -> SkipCounter:
    """Return what counts for a reader, and takes out what must not be stored."""
    from aforesaid.domain.model.import_item import SkipCounter

    def clean(text: str) -> tuple[str, int]:
        cleaner = remember.cleaner()
        return cleaner.clean(text), len(cleaner.kinds) + cleaner.private

    return SkipCounter(clean)


class _Transcripts:
    """Transcripts of Claude Code, with secrets taken out before anything is cut."""

    def __init__(
        self, secrets: SecretFilter | None, private_tag: str, environment: Mapping[str, str]
    ) -> None:
        self._secrets = secrets
        self._private_tag = private_tag
        self._environment = environment

    def find(self, session: str) -> str:
        """Return the path of a session's transcript in this user's client's folder, if any."""
        from aforesaid.adapters.claude_transcripts.discovery import (
            find_transcript,
            transcripts_folder,
        )

        return find_transcript(transcripts_folder(self._environment), session)

    def read(self, path: str, seen_bytes: int = 0) -> Conversation:
        """Return the conversation of one transcript, and when the part that was seen ends."""
        from aforesaid.adapters.claude_transcripts import read_conversation

        return read_conversation(
            path, redact=self._redact, private_tag=self._private_tag, seen_bytes=seen_bytes
        )

    def shared_until(self, path: str, other: str, since: int) -> int:
        """Return the latest time (ms), from ``since`` on, of a line that both have; 0 for none."""
        from aforesaid.adapters.claude_transcripts import shared_until

        return shared_until(path, other, since)

    def _redact(self, text: str) -> str:
        return text if self._secrets is None else self._secrets.redact(text)[0]


class _Commits:
    """Commits by our own reader of logs/HEAD and of objects."""

    def __init__(
        self, settings: Settings, environment: Mapping[str, str], remember: MemoryWriter
    ) -> None:
        self._settings = settings
        self._environment = environment
        self._remember = remember

    def commits(self, folder: str, since: int, until: int) -> Sequence[Commit]:
        """Return what was committed in a folder's repository between two times (ms)."""
        from aforesaid.adapters.git_reader import read_commits

        repository = read_workspace(folder, self._settings, self._environment).repository
        return () if repository is None else read_commits(repository, since, until)

    def made(self, folder: str, project: str, since: int, until: int) -> Sequence[ImportItem]:
        """Return those of these commits that stand, with their files."""
        from aforesaid.adapters.git_reader import read_session_commits

        repository = read_workspace(folder, self._settings, self._environment).repository
        if repository is None:
            return ()
        return read_session_commits(
            repository, project, since, until, make_skip_counter(self._remember)
        )


def outgoing(settings: Settings) -> Callable[[str], str]:
    """Return what takes private spans and secrets out of text that leaves the machine.

    Secrets leave it whatever ``privacy.redact`` says, which is about the user's own disk.
    """
    from aforesaid.adapters.secrets import SecretRedactor
    from aforesaid.services.memories.sanitizer import Sanitizer

    secrets = SecretRedactor(settings["privacy.extra_patterns"])
    return lambda text: Sanitizer(secrets, settings["privacy.private_tag"]).clean(text)
