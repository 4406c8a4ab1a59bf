"""``from aforesaid import Memory``: the same memory, for any Python program.

docs/PYTHON.md shows its use. What it returns are the services' own values: frozen, typed.
"""

from __future__ import annotations

from aforesaid.domain.entity import Entity, EntityChange
from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.memory import Project
from aforesaid.entrypoints.importing import Brought
from aforesaid.services.organising.explore import Explored
from aforesaid.services.organising.find_entities import FoundEntities
from aforesaid.services.organising.relate import Linked
from aforesaid.services.organising.tasks import Described
from aforesaid.services.recalling.inspect import Inspected
from aforesaid.services.recalling.question import Recalled
from aforesaid.services.storing.curate import Updated
from aforesaid.services.storing.forget import Forgotten
from aforesaid.services.storing.stored import Stored

from .fields import RecallFields, StoreFields, UpdateFields
from .memory import Memory

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
