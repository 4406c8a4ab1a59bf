"""``aforesaid`` at a shell: each module here adds the commands of one subject to the group."""

from __future__ import annotations

from . import (
    configuring,
    digesting,
    doctor,
    entities,
    everyday,
    ingesting,
    looking,
    processes,
    projects,
    relations,
    tasks,
    topics,
    transfer,
    watching,
)
from .group import aforesaid, main

__all__ = [
    "aforesaid",
    "configuring",
    "digesting",
    "doctor",
    "entities",
    "everyday",
    "ingesting",
    "looking",
    "main",
    "processes",
    "projects",
    "relations",
    "tasks",
    "topics",
    "transfer",
    "watching",
]
