"""Checking the backups, and naming the one that can replace a damaged store."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.backup_files import list_backups
from aforesaid.adapters.sqlite.online_backup import verify
from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import local_time
from aforesaid.operations.automatic_backup import failure_of
from aforesaid.operations.backups import backups_folder, newest_intact

from .check_result import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.wiring.container import ServiceContainer

_BACK_UP = "aforesaid backup"


def damaged(context: CheckContext, area: str, texts: list[str]) -> Iterator[CheckResult]:
    """Yield what is damaged, with the command that restores the newest intact backup."""
    context.progress("backups")
    path = newest_intact(context.settings)
    command = "" if path is None else f"aforesaid restore {shlex.quote(path)}"
    for text in texts:
        yield CheckResult(area=area, state=WRONG, says=text, fix=command)
    if path is None:
        says = (
            f"no intact backup of {context.settings.db_path} was found in "
            f"{backups_folder(context.settings)}: to start with an empty store, move the damaged "
            "file elsewhere; do not delete it"
        )
        yield CheckResult(area="backups", state=WRONG, says=says)


def check_backups(core: ServiceContainer, context: CheckContext) -> Iterator[CheckResult]:
    """Yield the results for the backups; with ``--deep``, verify the newest."""
    failure = failure_of(core.store)
    if failure:
        says = f"the last automatic backup failed: {failure}"
        yield CheckResult(area="backups", state=WRONG, says=says, fix=_BACK_UP)
    backups = list_backups(core.store.path)
    if not backups:
        settings = context.settings
        if settings["maintenance.enabled"] and settings["storage.auto_backups"]:
            says = "there is no backup yet: the first maintenance run will make one"
            yield CheckResult(area="backups", state=OK, says=says)
        else:
            says = "there is no backup yet, and automatic backups are off"
            yield CheckResult(area="backups", state=NOTE, says=says, fix=_BACK_UP)
        return
    newest = backups[-1]
    if context.deep:
        context.progress("backups")
        try:
            verify(newest.path)
        except AforesaidError as error:
            yield CheckResult(area="backups", state=WRONG, says=str(error), fix=_BACK_UP)
            return
    verified = " and is intact" if context.deep else ""
    at = local_time(newest.at_ms)
    says = f"{pluralize(len(backups), 'backup')}; the newest is from {at}{verified}"
    yield CheckResult(area="backups", state=OK, says=says)
