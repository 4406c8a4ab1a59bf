"""Cuts a long text into the overlapping windows that a model can read.

Here: where windows start and end, over pieces of any kind (tokens, words). Not here: tokenising.
Next: onnx.py and hashed.py use it.
"""

from __future__ import annotations

from collections.abc import Sequence

#: A port's promise (ports.Embedder): more would let one text crowd out an index.
MAX_WINDOWS = 64
#: What is read of one text at most. Content ends at 32,000 characters; this bounds all else.
MAX_CHARACTERS = 262_144


def cut_windows(opens_word: Sequence[bool], *, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return the windows over the pieces, as ``(start, end)`` with the end left out.

    They are in order and leave nothing between them; at least one, at most 64: what comes after
    the last is not read. A window starts and ends between words where there is such a place
    within the last quarter of it, else wherever it must.

    Args:
        opens_word: For each piece whether a word starts with it.
        size: The most pieces in a window.
        overlap: How many pieces about two neighbours share, so that what one cuts the other has;
            less than half the size.
    """
    if not 0 <= overlap < size / 2:
        raise ValueError(f"overlap {overlap} is not within 0 and half the window size {size}")
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


def _first_opening(opens_word: Sequence[bool], places: range) -> int:
    """Return the first place where a word starts, else the first place."""
    return next((place for place in places if opens_word[place]), places[0])
