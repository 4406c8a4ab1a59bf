"""The number of cases that a property test generates: few in normal runs, many in nightly runs.

Not here: the Hypothesis profiles that determine it (conftest.py).
"""

from __future__ import annotations

from hypothesis import settings

FULL_PERCENT = 100  #: ``max_examples`` of a profile that runs every case
MIN_CASES = 10


def examples(full: int) -> int:
    """Return how many of a test's ``full`` cases the current profile runs."""
    return max(min(full, MIN_CASES), full * settings.default.max_examples // FULL_PERCENT)
