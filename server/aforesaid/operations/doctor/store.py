"""Checking the store: it opens, is intact, and every memory is indexed by words and vectors."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.integrity import join_shortened
from aforesaid.adapters.system.machine import MAX_TRIES, list_notes, list_retries
from aforesaid.adapters.system.open_files import find_holders
from aforesaid.domain.errors import AforesaidError, CorruptError, SchemaError
from aforesaid.domain.model.embedding_model import SERVING, scale_in_words
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Filters, Visibility
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.operations.reembed import upgrade_shipped_model
from aforesaid.wiring.embedder_loader import NEW_VECTORS
from aforesaid.wiring.factories import unknown_off

from .backups import check_backups, damaged
from .check_result import NOTE, OK, WRONG, CheckContext, CheckResult
from .round_trip import check_round_trip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.adapters.sqlite.integrity import Checks
    from aforesaid.wiring.container import ServiceContainer

_FIX = "aforesaid doctor --fix"
_DISMISS = "aforesaid doctor --dismiss-losses"
_DEEP_FIX = "aforesaid doctor --deep --fix"
_STALE_SECONDS = 3_600


def check(context: CheckContext) -> Iterator[CheckResult]:
    """Yield the results for the store."""
    from aforesaid.operations.backups import rebuild

    yield from _holders(context)
    moved_to: list[str] = []
    try:
        yield from _check_open(context)
    except SchemaError as error:
        yield CheckResult(
            area="store", state=WRONG, says=str(error), fix=_FIX,
            repair=lambda: moved_to.append(rebuild(context.settings)["kept"]),
        )  # fmt: skip
    if moved_to:
        says = f"the previous store was kept as {moved_to[0]}"
        yield CheckResult(area="store", state=NOTE, says=says)
        yield from _check_open(context)


def _check_open(context: CheckContext) -> Iterator[CheckResult]:
    """Yield the results for a store with the schema of a release.

    Raises:
        SchemaError: It has another schema.
    """
    from aforesaid.wiring.container import ServiceContainer

    core = None
    try:
        core = ServiceContainer(context.environment, lenient=True)
        yield from _check_contents(core, context)
    except SchemaError:
        raise
    except AforesaidError as error:
        if isinstance(error, CorruptError):
            yield from damaged(context, "store", [str(error)])
        else:
            yield CheckResult(area="store", state=WRONG, says=str(error))
    finally:
        if core is not None:
            core.close()


def _holders(context: CheckContext) -> Iterator[CheckResult]:
    for process in find_holders(context.settings.db_path):
        says = f"process {process.pid} has the store open ({process.command})"
        yield CheckResult(area="processes", state=NOTE, says=says)


def _check_contents(core: ServiceContainer, context: CheckContext) -> Iterator[CheckResult]:
    store = core.store
    checks = store.checks()
    context.progress("database integrity")
    problems = checks.check_fully() if context.deep else checks.check_quickly()
    if problems:
        yield from damaged(context, "store", problems)
    else:
        size = os.path.getsize(store.path) / 1e6
        keys = [project.key for project in store.projects.list_all()]
        everything = Visibility(projects=(GLOBAL_PROJECT, *keys), all_tasks=True)
        count = pluralize(store.memories.count(everything, Filters()), "memory", "memories")
        says = f"{store.path} ({size:.1f} MB, {count} in force) is intact"
        yield CheckResult(area="store", state=OK, says=says)
    for note in unknown_off(store, core.settings):
        yield CheckResult(area="settings", state=NOTE, says=note)
    context.progress("the embedding model")
    core.get_embedder()
    lost = core.losses()
    for text in core.recall_health():
        if lost and text.startswith(lost):
            continue  # reported below
        fix = text.rpartition("; ")[2] if "aforesaid " in text else ""
        state = NOTE if NEW_VECTORS in text else WRONG  # a change that needs no help
        yield CheckResult(area="recall", state=state, says=text, fix=fix)
    upgrade_shipped_model(store, core.settings)
    embedder = core.embedder.peek()
    if embedder is not None and store.search.has_vectors and not core.embedder.error:
        says = f"uses words and vectors; the model file of {embedder.model} is intact"
        yield CheckResult(area="recall", state=OK, says=says)
    active = store.models.in_state(SERVING)
    if active is not None and (scale := scale_in_words(active)):
        yield CheckResult(area="recall", state=NOTE, says=f"{active.name}: {scale}")
    if lost:
        yield CheckResult(
            area="store", state=WRONG, fix=_DISMISS,
            says=f"{lost}. `aforesaid ingest` reads the sessions of that time again, `aforesaid "
            "restore` lists the backups. Memories that were forgotten or erased at that time may "
            "have reappeared. When you are done, dismiss this warning:",
        )  # fmt: skip
    if ledger := checks.find_ledger_damage():
        yield CheckResult(
            area="store", state=NOTE,
            says=f"{ledger}. This file is used to detect lost memories, so a loss before its next "
            "entry cannot be detected. It is created again automatically",
        )  # fmt: skip
    yield from _check_words(checks, context)
    yield from _check_vectors(core, context)
    if context.deep:
        yield from _check_texts(checks, context)
    yield from check_backups(core, context)
    yield from _check_notes(core, context)
    context.progress("round trip of a memory")
    yield check_round_trip(core)


def _check_words(checks: Checks, context: CheckContext) -> Iterator[CheckResult]:
    context.progress("full-text index")
    missing = checks.count_full_text_gaps()
    says = ""
    if missing:
        count = pluralize(missing, "memory", "memories")
        says = f"the full-text index and the store differ by {count}"
    elif context.deep and (difference := checks.full_text_problem()):
        says = f"the full-text index does not match the texts ({difference})"
    if says:
        yield CheckResult(
            area="full text", state=WRONG, says=says, fix=_DEEP_FIX if context.deep else _FIX,
            repair=checks.rebuild_full_text,
        )  # fmt: skip
    else:
        yield CheckResult(area="full text", state=OK, says="every memory is in the full-text index")


def _check_vectors(core: ServiceContainer, context: CheckContext) -> Iterator[CheckResult]:
    if not core.store.search.has_vectors:
        return
    checks = core.store.checks()
    context.progress("vectors")
    damaged = checks.damaged_vectors() if context.deep else []
    if damaged:

        def drop() -> None:
            checks.drop_vectors(damaged)
            core.writer.embed_missing(sys.maxsize)

        yield CheckResult(
            area="vectors", state=WRONG,
            says=f"{pluralize(len(damaged), 'memory has', 'memories have')} a damaged vector",
            fix=_DEEP_FIX, repair=drop,
        )  # fmt: skip
    unlisted, missing = checks.count_unlisted(), checks.count_unembedded()
    if unlisted or missing:

        def embed() -> None:
            checks.list_unembedded()
            core.writer.embed_missing(sys.maxsize)

        yield CheckResult(
            area="vectors",
            state=WRONG if unlisted else NOTE,
            says=f"{pluralize(unlisted + missing, 'memory has', 'memories have')} no vector yet: "
            "recall finds these by words only",
            fix=_FIX,
            repair=embed,
        )
    elif not damaged:
        yield CheckResult(area="vectors", state=OK, says="every memory has its vectors")


def _check_texts(checks: Checks, context: CheckContext) -> Iterator[CheckResult]:
    context.progress("texts")
    altered = checks.altered_texts()
    if altered:
        says = f"texts were altered after they were stored: {join_shortened(altered)}"
        yield from damaged(context, "texts", [says])
    else:
        yield CheckResult(
            area="texts", state=OK, says="every text is unchanged since it was stored"
        )


def _check_notes(core: ServiceContainer, context: CheckContext) -> Iterator[CheckResult]:
    """Yield the results for notes of sessions that wait for a digest."""
    import time

    waiting = [path for path in list_notes(context.settings.notes_folder) if _modified_at(path) > 0]
    stale = [path for path in waiting if time.time() - _modified_at(path) > _STALE_SECONDS]

    def digest() -> None:
        from aforesaid.operations.session_sweep import digest_ended

        digest_ended(core.store, core.settings, context.environment, retry_all=True)

    failed = list_retries(context.settings.notes_folder)
    if failed:
        note = failed[-1][1]
        yield CheckResult(
            area="sessions", state=NOTE, fix="aforesaid digest", repair=digest,
            says=f"{pluralize(len(failed), 'session')} could not be digested and will be retried, "
            f"up to {MAX_TRIES} times within a week; the last failure: {note.get('why')}",
        )  # fmt: skip
    if stale:
        yield CheckResult(
            area="sessions", state=WRONG, fix="aforesaid digest", repair=digest,
            says=f"{pluralize(len(stale), 'session has', 'sessions have')} waited for a digest for "
            "over an hour",
        )  # fmt: skip
    elif waiting:
        says = f"{pluralize(len(waiting), 'session is', 'sessions are')} waiting for a digest"
        yield CheckResult(
            area="sessions", state=NOTE, says=says, fix="aforesaid digest", repair=digest
        )
    elif not failed:
        yield CheckResult(area="sessions", state=OK, says="no session is waiting for a digest")


def _modified_at(path: str) -> float:
    """Return when a file was last written; 0 if it no longer exists."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
