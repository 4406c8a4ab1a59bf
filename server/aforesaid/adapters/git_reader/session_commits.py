"""Reads the commits that a session made, with their files, as pieces, without any process.

Here: which commits of logs/HEAD still stand, what they are now called after an amend or a rebase,
which files they touched. Not here: objects (objects.py), the log's lines (reflog.py), history on
request (adapters/git_history.py, whose pieces have the same names and texts).
"""

from __future__ import annotations

import os
import re

from aforesaid.adapters.git_reader.objects import Objects
from aforesaid.adapters.git_reader.reflog import read_log
from aforesaid.adapters.git_reader.repository import list_heads
from aforesaid.domain.model.commit import (
    BLOB_BYTES,
    COMMIT_BYTES,
    MAX_FILES,
    anchors_of,
    name_of,
    parse_commit,
    piece_of,
)
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aforesaid.domain.model.commit import Commit
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.projects.detection import Repository

MAX_MADE = 200  #: of one session, the newest
_MAX_WALKED = 5_000  #: commits looked at to see which still stand
_MAX_TREES = 5_000  #: of one commit, compared with those of its parent
_TREE_BYTES = 4 << 20
_DEEPEST = 100
_DAY_MS = 86_400_000  #: clocks of machines that commits come from differ
_COMMITTED = re.compile(rb"\ncommitter [^\n]*> (\d{1,12}) [+-]\d{4}\n")
_PARENT = re.compile(rb"\nparent ([0-9a-f]{40,64})(?=\n)")
_TREE = re.compile(rb"tree ([0-9a-f]{40,64})\n")
_FOLDER, _LINK, _MODULE = 0o040000, 0o120000, 0o160000


class _Made(Value):
    """A commit that the log names, as its object tells it."""

    commit: Commit
    amends: str | None  #: the id that it replaced
    rewritten: bool  #: by a rebase

    @property
    def written(self) -> tuple[int, str]:
        """What an amend, a rebase and a new message leave as it was."""
        return self.commit.written_at, self.commit.mail


def read_session_commits(
    repository: Repository, project: str, since_ms: int, until_ms: int, left_out: SkipCounter
) -> list[ImportItem]:
    """Return the commits made in this worktree between two times, those that stand, oldest first.

    A commit stands if HEAD or a branch leads to it; merges are left out. One that was amended or
    rebased comes under its newest id, and names what it was called before.

    Args:
        repository: as ``read_repository`` found it.
        project: the key of its project: a fork's commits are those of another.
        since_ms: the session's beginning.
        until_ms: its end.
        left_out: takes out what must not be stored, and is told of it.
    """
    log = read_log(repository, since_ms, until_ms)
    if not any(one.kind != "rewritten" for one in log):
        return []
    with Objects(os.path.join(repository.common_dir, "objects")) as objects:
        made: dict[str, _Made] = {}
        for entry in log[-2 * MAX_MADE :]:
            if entry.id in made:
                continue
            raw = None if entry.kind == "merge" else objects.read(entry.id, "commit", COMMIT_BYTES)
            commit = parse_commit(entry.id, raw, left_out.cleaned) if raw else None
            if raw and commit is not None and len(_PARENT.findall(_head(raw))) < 2:  # noqa: PLR2004 - a merge has two
                made[entry.id] = _Made(
                    commit=commit, amends=entry.replaces, rewritten=entry.kind == "rewritten"
                )
        standing = _standing(objects, repository, made, since_ms - _DAY_MS)
        return _pieces(objects, project, made, standing)


def _pieces(
    objects: Objects, project: str, made: Mapping[str, _Made], standing: Sequence[str]
) -> list[ImportItem]:
    own = {one.written for one in made.values() if not one.rewritten}
    chosen = [made[name] for name in standing if made[name].written in own]
    gone = [one for name, one in made.items() if name not in standing]
    seen: dict[str, int] = {}
    pieces = []
    for one in chosen[-MAX_MADE:]:
        origin = one.commit.origin
        seen[origin] = seen.get(origin, 0) + 1
        name = name_of(project, one.commit, seen[origin])
        before = dict.fromkeys(name_of(project, old, 1) for old in _before(objects, one, gone))
        before.pop(name, None)
        paths, contents = _files(objects, one.commit.id)
        piece = piece_of(one.commit, name, [path for path, _ in paths], anchors_of(paths, contents))
        pieces.append(piece.replace(replaces=tuple(before)))
    return pieces


def _before(objects: Objects, made: _Made, gone: Iterable[_Made]) -> list[Commit]:
    """Return what a commit was before it was amended or rebased, as far as it is still there."""
    found = [one.commit for one in gone if one.written == made.written]
    amended = made.amends
    others = {one.commit.id: one for one in gone}
    while amended is not None:
        raw = objects.read(amended, "commit", COMMIT_BYTES)
        commit = parse_commit(amended, raw, _as_it_is) if raw else None
        if commit is not None:
            found.append(commit)
        earlier = others.pop(amended, None)
        amended = None if earlier is None else earlier.amends
    return found


def _as_it_is(text: str) -> str:
    return text  # names of pieces are cleaned where they are hashed


def _standing(
    objects: Objects, repository: Repository, made: Mapping[str, _Made], since_ms: int
) -> list[str]:
    """Return which commits of the log are led to, oldest first; each origin of HEAD's line once.

    A pick on another branch is the same commit once more.
    """
    left = [_MAX_WALKED]
    walked: set[str] = set()
    of_head = _reached(objects, [repository.commit or ""], since_ms, walked, left)
    heads = list_heads(repository)
    of_others = _reached(objects, heads, since_ms, walked, left)
    known = {made[name].commit.origin for name in made if name in of_head}
    standing = []
    for name, one in made.items():
        if name in of_head:
            standing.append(name)
        elif name in of_others and one.commit.origin not in known:
            known.add(one.commit.origin)
            standing.append(name)
    return standing


def _reached(
    objects: Objects, heads: Iterable[str], since_ms: int, walked: set[str], left: list[int]
) -> set[str]:
    """Return the commits that these lead to, back to a time; what was walked before is left out."""
    found: set[str] = set()
    waiting = [name for name in heads if name]
    while waiting and left[0]:
        name = waiting.pop()
        if name in walked:
            continue
        walked.add(name)
        left[0] -= 1
        raw = objects.read(name, "commit", COMMIT_BYTES)
        head = _head(raw or b"")
        committed = _COMMITTED.search(head)
        if committed is None or int(committed[1]) * 1000 < since_ms:
            continue
        found.add(name)
        waiting += [parent.decode() for parent in _PARENT.findall(head)]
    return found


def _head(raw: bytes) -> bytes:
    return raw.partition(b"\n\n")[0] + b"\n"


# -- the files of a commit


def _files(objects: Objects, name: str) -> tuple[list[tuple[str, str]], dict[str, bytes]]:
    """Return the files that a commit touched, as git lists them, and what it left in the first.

    Nothing where they cannot be told: its tree or its parent's is not among the objects.
    """
    changed = _changed(objects, name)
    if changed is None:
        return [], {}
    contents = {}
    for _, blob in changed[:MAX_FILES]:
        content = objects.read(blob, "blob", BLOB_BYTES) if blob else None
        if content is not None:
            contents[blob] = content
    return changed, contents


def _changed(objects: Objects, name: str) -> list[tuple[str, str]] | None:
    """Return path and blob ("" if gone, or no file) of what differs from the first parent."""
    tree = _tree_of(objects, name)
    parents = _PARENT.findall(_head(objects.read(name, "commit", COMMIT_BYTES) or b""))
    before = _tree_of(objects, parents[0].decode()) if parents else ""
    if tree is None or before is None:
        return None
    changed: dict[bytes, str] = {}
    waiting = [(b"", before, tree)]
    left = _MAX_TREES
    while waiting:
        folder, old, new = waiting.pop()
        left -= 2
        one, other = (_entries(objects, which) for which in (old, new))
        if one is None or other is None or left < 0 or folder.count(b"/") > _DEEPEST:
            return None
        for key in one.keys() | other.keys():
            was, now = one.get(key), other.get(key)
            if was == now:
                continue
            path = folder + key[0]
            if key[1]:
                waiting.append((path + b"/", was[1] if was else "", now[1] if now else ""))
            else:
                is_file = now is not None and now[0] not in {_LINK, _MODULE}
                changed[path] = now[1] if now is not None and is_file else ""
    return [(path.decode("utf-8", "replace"), changed[path]) for path in sorted(changed)]


def _tree_of(objects: Objects, name: str) -> str | None:
    found = _TREE.match(objects.read(name, "commit", COMMIT_BYTES) or b"")
    return found[1].decode() if found else None


def _entries(objects: Objects, name: str) -> dict[tuple[bytes, bool], tuple[int, str]] | None:
    """Return mode and id by name and whether it is a folder; None where it cannot be read."""
    if not name:
        return {}
    raw = objects.read(name, "tree", _TREE_BYTES)
    if raw is None:
        return None
    digits = len(name) // 2
    found = {}
    at = 0
    while at < len(raw):
        end = raw.find(b"\0", at)
        mode, _, path = raw[at:end].partition(b" ")
        if end < 0 or end + 1 + digits > len(raw) or not path or not mode.isdigit():
            return None
        kind = _plain_mode(int(mode, 8))
        found[path, kind == _FOLDER] = kind, raw[end + 1 : end + 1 + digits].hex()
        at = end + 1 + digits
    return found


def _plain_mode(mode: int) -> int:
    """Return a mode as git compares it: of files only whether they may be run counts."""
    kind = mode & 0o170000
    if kind in {_FOLDER, _LINK}:
        return kind
    return (0o100755 if mode & 0o100 else 0o100644) if kind == 0o100000 else _MODULE  # noqa: PLR2004
