"""A process that tends a store slowly while tests kill it: its argument is the database."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from bench.hashed_embedder import HashedEmbedder

from aforesaid.config import load_settings
from aforesaid.domain.errors import ConflictError
from aforesaid.operations.maintenance import make_phases
from aforesaid.services.maintenance.runner import MaintenanceRunner
from factories import TickingClock, open_sqlite
from maintenance_store import NOW


def main() -> None:
    store = open_sqlite(sys.argv[1])
    embedder = HashedEmbedder()
    phases = make_phases(store, load_settings(os.environ), os.environ, lambda: embedder)
    tend = MaintenanceRunner(store, TickingClock(NOW), phases, lambda _held: time.sleep(0.01))
    sys.stdout.write("tending\n")
    sys.stdout.flush()
    if sys.argv[2:] == ["undo"]:
        with contextlib.suppress(ConflictError):  # the one before was killed after its last step
            tend.undo(store.runs.latest(1)[0].key, lambda _count: time.sleep(0.01))
    else:
        tend.run()
    store.close()


main()
