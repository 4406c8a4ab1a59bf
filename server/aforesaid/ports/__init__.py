"""What the services need from the world, as protocols over the domain's values.

No driver type crosses a port. Hook processes never import this module at run time (it imports
typing): they name it for type checking only. Adapters are checked by tests/contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .anchors import AnchorStore
from .anchors import FileReader as FileReader
from .dump import DumpStore as DumpStore
from .entities import EntityStore
from .entities import NameMatcher as NameMatcher
from .erasure import ErasureStore
from .extraction import ExtractionStore
from .import_items import PieceReader as PieceReader
from .import_items import PieceStore
from .inspection import InspectionStore
from .maintenance_queries import TendedStore
from .maintenance_runs import RunStore
from .models import ModelStore
from .projects import CommitReader as CommitReader
from .projects import ProjectStore
from .relations import RelationStore
from .session_order import SessionOrder
from .sessions import SessionStore
from .suggestions import OfferStore
from .summariser import Summariser as Summariser
from .tasks import TaskStore
from .texts import TextStore as TextStore
from .topics import TopicStore
from .transactions import Transactions
from .usage import UseStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.digest.activity import CommitLike
    from aforesaid.domain.model.import_item import ImportItem
    from aforesaid.domain.model.memory import Filters, Hit, Memory, PageCursor, Visibility
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


class MemoryStore(Transactions, SessionOrder, Protocol):
    """Memories, their words and their vectors. Writes belong inside a transaction."""

    def last_id(self) -> str | None:
        """Return the greatest id ever stored."""
        ...

    def add(self, memory: Memory) -> Memory:
        """Store a memory with its words; return it with key, head and content hash."""
        ...

    def get(self, keys: Sequence[int]) -> list[Memory]:
        """Return the memories with these keys, in the order asked; unknown ones are left out."""
        ...

    def find(self, reference: str, visible: Visibility | None = None) -> list[Memory]:
        """Return what a whole id or its end names among visible projects; 10 at most if many do."""
        ...

    def short_ids(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the shortest unique form of each id, four characters at least."""
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a memory in place; words follow."""
        ...

    def supersede(self, old: int, new: int, at: int) -> None:
        """Make ``new`` the version after ``old``; every version of old's chain gets new's head."""
        ...

    def chain(self, key: int) -> list[Memory]:
        """Return every version that shares this memory's head, oldest first."""
        ...

    def erase(self, key: int, keyed_hash: str, at: int) -> None:
        """Remove every trace but the hash, the id and the date."""
        ...

    def is_erased(self, keyed_hash: str) -> bool:
        """Tell whether a text with this hash was erased."""
        ...

    def search_words(
        self, words: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Return rows that hold any of the words, best first, ties by key.

        Filters hold on the row's head; rows whose head is forgotten or archived are left out.
        """
        ...

    def search_vectors(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        """Return the rows whose best window is nearest, best first. Same filters as words.

        Only vectors of the model that made this one are looked at: the one named, or that of a
        vector which the store gave out, else the one that serves. Cosines are on the shipped
        model's scale.
        """
        ...

    def search_alike(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        floor: float,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        """Return heads with a window above this cosine, best first: what may say the same."""
        ...

    def near_words(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        """Return, for each word that the caller sees nowhere, near ones that it sees somewhere.

        Near is one letter wrong, missing, added, or two swapped; likeliest first, three at most.
        """
        ...

    def likeness(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the cosine of the first windows of each two memories, where both have one."""
        ...

    def select(
        self, visible: Visibility, filters: Filters, limit: int, after: PageCursor | None = None
    ) -> list[Memory]:
        """Return memories in force, in the order of ``PageCursor`` downwards; in history all.

        Pinned ones, then by day the newest, then the most important, then the latest.
        """
        ...

    def most_important(self, project: int, types: Sequence[str], limit: int) -> list[Memory]:
        """Return a project's trusted memories in force, ``limit`` of each type, best first."""
        ...

    def latest_events(self, project: int, limit: int) -> list[Memory]:
        """Return a project's trusted events in force, newest first; no summaries of older ones."""
        ...

    def triggers(self, visible: Visibility, limit: int) -> list[tuple[int, str]]:
        """Return (key, trigger) of trusted procedures in force that name one, newest first."""
        ...

    def same_text(self, content_hash: str, visible: Visibility) -> list[Memory]:
        """Return memories in force whose normalised text has this hash."""
        ...

    def clean_file(self) -> bool:
        """Cut from the file what was erased; False while another process reads."""
        ...

    def finish_cleaning(self) -> None:
        """Cut from the file what was erased while another process read it, if there is such."""
        ...

    def keep_copy(self, reason: str) -> str:
        """Write a copy of the file as it is, beside it; return its path, empty for no file."""
        ...

    def count(self, visible: Visibility, filters: Filters) -> int:
        """Return how many memories pass the filters, as ``select`` has them."""
        ...

    def set_vectors(self, key: int, vectors: Sequence[bytes], model: str) -> None:
        """Replace a memory's vectors of a model.

        The first model that comes serves; of one that was never announced nothing is kept.
        """
        ...

    def without_vectors(self, model: str, limit: int) -> list[int]:
        """Return keys of memories that need vectors of this model, oldest first.

        None do of a model that neither serves nor comes, where one serves.
        """
        ...

    @property
    def has_vectors(self) -> bool:
        """Whether this store can search vectors at all."""
        ...

    def record(self, operation: str, key: int | None, at: int, **details: object) -> None:
        """Write a line of the log."""
        ...

    def statistics(self, visible: Visibility) -> dict[str, object]:
        """Return counts by state, type and scope, and the file's size."""
        ...

    def meta(self, name: str) -> str | None:
        """Return a fact about the store itself."""
        ...

    def set_meta(self, name: str, value: str) -> None:
        """Keep a fact about the store itself."""
        ...


class Store(
    MemoryStore,
    TopicStore,
    RelationStore,
    UseStore,
    InspectionStore,
    TaskStore,
    EntityStore,
    AnchorStore,
    PieceStore,
    ProjectStore,
    SessionStore,
    ExtractionStore,
    ModelStore,
    RunStore,
    TendedStore,
    OfferStore,
    ErasureStore,
    Protocol,
):
    """Everything that is kept, in one place."""

    def close(self) -> None:
        """Let go of the file."""
        ...
