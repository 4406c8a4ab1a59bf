"""Port for finding and erasing texts that quote a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.text.distinctive_phrases import Marks


class ErasureStore(Protocol):
    """Rows and files that quote a memory, and their erasure."""

    def memories_quoting(self, phrases: Iterable[Sequence[str]], tags: Sequence[str]) -> list[int]:
        """Return keys of memories that may contain a word sequence or tag; a superset of those."""
        ...

    def details_quoting(self, marks: Marks) -> list[int]:
        """Return keys of memories with marks in metadata or tags; a superset of those."""
        ...

    def links_quoting(self, marks: Marks) -> list[tuple[int, int, str]]:
        """Return (source, target, kind) of the links whose kind contains a mark."""
        ...

    def names_in_use(self) -> list[str]:
        """Return names and paths that are stored independently of memories."""
        ...

    def edit_records(self) -> list[tuple[int, dict[str, Any]]]:
        """Return (number, details) of log entries with previous texts of edits, oldest first."""
        ...

    def set_record(self, number: int, details: dict[str, Any]) -> None:
        """Replace the details of a log entry."""
        ...

    def task_is_used(self, task: int) -> bool:
        """Return whether a task has memories."""
        ...

    def remove_task(self, task: int) -> None:
        """Delete a task without memories."""
        ...

    def refuse_again(self, hashes: Iterable[str], memory_id: str, at: int) -> None:
        """Store keyed hashes of texts that must not be stored again automatically."""
        ...

    def purge(self, marks: Marks) -> int:
        """Erase marks from names, logs, suggestions and journals; return the number of rows."""
        ...

    def count_quotes(self, marks: Marks) -> int:
        """Return how many rows ``purge`` would change; call it inside a transaction."""
        ...

    def files_holding(self, marks: Marks, beside: Sequence[str] = ()) -> list[str]:
        """Return which of the store's files, and of the paths ``beside``, contain a mark."""
        ...

    def rows_holding(self, marks: Marks) -> list[str]:
        """Return ``table.column`` of each text in the store that contains a mark."""
        ...

    def copies(self) -> list[str]:
        """Return the names of older copies of the file, which still contain erased texts."""
        ...

    def copies_holding(self, marks: Marks) -> list[str]:
        """Return the paths of backups and other copies that contain a mark."""
        ...

    def remove_copies(self, paths: Sequence[str]) -> list[str]:
        """Delete copies of this store; return those kept as they are in use or of another store."""
        ...
