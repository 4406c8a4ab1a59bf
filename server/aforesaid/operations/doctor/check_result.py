"""The result of a check, and the context that checks run in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.config import Settings

OK, NOTE, WRONG = "ok", "note", "wrong"


class CheckResult(Value):
    """One result: fine, worth knowing, or wrong, with the command that repairs it."""

    area: str
    state: str  #: ok, note or wrong
    says: str
    fix: str = ""  #: the exact command
    repair: Callable[[], None] | None = None  #: performs the repair; None if a person must

    def as_row(self) -> dict[str, Any]:
        """Return the fields that are shown."""
        row = {"area": self.area, "state": self.state, "says": self.says}
        return {**row, "fix": self.fix} if self.fix else row


class CheckContext(Value):
    """The context that checks run in."""

    environment: Mapping[str, str]
    settings: Settings
    deep: bool
    progress: Callable[[str], None]  #: called with the name of each check as it starts
