"""Processes that write to a store while tests kill them; run by test_store_faults.py.

``python writers.py MODE DATABASE LEDGER ...``: a line goes to the ledger only after the store has
returned. Here: what a writer does. Not here: who is killed, and the oracle.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import TYPE_CHECKING

import apsw

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.statement import Statement
from factories import Services, open_sqlite

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.model.memory import CallContext


def note(path: str, line: str) -> None:
    """Append a line; whole, since it is one write."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def open_services(database: str) -> tuple[Services, CallContext]:
    """Open the store as a server does, with ids of chance."""
    from aforesaid.adapters.system.machine import SystemClock, Uuid7Source
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.services.memories.writer import MemoryWriter

    services = Services(open_sqlite(database))
    services.remember = MemoryWriter(
        services.store, SystemClock(), Uuid7Source(), lambda: services.embedder, None
    )
    return services, CallContext(project=services.projects.default())


def store_one(services: Services, context: CallContext, uid: str) -> None:
    """Store one memory that can be told from all others."""
    services.remember.store(
        Statement(content=f"uid {uid} has a value of its own", tags=("fault",)), context
    )


def store_many(database: str, ledger: str, name: str, count: str) -> None:
    """Store so many memories, each in the ledger once it is acknowledged."""
    services, context = open_services(database)
    for number in range(int(count)):
        uid = f"{name}x{number}"
        store_one(services, context, uid)
        note(ledger, uid)
    services.store.close()


def die_at_points(database: str, ledger: str, *points: str) -> None:
    """Store once in a child for each point; the child dies there, so many engine steps in."""
    for point in map(int, points):
        child = os.fork()
        if child == 0:
            services, context = open_services(database)
            connection = services.store.database.connection()
            connection.set_progress_handler(_killer(point), 5)
            store_one(services, context, f"point{point}")
            note(ledger, f"point{point}")
            os._exit(0)
        os.waitpid(child, 0)


def _killer(steps: int) -> Callable[[], bool]:
    left = steps

    def kill_in_the_end() -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
        return False

    return kill_in_the_end


def open_together(folder: str, ledger: str, rounds: str, processes: str) -> None:
    """Let processes open one fresh database at the same moment, again and again."""
    for number in range(int(rounds)):
        gate_out, gate_in = os.pipe()
        children = []
        for _ in range(int(processes)):
            child = os.fork()
            if child == 0:
                os.close(gate_in)
                os.read(gate_out, 1)  # until the last writer of the gate closes it
                try:
                    store = open_sqlite(os.path.join(folder, f"{number}.db"))
                    with store.transaction():
                        store.set_meta(f"process {os.getpid()}", "was here")
                    note(ledger, f"{number}")
                except AforesaidError as error:
                    note(ledger, f"failed: {error}")
                os._exit(0)
            children.append(child)
        os.close(gate_in)
        os.close(gate_out)
        for child in children:
            os.waitpid(child, 0)


def fill_up(database: str, ledger: str, sizes: str) -> None:
    """Store in a child for each limit on the length of files; say what the caller was told."""
    for size in sizes.split(","):
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))
            done = 0
            try:
                services, context = open_services(database)
                for number in range(20):
                    store_one(services, context, f"size{size}x{number}")
                    done += 1
            except AforesaidError as error:
                text = f"{type(error).__name__} {error}"
            else:
                text = "stored"
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            for number in range(done):
                note(ledger, f"size{size}x{number}")
            note(f"{ledger}.told", text)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    modes = (store_many, die_at_points, open_together, fill_up)
    try:
        next(mode for mode in modes if mode.__name__ == sys.argv[1])(*sys.argv[2:])
    except (AforesaidError, apsw.Error) as error:
        note(f"{sys.argv[3]}.errors", f"{type(error).__name__}: {error}")
        raise
