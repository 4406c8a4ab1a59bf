"""What another program remembers, one thing at a time, as it comes in.

Here: the piece, what is kept of one that came in, and the count of what was left out. Not here:
reading formats (adapters/importers), storing (services/transfer/import_items.py).
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

MAX_PIECES = 200_000  #: of one source; what comes after is counted as left out
MAX_LINKS = 200_000
_LEVELS = 64


class ImportItem(Value):
    """One thing that another program keeps."""

    name: str  #: unique at its source and the same each time, such as "claude-mem observation 17"
    statement: Statement
    project: str | None = None  #: by name, made if new
    folder: str | None = None  #: whose project it is; without either, that of the import itself
    links: tuple[tuple[str, str], ...] = ()  #: kind, and the name of another piece
    replaces: tuple[str, ...] = ()  #: names of pieces that it is a newer version of


class ImportedItem(Value):
    """A piece that came in before."""

    name: str  #: keyed hash of its name
    print: str  #: fingerprint of what it said
    memory: int | None = None  #: key of what it became; None once that was erased


class SkipCounter:
    """What a reader left out, counted by why: nothing is dropped in silence."""

    def __init__(self, clean: Callable[[str], tuple[str, int]] | None = None) -> None:
        """Start at nothing.

        Args:
            clean: a text without what must not be stored, and how many spans that were.
        """
        self.counts: dict[str, int] = {}
        self._clean = clean

    def cleaned(self, text: str) -> str:
        """Return a text without what must not be stored: before it is cut, split or joined.

        Half of a secret, or one without the name beside it, is no longer known as one.
        """
        if self._clean is None:
            return text
        text, spans = self._clean(text)
        if spans:
            self.add("secrets and private spans", spans)
        return text

    def cleaned_deep(self, value: Any, levels: int = _LEVELS) -> Any:
        """Return a value of JSON with every text in it cleaned; what lies too deep is None."""
        if isinstance(value, str):
            return self.cleaned(value)
        if not isinstance(value, (dict, list)):
            return value
        if not levels:
            self.add("what is nested too deep")
            return None
        if isinstance(value, list):
            return [self.cleaned_deep(one, levels - 1) for one in value]
        return {
            self.cleaned(str(key)): self.cleaned_deep(one, levels - 1) for key, one in value.items()
        }

    def add(self, why: str, count: int = 1) -> None:
        """Count something that was left out."""
        self.counts[why] = self.counts.get(why, 0) + count


def name_hash(name: str, clean: Callable[[str], str], secret: str) -> str:
    """Return what a piece is registered as: a keyed hash, which tells nothing of the name.

    Args:
        name: as it is at the source; other than in hashes of content every character counts.
        clean: takes out what must not be stored, not even as a hash that could be guessed.
        secret: the install's.
    """
    digest: str = blake2b(
        clean(name).encode("utf-8", "replace"), digest_size=16, key=secret.encode()[:64]
    ).hexdigest()
    return digest


def item_checksum(piece: ImportItem, clean: Callable[[str], str], secret: str) -> str:
    """Return 32 hex digits that change when what a piece says changes. See ``name_hash``."""
    said = piece.statement
    parts = (said.content, said.summary or "", said.type, *said.tags, str(said.valid_from))
    return name_hash("\0".join(parts), clean, secret)


def wrong_format_error(path: str, form: str, why: str) -> InvalidInputError:
    """Return the error for a file that another form was expected of."""
    return InvalidInputError(
        f"{path} is not what {form} writes: {why}; `aforesaid import --help` lists the forms"
    )
