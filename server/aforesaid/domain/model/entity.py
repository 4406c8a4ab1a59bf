"""Named things that memories are about: one row of the registry each.

Here: the values, and what the user is called. Not here: when two names are one (entity_names.py),
merging and renaming (services/graph/entity_merge.py).
"""

from __future__ import annotations

from aforesaid.domain.value import Value

USER = "user"  #: the entity that is there from the start
PRONOUNS = ("I", "me", "my", "myself")  #: its aliases from the start
NAME_CHARS = 200
MAX_ALIASES = 50
NEAR = 0.8  #: names this alike are offered, never taken
#: Types whose memories are about whoever the user knows, whatever the project.
PERSONAL = frozenset({"person", "organisation", "organization", "company", "team", "user"})


class Entity(Value):
    """One named thing. Times are ms since the epoch, UTC."""

    key: int = 0  #: 0 until it is registered
    name: str
    normalised: str
    entity_type: str = ""
    project: int = 0  #: 0 where every project shares it
    aliases: tuple[str, ...] = ()  #: other names, those of what was merged into it too, in order
    created_at: int = 0
    updated_at: int = 0


class EntityUse(Value):
    """How much is known of an entity, in force and visible."""

    count: int = 0
    tags: tuple[str, ...] = ()  #: of its memories, most frequent first
    first_at: int | None = None  #: ms
    last_at: int | None = None


class EntityChange(Value):
    """A merge or rename that can be undone."""

    key: int  #: of its line in the log
    at: int
    operation: str  #: ``entity_merge`` or ``entity_rename``
    details: dict[str, object] = {}
