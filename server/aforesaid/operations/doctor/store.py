"""The store: that it opens, is whole, and that every memory is found by words and by meaning."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.integrity import shortened
from aforesaid.adapters.system.machine import list_notes
from aforesaid.adapters.system.notes import MAX_TRIES, list_retries
from aforesaid.adapters.system.open_files import find_holders
from aforesaid.domain.errors import AforesaidError, CorruptError, SchemaError
from aforesaid.domain.model.embedding_model import SERVING, scale_in_words
from aforesaid.domain.text.pluralize import pluralize

from .backups import check_backups, damaged
from .finding import NOTE, OK, WRONG, CheckContext, CheckResult
from .round_trip import check_round_trip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.adapters.sqlite.integrity import Checks
    from aforesaid.wiring.container import ServiceContainer

_FIX = "aforesaid doctor --fix"
_DISMISS = "aforesaid doctor --dismiss-losses"
_DEEP_FIX = "aforesaid doctor --deep --fix"
_STALE_SECONDS = 3_600


def check(scene: CheckContext) -> Iterator[CheckResult]:
    """Yield what is found of the store."""
    from aforesaid.operations.backups import rebuild

    yield from _holders(scene)
    kept: list[str] = []
    try:
        yield from _checked(scene)
    except SchemaError as error:
        yield CheckResult(
            area="store", state=WRONG, says=str(error), fix=_FIX,
            mend=lambda: kept.append(rebuild(scene.settings)["kept"]),
        )  # fmt: skip
    if kept:
        yield CheckResult(area="store", state=NOTE, says=f"the store as it was is {kept[0]}")
        yield from _checked(scene)


def _checked(scene: CheckContext) -> Iterator[CheckResult]:
    """Yield what is found of a store with the schema of a release.

    Raises:
        SchemaError: it has another.
    """
    from aforesaid.wiring.container import ServiceContainer

    core = None
    try:
        core = ServiceContainer(scene.environment, lenient=True)
        yield from _opened(core, scene)
    except SchemaError:
        raise
    except AforesaidError as error:
        if isinstance(error, CorruptError):
            yield from damaged(scene, "store", [str(error)])
        else:
            yield CheckResult(area="store", state=WRONG, says=str(error))
    finally:
        if core is not None:
            core.close()


def _holders(scene: CheckContext) -> Iterator[CheckResult]:
    for one in find_holders(scene.settings.db_path):
        said = f"process {one.pid} has the store open ({one.command})"
        yield CheckResult(area="processes", state=NOTE, says=said)


def _opened(core: ServiceContainer, scene: CheckContext) -> Iterator[CheckResult]:
    store = core.store
    checks = store.checks()
    scene.progress("the engine's check")
    wrong = checks.check_wholly() if scene.deep else checks.check_quickly()
    if wrong:
        yield from damaged(scene, "store", wrong)
    else:
        size = os.path.getsize(store.path) / 1e6
        yield CheckResult(area="store", state=OK, says=f"{store.path}, {size:.1f} MB, is sound")
    scene.progress("the embedding model")
    core.embed()
    lost = core.losses()
    for text in core.recall_health():
        if lost and text.startswith(lost):
            continue  # told below
        fix = text.rpartition("; ")[2] if "aforesaid " in text else ""
        yield CheckResult(area="recall", state=WRONG, says=text, fix=fix)
    embedder = core.embedder.peek()
    if embedder is not None and store.search.has_vectors and not core.embedder.error:
        said = f"by words and meaning; {embedder.model} is the file that it should be"
        yield CheckResult(area="recall", state=OK, says=said)
    serving = store.models.in_state(SERVING)
    if serving is not None and (told := scale_in_words(serving)):
        yield CheckResult(area="recall", state=NOTE, says=f"{serving.name}: {told}")
    if lost:
        yield CheckResult(
            area="store", state=WRONG, fix=_DISMISS,
            says=f"{lost}. `aforesaid ingest` reads the sessions of that time again, `aforesaid "
            "restore` lists the backups; what was forgotten or erased then may be back. Once you "
            "have done what you can:",
        )  # fmt: skip
    if ledger := checks.find_ledger_damage():
        yield CheckResult(
            area="store", state=NOTE,
            says=f"{ledger}: it tells whether acknowledged memories were lost, which for the time "
            "before its next entries cannot be told; it is begun anew by itself",
        )  # fmt: skip
    yield from _words(checks, scene)
    yield from _vectors(core, scene)
    if scene.deep:
        yield from _texts(checks, scene)
    yield from check_backups(core, scene)
    yield from _notes(core, scene)
    scene.progress("a memory's life")
    yield check_round_trip(core)


def _words(checks: Checks, scene: CheckContext) -> Iterator[CheckResult]:
    scene.progress("words")
    off = checks.count_words_missing()
    said = f"the index of words is off by {pluralize(off, 'memory', 'memories')}" if off else ""
    if scene.deep and not said and (told := checks.words_wrong()):
        said = f"the index of words differs from the texts ({told})"
    if said:
        yield CheckResult(
            area="words", state=WRONG, says=said, fix=_DEEP_FIX if scene.deep else _FIX,
            mend=checks.rebuild_words,
        )  # fmt: skip
    else:
        yield CheckResult(area="words", state=OK, says="every memory is in the index of words")


def _vectors(core: ServiceContainer, scene: CheckContext) -> Iterator[CheckResult]:
    if not core.store.search.has_vectors:
        return
    checks = core.store.checks()
    scene.progress("vectors")
    damaged = checks.damaged_vectors() if scene.deep else []
    if damaged:

        def drop() -> None:
            checks.drop_vectors(damaged)
            core.remember.embed_missing(sys.maxsize)

        yield CheckResult(
            area="vectors", state=WRONG,
            says=f"{pluralize(len(damaged), 'memory has', 'memories have')} a damaged vector",
            fix=_DEEP_FIX, mend=drop,
        )  # fmt: skip
    unlisted, missing = checks.count_unlisted(), checks.count_unembedded()
    if unlisted or missing:

        def embed() -> None:
            checks.list_unembedded()
            core.remember.embed_missing(sys.maxsize)

        yield CheckResult(
            area="vectors",
            state=WRONG if unlisted else NOTE,
            says=f"{pluralize(unlisted + missing, 'memory has', 'memories have')} no vector yet: "
            "words alone find what has none",
            fix=_FIX,
            mend=embed,
        )
    elif not damaged:
        yield CheckResult(area="vectors", state=OK, says="every memory has its vectors")


def _texts(checks: Checks, scene: CheckContext) -> Iterator[CheckResult]:
    scene.progress("texts")
    altered = checks.altered_texts()
    if altered:
        said = f"the text is not the one that was stored: {shortened(altered)}"
        yield from damaged(scene, "texts", [said])
    else:
        yield CheckResult(area="texts", state=OK, says="every text is the one that was stored")


def _notes(core: ServiceContainer, scene: CheckContext) -> Iterator[CheckResult]:
    """Yield what hooks left and no sweep took."""
    import time

    waiting = [path for path in list_notes(scene.settings.notes_folder) if _age(path) > 0]
    stale = [path for path in waiting if time.time() - _age(path) > _STALE_SECONDS]

    def digest() -> None:
        from aforesaid.operations.session_sweep import digest_ended

        digest_ended(core.store, core.settings, scene.environment, retry_all=True)

    failed = list_retries(scene.settings.notes_folder)
    if failed:
        note = failed[-1][1]
        yield CheckResult(
            area="sessions", state=NOTE, fix="aforesaid digest", mend=digest,
            says=f"{pluralize(len(failed), 'session')} could not be digested and will be tried "
            f"again, {MAX_TRIES} times within a week in all; the last: {note.get('why')}",
        )  # fmt: skip
    if stale:
        yield CheckResult(
            area="sessions", state=WRONG, fix="aforesaid digest", mend=digest,
            says=f"{pluralize(len(stale), 'session waits', 'sessions wait')} for a digest since "
            "over an hour",
        )  # fmt: skip
    elif waiting:
        said = f"{pluralize(len(waiting), 'session waits', 'sessions wait')} for a digest"
        yield CheckResult(
            area="sessions", state=NOTE, says=said, fix="aforesaid digest", mend=digest
        )
    elif not failed:
        yield CheckResult(area="sessions", state=OK, says="none waits for its digest")


def _age(path: str) -> float:
    """Return when a file was written, 0 where it is gone."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
