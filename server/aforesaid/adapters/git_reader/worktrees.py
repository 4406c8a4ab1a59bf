"""Tells whether a repository that lies outside a folder has that folder as its worktree.

A ``.git`` that is a file or a link, and a ``commondir``, can name any repository on this machine,
and an unpacked archive can contain them. They count only if the repository's own files name the
folder: the ``gitdir`` file of a linked worktree, ``core.worktree`` of a submodule, or an index that
lists the very files that lie in the folder (``git init --separate-git-dir`` records nothing else).

Source: gitrepository-layout(5), gitformat-index(5).
"""

from __future__ import annotations

import os

from aforesaid.adapters.git_reader.files import read_regular

_INDEX_BYTES = 1 << 16  #: the first entries are enough
_MAX_ENTRIES = 100
_HEADER_BYTES = 12
_STAT_BYTES = 40  #: of an entry, before the object's id
_FLAG_BYTES = 2
_EXTENDED = 0x4000  #: flag of an entry that has two more bytes of flags
_PREFIXED = 4  #: the version of the index whose names share prefixes
_WORD = 0xFFFFFFFF  #: the index stores the last 32 bits of each number


def is_worktree_of(folder: str, git_dir: str, common_dir: str, configured: str | None) -> bool:
    """Return whether a folder is a worktree of the repository that it leads to.

    Args:
        folder: the folder that has the ``.git``, or the git folder itself; a real path.
        git_dir: where its ``.git`` leads; a real path.
        common_dir: what ``commondir`` in there leads to, else ``git_dir``.
        configured: ``core.worktree`` of the repository.
    """
    if git_dir != common_dir:
        if os.path.dirname(git_dir) != os.path.join(common_dir, "worktrees"):
            return False
        return folder == git_dir or _recorded_folder(git_dir) == folder
    if git_dir == folder or git_dir.startswith(folder.rstrip("/") + "/"):
        return True  # it lies in the folder: whoever brought one brought the other
    if configured is not None:
        return os.path.realpath(os.path.join(git_dir, configured)) == folder
    return _lists_files_of(git_dir, folder)


def _recorded_folder(git_dir: str) -> str | None:
    """Return the folder that a repository has recorded for a linked worktree."""
    text = os.fsdecode(read_regular(os.path.join(git_dir, "gitdir")) or b"").rstrip("\r\n")
    path = os.path.join(git_dir, text)  # relative with extensions.relativeWorktrees
    return os.path.realpath(os.path.dirname(path)) if text else None


def _lists_files_of(git_dir: str, folder: str) -> bool:
    """Return whether the index was written for the files of a folder: inode, size and time."""
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
    """Return whether a file in a folder is the one that an entry of an index was written for.

    A folder in between that is a link can lead into the repository's own worktree.
    """
    numbers = [int.from_bytes(entry[at : at + 4], "big") for at in range(0, _STAT_BYTES, 4)]
    modified, inode, size = numbers[2], numbers[5], numbers[9]
    path = os.path.join(folder, name)
    try:
        found = os.lstat(path)
        if os.path.realpath(os.path.dirname(path)) != os.path.dirname(path):
            return False
    except (OSError, ValueError):
        return False
    return inode != 0 and (
        (found.st_ino & _WORD, int(found.st_mtime) & _WORD, found.st_size & _WORD)
        == (inode, modified, size)
    )


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place as pack offsets are written, and where it ends."""
    value = -1
    while at < len(raw):
        byte = raw[at]
        at += 1
        value = ((value + 1) << 7) | (byte & 127)
        if not byte & 128:
            break
    return max(value, 0), at
