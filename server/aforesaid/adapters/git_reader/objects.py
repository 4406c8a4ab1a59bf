"""Reads objects of a repository by their names, loose or packed, without any process.

Here: commits, trees and blobs, each checked against its own name. Not here: which of them are asked
for (session_commits.py). Only regular files of the repository's own folder are read: no alternates,
no replacements, nothing is fetched. All sizes are bounded.

Source: gitformat-pack(5), gitrepository-layout(5).
"""

from __future__ import annotations

import os
import zlib

from aforesaid.adapters.git_reader.files import open_regular, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

#: Of what a packed object is made from; no commit or tree that people make comes near.
_BASE_BYTES = 16 << 20
_MAX_PACKS = 1_000
_MAX_DELTAS = 256  # git packs 50 in a row unless told otherwise
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _NAME_DELTA = 6, 7
_INDEX_MARK = b"\xfftOc\0\0\0\x02"
_FAR = 0x80000000
_HEADER = 32  #: bytes that a loose object's kind and size take at most
_CHUNK = 1 << 16
_FIRST = (12).to_bytes(4, "big")  #: where the first object of a pack begins, after its header
_MAX_SEARCHED = 100_000  #: objects of a pack among which the first one is searched


class Objects:
    """The objects of one repository, open until closed."""

    def __init__(self, folder: str) -> None:
        """Name the folder that holds them; nothing is opened yet."""
        self._folder = folder
        self._packs: list[_Pack] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for pack in self._packs or ():
            pack.close()
        self._packs = None

    def read(self, name: str, kind: str, most: int) -> bytes | None:
        """Return an object; None if it is not there, of another kind, larger, or not what it says.

        Args:
            name: 40 or 64 hex digits.
            kind: commit, tree or blob.
            most: bytes.
        """
        found = self._loose(name, most) or self._packed(name, most)
        if found is None:
            return _empty_tree(name, kind)
        told, content = found
        return content if told == kind and _name_of(told, content, len(name)) == name else None

    def first_packed(self) -> list[str]:
        """Return the name of the object that each pack begins with: git puts new commits first."""
        if self._packs is None:
            self._packs = list(_open_packs(os.path.join(self._folder, "pack")))
        return [name for pack in self._packs if (name := pack.first_name()) is not None]

    def _loose(self, name: str, most: int) -> tuple[str, bytes] | None:
        path = os.path.join(self._folder, name[:2], name[2:])
        raw = read_regular(path, _packed_size(most))
        if raw is None:
            return None
        try:
            text = zlib.decompressobj().decompress(raw, most + _HEADER)
        except zlib.error:
            return None
        head, _, content = text.partition(b"\0")
        kind, _, size = head.partition(b" ")
        if size != str(len(content)).encode() or len(content) > most:
            return None
        return kind.decode("ascii", "replace"), content

    def _packed(self, name: str, most: int) -> tuple[str, bytes] | None:
        if self._packs is None:
            self._packs = list(_open_packs(os.path.join(self._folder, "pack")))
        for pack in self._packs:
            found = pack.read(name, most)
            if found is not None:
                return found
        return None


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

    def read(self, name: str, most: int) -> tuple[str, bytes] | None:
        """Return kind and content of an object; None if it is not here or cannot be read."""
        try:
            at = self._find(bytes.fromhex(name))
            return None if at is None else self._at(at, most, len(name) // 2)
        except (OSError, ValueError, IndexError, OverflowError, zlib.error):
            return None  # damaged

    def first_name(self) -> str | None:
        """Return the name of the first object of the pack; None where the index is too large."""
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
        """Return where an object begins in the pack."""
        digits, total = len(name), self._counts[255]
        low = self._counts[name[0] - 1] if name[0] else 0
        high = min(self._counts[name[0]], total)
        names = 8 + 1024
        while low < high:
            middle = (low + high) // 2
            seen = os.pread(self._index, digits, names + middle * digits)
            if seen == name:
                return self._offset(names + total * (digits + 4), middle, total)
            if len(seen) < digits or seen > name:
                high = middle
            else:
                low = middle + 1
        return None

    def _offset(self, table: int, place: int, total: int) -> int:
        near = int.from_bytes(os.pread(self._index, 4, table + place * 4), "big")
        if near < _FAR:
            return near
        far = table + total * 4 + (near - _FAR) * 8
        return int.from_bytes(os.pread(self._index, 8, far), "big")

    def _at(self, at: int, most: int, digits: int) -> tuple[str, bytes] | None:
        """Return the object at a place: its base, changed by one delta after another."""
        deltas: list[bytes] = []
        held = 0
        while len(deltas) < _MAX_DELTAS:
            kind, size, data = self._head(at)
            if kind in _KINDS:
                content = self._inflate(data, size, most if not deltas else _BASE_BYTES)
                for place, delta in enumerate(reversed(deltas), 1):
                    last = place == len(deltas)
                    content = _changed(content, delta, most if last else _BASE_BYTES)
                return _KINDS[kind], content
            if kind == _OFFSET_DELTA:
                back, data = self._distance(data)
                base = at - back
            elif kind == _NAME_DELTA:
                found = self._find(os.pread(self._pack, digits, data))
                base, data = (-1 if found is None else found), data + digits
            else:
                return None
            deltas.append(self._inflate(data, size, _BASE_BYTES))
            held += size
            if base <= 0 or base == at or held > _BASE_BYTES:
                return None
            at = base
        return None

    def _head(self, at: int) -> tuple[int, int, int]:
        """Return kind, size and where the data begins."""
        raw = os.pread(self._pack, 16, at)
        byte = raw[0]
        kind, size, shift, used = byte >> 4 & 7, byte & 15, 4, 1
        while byte & 128:
            byte = raw[used]
            size |= (byte & 127) << shift
            shift += 7
            used += 1
        return kind, size, at + used

    def _distance(self, at: int) -> tuple[int, int]:
        """Return how far back the base lies, and where the data begins."""
        raw = os.pread(self._pack, 16, at)
        byte = raw[0]
        back, used = byte & 127, 1
        while byte & 128:
            byte = raw[used]
            back = ((back + 1) << 7) | (byte & 127)
            used += 1
        return back, at + used

    def _inflate(self, at: int, size: int, most: int) -> bytes:
        if size > most:
            raise ValueError("larger than asked for")
        inflater = zlib.decompressobj()
        made = b""
        left = _packed_size(size)
        while len(made) < size and left > 0:
            chunk = os.pread(self._pack, min(_CHUNK, left), at)
            if not chunk:
                break
            made += inflater.decompress(chunk, size - len(made))
            at += len(chunk)
            left -= len(chunk)
        if len(made) != size:
            raise ValueError("cut off")
        return made


def _changed(base: bytes, delta: bytes, most: int) -> bytes:
    """Return what a delta makes of its base.

    Raises:
        ValueError: it does not fit that base, or makes too much.
        IndexError: it is cut off.
    """
    from_size, at = _varint(delta, 0)
    to_size, at = _varint(delta, at)
    if from_size != len(base) or to_size > most:
        raise ValueError("delta of another object, or too large")
    made = bytearray()
    while at < len(delta):
        order = delta[at]
        at += 1
        if order & 128:
            start = length = 0
            for bit in range(7):
                if order & 1 << bit:
                    if bit < 4:  # noqa: PLR2004 - four bytes of place, then three of length
                        start |= delta[at] << 8 * bit
                    else:
                        length |= delta[at] << 8 * (bit - 4)
                    at += 1
            made += base[start : start + (length or 0x10000)]
        elif order:
            made += delta[at : at + order]
            at += order
        else:
            raise ValueError("unknown order")
        if len(made) > to_size:
            raise ValueError("longer than it says")
    if len(made) != to_size:
        raise ValueError("shorter than it says")
    return bytes(made)


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if not byte & 128:
            return value, at


def _packed_size(size: int) -> int:
    """Return what so many bytes need at most when compressed; twice what zlib promises."""
    return 2 * size + _CHUNK


def _name_of(kind: str, content: bytes, digits: int) -> str:
    import hashlib  # late: it loads OpenSSL, and most sessions commit nothing

    maker = hashlib.sha1 if digits == 40 else hashlib.sha256  # noqa: PLR2004 - git has these two
    return maker(f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()


def _empty_tree(name: str, kind: str) -> bytes | None:
    """Return the empty tree, which git knows without storing it."""
    return b"" if kind == "tree" and name == _name_of("tree", b"", len(name)) else None
