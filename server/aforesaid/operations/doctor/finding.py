"""What a check finds, and what each check is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.config import Settings

OK, NOTE, WRONG = "ok", "note", "wrong"


class CheckResult(Value):
    """What is right, worth knowing, or wrong, with the command that mends it."""

    area: str
    state: str  #: ok, note or wrong
    says: str
    fix: str = ""  #: the exact command
    mend: Callable[[], None] | None = None  #: does it; None where a person must

    def as_row(self) -> dict[str, Any]:
        """Return what is shown of it."""
        row = {"area": self.area, "state": self.state, "says": self.says}
        return {**row, "fix": self.fix} if self.fix else row


class CheckContext(Value):
    """What checks look at."""

    environment: Mapping[str, str]
    settings: Settings
    deep: bool
    progress: Callable[[str], None]  #: told what is looked at now
