"""Stores that earlier releases created, unpacked for a test (tools/make_release_store.py)."""

from __future__ import annotations

import gzip
import json
import os
from typing import Any

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "stores")
VERSIONS = sorted(
    name.removesuffix(".db.gz") for name in os.listdir(FOLDER) if name.endswith(".db.gz")
)


def unpack(version: str, path: object) -> str:
    """Write the store of a release to a path; return the path."""
    content = gzip.decompress(_read(f"{version}.db.gz"))
    descriptor = os.open(str(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return str(path)


def export_of(version: str) -> str:
    """Return the export that the release made of its store."""
    return gzip.decompress(_read(f"{version}.jsonl.gz")).decode()


def description_of(version: str) -> dict[str, Any]:
    """Return the description of a release: its version and the hashes of its migrations."""
    description: dict[str, Any] = json.loads(_read(f"{version}.json"))
    return description


def missing_rows(before: str, after: str) -> list[dict[str, Any]]:
    """Return the rows missing in a later export, whose tables may have more columns."""
    later_rows = [row for row in map(json.loads, after.splitlines()) if "table" in row]
    return [
        row
        for row in map(json.loads, before.splitlines())
        if "table" in row
        and not any(
            later["table"] == row["table"] and row["row"].items() <= later["row"].items()
            for later in later_rows
        )
    ]


def _read(name: str) -> bytes:
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()
