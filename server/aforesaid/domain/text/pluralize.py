"""How many there are, as a person says it."""

from __future__ import annotations


def pluralize(count: int, one: str, more: str | None = None) -> str:
    """Return how many there are, in the singular or plural (``more``, else with an s)."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
