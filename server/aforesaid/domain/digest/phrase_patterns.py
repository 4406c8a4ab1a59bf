"""The phrases of lexicon/phrases, compiled at first use."""

from __future__ import annotations

import re
from functools import cache

from aforesaid.lexicon.phrases import PATTERNS


@cache
def phrase_pattern(*kinds: str) -> re.Pattern[str]:
    """Return the pattern that matches a phrase of one of these kinds."""
    return re.compile("|".join(PATTERNS[kind] for kind in kinds), re.IGNORECASE)


def matches(text: str, *kinds: str) -> bool:
    """Tell whether a text has a phrase of one of these kinds."""
    return phrase_pattern(*kinds).search(text) is not None
