"""The result of storing a statement."""

from __future__ import annotations

from aforesaid.domain.value import Value
from aforesaid.services.graph.topics import TopicAssignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.task import Task
    from aforesaid.services.graph.entities import EntityMatch


class Conflict(Value):
    """A similar memory that says something else."""

    memory: Memory
    differs: tuple[str, ...]


class StoreResult(Value):
    """What storing a statement did."""

    memory: Memory
    deduplicated: bool = False
    superseded: tuple[Memory, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    redacted: tuple[str, ...] = ()
    private_removed: int = 0
    linked: int = 0  #: number of new relations
    named: EntityMatch | None = None  #: the match for the name of the entity that it is about
    scope_chosen: bool = False  #: by rule, not by the caller
    filing: TopicAssignment = TopicAssignment()  #: its position in the topic tree
    released: tuple[Task, ...] = ()  #: open tasks that waited only for the task that it closed
    cited: tuple[Anchor, ...] = ()  #: the anchors that were given or found
    unread_date: str = ""  #: the event date that was given, if it was left out because it is none
    outside: str = ""  #: why the caller's folder cannot be a project, if it is in none
    embedded: bool = True
