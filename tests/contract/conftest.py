"""The stores that every contract about stores is checked with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aforesaid.ports import Store
from factories import open_sqlite

#: The second compares bits first and plans its full-text queries, as large stores do.
OPENED = {"sqlite": {}, "sqlite as if large": {"exact_vectors": 0, "whole_words": 0}}


@pytest.fixture(params=OPENED)
def store(request: pytest.FixtureRequest, tmp_path) -> Iterator[Store]:
    created = open_sqlite(tmp_path / "m.db", **OPENED[request.param])
    yield created
    created.close()
