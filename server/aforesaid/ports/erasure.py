"""What quotes memories, as the services that forget and erase need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.text.distinctive_phrases import Marks


class ErasureStore(Protocol):
    """Texts that repeat others, in rows and in files."""

    def memories_quoting(self, phrases: Iterable[Sequence[str]], tags: Sequence[str]) -> list[int]:
        """Return keys of memories that may hold one of these word sequences, and of more."""
        ...

    def details_quoting(self, marks: Marks) -> list[int]:
        """Return keys of memories whose metadata or tags may hold any of this, and of more."""
        ...

    def links_quoting(self, marks: Marks) -> list[tuple[int, int, str]]:
        """Return (source, target, kind) of the links whose kind holds any of this."""
        ...

    def names_in_use(self) -> list[str]:
        """Return names and places that are kept for themselves, whatever memories say."""
        ...

    def edit_records(self) -> list[tuple[int, dict[str, Any]]]:
        """Return (number, details) of lines of the log that keep edited texts, oldest first."""
        ...

    def set_record(self, number: int, details: dict[str, Any]) -> None:
        """Replace the details of a line of the log."""
        ...

    def task_is_used(self, task: int) -> bool:
        """Tell whether a memory is inside a task."""
        ...

    def remove_task(self, task: int) -> None:
        """Remove a task that nothing is inside of."""
        ...

    def refuse_again(self, hashes: Iterable[str], memory_id: str, at: int) -> None:
        """Keep keyed hashes of texts that must not come back by themselves."""
        ...

    def purge(self, marks: Marks) -> int:
        """Take what repeats a text out of names, logs, offers, and what runs keep; count rows."""
        ...

    def count_quotes(self, marks: Marks) -> int:
        """Return how many rows ``purge`` would take a text out of; inside a transaction."""
        ...

    def files_holding(self, marks: Marks, beside: Sequence[str] = ()) -> list[str]:
        """Return the paths of the store's files, and of others beside it, that hold any of this."""
        ...

    def rows_holding(self, marks: Marks) -> list[str]:
        """Return the table and column of each text in the store that holds any of this."""
        ...

    def copies(self) -> list[str]:
        """Return the names of older copies of the file, which keep what was erased since."""
        ...

    def copies_holding(self, marks: Marks) -> list[str]:
        """Return the paths of backups, snapshots and files set aside that hold any of this."""
        ...

    def remove_copies(self, paths: Sequence[str]) -> list[str]:
        """Delete copies of this store; return those of another store, or in use, which stay."""
        ...
