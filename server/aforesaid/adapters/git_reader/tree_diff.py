"""The files that differ between two trees of a git repository."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .objects import Objects

_MAX_TREES = 5_000  #: that are read for one answer
_TREE_BYTES = 4 << 20
_MAX_DEPTH = 100  #: of folders
_FOLDER, _LINK, _MODULE = 0o040000, 0o120000, 0o160000


def changed_files(objects: Objects, before: str, after: str) -> list[tuple[str, str]] | None:
    """Return path and blob ("" if deleted or not a file) of the files that differ, by path.

    None if a tree cannot be read, or too many differ.
    """
    changes = compare_trees(objects, before, after)
    return None if changes is None else [(path, now) for path, _was, now in changes]


def compare_trees(objects: Objects, before: str, after: str) -> list[tuple[str, str, str]] | None:
    """Return path, blob before and blob after of the files that differ, by path.

    A blob is "" where there is no file.

    Args:
        objects: of the repository.
        before: id of the older tree; "" for none.
        after: id of the newer one.

    Returns:
        None if a tree cannot be read, or too many differ.
    """
    changed: dict[bytes, tuple[str, str]] = {}
    pending = [(b"", before, after)]
    remaining = _MAX_TREES
    while pending:
        folder, old_tree, new_tree = pending.pop()
        remaining -= 2
        old, new = (_entries(objects, name) for name in (old_tree, new_tree))
        if old is None or new is None or remaining < 0 or folder.count(b"/") > _MAX_DEPTH:
            return None
        for key in old.keys() | new.keys():
            was, now = old.get(key), new.get(key)
            if was == now:
                continue
            path = folder + key[0]
            if key[1]:
                pending.append((path + b"/", was[1] if was else "", now[1] if now else ""))
            else:
                changed[path] = _blob(was), _blob(now)
    return [(path.decode("utf-8", "replace"), *changed[path]) for path in sorted(changed)]


def _blob(entry: tuple[int, str] | None) -> str:
    return "" if entry is None or entry[0] in {_LINK, _MODULE} else entry[1]


def _entries(objects: Objects, name: str) -> dict[tuple[bytes, bool], tuple[int, str]] | None:
    """Return (mode, id) by (name, is a folder); None if the tree cannot be read."""
    if not name:
        return {}
    raw = objects.read(name, "tree", _TREE_BYTES)
    if raw is None:
        return None
    digits = len(name) // 2
    entries = {}
    at = 0
    while at < len(raw):
        end = raw.find(b"\0", at)
        mode, _, path = raw[at:end].partition(b" ")
        if end < 0 or end + 1 + digits > len(raw) or not path or not mode.isdigit():
            return None
        kind = _plain_mode(int(mode, 8))
        entries[path, kind == _FOLDER] = kind, raw[end + 1 : end + 1 + digits].hex()
        at = end + 1 + digits
    return entries


def _plain_mode(mode: int) -> int:
    """Return a mode as git compares it: of a file's permissions only "executable" counts."""
    kind = mode & 0o170000
    if kind in {_FOLDER, _LINK}:
        return kind
    return (0o100755 if mode & 0o100 else 0o100644) if kind == 0o100000 else _MODULE  # noqa: PLR2004


def find_blob(objects: Objects, tree: str, path: str) -> str:
    """Return the blob of a file in a tree; "" if the tree has no such file."""
    *folders, name = path.encode().split(b"/")
    for folder in folders:
        entry = (_entries(objects, tree) or {}).get((folder, True))
        if entry is None:
            return ""
        tree = entry[1]
    return _blob((_entries(objects, tree) or {}).get((name, False)))
