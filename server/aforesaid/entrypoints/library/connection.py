"""An open memory: its services, and where its calls come from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.memory import Session
from aforesaid.domain.projects.call_context import CallContext
from aforesaid.domain.projects.detection import WorkspaceFacts
from aforesaid.entrypoints.api.arguments import read_arguments
from aforesaid.entrypoints.api.operations import Operations
from aforesaid.services.projects.registry import named_place
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from aforesaid.domain.model.memory import Project


class Connection:
    """Opening and closing a memory; what the methods of ``Memory`` stand on."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        project: str | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        """Open a memory.

        Args:
            path: the file, made if missing; None for the user's own.
            project: by name, made if new.
            folder: where the program works: its project is found as a session's is, unless
                ``project`` names one, and anchors are files below it. With neither, what is not
                global is kept in the default project.

        Raises:
            UnavailableError: the file cannot be opened, or belongs to another program.
            CorruptError: it is damaged.
            InvalidInputError: the project's name or the configuration is wrong.
        """
        given = None if path is None else os.fspath(path)
        self._core = ServiceContainer(os.environ, path=given)
        try:
            self._requests = Operations(self._core)
            self._surroundings = WorkspaceFacts(folder="")
            if folder is not None:
                where = os.path.abspath(os.fspath(folder))
                self._surroundings = factories.read_workspace(
                    where, self._core.settings, os.environ
                )
            self._named = project
            self._settle()
            repository = self._surroundings.repository
            if repository is not None and repository.user_name:
                self._core.entities.know_user(repository.user_name)
        except BaseException:
            self._core.close()
            raise

    def _settle(self) -> None:
        """Find out where calls come from."""
        self._place = self._settled()

    def _settled(self) -> CallContext:
        chosen = None if self._named is None else self._core.projects.named(self._named)
        if not self._surroundings.folder:
            if chosen is not None:
                return named_place(chosen)
            return CallContext(project=self._core.projects.default())
        session = None
        if chosen is not None:
            session = Session(id="", started_at=0, chosen_project=True, project=chosen.key)
        return self._core.projects.settle(self._surroundings, session).replace(session=None)

    def _place_of(self, project: str | None) -> CallContext:
        """Return where a call comes from that may name another project, made if new."""
        if project is None:
            return self._place
        named = self._core.projects.named(project)
        return self._place if named.key == self._place.project.key else named_place(named)

    def _read(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tool's arguments, checked; what is None was not given.

        Before another call than recall, what was recalled is written down.
        """
        if tool != "recall_memory":
            self._core.write_uses()
        plain = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
        }
        return read_arguments(tool, plain)

    @property
    def project(self) -> Project:
        """The project that calls come from; the default one where none is known."""
        return self._place.project

    @property
    def path(self) -> str:
        """The file."""
        return self._core.store.path

    def close(self) -> None:
        """Let go of the file."""
        self._core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
