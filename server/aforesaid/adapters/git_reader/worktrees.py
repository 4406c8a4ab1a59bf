"""Checks that a folder is a worktree of a repository outside it.

A ``.git`` file or link, and a ``commondir``, can name any repository on the machine, and can come
with an archive. They count only if the repository itself records the folder: in the ``gitdir`` file
of a linked worktree, in ``core.worktree`` of a submodule, or by an index that lists files of the
folder (``git init --separate-git-dir`` records nothing else).

Source: gitrepository-layout(5), gitformat-index(5).
"""

from __future__ import annotations

import os

from aforesaid.adapters.git_reader.git_files import read_regular

_INDEX_BYTES = 1 << 16  #: the first entries are enough
_MAX_ENTRIES = 100
_HEADER_BYTES = 12
_STAT_BYTES = 40  #: of an entry, before the object's id
_FLAG_BYTES = 2
_EXTENDED = 0x4000  #: flag of an entry that has two more bytes of flags
_PREFIXED = 4  #: the version of the index whose names share prefixes
_WORD = 0xFFFFFFFF  #: the index stores the last 32 bits of each number


def is_worktree_of(folder: str, git_dir: str, common_dir: str, configured: str | None) -> bool:
    """Return whether a folder is a worktree of the repository that its ``.git`` names.

    Args:
        folder: the real path of the folder with the ``.git``, or of the git folder itself.
        git_dir: the real path of the git folder.
        common_dir: the target of its ``commondir``, or ``git_dir``.
        configured: ``core.worktree`` of the repository.
    """
    if git_dir != common_dir:
        if os.path.dirname(git_dir) != os.path.join(common_dir, "worktrees"):
            return False
        return folder == git_dir or _recorded_folder(git_dir) == folder
    if git_dir == folder or git_dir.startswith(folder.rstrip("/") + "/"):
        return True  # inside the folder, so both come from the same source
    if configured is not None:
        return os.path.realpath(os.path.join(git_dir, configured)) == folder
    return _lists_files_of(git_dir, folder)


def _recorded_folder(git_dir: str) -> str | None:
    """Return the folder that a repository records for a linked worktree."""
    text = os.fsdecode(read_regular(os.path.join(git_dir, "gitdir")) or b"").rstrip("\r\n")
    path = os.path.join(git_dir, text)  # relative with extensions.relativeWorktrees
    return os.path.realpath(os.path.dirname(path)) if text else None


def _lists_files_of(git_dir: str, folder: str) -> bool:
    """Return whether the index lists a file of the folder by inode, size and time."""
    raw = read_regular(os.path.join(git_dir, "index"), _INDEX_BYTES, part="head") or b""
    version = int.from_bytes(raw[4:8], "big")
    if raw[:4] != b"DIRC":
        return False
    for id_bytes in (20, 32):  # SHA-1, SHA-256
        at, name = _HEADER_BYTES, b""
        for _ in range(min(int.from_bytes(raw[8:12], "big"), _MAX_ENTRIES)):
            start = at
            flags = int.from_bytes(raw[at + _STAT_BYTES + id_bytes :][:_FLAG_BYTES], "big")
            at += _STAT_BYTES + id_bytes + _FLAG_BYTES + (2 if flags & _EXTENDED else 0)
            if version == _PREFIXED:
                removed, at = _varint(raw, at)
                name = name[: max(len(name) - removed, 0)]
            else:
                name = b""
            end = raw.find(b"\0", at)
            if end < 0:
                break
            name += raw[at:end]
            at = end + 1 if version == _PREFIXED else start + (end - start + 8) // 8 * 8
            if _is_file(os.fsencode(folder), name, raw[start:]):
                return True
    return False


def _is_file(folder: bytes, name: bytes, entry: bytes) -> bool:
    """Return whether an index entry was written for a file of a folder.

    Links in the path are refused: they could lead into the repository's real worktree.
    """
    numbers = [int.from_bytes(entry[at : at + 4], "big") for at in range(0, _STAT_BYTES, 4)]
    modified, inode, size = numbers[2], numbers[5], numbers[9]
    path = os.path.join(folder, name)
    try:
        status = os.lstat(path)
        if os.path.realpath(os.path.dirname(path)) != os.path.dirname(path):
            return False
    except (OSError, ValueError):
        return False
    return inode != 0 and (
        (status.st_ino & _WORD, int(status.st_mtime) & _WORD, status.st_size & _WORD)
        == (inode, modified, size)
    )


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return a number in the encoding of pack offsets, and the offset of its end."""
    value = -1
    while at < len(raw):
        byte = raw[at]
        at += 1
        value = ((value + 1) << 7) | (byte & 127)
        if not byte & 128:
            break
    return max(value, 0), at
