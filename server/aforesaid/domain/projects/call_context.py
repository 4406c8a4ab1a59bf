"""Where a call comes from, as far as memory cares: which project, how sure, what it may see."""

from __future__ import annotations

from aforesaid.domain.model.memory import Project, Visibility
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .detection import Identity

DEFAULT_IDENTITY = "name:default project"  #: the install's own, for where nothing is a project


class CallContext(Value):
    """A session's place. Without a known project it is the install's default one."""

    project: Project
    identity: Identity | None = None  #: None where the folder is nobody's project
    session: str | None = None
    folder: str | None = None
    claimed: Project | None = None  #: which the folder may be; nothing of it is shown here

    @property
    def known(self) -> bool:
        """Whether this is a project, not the default for where there is none."""
        return self.identity is not None

    @property
    def unclear(self) -> bool:
        """Whether to ask, once, which project this is."""
        return self.project.provisional or not self.known or self.claimed is not None

    @property
    def visible(self) -> Visibility:
        """What a call from here sees: this project and global."""
        return Visibility.of_project(self.project.key)
