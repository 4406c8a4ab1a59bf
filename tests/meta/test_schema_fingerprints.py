"""The fingerprints with which a store's schema is compared cheaply, one for each migration."""

from __future__ import annotations

from aforesaid.adapters.sqlite.schema import MIGRATIONS
from aforesaid.adapters.sqlite.schema_fingerprints import FINGERPRINTS, fingerprint, read_objects
from aforesaid.adapters.sqlite.schema_objects import build


def test_each_migration_has_the_fingerprint_of_the_schema_that_it_makes() -> None:
    made = tuple(
        fingerprint(read_objects(build(MIGRATIONS[: number + 1])))
        for number in range(len(MIGRATIONS))
    )
    assert made == FINGERPRINTS, f"FINGERPRINTS of schema_fingerprints.py must be {made}"
