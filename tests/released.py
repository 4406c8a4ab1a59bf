"""The stores of releases, unpacked for a test; tools/make_release_store.py makes them."""

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
    """Write the store of a release to a path; return that."""
    content = gzip.decompress(_read(f"{version}.db.gz"))
    descriptor = os.open(str(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return str(path)


def export_of(version: str) -> str:
    """Return what that release exported of its store."""
    return gzip.decompress(_read(f"{version}.jsonl.gz")).decode()


def description_of(version: str) -> dict[str, Any]:
    """Return what is known of a release: its version and the hashes of its migrations."""
    described: dict[str, Any] = json.loads(_read(f"{version}.json"))
    return described


def missing_rows(before: str, after: str) -> list[dict[str, Any]]:
    """Return the rows of an export that a later one lacks; later tables may have more columns."""
    held = [one for one in map(json.loads, after.splitlines()) if "table" in one]
    return [
        one
        for one in map(json.loads, before.splitlines())
        if "table" in one
        and not any(
            other["table"] == one["table"] and one["row"].items() <= other["row"].items()
            for other in held
        )
    ]


def _read(name: str) -> bytes:
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()
