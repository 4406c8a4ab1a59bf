"""Counts in words: "1 memory", "2 memories"."""

from __future__ import annotations


def pluralize(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun; the plural defaults to the singular with an s."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"
