"""How many cases a property test generates: few on every change, many at night.

Here: the number. Not here: the profiles that it follows (conftest.py).
"""

from __future__ import annotations

from hypothesis import settings

#: A share of a number that is 100 where a test asks for its full number.
FULL = 100
LEAST = 10


def examples(full: int) -> int:
    """Return how many cases the profile in use wants of a test whose full number this is."""
    return max(min(full, LEAST), full * settings.default.max_examples // FULL)
