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
from aforesaid.entrypoints.api.bulk_import import Brought
from aforesaid.services.graph.entity_search import FoundEntities
from aforesaid.services.graph.explore import Explored
from aforesaid.services.graph.relations import Linked
from aforesaid.services.memories.editor import Updated
from aforesaid.services.memories.forget import Forgotten
from aforesaid.services.memories.results import Stored
from aforesaid.services.recall.inspect import Inspected
from aforesaid.services.recall.query import Recalled
from aforesaid.services.tasks import Described

from .memory import Memory
from .types import RecallFields, StoreFields, UpdateFields

__all__ = [
    "AforesaidError",
    "Brought",
    "ConflictError",
    "CorruptError",
    "Described",
    "Entity",
    "EntityChange",
    "Explored",
    "Forgotten",
    "FoundEntities",
    "Inspected",
    "InvalidInputError",
    "Linked",
    "Memory",
    "NotFoundError",
    "Project",
    "RecallFields",
    "Recalled",
    "StoreFields",
    "Stored",
    "UnavailableError",
    "UpdateFields",
    "Updated",
]
