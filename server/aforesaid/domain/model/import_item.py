"""Import items: entries of another program, how imported ones are recognised, and skip counts.

Reading formats: adapters/importers. Storing: services/transfer/import_items.py.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.hashing import blake2b
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .statement import Statement

MAX_IMPORT_ITEMS = 200_000  #: per source; further ones are counted as skipped
MAX_LINKS = 200_000
_LEVELS = 64


class ImportItem(Value):
    """One entry of another program, or one commit."""

    name: str  #: unique and stable at its source, such as "claude-mem observation 17"
    statement: Statement
    project: str | None = None  #: name; created if new
    folder: str | None = None  #: whose project to use; without either, the importing session's
    links: tuple[tuple[str, str], ...] = ()  #: pairs of kind and the name of another item
    replaces: tuple[str, ...] = ()  #: names of items that it supersedes


class ImportedItem(Value):
    """The record of an item that was imported before."""

    name: str  #: see ``name_hash``
    checksum: str  #: see ``item_checksum``
    memory: int | None = None  #: key of its memory; None once that was erased


class SkipCounter:
    """Counts by reason what an importer skips, and removes secrets from what it reads."""

    def __init__(self, clean: Callable[[str], tuple[str, int]] | None = None) -> None:
        """Start without counts.

        Args:
            clean: returns a text without secrets and private spans, and the number of these.
        """
        self.counts: dict[str, int] = {}
        self._clean = clean

    def cleaned(self, text: str) -> str:
        """Return a text without secrets and private spans.

        Call it before the text is cut, split or joined: half of a secret, or one without the name
        next to it, is no longer recognised.
        """
        if self._clean is None:
            return text
        text, spans = self._clean(text)
        if spans:
            self.add("secrets and private spans", spans)
        return text

    def cleaned_deep(self, value: Any, levels: int = _LEVELS) -> Any:
        """Return a JSON value with all its strings cleaned; values nested too deep become None."""
        if isinstance(value, str):
            return self.cleaned(value)
        if not isinstance(value, (dict, list)):
            return value
        if not levels:
            self.add("values nested too deep")
            return None
        if isinstance(value, list):
            return [self.cleaned_deep(item, levels - 1) for item in value]
        return {
            self.cleaned(str(key)): self.cleaned_deep(item, levels - 1)
            for key, item in value.items()
        }

    def add(self, reason: str, count: int = 1) -> None:
        """Count skipped items under a reason, a plural noun phrase."""
        self.counts[reason] = self.counts.get(reason, 0) + count


def name_hash(name: str, clean: Callable[[str], str], secret: str) -> str:
    """Return the keyed hash under which an item is registered, which does not reveal its name.

    Args:
        name: the name at the source; unlike in content hashes, every character counts.
        clean: removes secrets, so that no hash of one is stored that could be guessed.
        secret: the secret of this installation.
    """
    return str(
        blake2b(
            clean(name).encode("utf-8", "replace"), digest_size=16, key=secret.encode()[:64]
        ).hexdigest()
    )


def item_checksum(item: ImportItem, clean: Callable[[str], str], secret: str) -> str:
    """Return 32 hex digits that change when an item's statement changes. See ``name_hash``."""
    statement = item.statement
    parts = (
        statement.content,
        statement.summary or "",
        statement.type,
        *statement.tags,
        str(statement.valid_from),
    )
    return name_hash("\0".join(parts), clean, secret)


def wrong_format_error(path: str, program: str, reason: str) -> InvalidInputError:
    """Return the error for a file that is not in the format of the named program."""
    return InvalidInputError(
        f"{path} is not in the {program} format: {reason}; "
        "`aforesaid import --help` lists the formats"
    )
