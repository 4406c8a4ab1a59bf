"""Sums and angles of vectors, few enough that plain Python does. Pure."""

from __future__ import annotations

from array import array
from math import sqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def centroid(vectors: Iterable[bytes]) -> list[float] | None:
    """Return the mean direction of float32 vectors, L2-normalised; None of none."""
    total: list[float] = []
    for vector in vectors:
        numbers = array("f", vector)
        total = list(map(float.__add__, total, numbers)) if total else list(numbers)
    length = sqrt(sum(number * number for number in total))
    return [number / length for number in total] if length else None


def cosine(one: Iterable[float] | None, other: Iterable[float] | None) -> float:
    """Return the cosine of two directions; 0 where one is missing."""
    if one is None or other is None:
        return 0.0
    return sum(a * b for a, b in zip(one, other, strict=True))
