"""What a call leaves to be done once it is answered: uses, erased bytes, missing vectors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aforesaid.wiring.container import ServiceContainer

EMBED_EVERY_SECONDS = 30.0
_MEMORIES, _ENTITIES = 256, 64  #: that are embedded at a time


def run_deferred_work(core: ServiceContainer) -> None:
    """Write uses down and clean erased bytes; now and then embed what has no vector."""
    core.write_uses()
    core.store.finish_cleaning()
    embedder = core.embedder.peek()
    if embedder is None or time.monotonic() - core.embedded_at < EMBED_EVERY_SECONDS:
        return
    from .reembed import resume_change, schedule_shipped_upgrade

    core.embedded_at = time.monotonic()
    schedule_shipped_upgrade(core.store, embedder)
    resume_change(core.store, core.settings)
    core.remember.embed_missing(_MEMORIES)
    core.entity_search.embed_missing(_ENTITIES)
