"""The doctor: checks an installation and repairs what it can.

Here: the order of the checks. Not here: the checks themselves: machine.py (versions, settings,
disk), store.py and backups.py (the data), round_trip.py (write, recall and erase a memory),
client.py (hooks and server).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.config import load_settings
from aforesaid.domain.errors import AforesaidError

from . import client, machine, store
from .backups import check_backups
from .check_result import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aforesaid.wiring.container import ServiceContainer

__all__ = ["NOTE", "OK", "WRONG", "CheckResult", "check_quickly", "check_up"]


def check_up(
    environment: Mapping[str, str],
    *,
    deep: bool = False,
    fix: bool = False,
    progress: Callable[[str], None] = lambda _what: None,
) -> Iterator[CheckResult]:
    """Yield the results of all checks, area by area.

    Args:
        environment: The environment variables.
        deep: Read and verify every text, vector and word.
        fix: Repair what can be repaired without losing data.
        progress: Called with the name of each check as it starts.
    """
    settings = load_settings(environment, lenient=True)
    context = CheckContext(environment=environment, settings=settings, deep=deep, progress=progress)
    for check in (machine.check, store.check, client.check):
        for result in check(context):
            yield _repair(result) if fix else result


def check_quickly(core: ServiceContainer) -> Iterator[CheckResult]:
    """Yield the results of the checks that cost next to nothing: settings, recall, backups."""
    settings = load_settings(core.environment, lenient=True)
    for problem in settings.problems:
        yield CheckResult(
            area="settings", state=WRONG, says=f"ignored: {problem}", fix="aforesaid config"
        )
    for problem in core.recall_health():
        yield CheckResult(area="recall", state=WRONG, says=problem, fix="aforesaid doctor")
    context = CheckContext(
        environment=core.environment, settings=settings, deep=False, progress=lambda _what: None
    )
    yield from check_backups(core, context)


def _repair(result: CheckResult) -> CheckResult:
    if result.state == OK or result.repair is None:
        return result
    try:
        result.repair()
    except (AforesaidError, OSError) as error:
        return result.replace(says=f"{result.says}; the repair failed: {error}")
    return result.replace(state=OK, says=f"{result.says}: repaired", fix="")
