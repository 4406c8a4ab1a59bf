"""What all pages share: services for each thread, the chosen project, the next notice."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aforesaid.entrypoints.api.person import is_run_by_agent
from aforesaid.operations.client_connection import ClientConnection, ThreadLocalContainer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.memory import Project

    from .undo import Change

BUSY_TIMEOUT_MS = 5_000  #: that a person waits while another process writes


class Notice(NamedTuple):
    """What the next page tells about the last change."""

    text: str
    failed: bool = False
    undo: str = ""  #: the path that a form with these fields is posted to
    fields: tuple[tuple[str, str], ...] = ()
    label: str = "Undo"
    form: str = ""  #: the path of the form that was refused: its message is shown beside it
    given: tuple[tuple[str, str], ...] = ()  #: what that form was sent with

    def value(self, name: str) -> str:
        """Return what a field of the refused form contained."""
        return dict(self.given).get(name, "")

    def values(self, name: str) -> list[str]:
        """Return what the fields of this name contained."""
        return [value for field, value in self.given if field == name]


class Services:
    """The services of one viewer, and what its user chose."""

    def __init__(self, environment: Mapping[str, str], folder: str) -> None:
        """Set up the services; the store is opened at the first use.

        Args:
            environment: the variables of the process.
            folder: whose project is shown unless another is chosen.
        """
        self._environment = environment
        self._folder = folder
        self.containers = ThreadLocalContainer(environment, busy_timeout_ms=BUSY_TIMEOUT_MS)
        self.chosen: int | None = None  #: key of the project whose pages are shown
        self.notice: Notice | None = None
        self.changes: list[Change] = []  #: that can be undone, latest last
        self.has_person = not is_run_by_agent(environment)  #: or the browser was opened

    def connect(self, project: Project | None = None) -> ClientConnection:
        """Return a connection for one request, as of a client in the project's folder.

        Args:
            project: the project; None for the chosen one, at first that of the folder.
        """
        connection = ClientConnection(self._environment, shared=self.containers.get)
        if project is None and self.chosen is not None:
            project = connection.core.store.projects.get(self.chosen)
        connection.roots = [self._folder]
        if project is not None:
            if project.root:
                connection.roots = [project.root]
            # a session there is told how the project was detected, so it is chosen only if needed
            if connection.call_context().project.key != project.key:
                connection.choose(project)
        return connection

    def take_notice(self) -> Notice | None:
        """Return the notice that was not shown yet, once."""
        notice, self.notice = self.notice, None
        return notice

    def close(self) -> None:
        """Close this thread's connection to the store."""
        self.containers.get().close()
