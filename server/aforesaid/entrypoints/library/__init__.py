"""``from aforesaid import Memory``: the store as a Python library.

docs/PYTHON.md shows its use. Methods return the services' values, which are frozen and typed.
"""

from __future__ import annotations

from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.model.entity import Entity, EntityChange
from aforesaid.domain.model.memory import Project
from aforesaid.entrypoints.api.bulk_import import BulkImportResult
from aforesaid.services.graph.entity_search import FoundEntities
from aforesaid.services.graph.explore import ExploreResult
from aforesaid.services.graph.relations import LinkResult
from aforesaid.services.memories.editor import UpdateResult
from aforesaid.services.memories.forget import ForgetResult
from aforesaid.services.memories.results import StoreResult
from aforesaid.services.recall.inspect import Inspection
from aforesaid.services.recall.query import RecallResult
from aforesaid.services.tasks import TaskView

from .memory import MemoryLibrary as Memory
from .types import RecallFields, StoreFields, UpdateFields

__all__ = [
    "AforesaidError",
    "BulkImportResult",
    "ConflictError",
    "CorruptError",
    "Entity",
    "EntityChange",
    "ExploreResult",
    "ForgetResult",
    "FoundEntities",
    "Inspection",
    "InvalidInputError",
    "LinkResult",
    "Memory",
    "NotFoundError",
    "Project",
    "RecallFields",
    "RecallResult",
    "StoreFields",
    "StoreResult",
    "TaskView",
    "UnavailableError",
    "UpdateFields",
    "UpdateResult",
]

#: Former names of these classes; they still work, with a warning.
_RENAMED = {
    "Brought": "BulkImportResult",
    "Described": "TaskView",
    "Explored": "ExploreResult",
    "Forgotten": "ForgetResult",
    "Inspected": "Inspection",
    "Linked": "LinkResult",
    "Recalled": "RecallResult",
    "Stored": "StoreResult",
    "Updated": "UpdateResult",
}


def __getattr__(name: str) -> type:
    """Return a class by its former name.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import warnings

    warnings.warn(
        f"{__name__}.{name} is now called {_RENAMED[name]}", DeprecationWarning, stacklevel=2
    )
    renamed: type = globals()[_RENAMED[name]]
    return renamed
