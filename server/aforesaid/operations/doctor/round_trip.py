"""A memory written, recalled by words and meaning, and erased: for real, and gone without a trace.

All of it stands in one transaction that is taken back: what is stored, its words and vectors (but
of a model behind an API, which others would wait for), and the mark that erasing leaves. One more
write is committed, to know that the disk takes it.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.projects.call_context import CallContext
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.recall.recall import Recall
from aforesaid.wiring.factories import make_remember

from .finding import OK, WRONG, CheckResult

if TYPE_CHECKING:
    from aforesaid.wiring.container import ServiceContainer


class _Rollback(Exception):  # noqa: N818 - no error: the way out of the transaction
    """None of it is to stay; says what went wrong."""


def check_round_trip(core: ServiceContainer) -> CheckResult:
    """Return whether a memory can be written, recalled and erased here now."""
    if core.store.read_only:
        return CheckResult(area="life", state=WRONG, says="nothing can be written: it is only read")
    began = time.monotonic()
    try:
        with core.store.transaction():
            _live(core)
    except _Rollback as done:
        if said := str(done):
            return CheckResult(area="life", state=WRONG, says=said, fix="aforesaid doctor --deep")
    except UnavailableError as error:
        return CheckResult(area="life", state=WRONG, says=str(error))  # which says what to do
    except AforesaidError as error:
        return CheckResult(area="life", state=WRONG, says=str(error), fix="aforesaid doctor --deep")
    try:
        core.store.checks().note_check(core.clock.now())
    except AforesaidError as error:
        return CheckResult(area="life", state=WRONG, says=str(error))
    taken = (time.monotonic() - began) * 1000
    return CheckResult(
        area="life", state=OK, says=f"a memory was written, recalled and erased ({taken:.0f} ms)"
    )


def _live(core: ServiceContainer) -> None:
    """Live, and take it all back.

    Raises:
        _TakenBack: always; its words are what went wrong, empty where nothing did.
    """
    remember = make_remember(core.store, core.settings, core.embed_here)
    recall = Recall(core.store, core.clock, core.embed_here)
    word = f"zq{os.urandom(6).hex()}"
    place = CallContext(project=core.projects.default())
    statement = Statement(content=f"The check of today goes by the name {word}.", scope="project")
    stored = remember.store(statement, place)
    if stored is None:
        raise _Rollback("a memory is not taken")
    key = stored.memory.key
    asked = RecallQuery(query=f"which check is called {word}")

    def recalled() -> bool:
        found = recall.recall(asked, place.visible)
        return key in [result.memory.key for result in found.results]

    if not recalled():
        raise _Rollback("a memory that was just written is not recalled")
    core.store.memories.erase(key, f"check {word}", core.clock.now())
    if core.store.memories.get([key]) or recalled():
        raise _Rollback("a memory that was just erased is still there")
    raise _Rollback
