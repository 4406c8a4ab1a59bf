"""The backups of the store: how many there are, and which one mends a damaged store."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.backup_files import list_backups
from aforesaid.adapters.sqlite.online_backup import verify
from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.operations.automatic_backup import failure_of
from aforesaid.operations.backups import backups_folder, newest_sound

from .finding import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.wiring.container import ServiceContainer

_BACK_UP = "aforesaid backup"


def damaged(scene: CheckContext, area: str, texts: list[str]) -> Iterator[CheckResult]:
    """Yield what is damaged, with the command that puts the newest sound backup in its place."""
    scene.progress("backups")
    path = newest_sound(scene.settings)
    command = "" if path is None else f"aforesaid restore {shlex.quote(path)}"
    for text in texts:
        yield CheckResult(area=area, state=WRONG, says=text, fix=command)
    if path is None:
        said = (
            f"no sound backup of {scene.settings.db_path} was found in "
            f"{backups_folder(scene.settings)}: keep the damaged file, and move it away to begin "
            "anew"
        )
        yield CheckResult(area="backups", state=WRONG, says=said)


def check_backups(core: ServiceContainer, scene: CheckContext) -> Iterator[CheckResult]:
    """Yield what is found of the backups; with ``--deep`` the newest is read."""
    failure = failure_of(core.store)
    if failure:
        said = f"the last automatic backup failed: {failure}"
        yield CheckResult(area="backups", state=WRONG, says=said, fix=_BACK_UP)
    found = list_backups(core.store.path)
    if not found:
        settings = scene.settings
        if settings["maintenance.enabled"] and settings["storage.auto_backups"]:
            said = "no backup was made yet: the first maintenance begins with one"
            yield CheckResult(area="backups", state=OK, says=said)
        else:
            said = "no backup was made yet, and none is made by itself"
            yield CheckResult(area="backups", state=NOTE, says=said, fix=_BACK_UP)
        return
    newest = found[-1]
    if scene.deep:
        scene.progress("backups")
        try:
            verify(newest.path)
        except AforesaidError as error:
            yield CheckResult(area="backups", state=WRONG, says=str(error), fix=_BACK_UP)
            return
    sound = " and is sound" if scene.deep else ""
    said = f"{pluralize(len(found), 'backup')}, the newest is of {to_iso(newest.at_ms)}{sound}"
    yield CheckResult(area="backups", state=OK, says=said)
