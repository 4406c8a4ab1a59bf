"""Sums and angles of vectors, few enough that plain Python does. Pure."""

from __future__ import annotations

from array import array
from math import sqrt

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.embedding_model import ModelVector


class UnitVector(Value):
    """Where something lies among the vectors of one model."""

    model: str
    numbers: tuple[float, ...]  #: L2-normalised


def centroid(vectors: Iterable[ModelVector]) -> UnitVector | None:
    """Return the mean direction of vectors that one model made; None of none."""
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


def cosine(one: UnitVector | None, other: UnitVector | None) -> float:
    """Return the cosine of two directions; 0 where one is missing, or another model's.

    One model may come to serve while maintenance compares: two models say nothing of each other.
    """
    if one is None or other is None or one.model != other.model:
        return 0.0
    return sum(a * b for a, b in zip(one.numbers, other.numbers, strict=True))
