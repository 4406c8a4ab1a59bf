"""Ports: protocols that the services need, in terms of the domain's values.

No type of a driver crosses a port. tests/contract checks the adapters. Modules on the hook path use
this package for type checking only, since it imports typing. All times are ms since the epoch, UTC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .anchors import FileReader as FileReader
from .anchors import MoveReader as MoveReader
from .branches import BranchReader as BranchReader
from .entities import NameMatcher as NameMatcher
from .import_items import ImportItemReader as ImportItemReader
from .projects import CommitReader as CommitReader
from .store import Store as Store
from .summariser import Summariser as Summariser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.activity import CommitLike
    from aforesaid.domain.model.import_item import ImportItem
    from aforesaid.domain.model.transcript import Conversation
    from aforesaid.domain.text.date_range import Period


class Clock(Protocol):
    """The system clock."""

    def now(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        ...


class DateReader(Protocol):
    """Parses dates as people write them."""

    def read(self, text: str, what: str, *, ahead: bool = False, loose: bool = False) -> Period:
        """Return the period that an ISO 8601 text or an expression in words denotes.

        Args:
            text: such as ``2026-11-22``, ``last week``.
            what: name of the parameter, for the error message.
            ahead: "Friday" means the next one, not the last.
            loose: "two weeks ago" means that whole week, not that day.

        Raises:
            InvalidInputError: the text denotes no date.
        """
        ...


class IdSource(Protocol):
    """Issues ids of memories."""

    def next_id(self, after: str | None, now: int) -> str:
        """Return a UUIDv7 for the time ``now`` that sorts after the id ``after``, if given."""
        ...


class Embedder(Protocol):
    """Computes vectors: float32 little-endian, L2-normalised, ``4 * dimensions`` bytes each."""

    @property
    def model(self) -> str:
        """Name and hash of the model, stored with every vector; models are never mixed."""
        ...

    @property
    def dimensions(self) -> int:
        """Number of components of a vector."""
        ...

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query, to be compared with those of documents."""
        ...

    def embed_document(self, text: str) -> list[bytes]:
        """Return one vector per chunk of the text, in order: at least 1, at most 64."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the vectors of each text's chunks, in the order of the texts."""
        ...


class SecretFilter(Protocol):
    """Finds and removes secrets."""

    def redact(self, text: str) -> tuple[str, list[str]]:
        """Return the text with each secret replaced by a mark, and the kinds of secrets found."""
        ...


class TranscriptSource(Protocol):
    """Reads conversations from transcripts."""

    def read(self, path: str, seen_bytes: int = 0) -> Conversation:
        """Return the conversation of a transcript, without private spans and secrets.

        Args:
            path: the transcript.
            seen_bytes: ``Conversation.bytes_read`` of an earlier pass; see ``seen_ms`` there.

        Raises:
            NotFoundError: the file does not exist.
            InvalidInputError: the file is not a transcript.
            UnavailableError: the file cannot be read at the moment.
        """
        ...

    def find(self, session: str) -> str:
        """Return the path of a session's transcript in its client's folder, or an empty text."""
        ...

    def shared_until(self, path: str, other: str, since: int) -> int:
        """Return the latest time (ms), from ``since`` on, of a line in both files; 0 if none.

        Raises:
            NotFoundError: a file does not exist.
            InvalidInputError: a file is not a transcript.
            UnavailableError: a file cannot be read at the moment.
        """
        ...


class CommitSource(Protocol):
    """Reads the commits of a session from its repository, without running git."""

    def commits(self, folder: str, since: int, until: int) -> Sequence[CommitLike]:
        """Return the commits made in a folder's repository between two times (ms)."""
        ...

    def import_items(
        self, folder: str, project: str, since: int, until: int
    ) -> Sequence[ImportItem]:
        """Return import items for those of these commits that still exist, oldest first.

        Args:
            folder: the folder of the session.
            project: the project key.
            since: start of the session (ms).
            until: end of the session (ms).
        """
        ...
