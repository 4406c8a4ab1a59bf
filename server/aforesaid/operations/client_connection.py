"""The MCP server's process: its client, or several over HTTP, and where each of them is."""

from __future__ import annotations

import os
from threading import local
from typing import TYPE_CHECKING

from aforesaid.adapters.git_reader.user_name import read_user_name
from aforesaid.adapters.system.machine import process_start, working_folder
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.memory import Session
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from aforesaid.wiring.embedder_loader import EmbedderLoader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.system.log import Log
    from aforesaid.domain.model.memory import Project
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.domain.projects.detection import WorkspaceFacts

    from .prompt_server import PromptServer


#: What says where a client is.
_PLACES = ("CLAUDE_PROJECT_DIR", "AFORESAID_CWD", "AFORESAID_PROJECT", "AFORESAID_HINT")


_CLIENT_SESSIONS = 20  #: of one client process, the last ones


class ThreadLocalContainer:
    """The services of a process that holds several conversations: once a thread, one model."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._of_thread = local()
        self.embedder = EmbedderLoader(environment)

    def get(self) -> ServiceContainer:
        """Return this thread's services; tried again by each call while they cannot be had."""
        core: ServiceContainer | None = getattr(self._of_thread, "core", None)
        if core is None:
            core = self._of_thread.core = ServiceContainer(
                self._environment, embedder=self.embedder
            )
        return core


class ClientConnection:
    """One client, and where it is: the client of a stdio server, or one of several over HTTP."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        shared: Callable[[], ServiceContainer] | None = None,
    ) -> None:
        """Say who talks from where.

        Args:
            environment: what is known of the client's place; over stdio the process's own.
            shared: gives the services where several conversations share them. Then the client did
                not start this process, whose parent and working directory say nothing about it.
        """
        self.environment = _filled(environment)
        self._shared = shared
        self._embedder = EmbedderLoader(environment)
        self._core: ServiceContainer | None = None
        self._log: Log | None = None
        self.client_name = ""
        self.lasts = True  #: False where each request is a conversation of its own
        self.roots: list[str] = []
        self._known_names: set[str | None] = set()  #: of the user, that were told to the store
        self._chosen: int | None = None  #: by set_project where no session is known
        self._client = os.getppid()
        self._client_start = process_start(self._client)
        self._prompts: PromptServer | None = None
        self._told: set[str] = set()  #: warnings about the store

    @property
    def log(self) -> Log:
        """Where this process writes what happened."""
        if self._log is None:
            self._log = factories.open_log(self.environment)
        return self._log

    @property
    def core(self) -> ServiceContainer:
        """The services; opened by the first call, tried again by each while that fails."""
        if self._shared is not None:
            return self._shared()
        if self._core is None:
            self._core = ServiceContainer(self.environment, embedder=self._embedder)
        return self._core

    def warm_up(self) -> None:
        """Load the model in a thread, and answer prompts, where these are recalled for.

        With recall at the prompt switched off, the first call that needs the model loads it.
        """
        from .prompt_server import PromptServer, listens

        try:
            if not listens(self.environment):
                return
        except AforesaidError:
            return  # wrong settings: the first call says which
        self._embedder.start()
        try:
            self._prompts = PromptServer(self.environment, self._client, self._embedder.at_once)
        except OSError as error:
            self.log.write("warning", f"prompts go by words: {error}")
            return
        self._prompts.start()

    def untold_warnings(self) -> str:
        """Return each warning about the store once, for the agent to say; empty without any."""
        if self._told and not self.core.store.newer:
            return ""  # losses are found when a store is opened
        new = [one for one in self.core.warnings() or ("",) if one not in self._told]
        self._told.update(new)
        said = ". ".join(one for one in new if one)
        return f"{said}. Tell the user." if said else ""

    def close(self) -> None:
        """Stop answering prompts, and write back what was stored last."""
        if self._prompts is not None:
            self._prompts.close()
        if self._core is not None:
            try:
                self._core.store.checkpoint()
            except AforesaidError:
                pass  # it is in the log

    def folder(self) -> str:
        """Return the folder of the conversation."""
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
        """Return the session that this client is in now, as its hooks registered it."""
        found = None
        if self._shared is None:
            found = self._client_session()
        if found is None and self._chosen is not None:
            return Session(id="", started_at=0, chosen_project=True, project=self._chosen)
        return found

    def _client_session(self) -> Session | None:
        """Return the last session that this server's client opened in this server's folder.

        One client process can hold sessions in several folders, each with a server of its own.
        """
        recent = self.core.store.sessions.of_client(
            self._client, self._client_start, _CLIENT_SESSIONS
        )
        own = self.folder()
        return next((one for one in recent if self._is_in(one, own)), None)

    def _is_in(self, session: Session, own: str) -> bool:
        theirs = session.project_dir or session.folder
        if not theirs or not own:
            return True
        return theirs == own or self._tree(theirs) == self._tree(own)

    def _tree(self, folder: str) -> str:
        """Return what all folders of one repository or package have in common."""
        seen = factories.read_workspace(
            folder, self.core.settings, factories.without_project_override(self.environment)
        )
        if seen.repository is not None:
            return seen.repository.common_dir
        return seen.marker.folder if seen.marker is not None else seen.folder

    def surroundings(self) -> WorkspaceFacts:
        """Return what is known of the folder."""
        session = self.session()
        folder = session.folder if session is not None and session.folder else self.folder()
        return factories.read_workspace(folder, self.core.settings, self.environment)

    def place(self) -> CallContext:
        """Return where a call comes from."""
        surroundings = self.surroundings()
        self._learn_user(surroundings)
        place = self.core.projects.settle(surroundings, self.session())
        return place if place.session else place.replace(session=None)

    def off_in(self) -> str:
        """Return the project that calls come from, if the user wants no memory there; else ''."""
        settings = self.core.settings
        if not settings["project.off"]:
            return ""
        place = self.place()
        return place.project.name if factories.is_off(place, settings) else ""

    def _learn_user(self, surroundings: WorkspaceFacts) -> None:
        """Make what git calls the user a name of theirs: in this repository, and everywhere."""
        repository = surroundings.repository
        names = {repository.user_name if repository is not None else None}
        if not self._known_names:
            names.add(read_user_name(self.environment))
            self._known_names.add(None)
        for name in names - self._known_names:
            self._known_names.add(name)
            try:
                self.core.entities.know_user(str(name))
            except UnavailableError:
                pass  # full, locked or only read: the call itself says so if it must

    def choose(self, project: Project) -> None:
        """Keep a chosen project for as long as this conversation lasts."""
        self._chosen = project.key


def _filled(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables without those that a client was to fill in and did not: ``${x}``."""
    unfilled = [name for name in _PLACES if environment.get(name, "").startswith("${")]
    if not unfilled:
        return environment
    return {name: value for name, value in environment.items() if name not in unfilled}
