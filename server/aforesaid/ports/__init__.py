"""What the services need from the world, as protocols over the domain's values.

No driver type crosses a port. Hook processes never import this module at run time (it imports
typing): they name it for type checking only. Adapters are checked by tests/contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .anchors import FileReader as FileReader
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
    """The present time."""

    def now(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        ...


class DateReader(Protocol):
    """Dates as people write them."""

    def read(self, text: str, what: str, *, ahead: bool = False, loose: bool = False) -> Period:
        """Return the period that an ISO 8601 text or plain words name.

        Args:
            text: such as ``2026-11-22``, ``last week``.
            what: the parameter, for the error.
            ahead: "Friday" is the next one, not the last.
            loose: "two weeks ago" is that whole week, not that day.

        Raises:
            InvalidInputError: it names no time.
        """
        ...


class IdSource(Protocol):
    """Where new ids come from."""

    def next_id(self, after: str | None, now: int) -> str:
        """Return a UUIDv7 of this time that sorts after the one given, whatever the clock does."""
        ...


class Embedder(Protocol):
    """Text to vectors: float32 little-endian, L2-normalised, ``4 * dimensions`` bytes each."""

    @property
    def model(self) -> str:
        """Name and hash of the model: stamped on every vector, never mixed."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed_query(self, text: str) -> bytes:
        """Return one vector for a question, to be compared with those of documents."""
        ...

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector per window of the text, in order; at least one, at most 64."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text, in the order of the texts."""
        ...


class SecretFilter(Protocol):
    """Finds what must never be stored."""

    def redact(self, text: str) -> tuple[str, list[str]]:
        """Return the text with each secret replaced, and the kinds that were found."""
        ...


class TranscriptSource(Protocol):
    """Where conversations are read."""

    def read(self, path: str, seen_bytes: int = 0) -> Conversation:
        """Return the conversation of one transcript, private spans and secrets taken out.

        Args:
            path: where it is.
            seen_bytes: what an earlier pass has read; `seen_ms` tells when that part ends.

        Raises:
            NotFoundError: there is no such file.
            InvalidInputError: it is no transcript of a session.
            UnavailableError: it cannot be read now.
        """
        ...

    def find(self, session: str) -> str:
        """Return the path of a session's transcript, where its client keeps them; empty if none."""
        ...

    def shared_until(self, path: str, other: str, since: int) -> int:
        """Return the latest time (ms), from ``since`` on, of a line that both have; 0 for none.

        Raises:
            NotFoundError: one is not there.
            InvalidInputError: one is no transcript.
            UnavailableError: one cannot be read now.
        """
        ...


class CommitSource(Protocol):
    """Where commits are read."""

    def commits(self, folder: str, since: int, until: int) -> Sequence[CommitLike]:
        """Return what was committed in a folder's repository between two times (ms)."""
        ...

    def made(self, folder: str, project: str, since: int, until: int) -> Sequence[ImportItem]:
        """Return those of these commits that stand, with their files, oldest first.

        Args:
            folder: where the session ran.
            project: the key of its project.
            since: the session's beginning (ms).
            until: its end (ms).
        """
        ...
