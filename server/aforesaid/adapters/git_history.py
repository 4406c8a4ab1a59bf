"""Reads the history of a repository on request, through GitPython, running nothing of its config.

Here: commits as pieces, each with its files and what stood in them then. Not here: which repository
(adapters/git_reader, without any process), what becomes of a commit
(services/transfer/import_items.py).

git is pointed at an empty folder of ours with the repository's objects beside it, so that no
config, hook, attribute, alias or replacement of the repository is ever read
(docs/adr/0028-sources.md). Only ``rev-list``, ``cat-file`` and ``diff-tree`` run, without network,
within a time limit.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.commit import (
    BLOB_BYTES,
    COMMIT_BYTES,
    MAX_FILES,
    anchors_of,
    name_of,
    parse_commit,
    piece_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.commit import Commit
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.projects.detection import Repository

MAX_COMMITS = 1_000  #: unless more are asked for
CHUNK = 200
SECONDS = 30.0  #: of one process
OUTPUT_BYTES = 64_000_000  #: of one process
_SHA256_DIGITS = 64
_SHALLOW_BYTES = 1_000_000
_MAX_ENTRIES = 300_000
_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
)  # fmt: skip


def read_history(
    repository: Repository,
    project: str,
    left_out: SkipCounter,
    *,
    since: int | None = None,
    most: int = MAX_COMMITS,
) -> Iterator[ImportItem]:
    """Yield the commits that lead to a repository's HEAD, without merges, oldest first.

    Args:
        repository: as adapters/git_reader found it.
        project: the key of its project: a fork's history is that of another.
        left_out: told what is not taken.
        since: leave out what was committed before (ms).
        most: the newest so many.

    Raises:
        InvalidInputError: it has no commit, or holds what is no object.
        UnavailableError: git is not there, or took too long.
    """
    if repository.commit is None:
        raise InvalidInputError(
            f"{repository.root} has no commit yet, or keeps them as reftables: not read"
        )
    objects = os.path.join(repository.common_dir, "objects")
    _check_objects(objects)
    with _Git(repository, objects) as git:
        asked = ["rev-list", "--no-merges", "--reverse", f"--max-count={most}"]
        if since is not None:
            asked.append(f"--max-age={since // 1000}")
        ids = [line.decode() for line in git.ask([*asked, repository.commit, "--"]).split()]
        seen: dict[str, int] = {}
        for start in range(0, len(ids), CHUNK):
            for commit, files, anchors in _chunk(git, ids[start : start + CHUNK], left_out):
                seen[commit.origin] = seen.get(commit.origin, 0) + 1
                name = name_of(project, commit, seen[commit.origin])
                yield piece_of(commit, name, files, anchors)


def _chunk(
    git: _Git, ids: Sequence[str], left_out: SkipCounter
) -> Iterator[tuple[Commit, tuple[str, ...], tuple[Anchor, ...]]]:
    """Yield the commits with their files and what stood in them then."""
    raw = git.objects(ids, "commit", COMMIT_BYTES)
    files = git.files(ids)
    wanted = {blob for name in ids for _, blob in files.get(name, ())[:MAX_FILES] if blob}
    contents = git.objects(sorted(wanted), "blob", BLOB_BYTES)
    for name in ids:
        commit = parse_commit(name, raw[name], left_out.cleaned) if name in raw else None
        if commit is None:
            left_out.add("commits that are too large or cannot be read")
            continue
        touched = files.get(name, ())
        yield commit, tuple(path for path, _ in touched), anchors_of(touched, contents)


def _check_objects(folder: str) -> None:
    """Refuse what git would wait for: a pipe or device where an object should be.

    Raises:
        InvalidInputError: there is one.
    """
    left = _MAX_ENTRIES
    waiting = [(folder, 2)]
    while waiting:
        here, levels = waiting.pop()
        try:
            with os.scandir(here) as listed:
                for entry in listed:
                    left -= 1
                    mode = os.stat(entry.path).st_mode if entry.is_symlink() else None
                    if entry.is_dir() and levels:
                        waiting.append((entry.path, levels - 1))
                    elif not entry.is_dir() and not (
                        stat.S_ISREG(mode) if mode is not None else entry.is_file()
                    ):
                        raise InvalidInputError(f"{entry.path} is no object of git: not read")
                    if left < 0:
                        return
        except OSError as error:
            raise InvalidInputError(f"{here} cannot be read: {error.strerror}") from error


class _Git:
    """git over a repository's objects, and nothing else of it."""

    def __init__(self, repository: Repository, objects: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="aforesaid-git-")  # 0700
        self._environment = {
            "GIT_DIR": self._folder,
            "GIT_OBJECT_DIRECTORY": objects,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "",
            "GIT_PAGER": "cat",
            "HOME": self._folder,
            "XDG_CONFIG_HOME": self._folder,
        }
        os.mkdir(os.path.join(self._folder, "refs"))
        os.mkdir(os.path.join(self._folder, "objects"))
        self._write("HEAD", "ref: refs/heads/none\n")
        newer = len(repository.commit or "") == _SHA256_DIGITS
        self._write(
            "config",
            f"[core]\n\trepositoryformatversion = {int(newer)}\n\tbare = true\n"
            + ("[extensions]\n\tobjectformat = sha256\n" if newer else ""),
        )
        shallow = _read_regular(os.path.join(repository.common_dir, "shallow"))
        if shallow is not None:
            self._write("shallow", shallow.decode("ascii", "replace"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write(self, name: str, text: str) -> str:
        path = os.path.join(self._folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def ask(self, arguments: Sequence[str], given: Sequence[str] = ()) -> bytes:
        """Return what a command prints, at most OUTPUT_BYTES of it.

        Args:
            arguments: of git.
            given: lines for its standard input.

        Raises:
            UnavailableError: git is not there, failed, or took longer than SECONDS.
        """
        path = self._write("given", "".join(f"{line}\n" for line in given))
        with _without_git_variables():
            from git.cmd import Git
            from git.exc import GitCommandNotFound

            try:
                with open(path, "rb") as stream:
                    process: Any = Git(self._folder).execute(
                        [Git.GIT_PYTHON_GIT_EXECUTABLE or "git", *_SAFE, *arguments],
                        istream=stream,
                        as_process=True,
                        env=self._environment,
                    )
            except GitCommandNotFound as error:
                raise UnavailableError(
                    "git is not on the PATH, and its history can only be read with it"
                ) from error
        return _output(process, arguments[0])

    def objects(self, names: Sequence[str], kind: str, most: int) -> dict[str, bytes]:
        """Return the objects of a kind with at most so many bytes, by name."""
        if not names:
            return {}
        small = []
        for line in self.ask(["cat-file", "--batch-check"], names).splitlines():
            name, *facts = line.decode("ascii", "replace").split()
            if facts[:1] == [kind] and int(facts[1]) <= most:
                small.append(name)
        found: dict[str, bytes] = {}
        raw = self.ask(["cat-file", "--batch"], small) if small else b""
        at = 0
        while (end := raw.find(b"\n", at)) >= 0:
            name, _, size = raw[at:end].decode("ascii", "replace").split()
            content = raw[end + 1 : end + 1 + int(size)]
            if len(content) == int(size):
                found[name] = content
            at = end + 2 + int(size)
        return found

    def files(self, commits: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """Return the files that each commit touched: path, and the blob it left ("" if gone)."""
        raw = self.ask(
            ["diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
             "--no-ext-diff", "--no-textconv"],
            commits,
        )  # fmt: skip
        known = set(commits)
        found: dict[str, list[tuple[str, str]]] = {}
        here: list[tuple[str, str]] = []
        fields = iter(raw.split(b"\0"))
        for field in fields:
            text = field.decode("utf-8", "replace").strip("\n")
            if text in known:
                here = found.setdefault(text, [])
            elif text.startswith(":"):
                facts = text.split(" ")
                path = next(fields, b"").decode("utf-8", "replace")
                is_file = facts[1].startswith("100")
                here.append((path, facts[3] if is_file else ""))
        return found


@contextmanager
def _without_git_variables() -> Iterator[None]:
    """Take every GIT_* out of the environment that GitPython hands on to its child."""
    held = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    for name in held:
        del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"  # its import asks git for its version
    try:
        yield
    finally:
        del os.environ["GIT_PYTHON_REFRESH"]
        os.environ.update(held)


def _output(process: Any, command: str) -> bytes:
    """Return what a process prints, and end it: in time, and whole or cut at OUTPUT_BYTES.

    Raises:
        UnavailableError: it failed, or took too long.
    """
    late = threading.Event()

    def end() -> None:
        late.set()
        process.proc.kill()

    watchdog = threading.Timer(SECONDS, end)
    watchdog.start()
    try:
        printed: bytes = process.proc.stdout.read(OUTPUT_BYTES)
        if len(printed) == OUTPUT_BYTES:
            process.proc.kill()
            return printed
        said = process.proc.stderr.read(2_000)
        code = process.proc.wait()
    finally:
        watchdog.cancel()
        process.proc.kill()
        process.proc.wait()
        process.proc.stdout.close()
        process.proc.stderr.close()
    if late.is_set():
        raise UnavailableError(f"git {command} took longer than {SECONDS:.0f} s and was ended")
    if code:
        why = said.decode("utf-8", "replace").strip().partition("\n")[0][:200]
        raise UnavailableError(f"git {command} failed ({code}): {why}")
    return printed


def _read_regular(path: str) -> bytes | None:
    """Return a regular file's bytes; None if it is none, or too large."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _SHALLOW_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read(_SHALLOW_BYTES)
    except OSError:
        return None
