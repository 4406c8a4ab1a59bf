"""Secrets in a store that is older than what the filter knows: found, shown masked, taken out."""

from __future__ import annotations

from aforesaid.domain.model.text_fields import around_mark, redacted
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.model.text_fields import StoredText
    from aforesaid.ports import Clock, SecretFilter, Store


class Found(Value):
    """A text that holds secrets. What is shown of it never does."""

    where: str  #: table and column
    memory: str | None  #: short id of the memory that it is of
    kinds: tuple[str, ...]
    shown: str  #: what stands around the first, masked
    text: StoredText


class SecretScan:
    """Every text of a store, past the filter that new ones pass."""

    def __init__(self, store: Store, clock: Clock, secrets: SecretFilter) -> None:
        self._store = store
        self._clock = clock
        self._secrets = secrets

    def count(self) -> int:
        """Return how many rows there are to look through."""
        return self._store.texts.count()

    def scan(self, progress: Callable[[int], None]) -> list[Found]:
        """Return the texts that hold secrets.

        Args:
            progress: told how many rows were looked through, now and then.
        """
        found: list[tuple[StoredText, str, list[str]]] = []
        rows = 0
        row: tuple[object, ...] = ()
        for one in self._store.texts.read():
            if (one.table, one.key) != row:
                row = (one.table, one.key)
                rows += 1
                if rows % 100 == 0:
                    progress(rows)
            told, kinds = redacted(one, self._secrets.redact)
            if kinds:
                found.append((one, told, kinds))
        progress(rows)
        memories = {one.memory for one, _, _ in found if one.memory is not None}
        short = self._store.memories.short_ids(memories)
        return [
            Found(
                where=one.where,
                memory=None if one.memory is None else short[one.memory],
                kinds=tuple(kinds),
                shown=around_mark(told),
                text=one,
            )
            for one, told, kinds in found
        ]

    def fix(self, found: Sequence[Found]) -> int:
        """Put the masked text in the place of each; return how many were changed.

        All or none of them, and then the file is cleaned of what stood there.

        Raises:
            UnavailableError: the store cannot be written.
        """
        changed = self.rewrite(found)
        self._store.clean_file()
        return changed

    def rewrite(self, found: Sequence[Found]) -> int:
        """Put the masked text in the place of each; return how many were changed.

        The bytes stay in the file's log until ``clean_file``, which no transaction may hold.

        Raises:
            UnavailableError: the store cannot be written.
        """
        changed = 0
        now = self._clock.now()
        with self._store.transaction():
            for one in found:
                text, kinds = redacted(one.text, self._secrets.redact)
                if kinds:
                    self._store.texts.rewrite(one.text, text)
                    self._store.memories.record(
                        "update", one.text.memory, now, redacted=sorted(set(kinds))
                    )
                    changed += 1
        return changed
