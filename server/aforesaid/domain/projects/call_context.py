"""The call context: the project, session and folder that a call comes from."""

from __future__ import annotations

from aforesaid.domain.model.memory import Project, Visibility
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .detection import Identity

DEFAULT_IDENTITY = "name:default project"  #: this installation's project for calls from no other


class CallContext(Value):
    """Where a call comes from. Without a detected project, that is the default one."""

    project: Project
    identity: Identity | None = None  #: None if the folder belongs to no project
    session: str | None = None
    folder: str | None = None
    claimed: Project | None = (
        None  #: the project that the folder may belong to, unproven; its memories stay hidden
    )

    @property
    def known(self) -> bool:
        """Whether a project was detected."""
        return self.identity is not None

    @property
    def unclear(self) -> bool:
        """Whether to ask the user, once, which project this is."""
        return self.project.provisional or not self.known or self.claimed is not None

    @property
    def visible(self) -> Visibility:
        """What a call from here may see: this project's memories and global ones."""
        return Visibility.of_project(self.project.key)
