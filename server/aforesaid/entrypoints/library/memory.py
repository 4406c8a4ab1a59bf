"""``MemoryLibrary``: the tools as methods that return the services' values.

Here: memories themselves. Entities, tasks and projects are in registries.py.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.system.user_files import open_regular
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.export_record import NEWER
from aforesaid.domain.text.sanitize import remove_invisible
from aforesaid.entrypoints.api import bulk_import
from aforesaid.entrypoints.api.operations import Operations
from aforesaid.entrypoints.api.plain import plain
from aforesaid.services.recall.usage_tracker import BATCH
from aforesaid.services.transfer.export import export_lines

from .connection import check_is_text, naming_methods
from .registries import Registries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Unpack

    from aforesaid.services.graph.explore import ExploreResult
    from aforesaid.services.graph.relations import LinkResult
    from aforesaid.services.memories.editor import UpdateResult
    from aforesaid.services.memories.forget import ForgetResult
    from aforesaid.services.memories.results import StoreResult
    from aforesaid.services.recall.inspect import Inspection
    from aforesaid.services.recall.query import RecallResult

    from .types import RecallFields, StoreFields, UpdateFields


class MemoryLibrary(Registries):
    """A memory store in one file, which programs import as ``aforesaid.Memory``.

    >>> with Memory("notes.db", project="acme/payments") as memory:
    ...     memory.store("The queue is NATS JetStream.")
    ...     memory.recall("which queue?").results[0].memory.content

    Ids may be whole or in their short form. Every method may raise ``UnavailableError`` (the file
    is locked, full or written by a newer version) and ``CorruptError`` (it is damaged). Use one
    object from one thread at a time.
    """

    # -- storing and recalling

    def store(
        self, content: str, *, project: str | None = None, **fields: Unpack[StoreFields]
    ) -> StoreResult:
        """Store one statement, or recognise it as known.

        Args:
            content: the statement, at most 32,000 characters.
            project: another project than the memory's own; created if new.
            **fields: the other parameters of the tool ``store_memory``; and ``session``, the id of
                a conversation, and ``created_at``, when it was said: see docs/PYTHON.md.

        Raises:
            InvalidInputError: a field is unknown or outside its limits.
            NotFoundError: a field names an id that does not exist here.
            ConflictError: it supersedes, or links to, a forgotten memory.
        """
        return self.store_many([{"content": content, **fields}], project=project)[0]

    def store_many(
        self, statements: Iterable[Mapping[str, Any]], *, project: str | None = None
    ) -> list[StoreResult]:
        """Store statements in one transaction, all or none; return results in the same order.

        Args:
            statements: each with the parameters of ``store`` except ``project``.
            project: another project than the memory's own; created if new.

        Raises:
            InvalidInputError: a field is unknown or outside its limits; nothing is stored.
            NotFoundError: a field names an id that does not exist here.
            ConflictError: a statement supersedes, or links to, a forgotten memory.
        """
        given = list(statements)
        for statement in given:
            if isinstance(statement, dict) and statement.get("content") is not None:
                check_is_text("content", statement["content"])
        read = [self._read("store_memory", statement) for statement in given]
        if any("project" in arguments for arguments in read):
            raise InvalidInputError(
                "all statements go to one project: pass project to store_many, not in a statement"
            )
        with naming_methods():
            return self._operations.store_many(read, self._context_of(project))

    def recall(
        self,
        query: str | None = None,
        *,
        project: str | None = None,
        **fields: Unpack[RecallFields],
    ) -> RecallResult:
        """Recall memories, best first; the memories returned count as used.

        That usage is written with the next call of another method, after every 16 recalls, and
        on closing.

        Args:
            query: a question or keywords; None with ``ids``, or to list by filters alone.
            project: another project, or ``*`` for all.
            **fields: the other parameters of the tool ``recall_memory``.

        Raises:
            InvalidInputError: nothing is asked for, or a field is unknown or outside its limits.
            NotFoundError: a project, task or entity does not exist.
        """
        answer = self._call(
            Operations.recall, "recall_memory", {**fields, "query": query, "project": project}
        )
        if len(self._core.recall.uses) >= BATCH:
            self._core.record_usage()
        return answer

    # -- changing

    def update(self, memory_id: str, **changes: Unpack[UpdateFields]) -> UpdateResult:
        """Change a memory; new content or type creates a new version that supersedes it.

        Args:
            memory_id: its id.
            **changes: the parameters of the tool ``update_memory``; and ``session``, and
                ``project``, to move it there.

        Raises:
            InvalidInputError: nothing to change, or a field is unknown or outside its limits.
            NotFoundError: there is no memory with that id here.
            ConflictError: it was superseded or forgotten.
        """
        return self._call(Operations.update, "update_memory", {**changes, "id": memory_id})

    def forget(
        self,
        memory_id: str,
        *,
        reason: str | None = None,
        erase: bool = False,
        also: Sequence[str] = (),
        preview: bool = False,
        backups: bool = False,
    ) -> ForgetResult:
        """Hide a memory and what repeats it behind a tombstone, or remove every trace of it.

        Args:
            memory_id: its id.
            reason: why, for the log.
            erase: remove it for good; later imports and sessions do not bring it back.
            also: ids of other memories to forget with it.
            preview: change nothing, only return what would be forgotten.
            backups: when erasing, also delete copies of the store that contain it.

        Raises:
            NotFoundError: there is no memory with that id here.
        """
        raw = {"id": memory_id, "reason": reason, "erase": erase, "preview": preview}
        arguments = self._read("forget_memory", raw)
        arguments.update(also=list(also), backups=backups)
        with naming_methods():
            return self._operations.forget(arguments, self._context)

    def restore(self, memory_id: str) -> UpdateResult:
        """Bring back a forgotten or archived memory.

        Raises:
            NotFoundError: there is no memory with that id here.
            ConflictError: it is neither forgotten nor archived.
        """
        return self._call(Operations.update, "update_memory", {"id": memory_id, "restore": True})

    # -- relations

    def link(self, source_id: str, kind: str, target_id: str) -> LinkResult:
        """Link one memory to another; an existing link stays as it is.

        Args:
            source_id: the memory that the link starts from.
            kind: ``supports``, ``contradicts``, ``supersedes``, ``depends_on``, or any predicate
                in snake_case.
            target_id: the memory that it leads to.

        Raises:
            InvalidInputError: the kind is invalid, or both ids mean the same memory.
            NotFoundError: one of the memories does not exist here.
            ConflictError: one of them was forgotten, or a chain would lead back to itself.
        """
        return self._link(source_id, kind, target_id, remove=False)

    def unlink(self, source_id: str, kind: str, target_id: str) -> LinkResult:
        """Remove a link; ``changed`` tells whether it existed.

        Raises:
            InvalidInputError: the kind is invalid.
            NotFoundError: one of the memories does not exist here.
        """
        return self._link(source_id, kind, target_id, remove=True)

    def _link(self, source_id: str, kind: str, target_id: str, *, remove: bool) -> LinkResult:
        raw = {"source_id": source_id, "kind": kind, "target_id": target_id, "remove": remove}
        return self._call(Operations.link, "link_memories", raw)

    # -- reading

    def explore(
        self,
        topic: str | None = None,
        *,
        max_depth: int | None = None,
        id: str | None = None,  # noqa: A002 - the tool's own name
        direction: str | None = None,
        path: str | None = None,
        error: str | None = None,
        project: str | None = None,
    ) -> ExploreResult:
        """Return topics, the branch below one, one step from a node, or memories about a file.

        Args:
            topic: by name, path or meaning; without it and ``id``, all topics.
            max_depth: 0 topics, 1 concepts, 2 facts, 3 details.
            id: a memory's id, or a topic's path, to take one step from.
            direction: ``children`` (default), ``parent``, ``associations``, ``history``, ``next``
                or ``previous``.
            path: a file: all memories that cite or name it, newest first.
            error: an error message: what fixed it, newest first.
            project: another project, or ``*`` for all.

        Raises:
            InvalidInputError: the parameters contradict each other, or one is invalid.
            NotFoundError: there is nothing by that name or id.
        """
        raw = {
            "topic": topic, "max_depth": max_depth, "id": id, "direction": direction,
            "path": path, "error": error, "project": project,
        }  # fmt: skip
        return self._call(Operations.explore, "explore_memory", raw)

    def inspect(self, memory_id: str, *, log: bool = False) -> Inspection:
        """Return everything known about one memory; with ``log``, also its changes.

        Raises:
            NotFoundError: there is no memory with that id here.
        """
        raw = {"id": memory_id, "include_log": log}
        return self._call(Operations.inspect, "memory_inspect", raw)

    def stats(self, *, project: str | None = None) -> dict[str, Any]:
        """Return counts by type, scope and state, sizes, and whether all parts work.

        Args:
            project: another project, or ``*`` for all.

        Raises:
            NotFoundError: there is no such project.
        """
        return self._call(Operations.statistics, "memory_stats", {"project": project})

    def context(self, *, token_budget: int | None = None) -> str:
        """Return what a session that starts here would be shown.

        Args:
            token_budget: 100 to 10,000; None for the configured one.

        Raises:
            InvalidInputError: the budget is outside these limits.
        """
        arguments = self._read("get_context", {"token_budget": token_budget})
        return remove_invisible(self._operations.context(arguments, self._context).text)

    def plain(self, answer: Any) -> Any:
        """Return an answer of any method as plain data; of a list, each of its items.

        That is what the tools return: short ids, names for keys, dates as text.
        """
        return plain(answer, self._core.store)

    # -- export and import

    def export(self) -> Iterator[str]:
        """Yield the whole store as lines of JSON, including forgotten memories: keep it private."""
        self._core.record_usage()
        return export_lines(self._core.store)

    def export_markdown(
        self, folder: str | os.PathLike[str], *, overwrite: bool = False
    ) -> dict[str, int]:
        """Write the memories in force to a folder, one file per project; return each file's count.

        Args:
            folder: created if missing.
            overwrite: replace the files of an earlier export.

        Raises:
            ConflictError: a file exists and may not be overwritten, or is not such an export.
            InvalidInputError: the path of a file is not a regular file.
        """
        from aforesaid.operations.export_markdown import write_markdown

        return write_markdown(self._core.store, os.fspath(folder), overwrite=overwrite)

    def import_file(
        self, path: str | os.PathLike[str], *, on_conflict: str | None = None
    ) -> bulk_import.BulkImportResult:
        """Store the memories of a file, or restore an export into an empty store.

        Args:
            path: lines of JSON, each with the parameters of ``store`` (``provenance`` is
                ``import`` unless a line names another); or what ``export`` wrote; or what
                ``export_markdown`` wrote, as one ``*.md`` file or the folder.
            on_conflict: merge an export into this store, memory by memory. Where a memory here
                differs, ``skip`` it, keep the ``newer`` one, or keep ``both``. Markdown is always
                merged, by default keeping the newer.

        Raises:
            NotFoundError: there is no such file.
            InvalidInputError: it is not a regular file, or too large.
            UnavailableError: it cannot be read.
            ConflictError: it is an export, and this store is not empty.
            CorruptError: it is an export that is cut short or altered.
        """
        name = os.fspath(path)
        if os.path.isdir(name) or name.endswith(".md"):
            from aforesaid.operations.merge_stores import merge_markdown

            merged = merge_markdown(self._core, name, on_conflict or NEWER)
            return bulk_import.BulkImportResult(merged=merged)
        with open_regular(name, bulk_import.MAX_BYTES) as stream:
            result = bulk_import.import_stream(
                self._core, stream, self._context, on_conflict=on_conflict
            )
        if result.restored is not None:  # projects have new keys
            self._settle()
        return result
