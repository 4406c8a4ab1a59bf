"""Entities: the named persons, systems and things that memories are about.

Comparing names: entity_names.py. Merging and renaming: services/graph/entity_merge.py.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

USER = "user"  #: the built-in entity
PRONOUNS = ("I", "me", "my", "myself")  #: its built-in aliases
NAME_CHARS = 200
MAX_ALIASES = 50
NEAR = 0.8  #: similarity from which a name is suggested; never substituted
#: Entity types of people and groups: memories about these are global by default.
PERSONAL = frozenset({"person", "organisation", "organization", "company", "team", "user"})


class Entity(Value):
    """A named person, system or thing. Times are ms since the epoch, UTC."""

    key: int = 0  #: 0 until it is stored
    name: str
    normalised: str
    entity_type: str = ""
    project: int = 0  #: 0 if it is shared by all projects
    aliases: tuple[str, ...] = ()  #: other names, including those of merged entities, in order
    created_at: int = 0
    updated_at: int = 0


class EntityUse(Value):
    """Statistics of an entity's memories that are in force and visible."""

    count: int = 0
    tags: tuple[str, ...] = ()  #: most frequent first
    first_at: int | None = None  #: ms
    last_at: int | None = None


class EntityChange(Value):
    """A merge or rename that can be undone."""

    key: int  #: key of its log entry
    at: int
    operation: str  #: ``entity_merge`` or ``entity_rename``
    details: dict[str, object] = {}
