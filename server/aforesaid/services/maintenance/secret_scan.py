"""Finding and masking secrets in texts that were stored before the filter knew their format."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.model.text_fields import StoredText, around_mark, redacted
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, SecretFilter, Store


class SecretMatch(Value):
    """A stored text that contains secrets."""

    where: str  #: table and column
    memory: str | None  #: short id of its memory
    kinds: tuple[str, ...]
    shown: str  #: the context of the first secret, masked
    text: StoredText


class SecretScan:
    """Passes every text of a store through the secret filter."""

    def __init__(self, store: Store, clock: Clock, secrets: SecretFilter) -> None:
        self._store = store
        self._clock = clock
        self._secrets = secrets

    def count(self) -> int:
        """Return the number of rows to scan."""
        return self._store.texts.count()

    def scan(self, progress: Callable[[int], None]) -> list[SecretMatch]:
        """Return the texts that contain secrets.

        Args:
            progress: Called with the number of rows scanned so far.
        """
        hits: list[tuple[StoredText, str, list[str]]] = []
        rows = 0
        row: tuple[object, ...] = ()
        for text in self._store.texts.read():
            if (text.table, text.key) != row:
                row = (text.table, text.key)
                rows += 1
                if rows % 100 == 0:
                    progress(rows)
            masked, kinds = redacted(text, self._secrets.redact)
            if kinds:
                hits.append((text, masked, kinds))
        progress(rows)
        memories = {text.memory for text, _, _ in hits if text.memory is not None}
        short = self._store.memories.short_ids(memories)
        return [
            SecretMatch(
                where=text.where,
                memory=None if text.memory is None else short[text.memory],
                kinds=tuple(kinds),
                shown=around_mark(masked),
                text=text,
            )
            for text, masked, kinds in hits
        ]

    def fix(self, matches: Sequence[SecretMatch]) -> int:
        """Mask the secrets in all texts or none, and clean the file; return how many texts changed.

        Raises:
            UnavailableError: The store cannot be written.
        """
        changed = self.rewrite(matches)
        self._store.clean_file()
        return changed

    def rewrite(self, matches: Sequence[SecretMatch]) -> int:
        """Mask the secrets in the texts; return how many texts changed.

        The old bytes stay in the file until ``clean_file``, which cannot run in a transaction.

        Raises:
            UnavailableError: The store cannot be written.
        """
        changed = 0
        now = self._clock.now()
        with self._store.transaction():
            for match in matches:
                text, kinds = redacted(match.text, self._secrets.redact)
                if kinds:
                    self._store.texts.rewrite(match.text, text)
                    self._store.memories.record(
                        "update", match.text.memory, now, redacted=sorted(set(kinds))
                    )
                    changed += 1
        return changed
