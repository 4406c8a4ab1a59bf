"""An open store, its services, and the project that calls come from."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from aforesaid.domain.errors import AforesaidError, InvalidInputError, UnavailableError
from aforesaid.domain.model.memory import CallContext, Session
from aforesaid.domain.projects.detection import WorkspaceFacts
from aforesaid.domain.text.sanitize import remove_invisible_in
from aforesaid.entrypoints.api.operations import Operations
from aforesaid.entrypoints.api.program_arguments import read_program_arguments
from aforesaid.services.projects.registry import context_for_project
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import Never, Self

    from aforesaid.domain.model.memory import Project
    from aforesaid.entrypoints.api.arguments import Arguments

Answer = TypeVar("Answer")

#: The method of each tool that has another name.
_METHODS = {
    "store_memory": "store",
    "recall_memory": "recall",
    "update_memory": "update",
    "forget_memory": "forget",
    "link_memories": "link",
    "explore_memory": "explore",
    "memory_inspect": "inspect",
    "memory_stats": "stats",
    "search_entities": "entities",
    "get_context": "context",
    "set_project": "set_project",
}
_TOOL = re.compile(rf"\b({'|'.join(_METHODS)})\b(\()?")
_RESTORE = re.compile(r"\bupdate_memory\((id(?:=[^,)]*)?), restore=true\)")


@contextmanager
def naming_methods() -> Iterator[None]:
    """Name methods instead of tools in the errors that leave the block."""
    try:
        yield
    except AforesaidError as error:
        text = _RESTORE.sub(r"memory.restore(\1)", str(error))
        text = _TOOL.sub(lambda call: f"memory.{_METHODS[call[1]]}{call[2] or '()'}", text)
        raise type(error)(text) from None


def check_is_text(name: str, value: object) -> None:
    """Check that a program gave a text, not a number, for example.

    Raises:
        InvalidInputError: it did not.
    """
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} must be text, not {type(value).__name__}")


class Connection:
    """Opens and closes the store; the base of ``MemoryLibrary``."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        project: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        **unknown: Never,
    ) -> None:
        """Open a store.

        Args:
            path: the file, created if missing; None for the user's own.
            project: by name, created if new.
            folder: the folder that the program works in. Its project is detected as for a session,
                unless ``project`` names one, and anchors cite files below it. With neither,
                memories that are not global go to the default project.
            **unknown: none; refused with a suggestion.

        Raises:
            UnavailableError: the file cannot be opened, or belongs to another program.
            CorruptError: the file is damaged.
            InvalidInputError: the project's name or the configuration is invalid, or there is no
                such parameter.
        """
        if unknown:
            name = next(iter(unknown))
            near = get_close_matches(name, ("path", "project", "folder"), 1)
            hint = f"did you mean {near[0]}?" if near else "it takes path, project, folder"
            raise InvalidInputError(f"Memory() has no parameter {name!r}: {hint}")
        self._services: ServiceContainer | None = ServiceContainer(
            os.environ, path=None if path is None else os.fspath(path)
        )
        try:
            self._workspace = WorkspaceFacts(folder="")
            if folder is not None:
                self._workspace = factories.read_workspace(
                    os.path.abspath(os.fspath(folder)), self._core.settings, os.environ
                )
            self._project_name = project
            self._settle()
            repository = self._workspace.repository
            if repository is not None and repository.user_name:
                self._core.entities.add_user_name(repository.user_name)
        except BaseException:
            self._core.close()
            raise

    @property
    def _core(self) -> ServiceContainer:
        if self._services is None:
            raise UnavailableError("this Memory was closed: open the file again with Memory(path)")
        return self._services

    @property
    def _operations(self) -> Operations:
        return Operations(self._core)

    def _settle(self) -> None:
        """Determine the project that calls come from."""
        projects, name, session = self._core.projects, self._project_name, None
        chosen = None if name is None else projects.named(name)
        if self._workspace.folder:
            if chosen is not None:
                session = Session(id="", started_at=0, chosen_project=True, project=chosen.key)
            self._context = projects.resolve(self._workspace, session).replace(session=None)
        elif chosen is not None:
            self._context = context_for_project(chosen)
        else:
            self._context = CallContext(project=projects.default())

    def _context_of(self, project: str | None) -> CallContext:
        """Return the call context of a project, created if new; by default this memory's own."""
        if project is None:
            return self._context
        check_is_text("project", project)
        named = self._core.projects.named(project)
        return (
            self._context if named.key == self._context.project.key else context_for_project(named)
        )

    def _read(self, tool: str, raw: Mapping[str, Any]) -> Arguments:
        """Return a tool's arguments, checked.

        Every call except a recall first writes the usage that recalls noted.
        """
        if tool != "recall_memory":
            self._core.record_usage()
        with naming_methods():
            return read_program_arguments(tool, raw, self._core)

    def _call(
        self,
        operation: Callable[[Operations, Arguments, CallContext], Answer],
        tool: str,
        raw: Mapping[str, Any],
    ) -> Answer:
        """Return the answer of one operation, made from this memory's own project."""
        arguments = self._read(tool, raw)
        with naming_methods():
            answer = operation(self._operations, arguments, self._context)
        return remove_invisible_in(answer)

    @property
    def project(self) -> Project:
        """The project that calls come from; the default project if none is known."""
        return self._context.project

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._core.store.path

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._services is not None:
            self._services.close()
            self._services = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
