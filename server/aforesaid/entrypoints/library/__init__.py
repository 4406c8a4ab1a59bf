"""``from aforesaid import Memory``: the same memory, for any Python program.

docs/PYTHON.md shows its use. What it returns are the services' own values: frozen, typed.
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

from .memory import Memory
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
