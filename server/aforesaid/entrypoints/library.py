"""``from aforesaid import Memory``: the same memory, for any Python program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aforesaid.domain.memory import Filters
from aforesaid.domain.place import Place
from aforesaid.services.recall import Question
from aforesaid.wiring.core import Core

from .arguments import read_arguments
from .calls import named_place, read_question, read_statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from aforesaid.services.curate import Forgotten, Updated
    from aforesaid.services.recall import Recalled
    from aforesaid.services.remember import Stored

__all__ = ["Filters", "Memory", "Question"]


class Memory:
    """A memory in one file.

    >>> with Memory("notes.db", project="acme/payments") as memory:
    ...     memory.store("The queue is NATS JetStream.")
    ...     memory.recall("which queue?").results[0].memory.content
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, project: str | None = None
    ) -> None:
        """Open a memory.

        Args:
            path: the file, made if missing; None for the user's own.
            project: by name, made if new; None keeps what is not global in the default project.

        Raises:
            UnavailableError: the file cannot be opened, or belongs to another program.
            CorruptError: it is damaged.
        """
        given = None if path is None else os.fspath(path)
        self._core = Core(os.environ, path=given)
        self._place = self._place_of(project)

    def _place_of(self, project: str | None) -> Place:
        if project is None:
            return Place(project=self._core.projects.default())
        return named_place(self._core.projects.named(project))

    def store(self, content: str, *, project: str | None = None, **fields: Any) -> Stored:
        """Store one statement.

        Args:
            content: the statement.
            project: where, if not the memory's own project; made if new.
            **fields: the parameters of the tool ``store_memory``.

        Raises:
            InvalidInputError: a field is unknown or outside its limits.
        """
        return self.store_many([{"content": content, **fields}], project=project)[0]

    def store_many(
        self, statements: Iterable[Mapping[str, Any]], *, project: str | None = None
    ) -> list[Stored]:
        """Store statements, each with the parameters of ``store_memory``, in one transaction."""
        read = [
            read_statement(read_arguments("store_memory", statement), self._core.dates)
            for statement in statements
        ]
        place = self._place if project is None else self._place_of(project)
        done = self._core.remember.store_many(read, place)
        return [one for one in done if one is not None]

    def recall(
        self, query: str | None = None, *, project: str | None = None, **fields: Any
    ) -> Recalled:
        """Return what answers, best first.

        Args:
            query: a question; None with ``ids`` or filters.
            project: another project, or ``*`` for all.
            **fields: the parameters of the tool ``recall_memory``.

        Raises:
            InvalidInputError: a field is unknown or outside its limits.
        """
        given = {**fields, **({} if query is None else {"query": query})}
        visible = self._core.visible(project, self._place, given.get("task_id"))
        question = read_question(read_arguments("recall_memory", given), self._core, visible)
        answer = self._core.recall.recall(question, visible)
        self._core.recall.reinforce(answer)
        return answer

    def forget(
        self, memory_id: str, *, reason: str | None = None, erase: bool = False
    ) -> Forgotten:
        """Hide a memory, or remove every trace of it.

        Raises:
            NotFoundError: there is none with that id here.
        """
        return self._core.curate.forget(memory_id, self._place, reason=reason, erase=erase)

    def restore(self, memory_id: str) -> Updated:
        """Bring back what was forgotten.

        Raises:
            NotFoundError: there is none with that id here.
            ConflictError: it was not forgotten.
        """
        return self._core.curate.update(memory_id, {"restore": True}, self._place)

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
