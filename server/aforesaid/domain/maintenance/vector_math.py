"""Centroids and cosines of a few vectors, in plain Python."""

from __future__ import annotations

from array import array
from math import sqrt

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.embedding_model import ModelVector


class UnitVector(Value):
    """An L2-normalised vector of one model."""

    model: str
    numbers: tuple[float, ...]


def centroid(vectors: Iterable[ModelVector]) -> UnitVector | None:
    """Return the normalised mean of vectors of one model; None without any, or if it is zero."""
    total: list[float] = []
    model = ""
    for vector in vectors:
        numbers = array("f", vector)
        total = list(map(float.__add__, total, numbers)) if total else list(numbers)
        model = vector.model
    length = sqrt(sum(number * number for number in total))
    if not length:
        return None
    return UnitVector(model=model, numbers=tuple(number / length for number in total))


def cosine(a: UnitVector | None, b: UnitVector | None) -> float:
    """Return the cosine of two vectors; 0 if one is missing, or they are of different models.

    The active model may change during maintenance; vectors of two models are not comparable.
    """
    if a is None or b is None or a.model != b.model:
        return 0.0
    return sum(left * right for left, right in zip(a.numbers, b.numbers, strict=True))
