"""Finds the git repository of a folder and reads what identifies it.

Reads a few config keys, HEAD and refs, from regular files only. GIT_* variables and includes are
ignored; docs/adr/0005-project-identity.md gives the reasons, tests/contract/test_git_reader.py
compares with git. Not here: what it means (domain/projects/detection.py), commits
(session_commits.py).
"""

from __future__ import annotations

import os
import stat

from aforesaid.adapters.git_reader.git_files import parse_config, read_regular
from aforesaid.domain.projects.detection import Repository, is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_MAX_REF_DEPTH = 5  #: of symbolic refs. Source: git's SYMREF_MAXDEPTH.
_MAX_REFS = 5_000  #: branches that are read
_MAX_PARTS = 20  #: of a branch's name
_HASH_DIGITS = (64, 40)  #: SHA-256 and SHA-1
# Characters of hashes and ref names, for str methods: hooks must not import re.
_HEX = "0123456789abcdefABCDEF"
_NOT_IN_REFS = frozenset("~^:?*[\\\x7f" + "".join(map(chr, range(33))))


def read_repository(folder: str, ceilings: Collection[str] = ()) -> Repository | None:
    """Return the repository that a folder belongs to, or None.

    Args:
        folder: any path; links are resolved first. If it does not exist, its nearest existing
            parent is used.
        ceilings: real paths of folders (such as home) whose repository does not apply to folders
            below them; ``folder`` itself is examined even if it is one.

    Never raises and never blocks. A ``.git`` that is invalid or unreadable ends the search, because
    a repository further up would be another project.
    """
    try:
        return _search(os.path.realpath(folder), ceilings) if folder else None
    except (OSError, ValueError):  # ValueError: a path with NUL, or not encodable
        return None


def _search(start: str, ceilings: Collection[str]) -> Repository | None:
    """Walk up to the first repository, ignoring a bare repository inside another's worktree.

    A folder with HEAD, objects and refs can be committed, unlike ``.git``: a clone could contain a
    "bare repository" that names another project's remote, and would be shown its memories.
    """
    inner: str | None = None
    folder = start
    while True:
        if folder == start or folder not in ceilings:
            git_dir, blocked = _find_git_dir(folder)
            if git_dir is not None:
                if inner is not None and is_within(inner, _common_dir(git_dir)):
                    break
                return _read(folder, git_dir)  # None: the repository does not record this worktree
            if blocked:
                break
            if inner is None and _is_git_dir(folder, strict=True):
                inner = folder
        above = os.path.dirname(folder)
        if above == folder or (folder != start and folder in ceilings):
            break
        folder = above
    return _read(inner, inner) if inner is not None else None


def _find_git_dir(folder: str) -> tuple[str | None, bool]:
    """Return the git folder that ``.git`` is or names, and whether the search ends here."""
    path = os.path.join(folder, ".git")
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        return None, isinstance(error, PermissionError)
    if stat.S_ISDIR(mode):
        path = os.path.realpath(path)
        if _is_git_dir(path, strict=False):
            return path, False
        return None, not os.access(path, os.R_OK | os.X_OK)
    if not stat.S_ISREG(mode):
        return None, False
    text = os.fsdecode(read_regular(path) or b"")
    if text.startswith("gitdir:"):
        target = text.removeprefix("gitdir:").strip(" ").rstrip("\r\n")
        path = os.path.realpath(os.path.join(folder, target)) if target else ""
        if path and _is_git_dir(path, strict=False):
            return path, False
    return None, True


def _is_git_dir(path: str, *, strict: bool) -> bool:
    """Return whether a folder has the layout of a git folder; if strict, also a valid HEAD.

    A damaged HEAD behind a ``.git`` is accepted: the repository is still the same project.
    """
    head = os.path.join(path, "HEAD")
    if not os.path.lexists(head):
        return False
    common = _common_dir(path)
    if not os.path.isdir(os.path.join(common, "objects")):
        return False
    if not os.path.isdir(os.path.join(common, "refs")):
        return False
    return not strict or any(_read_head(path))


def _common_dir(git_dir: str) -> str:
    """Return the folder that all worktrees share: the target of ``commondir``, or ``git_dir``."""
    text = os.fsdecode(read_regular(os.path.join(git_dir, "commondir")) or b"").rstrip("\r\n")
    return os.path.realpath(os.path.join(git_dir, text)) if text else git_dir


def _read(folder: str, git_dir: str) -> Repository | None:
    """Return the facts about a repository, given its worktree and git folder.

    None if the git folder is outside the worktree and does not record it.
    """
    common = _common_dir(git_dir)
    values: dict[tuple[str, str, str], str | None] = {}
    remotes: dict[str, str] = {}
    _read_config(os.path.join(common, "config"), values, remotes)
    if _is_true(values, "extensions", "worktreeconfig"):
        _read_config(os.path.join(git_dir, "config.worktree"), values, remotes)
    configured = values.get(("core", "", "worktree"))
    if git_dir != os.path.join(folder, ".git") or git_dir != common:
        from aforesaid.adapters.git_reader.worktrees import is_worktree_of

        if not is_worktree_of(folder, git_dir, common, configured):
            return None
    is_worktree = git_dir != common
    if ("core", "", "bare") in values:
        bare = _is_true(values, "core", "bare") and not is_worktree
    else:
        bare = folder == git_dir and os.path.basename(git_dir) != ".git"
    ref, commit = _read_head(git_dir)
    branch = ref.removeprefix("refs/heads/") if ref and ref.startswith("refs/heads/") else None
    unknown = branch == ".invalid"  # reftable: HEAD and refs are stored in another format
    if ref and not unknown:
        commit = _read_ref(git_dir, common, ref)
    return Repository(
        root=_find_root(folder, git_dir, configured, bare=bare),
        common_dir=common,
        git_dir=git_dir,
        branch=None if unknown else branch,
        commit=commit,
        remotes=remotes,
        is_bare=bare,
        user_name=values.get(("user", "", "name")),
        cloned_from=_read_clone_source(common),
    )


def _read_config(
    path: str, values: dict[tuple[str, str, str], str | None], remotes: dict[str, str]
) -> None:
    for section, sub, key, value in parse_config(os.fsdecode(read_regular(path) or b"")):
        if section == "remote" and sub and key == "url":
            if value:
                remotes.setdefault(sub, value)  # git fetches from the first of several
        elif not sub:
            values[section, sub, key] = value


def _is_true(values: dict[tuple[str, str, str], str | None], section: str, key: str) -> bool:
    if (section, "", key) not in values:
        return False
    value = values[section, "", key]
    return value is None or value.lower() in {"true", "yes", "on"} or _is_nonzero(value)


def _is_nonzero(value: str) -> bool:
    digits = value[1:] if value[:1] in {"+", "-"} else value
    digits = digits[:-1] if digits[-1:] in set("kKmMgG") else digits
    return digits.isascii() and digits.isdigit() and digits.strip("0") != ""


def _find_root(folder: str, git_dir: str, configured: str | None, *, bare: bool) -> str:
    """Return the top folder of the worktree.

    ``core.worktree`` counts only if that folder's ``.git`` leads back to this repository: it could
    name the home folder, and anchors may read any file below the root.
    """
    if configured and not bare:
        root = os.path.realpath(os.path.join(git_dir, configured))
        if _find_git_dir(root)[0] == git_dir:
            return root
    if folder == git_dir and not bare:
        if os.path.basename(git_dir) == ".git":
            return os.path.dirname(git_dir)
        # inside .git/worktrees/x, whose gitdir file names the worktree's .git
        text = os.fsdecode(read_regular(os.path.join(git_dir, "gitdir")) or b"").rstrip("\r\n")
        if text:
            root = os.path.realpath(os.path.dirname(os.path.join(git_dir, text)))
            if _find_git_dir(root)[0] == git_dir:
                return root
    return folder


def _read_head(git_dir: str) -> tuple[str | None, str | None]:
    """Return (ref, None) for a branch, (None, commit) for a detached HEAD, else (None, None)."""
    path = os.path.join(git_dir, "HEAD")
    try:
        link = os.readlink(path)  # old versions of git wrote a link; it is not followed
    except OSError:
        return _parse_ref(read_regular(path))
    return (link, None) if _is_ref_name(link) else (None, None)


def _parse_ref(raw: bytes | None) -> tuple[str | None, str | None]:
    text = os.fsdecode(raw or b"").rstrip()
    if text.startswith("ref:"):
        name = text.removeprefix("ref:").lstrip()
        return (name, None) if _is_ref_name(name) else (None, None)
    return None, _hash_at_start(text)


def _hash_at_start(text: str) -> str | None:
    """Return the commit id that a text is or begins with, in lower case, if a blank follows it."""
    for digits in _HASH_DIGITS:
        start, following = text[:digits], text[digits : digits + 1]
        is_hash = len(start) == digits and not start.strip(_HEX)
        if is_hash and (not following or following.isspace()):
            return start.lower()
    return None


def _is_ref_name(name: str) -> bool:
    """Return whether git allows a ref of this name, which becomes a path below refs/."""
    return (
        name.startswith("refs/")
        and not name.endswith(("/", ".lock"))
        and _NOT_IN_REFS.isdisjoint(name)
        and not any(mark in name for mark in ("..", "//", "@{"))
    )


def _read_ref(git_dir: str, common: str, ref: str) -> str | None:
    """Return the commit of a ref; loose refs take precedence over packed ones."""
    name: str | None = ref
    for _ in range(_MAX_REF_DEPTH):
        if name is None:
            return None
        own = name.startswith(("refs/bisect/", "refs/worktree/", "refs/rewritten/"))
        raw = read_regular(os.path.join(git_dir if own else common, name))
        if raw is None:
            return _read_packed(common, name)
        name, commit = _parse_ref(raw)
        if commit is not None:
            return commit
    return None


def _read_packed(common: str, ref: str) -> str | None:
    # sorted by name: branches precede remotes and tags, so that the first 1 MB has them
    raw = read_regular(os.path.join(common, "packed-refs"), part="head") or b""
    name = os.fsencode(ref)
    for line in raw.split(b"\n") if name in raw else ():
        if line.endswith((name, name + b"\r")):
            commit = _hash_at_start(os.fsdecode(line))
            if commit is not None and line[len(commit) :].removesuffix(b"\r") == b" " + name:
                return commit
    return None


def _read_clone_source(common: str) -> str | None:
    """Return the address from which a repository was cloned, by the first line of its reflog."""
    first = _first_log_line(common).partition("\t")[2]
    return first.removeprefix("clone: from ") if first.startswith("clone: from ") else None


def _first_log_line(common: str) -> str:
    raw = read_regular(os.path.join(common, "logs", "HEAD"), 4_096, part="head") or b""
    return os.fsdecode(raw.split(b"\n", 1)[0])


def first_logged_commit(repository: Repository) -> str | None:
    """Return the first commit in a repository's reflog, if there is one."""
    return _hash_at_start(_first_log_line(repository.common_dir).partition(" ")[2])


def find_ref(repository: Repository, ref: str) -> str | None:
    """Return the commit of a ref, if it exists."""
    return _read_ref(repository.git_dir, repository.common_dir, ref)


def list_heads(repository: Repository) -> list[str]:
    """Return the commits of a repository's branches."""
    common = repository.common_dir
    heads: dict[str, str] = {}
    raw = read_regular(os.path.join(common, "packed-refs"), part="head") or b""
    for line in raw.split(b"\n"):
        commit, _, name = os.fsdecode(line).rstrip("\r").partition(" ")
        if name.startswith("refs/heads/") and _hash_at_start(commit):
            heads[name] = commit.lower()
    pending = ["refs/heads"]
    remaining = _MAX_REFS
    while pending and remaining > 0:
        name = pending.pop()
        remaining -= 1
        try:
            entries = os.listdir(os.path.join(common, name))
        except OSError:  # not a folder: a loose ref, which takes precedence over a packed one
            _, loose = _parse_ref(read_regular(os.path.join(common, name)))
            if loose is not None:
                heads[name] = loose
        else:
            if name.count("/") < _MAX_PARTS:
                pending += [f"{name}/{entry}" for entry in sorted(entries)]
    return list(dict.fromkeys(heads.values()))
