"""Port for the store: one repository per kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .transactions import Transactions

if TYPE_CHECKING:
    from .anchors import AnchorStore
    from .dump import DumpStore
    from .entities import EntityStore
    from .erasure import ErasureStore
    from .extraction import ExtractionStore
    from .import_items import ImportItemStore
    from .inspection import InspectionStore
    from .maintenance_queries import MaintenanceStore
    from .maintenance_runs import RunStore
    from .memories import MemoryStore
    from .models import ModelStore
    from .neighbours import NeighbourStore
    from .projects import ProjectStore
    from .relations import RelationStore
    from .search import SearchStore
    from .session_order import SessionOrderStore
    from .sessions import SessionStore
    from .suggestions import SuggestionStore
    from .tasks import TaskStore
    from .texts import TextStore
    from .topics import TopicStore
    from .usage import UsageStore


class Store(Transactions, Protocol):
    """The store with its repositories. Write inside a transaction."""

    @property
    def memories(self) -> MemoryStore:
        """Memories."""
        ...

    @property
    def search(self) -> SearchStore:
        """Full-text and vector search."""
        ...

    @property
    def session_order(self) -> SessionOrderStore:
        """The order of memories within their sessions."""
        ...

    @property
    def topics(self) -> TopicStore:
        """The topic tree."""
        ...

    @property
    def relations(self) -> RelationStore:
        """Relations between memories."""
        ...

    @property
    def usage(self) -> UsageStore:
        """Usage of memories and links."""
        ...

    @property
    def inspection(self) -> InspectionStore:
        """Details, history and statistics of memories."""
        ...

    @property
    def tasks(self) -> TaskStore:
        """Tasks."""
        ...

    @property
    def entities(self) -> EntityStore:
        """Entities and their names."""
        ...

    @property
    def anchors(self) -> AnchorStore:
        """Anchors: the files that memories cite."""
        ...

    @property
    def import_items(self) -> ImportItemStore:
        """Records of imported items."""
        ...

    @property
    def projects(self) -> ProjectStore:
        """Projects and their keys."""
        ...

    @property
    def sessions(self) -> SessionStore:
        """Sessions."""
        ...

    @property
    def extractions(self) -> ExtractionStore:
        """Progress of extraction by a summariser."""
        ...

    @property
    def models(self) -> ModelStore:
        """Embedding models."""
        ...

    @property
    def runs(self) -> RunStore:
        """Runs of maintenance."""
        ...

    @property
    def maintenance(self) -> MaintenanceStore:
        """Queries of maintenance."""
        ...

    @property
    def neighbours(self) -> NeighbourStore:
        """Nearest neighbours of memories."""
        ...

    @property
    def suggestions(self) -> SuggestionStore:
        """Suggestions of maintenance."""
        ...

    @property
    def texts(self) -> TextStore:
        """All text fields, for redaction."""
        ...

    @property
    def erasure(self) -> ErasureStore:
        """Texts that quote memories, and their erasure."""
        ...

    @property
    def dump(self) -> DumpStore:
        """All rows, for exports."""
        ...

    def clean_file(self) -> bool:
        """Remove erased data from the file; return False if another process is reading."""
        ...

    def finish_cleaning(self) -> None:
        """Remove erased data that an earlier ``clean_file`` could not remove, if any."""
        ...

    def keep_copy(self, reason: str) -> str:
        """Copy the file within its folder; return the path, empty if there is no file."""
        ...

    def meta(self, name: str) -> str | None:
        """Return a meta value of the store; None if it is not set."""
        ...

    def set_meta(self, name: str, value: str) -> None:
        """Set a meta value of the store."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...

    def compact_file(self) -> bool:
        """Rewrite the whole file compactly; return False if it is in use."""
        ...
