"""Reads git objects by id, loose or packed, without running git.

Each object is verified against its id. Only regular files in the repository's own folder are read:
no alternates, no replacements, no fetching. All sizes are bounded.

Source: gitformat-pack(5), gitrepository-layout(5).
"""

from __future__ import annotations

import os
import zlib

from aforesaid.adapters.git_reader.git_files import open_regular, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

_BASE_BYTES = 16 << 20  #: of a packed object's base; far above usual commits and trees
_MAX_PACKS = 1_000
_MAX_DELTAS = 256  # git's default limit of a chain is 50
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _NAME_DELTA = 6, 7
_INDEX_MARK = b"\xfftOc\0\0\0\x02"
_FAR = 0x80000000
_HEADER = 32  #: maximum bytes of a loose object's kind and size
_CHUNK = 1 << 16
_FIRST = (12).to_bytes(4, "big")  #: offset of a pack's first object, after the header
_MAX_SEARCHED = 100_000  #: objects of a pack, to search for the first one


class Objects:
    """The objects of one repository; packs are opened at first use."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._packs: list[_Pack] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for pack in self._packs or ():
            pack.close()
        self._packs = None

    def read(self, name: str, kind: str, max_bytes: int) -> bytes | None:
        """Return an object; None if it is missing, of another kind, too large, or damaged.

        Args:
            name: its id, 40 or 64 hex digits.
            kind: commit, tree or blob.
            max_bytes: the maximum size.
        """
        stored = self._loose(name, max_bytes) or self._packed(name, max_bytes)
        if stored is None:
            return _empty_tree(name, kind)
        stored_kind, content = stored
        is_valid = stored_kind == kind and _name_of(kind, content, len(name)) == name
        return content if is_valid else None

    def first_packed(self) -> list[str]:
        """Return the id of the first object of each pack: git puts new commits first."""
        return [name for pack in self._open_packs() if (name := pack.first_name()) is not None]

    def _open_packs(self) -> list[_Pack]:
        if self._packs is None:
            self._packs = list(_open_packs(os.path.join(self._folder, "pack")))
        return self._packs

    def _loose(self, name: str, max_bytes: int) -> tuple[str, bytes] | None:
        path = os.path.join(self._folder, name[:2], name[2:])
        raw = read_regular(path, _max_packed_size(max_bytes))
        if raw is None:
            return None
        try:
            text = zlib.decompressobj().decompress(raw, max_bytes + _HEADER)
        except zlib.error:
            return None
        head, _, content = text.partition(b"\0")
        kind, _, size = head.partition(b" ")
        if size != str(len(content)).encode() or len(content) > max_bytes:
            return None
        return kind.decode("ascii", "replace"), content

    def _packed(self, name: str, max_bytes: int) -> tuple[str, bytes] | None:
        objects = (pack.read(name, max_bytes) for pack in self._open_packs())
        return next((packed for packed in objects if packed is not None), None)


def _open_packs(folder: str) -> Iterator[_Pack]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".idx"))
    except OSError:
        return
    for name in names[:_MAX_PACKS]:
        base = os.path.join(folder, name.removesuffix(".idx"))
        index, pack = open_regular(f"{base}.idx"), open_regular(f"{base}.pack")
        if index is not None and pack is not None and os.pread(index, 8, 0) == _INDEX_MARK:
            yield _Pack(index, pack)
        else:
            for handle in (index, pack):
                if handle is not None:
                    os.close(handle)


class _Pack:
    """One pack with its index, version 2."""

    def __init__(self, index: int, pack: int) -> None:
        self._index = index
        self._pack = pack
        fan_out = os.pread(index, 1024, 8)
        self._counts = [int.from_bytes(fan_out[at : at + 4], "big") for at in range(0, 1024, 4)]

    def close(self) -> None:
        os.close(self._index)
        os.close(self._pack)

    def read(self, name: str, max_bytes: int) -> tuple[str, bytes] | None:
        """Return kind and content of an object; None if it is missing or damaged."""
        try:
            offset = self._find(bytes.fromhex(name))
            return None if offset is None else self._at(offset, max_bytes, len(name) // 2)
        except (OSError, ValueError, IndexError, OverflowError, zlib.error):
            return None  # damaged

    def first_name(self) -> str | None:
        """Return the id of the pack's first object; None if the index is too large."""
        total = self._counts[255]
        size = os.fstat(self._index).st_size
        for digits in (20, 32):  # SHA-1, SHA-256; only indexes without far offsets fit
            table = 8 + 1024 + total * (digits + 4)
            if size != table + total * 4 + 2 * digits or total > _MAX_SEARCHED:
                continue
            offsets = os.pread(self._index, total * 4, table)
            at = next((n for n in range(total) if offsets[4 * n : 4 * n + 4] == _FIRST), None)
            if at is not None:
                return os.pread(self._index, digits, 8 + 1024 + at * digits).hex()
        return None

    def _find(self, name: bytes) -> int | None:
        """Return the offset of an object in the pack."""
        digits, total = len(name), self._counts[255]
        low = self._counts[name[0] - 1] if name[0] else 0
        high = min(self._counts[name[0]], total)
        names = 8 + 1024
        while low < high:
            middle = (low + high) // 2
            candidate = os.pread(self._index, digits, names + middle * digits)
            if candidate == name:
                return self._offset(names + total * (digits + 4), middle, total)
            if len(candidate) < digits or candidate > name:
                high = middle
            else:
                low = middle + 1
        return None

    def _offset(self, table: int, index: int, total: int) -> int:
        short = int.from_bytes(os.pread(self._index, 4, table + index * 4), "big")
        if short < _FAR:
            return short
        long = table + total * 4 + (short - _FAR) * 8
        return int.from_bytes(os.pread(self._index, 8, long), "big")

    def _at(self, offset: int, max_bytes: int, digits: int) -> tuple[str, bytes] | None:
        """Return the object at an offset: its base with all deltas applied."""
        deltas: list[bytes] = []
        deltas_bytes = 0
        while len(deltas) < _MAX_DELTAS:
            kind, size, data = self._head(offset)
            if kind in _KINDS:
                content = self._inflate(data, size, max_bytes if not deltas else _BASE_BYTES)
                for number, delta in enumerate(reversed(deltas), 1):
                    is_last = number == len(deltas)
                    content = _apply_delta(content, delta, max_bytes if is_last else _BASE_BYTES)
                return _KINDS[kind], content
            if kind == _OFFSET_DELTA:
                distance, data = self._distance(data)
                base = offset - distance
            elif kind == _NAME_DELTA:
                base_offset = self._find(os.pread(self._pack, digits, data))
                base, data = (-1 if base_offset is None else base_offset), data + digits
            else:
                return None
            deltas.append(self._inflate(data, size, _BASE_BYTES))
            deltas_bytes += size
            if base <= 0 or base == offset or deltas_bytes > _BASE_BYTES:
                return None
            offset = base
        return None

    def _head(self, offset: int) -> tuple[int, int, int]:
        """Return kind, size and the offset of the data."""
        raw = os.pread(self._pack, 16, offset)
        byte = raw[0]
        kind, size, shift, used = byte >> 4 & 7, byte & 15, 4, 1
        while byte & 128:
            byte = raw[used]
            size |= (byte & 127) << shift
            shift += 7
            used += 1
        return kind, size, offset + used

    def _distance(self, offset: int) -> tuple[int, int]:
        """Return the distance back to the base, and the offset of the data."""
        raw = os.pread(self._pack, 16, offset)
        byte = raw[0]
        distance, used = byte & 127, 1
        while byte & 128:
            byte = raw[used]
            distance = ((distance + 1) << 7) | (byte & 127)
            used += 1
        return distance, offset + used

    def _inflate(self, offset: int, size: int, max_bytes: int) -> bytes:
        if size > max_bytes:
            raise ValueError("object too large")
        inflater = zlib.decompressobj()
        content = b""
        remaining = _max_packed_size(size)
        while len(content) < size and remaining > 0:
            chunk = os.pread(self._pack, min(_CHUNK, remaining), offset)
            if not chunk:
                break
            content += inflater.decompress(chunk, size - len(content))
            offset += len(chunk)
            remaining -= len(chunk)
        if len(content) != size:
            raise ValueError("object truncated")
        return content


def _apply_delta(base: bytes, delta: bytes, max_bytes: int) -> bytes:
    """Apply a delta to its base.

    Raises:
        ValueError: the delta does not fit the base, or its result is too large.
        IndexError: the delta is truncated.
    """
    from_size, at = _varint(delta, 0)
    to_size, at = _varint(delta, at)
    if from_size != len(base) or to_size > max_bytes:
        raise ValueError("delta of another object, or result too large")
    result = bytearray()
    while at < len(delta):
        instruction = delta[at]
        at += 1
        if instruction & 128:  # copy from the base
            start = length = 0
            for bit in range(7):
                if instruction & 1 << bit:
                    if bit < 4:  # noqa: PLR2004 - four bytes of offset, then three of length
                        start |= delta[at] << 8 * bit
                    else:
                        length |= delta[at] << 8 * (bit - 4)
                    at += 1
            result += base[start : start + (length or 0x10000)]
        elif instruction:  # insert from the delta
            result += delta[at : at + instruction]
            at += instruction
        else:
            raise ValueError("unknown delta instruction")
        if len(result) > to_size:
            raise ValueError("result longer than declared")
    if len(result) != to_size:
        raise ValueError("result shorter than declared")
    return bytes(result)


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if not byte & 128:
            return value, at


def _max_packed_size(size: int) -> int:
    """Return an upper bound of the compressed size: twice what zlib guarantees."""
    return 2 * size + _CHUNK


def _name_of(kind: str, content: bytes, digits: int) -> str:
    import hashlib  # imported here because it loads OpenSSL, and most sessions commit nothing

    new_hash = hashlib.sha1 if digits == 40 else hashlib.sha256  # noqa: PLR2004 - SHA-1
    data = f"{kind} {len(content)}\0".encode() + content
    return new_hash(data, usedforsecurity=False).hexdigest()


def _empty_tree(name: str, kind: str) -> bytes | None:
    """Return the empty tree, which git does not store."""
    return b"" if kind == "tree" and name == _name_of("tree", b"", len(name)) else None
