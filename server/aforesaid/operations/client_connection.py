"""Connections of the MCP server: its client over stdio or several over HTTP, and their projects.

Here too: work done after a call is answered: recording usage, cleaning the file, missing vectors.
"""

from __future__ import annotations

import os
import time
from threading import local
from typing import TYPE_CHECKING

from aforesaid.adapters.git_reader.git_files import read_user_name
from aforesaid.adapters.system.machine import process_start, working_folder
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.memory import Session
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from aforesaid.wiring.embedder_loader import EmbedderLoader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.system.log import Log
    from aforesaid.domain.model.memory import CallContext, Project
    from aforesaid.domain.projects.detection import WorkspaceFacts

    from .prompt_server import PromptServer

#: Variables that locate a client.
_LOCATION_VARIABLES = (
    "CLAUDE_PROJECT_DIR", "AFORESAID_CWD", "AFORESAID_PROJECT", "AFORESAID_HINT",
)  # fmt: skip
_MAX_SESSIONS = 20  #: latest sessions of one client process that are searched


class ThreadLocalContainer:
    """The services of a process with several connections: a container per thread, one model."""

    def __init__(
        self, environment: Mapping[str, str], *, busy_timeout_ms: int | None = None
    ) -> None:
        self._environment = environment
        self._busy_timeout_ms = busy_timeout_ms
        self._of_thread = local()
        self.embedder = EmbedderLoader(environment)

    def get(self) -> ServiceContainer:
        """Return this thread's services; if opening them fails, the next call retries."""
        core: ServiceContainer | None = getattr(self._of_thread, "core", None)
        if core is None:
            core = self._of_thread.core = ServiceContainer(
                self._environment, embedder=self.embedder, busy_timeout_ms=self._busy_timeout_ms
            )
        return core


class ClientConnection:
    """One client of the server, with its folder, session and project."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        shared: Callable[[], ServiceContainer] | None = None,
    ) -> None:
        """Set up the connection.

        Args:
            environment: The variables that locate the client; over stdio, the process's own.
            shared: Returns the services if several connections share them. Then the client did
                not start this process, so its parent and working directory mean nothing.
        """
        self.environment = _without_placeholders(environment)
        self._shared = shared
        self._embedder = EmbedderLoader(environment)
        self._core: ServiceContainer | None = None
        self._log: Log | None = None
        self.client_name = ""
        self.is_persistent = True  #: False if each request is a separate connection
        self.roots: list[str] = []
        self._known_names: set[str | None] = set()  #: of the user, that are already registered
        self._chosen: int | None = None  #: by set_project, if no session is known
        self._client = os.getppid()
        self._client_start = process_start(self._client)
        self._prompts: PromptServer | None = None
        self._shown_warnings: set[str] = set()

    @property
    def log(self) -> Log:
        """The log of this process."""
        if self._log is None:
            self._log = factories.open_log(self.environment)
        return self._log

    @property
    def core(self) -> ServiceContainer:
        """The services, opened by the first call; if that fails, the next call retries."""
        if self._shared is not None:
            return self._shared()
        if self._core is None:
            self._core = ServiceContainer(self.environment, embedder=self._embedder)
        return self._core

    def warm_up(self) -> None:
        """Load the model in a thread and answer prompts and actions, as far as that is enabled.

        Otherwise the first call that needs the model loads it.
        """
        from .prompt_server import PromptServer, listens, needs_model

        try:
            if not listens(self.environment):
                return
        except AforesaidError:
            return  # invalid settings: the first call reports them
        if needs_model(self.environment):
            self._embedder.start()
        try:
            self._prompts = PromptServer(self.environment, self._client, self._embedder.peek_local)
        except OSError as error:
            self.log.write("warning", f"prompt recall uses words only: {error}")
            return
        self._prompts.start()

    def new_warnings(self) -> str:
        """Return new warnings about the store for the agent to pass on; empty if there are none."""
        if self._shown_warnings and not self.core.store.newer:
            return ""  # losses are found only when a store is opened
        warnings = self.core.warnings() or ("",)
        new = [warning for warning in warnings if warning not in self._shown_warnings]
        self._shown_warnings.update(new)
        text = ". ".join(filter(None, new))
        return f"{text}. Tell the user." if text else ""

    def close(self) -> None:
        """Stop serving prompts, and write the log back into the store."""
        if self._prompts is not None:
            self._prompts.close()
        if self._core is not None:
            try:
                self._core.store.checkpoint()
            except AforesaidError:
                pass  # it is in the log

    def folder(self) -> str:
        """Return the client's folder."""
        environment = self.environment
        for name in ("CLAUDE_PROJECT_DIR", "AFORESAID_CWD"):
            if environment.get(name):
                return environment[name]
        if self.roots:
            return self.roots[0]
        if self._shared is not None:
            return ""
        return working_folder()

    def session(self) -> Session | None:
        """Return the client's current session, as its hooks registered it."""
        session = self._client_session() if self._shared is None else None
        if session is None and self._chosen is not None:
            return Session(id="", started_at=0, chosen_project=True, project=self._chosen)
        return session

    def _client_session(self) -> Session | None:
        """Return the latest session that the client opened in this server's folder.

        One client process can have sessions in several folders, each with its own server.
        """
        recent = self.core.store.sessions.of_client(self._client, self._client_start, _MAX_SESSIONS)
        own = self.folder()
        return next((session for session in recent if self._is_in(session, own)), None)

    def _is_in(self, session: Session, own: str) -> bool:
        theirs = session.project_dir or session.folder
        if not theirs or not own:
            return True
        return theirs == own or self._shared_folder(theirs) == self._shared_folder(own)

    def _shared_folder(self, folder: str) -> str:
        """Return the folder that all folders of one repository or package share."""
        facts = factories.read_workspace(
            folder, self.core.settings, factories.without_project_override(self.environment)
        )
        if facts.repository is not None:
            return facts.repository.common_dir
        return facts.marker.folder if facts.marker is not None else facts.folder

    def workspace(self) -> WorkspaceFacts:
        """Return the facts about the folder of the current session."""
        session = self.session()
        folder = session.folder if session is not None and session.folder else self.folder()
        return factories.read_workspace(folder, self.core.settings, self.environment)

    def call_context(self) -> CallContext:
        workspace = self.workspace()
        self._learn_user(workspace)
        context = self.core.projects.resolve(workspace, self.session())
        return context if context.session else context.replace(session=None)

    def switched_off_project(self) -> str:
        """Return the name of the current project if its memory is switched off; else empty."""
        settings = self.core.settings
        if not settings["project.off"]:
            return ""
        context = self.call_context()
        return context.project.name if factories.is_off(context, settings) else ""

    def _learn_user(self, workspace: WorkspaceFacts) -> None:
        """Register the user names of this repository and of the global git configuration."""
        repository = workspace.repository
        names = {repository.user_name if repository is not None else None}
        if not self._known_names:
            names.add(read_user_name(self.environment))
            self._known_names.add(None)
        for name in names - self._known_names:
            self._known_names.add(name)
            try:
                self.core.entities.add_user_name(str(name))
            except UnavailableError:
                pass  # the store cannot be written: the call itself reports it if necessary

    def choose(self, project: Project) -> None:
        """Use a project for the rest of this connection."""
        self._chosen = project.key


def _without_placeholders(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables without placeholders (``${x}``) that the client did not fill in."""
    unfilled = [name for name in _LOCATION_VARIABLES if environment.get(name, "").startswith("${")]
    if not unfilled:
        return environment
    return {name: value for name, value in environment.items() if name not in unfilled}


EMBED_EVERY_SECONDS = 30.0
_USAGE_ATTEMPTS, _USAGE_PAUSE_SECONDS = 20, 0.2
_MAX_MEMORIES, _MAX_ENTITIES = 256, 64  #: embedded at a time


def run_deferred_work(core: ServiceContainer) -> None:
    """Record usage and clean erased bytes; at intervals, embed what has no vector."""
    for _ in range(_USAGE_ATTEMPTS):
        if core.record_usage():
            break
        time.sleep(_USAGE_PAUSE_SECONDS)  # another process is writing
    core.store.finish_cleaning()
    embedder = core.embedder.peek()
    if embedder is None or time.monotonic() - core.embedded_at < EMBED_EVERY_SECONDS:
        return
    from .reembed import upgrade_shipped_model

    core.embedded_at = time.monotonic()
    upgrade_shipped_model(core.store, core.settings)
    core.writer.embed_missing(_MAX_MEMORIES)
    core.entity_search.embed_missing(_MAX_ENTITIES)
