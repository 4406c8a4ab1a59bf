"""``Memory``: what the tools do with memories, as methods that return the services' values.

Here: memories themselves. Entities, tasks and projects are in registries.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.system.user_files import open_regular
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.export_record import NEWER
from aforesaid.domain.text.invisible import remove_invisible, remove_invisible_in
from aforesaid.entrypoints.api import bulk_import, entity_operations
from aforesaid.entrypoints.serialize import forgotten, memories, topics
from aforesaid.entrypoints.serialize.inspection import inspected
from aforesaid.entrypoints.serialize.labels import LabelResolver
from aforesaid.services.graph.entity_search import FoundEntities
from aforesaid.services.graph.explore import ExploreResult
from aforesaid.services.graph.relations import LinkResult
from aforesaid.services.memories.editor import UpdateResult
from aforesaid.services.memories.forget import ForgetResult
from aforesaid.services.memories.results import StoreResult
from aforesaid.services.recall.inspect import Inspection
from aforesaid.services.recall.query import RecallResult
from aforesaid.services.recall.usage_tracker import BATCH
from aforesaid.services.transfer.export_archive import export_lines

from .registries import Registries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Unpack

    from .types import RecallFields, StoreFields, UpdateFields


#: How the tools show what the services return.
_PLAIN: dict[type, Callable[[Any, LabelResolver], dict[str, Any]]] = {
    StoreResult: memories.store_result,
    RecallResult: lambda one, names: memories.recall_result(
        one, names, summary_only=False, naming=True
    ),
    UpdateResult: memories.updated,
    ForgetResult: lambda one, _names: forgotten.forgotten(one),
    LinkResult: memories.linked,
    ExploreResult: lambda one, names: topics.explored(one, names, naming=True),
    Inspection: inspected,
    FoundEntities: entity_operations.found_entities,
}


class Memory(Registries):
    """A memory in one file.

    >>> with Memory("notes.db", project="acme/payments") as memory:
    ...     memory.store("The queue is NATS JetStream.")
    ...     memory.recall("which queue?").results[0].memory.content

    Ids are taken whole or in their short form. Every method may raise ``UnavailableError`` (the
    file is locked, full or written by a newer version) and ``CorruptError`` (it is damaged).
    One object belongs to one thread at a time.
    """

    # -- storing and recalling

    def store(
        self, content: str, *, project: str | None = None, **fields: Unpack[StoreFields]
    ) -> StoreResult:
        """Store one statement, or recognise it.

        Args:
            content: the statement, at most 32,000 characters.
            project: where, if not the memory's own project; made if new.
            **fields: the other parameters of the tool ``store_memory``.

        Raises:
            InvalidInputError: a field is unknown or outside its limits.
            NotFoundError: an id that it names is not known here.
            ConflictError: it supersedes, or is linked to, what was forgotten.
        """
        return self.store_many([{"content": content, **fields}], project=project)[0]

    def store_many(
        self, statements: Iterable[Mapping[str, Any]], *, project: str | None = None
    ) -> list[StoreResult]:
        """Store statements in one transaction, all or none; in their order.

        Args:
            statements: each with the parameters of ``store_memory`` but ``project``.
            project: where, if not the memory's own project; made if new.

        Raises:
            InvalidInputError: a field of one is unknown or outside its limits; nothing is stored.
            NotFoundError: an id that one names is not known here.
            ConflictError: one supersedes, or is linked to, what was forgotten.
        """
        read = [self._read("store_memory", one) for one in statements]
        if any("project" in one for one in read):
            raise InvalidInputError("several statements go to one project: name it beside them")
        return self._requests.store_many(read, self._place_of(project))

    def recall(
        self,
        query: str | None = None,
        *,
        project: str | None = None,
        **fields: Unpack[RecallFields],
    ) -> RecallResult:
        """Return what answers, best first; what is returned counts as used.

        That is written down with the next call of another kind, every 16 recalls, and on closing.

        Args:
            query: a question; None with ``ids`` or filters alone.
            project: another project, or ``*`` for all.
            **fields: the other parameters of the tool ``recall_memory``.

        Raises:
            InvalidInputError: nothing is asked, or a field is unknown or outside its limits.
            NotFoundError: there is no project, task or entity of a name.
        """
        given = {**fields, "query": query, "project": project}
        answer = self._requests.recall(self._read("recall_memory", given), self._place)
        self._core.recall.uses.note(answer)
        if len(self._core.recall.uses) >= BATCH:
            self._core.write_uses()
        return remove_invisible_in(answer)

    # -- changing

    def update(self, memory_id: str, **changes: Unpack[UpdateFields]) -> UpdateResult:
        """Change a memory; new content or type makes a new version that supersedes it.

        Args:
            memory_id: its id.
            **changes: the parameters of the tool ``update_memory``.

        Raises:
            InvalidInputError: nothing to change, or a field is unknown or outside its limits.
            NotFoundError: there is none with that id here.
            ConflictError: it was superseded or forgotten.
        """
        given = self._read("update_memory", {**changes, "id": memory_id})
        return self._requests.update(given, self._place)

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
            reason: why, kept in the log.
            erase: remove it for good; nothing that is ingested later brings it back.
            also: ids of other memories that go with it.
            preview: change nothing, only return what would go.
            backups: when erasing, delete copies of the store that hold it, too.

        Raises:
            NotFoundError: there is none with that id here.
        """
        given = {"id": memory_id, "reason": reason, "erase": erase, "preview": preview}
        read = {**self._read("forget_memory", given), "also": list(also), "backups": backups}
        return self._requests.forget(read, self._place)

    def restore(self, memory_id: str) -> UpdateResult:
        """Bring back what was forgotten, or set aside.

        Raises:
            NotFoundError: there is none with that id here.
            ConflictError: it was neither.
        """
        return self._requests.update({"id": memory_id, "restore": True}, self._place)

    # -- relations

    def link(self, source_id: str, kind: str, target_id: str) -> LinkResult:
        """Say how one memory bears on another; what is so already stays so.

        Args:
            source_id: the memory that the link starts from.
            kind: ``supports``, ``contradicts``, ``supersedes``, ``depends_on``, or any predicate
                in snake_case.
            target_id: the memory that it leads to.

        Raises:
            InvalidInputError: the kind is none, or both are one memory.
            NotFoundError: one of them is not here.
            ConflictError: one of them was forgotten, or a chain would lead back to itself.
        """
        return self._linked(source_id, kind, target_id, remove=False)

    def unlink(self, source_id: str, kind: str, target_id: str) -> LinkResult:
        """Take a link back; ``changed`` says whether it was there.

        Raises:
            InvalidInputError: the kind is none.
            NotFoundError: one of them is not here.
        """
        return self._linked(source_id, kind, target_id, remove=True)

    def _linked(self, source_id: str, kind: str, target_id: str, *, remove: bool) -> LinkResult:
        given = {"source_id": source_id, "kind": kind, "target_id": target_id, "remove": remove}
        return self._requests.link(self._read("link_memories", given), self._place)

    # -- looking

    def explore(
        self,
        topic: str | None = None,
        *,
        max_depth: int | None = None,
        id: str | None = None,  # noqa: A002 - the tool's own name
        direction: str | None = None,
        project: str | None = None,
    ) -> ExploreResult:
        """Return topics, what lies below one, or what is one step from a memory or topic.

        Args:
            topic: by name, path or meaning; with neither this nor ``id`` all topics.
            max_depth: 0 topics, 1 concepts, 2 facts, 3 details.
            id: a memory's id, or a topic's path, to go one step from.
            direction: ``children`` (default), ``parent``, ``associations``, ``history``, ``next``
                or ``previous``.
            project: another project, or ``*`` for all.

        Raises:
            InvalidInputError: the parameters contradict each other, or one is wrong.
            NotFoundError: nothing is there by that name or id.
        """
        given = {
            "topic": topic, "max_depth": max_depth, "id": id, "direction": direction,
            "project": project,
        }  # fmt: skip
        return remove_invisible_in(
            self._requests.explore(self._read("explore_memory", given), self._place)
        )

    def inspect(self, memory_id: str, *, log: bool = False) -> Inspection:
        """Return everything known of one memory; with ``log`` its changes too.

        Raises:
            NotFoundError: there is none with that id here.
        """
        given = self._read("memory_inspect", {"id": memory_id, "include_log": log})
        return remove_invisible_in(self._requests.inspect(given, self._place))

    def stats(self, *, project: str | None = None) -> dict[str, Any]:
        """Return counts by type, scope and state, sizes, and whether all parts work.

        Args:
            project: another project, or ``*`` for all.

        Raises:
            NotFoundError: there is no such project.
        """
        given = self._read("memory_stats", {"project": project})
        return self._requests.statistics(given, self._place)

    def context(self, *, token_budget: int | None = None) -> str:
        """Return what a session that starts here would be shown.

        Args:
            token_budget: 100 to 10,000; None for the configured one.

        Raises:
            InvalidInputError: the budget is outside.
        """
        given = self._read("get_context", {"token_budget": token_budget})
        return remove_invisible(self._requests.context(given, self._place).text)

    def plain(
        self,
        answer: StoreResult
        | RecallResult
        | UpdateResult
        | ForgetResult
        | LinkResult
        | ExploreResult
        | Inspection
        | FoundEntities,
    ) -> dict[str, Any]:
        """Return an answer as the tools give it: short ids, names for keys, dates as text."""
        return remove_invisible_in(_PLAIN[type(answer)](answer, LabelResolver(self._core.store)))

    # -- in and out

    def export(self) -> Iterator[str]:
        """Yield the whole memory as lines of JSON, what was forgotten too; keep them private."""
        self._core.write_uses()
        return export_lines(self._core.store)

    def export_markdown(
        self, folder: str | os.PathLike[str], *, overwrite: bool = False
    ) -> dict[str, int]:
        """Write what is in force to a folder, a file for each project; return what each got.

        Args:
            folder: where the files go; made if missing.
            overwrite: replace the files of an earlier export.

        Raises:
            ConflictError: a file is there and is not to be overwritten, or is no export of ours.
            InvalidInputError: something else than a regular file has the name of one.
        """
        from aforesaid.operations.export_markdown import write_markdown

        return write_markdown(self._core.store, os.fspath(folder), overwrite=overwrite)

    def import_file(
        self, path: str | os.PathLike[str], *, on_conflict: str | None = None
    ) -> bulk_import.BulkImportResult:
        """Store the memories of a file, or restore an export into an empty memory.

        Args:
            path: lines of JSON, each with the parameters of ``store_memory``; ``provenance`` is
                ``import`` unless a line says otherwise. Or what ``export`` wrote, or
                ``export_markdown`` (a file ``*.md``, or the folder).
            on_conflict: add an export to what is here, memory by memory; where one here says
                something else, ``skip`` it, let the ``newer`` stand, or keep ``both``. Markdown
                always comes in so, the newer standing.

        Raises:
            NotFoundError: there is no file.
            InvalidInputError: it is no regular file, or too large.
            UnavailableError: it cannot be read.
            ConflictError: it is an export, and this memory is not empty.
            CorruptError: it is an export that is cut short or altered.
        """
        name = os.fspath(path)
        if os.path.isdir(name) or name.endswith(".md"):
            from aforesaid.operations.merge_stores import merge_markdown

            merged = merge_markdown(self._core, name, on_conflict or NEWER)
            return bulk_import.BulkImportResult(merged=merged)
        with open_regular(name, bulk_import.MAX_BYTES) as stream:
            done = bulk_import.import_stream(
                self._core, stream, self._place, on_conflict=on_conflict
            )
        if done.restored is not None:  # its projects have numbers of their own
            self._settle()
        return done
