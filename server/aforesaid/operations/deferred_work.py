"""Work done after a call is answered: recording usage, cleaning the file, missing vectors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aforesaid.wiring.container import ServiceContainer

EMBED_EVERY_SECONDS = 30.0
_MAX_MEMORIES, _MAX_ENTITIES = 256, 64  #: embedded at a time


def run_deferred_work(core: ServiceContainer) -> None:
    """Record usage and clean erased bytes; at intervals, embed what has no vector."""
    core.record_usage()
    core.store.finish_cleaning()
    embedder = core.embedder.peek()
    if embedder is None or time.monotonic() - core.embedded_at < EMBED_EVERY_SECONDS:
        return
    from .reembed import upgrade_shipped_model

    core.embedded_at = time.monotonic()
    upgrade_shipped_model(core.store, core.settings)
    core.writer.embed_missing(_MAX_MEMORIES)
    core.entity_search.embed_missing(_MAX_ENTITIES)
