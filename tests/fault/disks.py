"""Disks that fail or forget, under the real engine: SQLite file systems made of Python.

Here: what a disk does. Not here: what is asked of it, and what must hold after (oracle.py).
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

REAL = "unix"
SECTOR = 512  #: bytes that a disk writes whole or not at all


class Step(NamedTuple):
    """One thing that was asked of a disk: ``data`` at ``offset``, a new size, or all to be kept."""

    file: str
    kind: str  #: write, truncate or sync
    offset: int = 0
    data: bytes = b""


class FailingDisk(apsw.VFS):
    """Fails one step, counted from when it is armed, or every one from there on."""

    def __init__(self) -> None:
        super().__init__("failing", REAL)
        self.left: int | None = None  #: steps until it fails; None never
        self.lasting = False
        self.error: type[apsw.Error] = apsw.IOError
        self.failed = 0

    def xOpen(self, name: Any, flags: list[int]) -> Any:
        self.step()
        return _FailingFile(self, name, flags)

    def step(self) -> None:
        """Count one step.

        Raises:
            apsw.Error: it is the one that fails.
        """
        if self.left is None:
            return
        self.left -= 1
        if self.left == 0 or (self.left < 0 and self.lasting):
            self.failed += 1
            raise self.error("the disk fails")


class _FailingFile(apsw.VFSFile):
    def __init__(self, disk: FailingDisk, name: Any, flags: list[int]) -> None:
        super().__init__(REAL, name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.step()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._disk.step()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        self._disk.step()
        super().xTruncate(size)


class RecordingDisk(apsw.VFS):
    """Keeps a list of all that is written, and of when it was asked to be kept."""

    def __init__(self) -> None:
        super().__init__("recording", REAL)
        self.steps: list[Step] = []

    def xOpen(self, name: Any, flags: list[int]) -> Any:
        return _RecordedFile(self, name, flags)


class _RecordedFile(apsw.VFSFile):
    def __init__(self, disk: RecordingDisk, name: Any, flags: list[int]) -> None:
        super().__init__(REAL, name, flags)
        self._steps = disk.steps
        self._name = os.path.basename(name.filename() if hasattr(name, "filename") else name)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._steps.append(Step(self._name, "write", offset, bytes(data)))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._steps.append(Step(self._name, "sync"))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._steps.append(Step(self._name, "truncate", size))


@contextmanager
def mounted(disk: apsw.VFS, name: str) -> Iterator[None]:
    """Make a disk the one that every new connection uses."""
    apsw.set_default_vfs(name)
    try:
        yield
    finally:
        apsw.set_default_vfs(REAL)
        disk.unregister()


def after_power_cut(
    start: dict[str, bytes], steps: Sequence[Step], chance: random.Random | None = None
) -> dict[str, bytes]:
    """Return what files hold when the power goes after these steps.

    Args:
        start: what each held before.
        steps: all that was asked of the disk, in order.
        chance: draws which sectors written since the last sync of their file arrived, in any
            order; None if the disk wrote everything at once.
    """
    held = {name: bytearray(content) for name, content in start.items()}
    last_sync = {item.file: at for at, item in enumerate(steps) if item.kind == "sync"}
    loose: list[Step] = []
    for at, item in enumerate(steps):
        if chance is None or at < last_sync.get(item.file, -1):
            _apply(held, item)
        else:
            loose += _sectors(item)
    if chance is not None:
        loose = [item for item in loose if chance.random() < 0.5]
        chance.shuffle(loose)
        for item in loose:
            _apply(held, item)
    return {name: bytes(content) for name, content in held.items()}


def _sectors(step: Step) -> list[Step]:
    if step.kind != "write":
        return [step]
    cut = SECTOR - step.offset % SECTOR
    starts = [0, *range(cut, len(step.data), SECTOR)]
    ends = [*starts[1:], len(step.data)]
    return [
        step._replace(offset=step.offset + start, data=step.data[start:end])
        for start, end in zip(starts, ends, strict=True)
    ]


def _apply(held: dict[str, bytearray], step: Step) -> None:
    if step.kind == "sync":
        return
    content = held.setdefault(step.file, bytearray())
    if step.kind == "truncate":
        del content[step.offset :]
        return
    content.extend(bytes(max(step.offset - len(content), 0)))
    content[step.offset : step.offset + len(step.data)] = step.data
