"""Everything that can be wrong with an installation, looked at in turn.

Here: the order. Not here: the checks: machine.py (what it runs on), client.py (what the client
sees), store.py (the file), round_trip.py (a memory written, recalled and erased).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.config import load_settings
from aforesaid.domain.errors import AforesaidError

from . import client, machine, store
from .finding import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["NOTE", "OK", "WRONG", "CheckResult", "check_up"]


def check_up(
    environment: Mapping[str, str],
    *,
    deep: bool = False,
    fix: bool = False,
    progress: Callable[[str], None] = lambda _what: None,
) -> Iterator[CheckResult]:
    """Yield what is found, area by area.

    Args:
        environment: the process's.
        deep: read every text, vector and word.
        fix: mend what can be mended without losing anything, as it is found.
        progress: told what is looked at now.
    """
    settings = load_settings(environment, lenient=True)
    scene = CheckContext(environment=environment, settings=settings, deep=deep, progress=progress)
    for check in (machine.check, store.check, client.check):
        for finding in check(scene):
            yield _mended(finding) if fix else finding


def _mended(finding: CheckResult) -> CheckResult:
    if finding.state == OK or finding.mend is None:
        return finding
    try:
        finding.mend()
    except (AforesaidError, OSError) as error:
        return finding.replace(says=f"{finding.says}; it could not be mended: {error}")
    return finding.replace(state=OK, says=f"{finding.says}: mended", fix="")
