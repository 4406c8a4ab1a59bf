"""Stores of the real services in a folder of their own, touching nothing of the user's."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bench.vectors import ReadySlot

from aforesaid.domain.model.memory import CallContext
from aforesaid.domain.model.statement import Statement
from aforesaid.wiring.container import ServiceContainer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.ports import Embedder
    from aforesaid.services.memories.results import StoreResult

_PLACES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
_BATCH = 64


@contextlib.contextmanager
def private_places() -> Iterator[str]:
    """Give settings and state a temporary folder of their own; yields it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        before = {name: os.environ.get(name) for name in _PLACES}
        os.environ.update({name: os.path.join(folder, name.lower()) for name in _PLACES})
        try:
            yield folder
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def open_core(path: str, embedder: Embedder) -> ServiceContainer:
    """Return all services over one file, with this embedder."""
    return ServiceContainer(os.environ, path=path, embedder=ReadySlot(embedder))


def make_place(core: ServiceContainer, project: str) -> CallContext:
    """Return the place of a project, made if new."""
    from aforesaid.services.projects.registry import context_for_project  # noqa: PLC0415 - imports the tools

    return context_for_project(core.projects.named(project))


def store_all(
    core: ServiceContainer,
    place: CallContext,
    statements: Sequence[Statement],
    sessions: Sequence[str] | None = None,
) -> list[StoreResult]:
    """Store statements in batches of one transaction each; returns what became of each.

    Args:
        core: the services.
        place: where all are said.
        statements: in the order in which they were said.
        sessions: in which session each was said; without it, in none.
    """
    done: list[StoreResult] = []
    pairs = list(zip(statements, sessions or [None] * len(statements), strict=True))
    for session, run in itertools.groupby(pairs, key=lambda pair: pair[1]):
        said = [statement for statement, _ in run]
        for start in range(0, len(said), _BATCH):
            batch = core.writer.store_many(
                said[start : start + _BATCH], place.replace(session=session)
            )
            done += [one for one in batch if one is not None]
    return done
