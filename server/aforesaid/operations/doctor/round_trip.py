"""Writing, recalling and erasing a probe memory, without leaving a trace.

All of it happens in one transaction that is rolled back, vectors included (unless an API computes
them: other writers would have to wait). One more write is committed, to test the disk.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.memory import CallContext
from aforesaid.domain.model.statement import Statement
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.recall.recall import Recall
from aforesaid.wiring.factories import make_memory_writer

from .check_result import OK, WRONG, CheckResult

if TYPE_CHECKING:
    from aforesaid.wiring.container import ServiceContainer


class _Rollback(Exception):  # noqa: N818 - not an error: it ends the transaction
    """Rolls the transaction back; its text says what went wrong."""


def check_round_trip(core: ServiceContainer) -> CheckResult:
    """Check that a memory can be written, recalled and erased."""
    if core.store.read_only:
        return CheckResult(area="round trip", state=WRONG, says="the store is open read-only")
    started = time.monotonic()
    try:
        with core.store.transaction():
            _probe(core)
    except _Rollback as rollback:
        if says := str(rollback):
            return CheckResult(
                area="round trip", state=WRONG, says=says, fix="aforesaid doctor --deep"
            )
    except UnavailableError as error:
        return CheckResult(area="round trip", state=WRONG, says=str(error))  # it says what to do
    except AforesaidError as error:
        return CheckResult(
            area="round trip", state=WRONG, says=str(error), fix="aforesaid doctor --deep"
        )
    try:
        core.store.checks().note_check(core.clock.now())
    except AforesaidError as error:
        return CheckResult(area="round trip", state=WRONG, says=str(error))
    elapsed_ms = (time.monotonic() - started) * 1000
    says = f"a test memory was written, recalled and erased ({elapsed_ms:.0f} ms)"
    return CheckResult(area="round trip", state=OK, says=says)


def _probe(core: ServiceContainer) -> None:
    """Write, recall and erase a memory.

    Raises:
        _Rollback: Always; its text says what went wrong, and is empty if nothing did.
    """
    writer = make_memory_writer(core.store, core.settings, core.get_local_embedder)
    recall = Recall(core.store, core.clock, core.get_local_embedder)
    word = f"zq{os.urandom(6).hex()}"
    context = CallContext(project=core.projects.default())
    statement = Statement(content=f"The check of today goes by the name {word}.", scope="project")
    stored = writer.store(statement, context)
    if stored is None:
        raise _Rollback("a test memory was not stored")
    key = stored.memory.key
    query = RecallQuery(query=f"which check is called {word}")

    def is_recalled() -> bool:
        answer = recall.recall(query, context.visible)
        return key in [result.memory.key for result in answer.results]

    if not is_recalled():
        raise _Rollback("recall did not find a test memory that was just written")
    core.store.memories.erase(key, f"check {word}", core.clock.now())
    if core.store.memories.get([key]) or is_recalled():
        raise _Rollback("a test memory still exists after it was erased")
    raise _Rollback
