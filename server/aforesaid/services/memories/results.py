"""The result of storing a statement."""

from __future__ import annotations

from aforesaid.domain.value import Value
from aforesaid.services.graph.topics import TopicAssignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.domain.model.task import Task
    from aforesaid.services.graph.entities import EntityMatch


class Conflict(Value):
    """A similar memory that says something else."""

    memory: Memory
    differs: tuple[str, ...]


class StoreResult(Value):
    """What storing a statement did."""

    memory: Memory
    given: Statement  #: as it was checked
    deduplicated: bool = False
    superseded: tuple[Memory, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    redacted: tuple[str, ...] = ()
    private_removed: int = 0
    linked: int = 0  #: number of new relations
    named: EntityMatch | None = None  #: the match for the name of the entity that it is about
    filing: TopicAssignment = TopicAssignment()  #: its position in the topic tree
    released: tuple[Task, ...] = ()  #: open tasks that waited only for the task that it closed
    outside: str = ""  #: why the caller's folder cannot be a project, if it is in none
    embedded: bool = True

    @property
    def scope_chosen(self) -> bool:
        """Return whether the scope was chosen by rule, not by the caller."""
        return self.given.scope is None
