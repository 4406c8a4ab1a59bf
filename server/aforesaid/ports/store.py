"""The store: a repository for each kind of thing that is kept."""

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
    from .session_order import SessionOrder
    from .sessions import SessionStore
    from .suggestions import SuggestionStore
    from .tasks import TaskStore
    from .texts import TextStore
    from .topics import TopicStore
    from .usage import UsageStore


class Store(Transactions, Protocol):
    """Everything that is kept, in one place; what is written belongs inside a transaction."""

    @property
    def memories(self) -> MemoryStore:
        """Memories."""
        ...

    @property
    def search(self) -> SearchStore:
        """Memories by words and by vectors."""
        ...

    @property
    def session_order(self) -> SessionOrder:
        """The order of memories within their sessions."""
        ...

    @property
    def topics(self) -> TopicStore:
        """The topic tree."""
        ...

    @property
    def relations(self) -> RelationStore:
        """Links between memories."""
        ...

    @property
    def usage(self) -> UsageStore:
        """How often memories are used."""
        ...

    @property
    def inspection(self) -> InspectionStore:
        """Where a memory came from and what became of it."""
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
        """The files that memories cite."""
        ...

    @property
    def import_items(self) -> ImportItemStore:
        """What was imported from where."""
        ...

    @property
    def projects(self) -> ProjectStore:
        """Projects and the keys that lead to them."""
        ...

    @property
    def sessions(self) -> SessionStore:
        """Sessions."""
        ...

    @property
    def extractions(self) -> ExtractionStore:
        """How far sessions were read by a summariser."""
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
        """What the phases of maintenance read."""
        ...

    @property
    def neighbours(self) -> NeighbourStore:
        """Memories near each other."""
        ...

    @property
    def suggestions(self) -> SuggestionStore:
        """What maintenance suggests."""
        ...

    @property
    def texts(self) -> TextStore:
        """Every text, whatever it is of."""
        ...

    @property
    def erasure(self) -> ErasureStore:
        """What quotes a memory, and its removal."""
        ...

    @property
    def dump(self) -> DumpStore:
        """All rows, for exports."""
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

    def meta(self, name: str) -> str | None:
        """Return a fact about the store itself."""
        ...

    def set_meta(self, name: str, value: str) -> None:
        """Keep a fact about the store itself."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...

    def compact_file(self) -> bool:
        """Write the whole file anew; False if it is in use."""
        ...
