"""Factories of services with their adapters.

Imports are inside the functions, so that a session's start does not load what only its end uses.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.adapters.system.log import Log
    from aforesaid.config import Settings
    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.model.memory import CallContext, Project, Session
    from aforesaid.domain.projects.detection import Repository, WorkspaceFacts
    from aforesaid.ports import BranchReader, Embedder, FileReader, NameMatcher, SecretFilter
    from aforesaid.ports.reranker import Reranker
    from aforesaid.services.memories.writer import MemoryWriter
    from aforesaid.services.projects.registry import Projects
    from aforesaid.services.sessions.digester import SessionDigester
    from aforesaid.services.sessions.session_context import SessionContextBuilder

HOOK_BUSY_TIMEOUT_MS = 1_000  #: how long a hook waits for another process that is writing


def no_embedder() -> Embedder | None:
    """Return None, for processes that use full text only."""
    return None


def open_store(
    settings: Settings, *, hook: bool = False, busy_timeout_ms: int | None = None
) -> SqliteStore:
    """Open the store; hooks wait for less time for other processes, and load no vectors.

    Args:
        settings: of the process.
        hook: whether a hook opens it.
        busy_timeout_ms: how long a write waits for other processes; None for the default.
    """
    from aforesaid.adapters.sqlite.store import SqliteStore

    if hook:
        return SqliteStore(settings.db_path, busy_timeout_ms=HOOK_BUSY_TIMEOUT_MS, for_hook=True)
    from aforesaid.adapters.sqlite.extension import find_vec_extension

    extension = find_vec_extension()
    if busy_timeout_ms is None:
        return SqliteStore(settings.db_path, vec_extension=extension)
    return SqliteStore(settings.db_path, vec_extension=extension, busy_timeout_ms=busy_timeout_ms)


def open_log(environment: Mapping[str, str]) -> Log:
    """Return the log, at the default level if settings are invalid."""
    from aforesaid.adapters.system.log import Log
    from aforesaid.config import load_settings

    settings = load_settings(environment, lenient=True)
    return Log(settings.state_folder, settings["server.log_level"])


def log_digest_failure(environment: Mapping[str, str], error: Exception) -> None:
    """Log that a session could not be digested, see ``log_unexpected``."""
    log_unexpected(environment, "a session was not digested", error)


def log_unexpected(environment: Mapping[str, str], message: str, error: Exception) -> None:
    """Log an unexpected error in one item, so that the caller continues with the others.

    Raises:
        UnavailableError: the error concerns the store, so that the others would fail, too.
        CorruptError: the store is damaged.
    """
    from aforesaid.adapters.system.log import type_and_location
    from aforesaid.domain.errors import AforesaidError, CorruptError, UnavailableError

    if isinstance(error, (UnavailableError, CorruptError)):
        raise error
    reason = str(error) if isinstance(error, AforesaidError) else type_and_location(error)
    open_log(environment).write("error", f"{message}: {reason}")


def read_workspace(
    folder: str, settings: Settings, environment: Mapping[str, str]
) -> WorkspaceFacts:
    """Return the facts from which the project of a folder is detected."""
    from aforesaid.adapters.git_reader import list_temporary_folders, read_workspace

    return read_workspace(
        folder,
        environment,
        settings["project.map"],
        environment.get("HOME", ""),
        list_temporary_folders(environment),
    )


def without_project_override(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without AFORESAID_PROJECT, for work on other sessions."""
    return {name: value for name, value in environment.items() if name != "AFORESAID_PROJECT"}


def is_off(context: CallContext, settings: Settings) -> bool:
    """Return whether ``project.off`` switches memory off in the project of a call.

    Entries are a name of a project or the last part of one, its key, or a folder that contains it.
    """
    off = settings["project.off"]
    if not off:
        return False
    from aforesaid.domain.projects.naming import find_named

    # a folder that only claims to be a project that is off is off, too
    projects = [known for known in (context.project, context.claimed_project) if known is not None]
    folders = [folder for folder in (context.folder, context.project.root) if folder]
    return any(
        _contains_any(entry, folders) if _is_folder(entry) else find_named(projects, entry)
        for entry in off
    )


def projects_with_memory(store: SqliteStore, settings: Settings) -> list[Project]:
    """Return the known projects in which memory is not switched off."""
    from aforesaid.domain.model.memory import CallContext

    return [
        project
        for project in store.projects.list_all()
        if not is_off(CallContext(project=project), settings)
    ]


def unknown_off(store: SqliteStore, settings: Settings) -> list[str]:
    """Return a note for each name in ``project.off`` that no known project has."""
    from aforesaid.domain.projects.naming import find_named

    names = [entry for entry in settings["project.off"] if not _is_folder(entry)]
    projects = store.projects.list_all() if names else []
    return [
        f"project.off names {name!r}, and no known project is called that: "
        "`aforesaid projects` lists them"
        for name in names
        if not find_named(projects, name)
    ]


def _is_folder(entry: str) -> bool:
    return entry.startswith(("/", "~"))


def refuse_if_off(context: CallContext, settings: Settings) -> None:
    """Check that memory is not switched off in the project of a call, or in this process.

    Raises:
        InvalidInputError: it is switched off; the message says how to switch it on.
    """
    refuse_if_process_off(settings)
    if not is_off(context, settings):
        return
    from aforesaid.domain.errors import InvalidInputError

    source = settings.sources["project.off"]
    raise InvalidInputError(
        f"memory is off in {context.project.name}: nothing was stored. To switch it on, remove "
        f"the project from [project] off in {source}"
    )


def refuse_if_process_off(settings: Settings) -> None:
    """Check that AFORESAID_OFF does not switch memory off in this process.

    Raises:
        InvalidInputError: it does.
    """
    if settings.off:
        from aforesaid.domain.errors import InvalidInputError

        raise InvalidInputError(
            "memory is off here (AFORESAID_OFF): nothing was stored. To switch it on, unset "
            "AFORESAID_OFF"
        )


def _contains_any(path: str, folders: Sequence[str]) -> bool:
    parent = os.path.realpath(os.path.expanduser(path))
    return any(
        folder == parent or folder.startswith(parent.rstrip("/") + "/") for folder in folders
    )


def make_projects(store: SqliteStore, settings: Settings) -> Projects:
    """Return the project service."""
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.services.projects.registry import Projects

    def clean(text: str) -> str:
        from aforesaid.services.memories.sanitizer import Sanitizer  # needed only for a new name

        return Sanitizer(make_secret_filter(settings), settings["privacy.private_tag"]).clean(text)

    return Projects(store, SystemClock(), settings["project.default"], clean, _RepositoryCommits())


class _RepositoryCommits:
    """``CommitReader`` that imports the git reader at its first use."""

    def list_known_commits(self, repository: Repository) -> Sequence[str]:
        from aforesaid.adapters.git_reader import known_commits

        return known_commits.list_known_commits(repository)

    def holds_any(self, repository: Repository, commits: Sequence[str]) -> bool:
        from aforesaid.adapters.git_reader import known_commits

        return known_commits.holds_any(repository, commits)

    def shares_commit(self, repository: Repository, common_dir: str) -> bool:
        from aforesaid.adapters.git_reader import known_commits

        return known_commits.shares_commit(repository, common_dir)


def factors_of(settings: Settings) -> Factors:
    """Return the configured rates of decay and reinforcement."""
    from aforesaid.domain.model.decay import Factors

    return Factors(**{name: settings[f"maintenance.{name}"] for name in Factors._fields})


def make_context_builder(store: SqliteStore, settings: Settings) -> SessionContextBuilder:
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.services.sessions.session_context import SessionContextBuilder

    return SessionContextBuilder(
        store, SystemClock(), _cited_files, factors_of(settings), make_branch_reader
    )


def _cited_files() -> FileReader:
    from aforesaid.adapters.system.cited_files import CitedFiles

    return CitedFiles()


def make_branch_reader() -> BranchReader:
    from aforesaid.adapters.git_reader.branches import GitBranches

    return GitBranches()


def make_secret_filter(settings: Settings) -> SecretFilter | None:
    """Return the secret filter; None if the user switched it off."""
    if not settings["privacy.redact"]:
        return None
    from aforesaid.adapters.secrets import SecretRedactor

    return SecretRedactor(settings["privacy.extra_patterns"])


def make_memory_writer(
    store: SqliteStore, settings: Settings, embedder: Callable[[], Embedder | None]
) -> MemoryWriter:
    from aforesaid.adapters.system.cited_files import CitedFiles
    from aforesaid.adapters.system.machine import SystemClock, Uuid7Source
    from aforesaid.services.memories.writer import MemoryWriter

    return MemoryWriter(
        store,
        SystemClock(),
        Uuid7Source(),
        embedder,
        make_secret_filter(settings),
        settings["privacy.private_tag"],
        settings["retrieval.dedup_threshold"],
        make_matcher(),
        CitedFiles(),
        settings["maintenance.repeat_confidence"],
        make_branch_reader,
    )


def make_matcher() -> NameMatcher:
    """Return the matcher of names, which imports rapidfuzz at its first use."""
    from aforesaid.adapters.name_matcher import RapidfuzzNameMatcher

    return RapidfuzzNameMatcher()


def make_reranker(settings: Settings) -> Callable[[], Reranker] | None:
    """Return a function that loads the configured reranker once; None without one."""
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


def make_session_digester(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None] = no_embedder,
    judge_embedder: Callable[[], Embedder | None] | None = None,
) -> SessionDigester:
    """Return the digester of sessions.

    Args:
        store: where sessions and memories are.
        settings: the settings.
        environment: the environment variables.
        embedder: of the memories that are stored.
        judge_embedder: the embedder that judges which sentences last; None for the same.
    """
    from aforesaid.adapters.system.cited_files import CitedFiles
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.domain.digest.lasting import SentenceJudge
    from aforesaid.domain.model.import_item import SkipCounter
    from aforesaid.services.guards import Guards
    from aforesaid.services.sessions.digester import SessionDigester

    from .session_sources import SessionCommits, Transcripts

    writer = make_memory_writer(store, settings, embedder)
    projects = make_projects(store, settings)
    environment = without_project_override(environment)

    def resolve_context(folder: str, session: Session | None) -> CallContext | None:
        if session is not None and session.project:  # known from its start; the folder may be gone
            session = session.replace(chosen_project=True)
        context = projects.resolve(read_workspace(folder, settings, environment), session)
        return None if is_off(context, settings) else context

    def import_items(items: Sequence[ImportItem], context: CallContext) -> None:
        from aforesaid.services.transfer.import_items import ItemImporter

        importer = ItemImporter(
            store, SystemClock(), writer, lambda *_named: context, SkipCounter()
        )
        importer.import_all(items, context, lambda _done: None)

    return SessionDigester(
        store,
        SystemClock(),
        writer,
        Transcripts(make_secret_filter(settings), settings["privacy.private_tag"], environment),
        SessionCommits(
            lambda folder: read_workspace(folder, settings, environment).repository,
            lambda: make_skip_counter(writer),
        ),
        resolve_context,
        settings["digest.max_tokens"],
        stores_candidates=settings["digest.candidates"],
        import_items=import_items if settings["digest.commits"] else None,
        judge=SentenceJudge(judge_embedder or embedder),
        guards=Guards(store, SystemClock(), CitedFiles()),
    )


def make_skip_counter(writer: MemoryWriter) -> SkipCounter:
    """Return a skip counter that also removes secrets and private spans."""
    from aforesaid.domain.model.import_item import SkipCounter

    def clean(text: str) -> tuple[str, int]:
        sanitizer = writer.cleaner()
        return sanitizer.clean(text), len(sanitizer.kinds) + sanitizer.private

    return SkipCounter(clean)


def make_outgoing_filter(settings: Settings) -> Callable[[str], str]:
    """Return a function that removes private spans and secrets from text sent to an API.

    It applies regardless of ``privacy.redact``, which concerns only the user's own disk.
    """
    from aforesaid.adapters.secrets import SecretRedactor
    from aforesaid.services.memories.sanitizer import Sanitizer

    secrets = SecretRedactor(settings["privacy.extra_patterns"])
    return lambda text: Sanitizer(secrets, settings["privacy.private_tag"]).clean(text)
