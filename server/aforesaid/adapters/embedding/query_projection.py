"""What a question's vector becomes before it is compared: a small learned linear map.

A question is worded otherwise than what answers it, and some texts are near to every question. The
map moves the question only, so that stored vectors stay as they are. Here: what a map is, and
applying it. Not here: how it was learned (bench/query_map, docs/adr/0031-query-map.md).
"""

from __future__ import annotations

from typing import Any

from aforesaid.domain.errors import CorruptError

FILE = "query_map.f2"
#: What the vector is followed by, so that the map's last row is added to each.
CONSTANT = 0.5


class QueryProjection:
    """A matrix ``(dimensions + 1, dimensions)`` that each question's vector is multiplied by."""

    def __init__(self, numpy: Any, content: bytes, dimensions: int) -> None:
        """Read the map.

        Args:
            numpy: the package.
            content: float16, little-endian, row by row.
            dimensions: of a vector.

        Raises:
            CorruptError: it is no map of so many dimensions.
        """
        if len(content) != 2 * (dimensions + 1) * dimensions:
            raise CorruptError(
                f"the query map has {len(content)} bytes, which is no map of {dimensions} "
                f"dimensions; recall works by words alone. Install Aforesaid anew to get it back."
            )
        self._numpy = numpy
        table = numpy.frombuffer(content, "<f2").astype("<f4").reshape(dimensions + 1, dimensions)
        self._turn, self._shift = table[:-1], CONSTANT * table[-1]

    def apply(self, vector: bytes) -> bytes:
        """Return what is compared in place of a question's vector, L2-normalised like it."""
        moved = self._numpy.frombuffer(vector, "<f4") @ self._turn + self._shift
        length = float(self._numpy.sqrt((moved * moved).sum()))
        if length == 0.0:
            return vector
        mapped: bytes = (moved / length).astype("<f4").tobytes()
        return mapped
