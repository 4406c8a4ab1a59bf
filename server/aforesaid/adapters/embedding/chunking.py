"""Splits a long text into overlapping chunks of a model's input size."""

from __future__ import annotations

from collections.abc import Sequence

MAX_WINDOWS = 64  #: per text (ports.Embedder), so that one text cannot dominate an index
MAX_CHARACTERS = 262_144  #: of a text; content has at most 32,000


def cut_windows(opens_word: Sequence[bool], *, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return the chunks of a sequence of tokens or words as ``(start, end)``, end exclusive.

    They are in order and without gaps: at least one, at most 64; the rest of the text is ignored. A
    chunk starts and ends between words if there is such a boundary within its last quarter.

    Args:
        opens_word: for each token, whether a word starts with it.
        size: the maximum number of tokens in a chunk.
        overlap: about how many tokens neighbouring chunks share; less than half the size.
    """
    if not 0 <= overlap < size / 2:
        raise ValueError(f"overlap {overlap} is not between 0 and half the window size {size}")
    count = len(opens_word)
    windows: list[tuple[int, int]] = []
    start = 0
    while count - start > size and len(windows) < MAX_WINDOWS:
        end = _first_opening(opens_word, range(start + size, start + size - size // 4 - 1, -1))
        windows.append((start, end))
        start = _first_opening(opens_word, range(end - overlap, end + 1))
    if len(windows) < MAX_WINDOWS:
        windows.append((start, count))
    return windows


def _first_opening(opens_word: Sequence[bool], indexes: range) -> int:
    """Return the first index at which a word starts, or else the first index."""
    return next((index for index in indexes if opens_word[index]), indexes[0])
