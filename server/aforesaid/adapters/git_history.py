"""Reads a repository's history on request, through GitPython, without using its configuration.

Here: commits as import items, with their files and the files' content after the commit. Not here:
finding the repository (adapters/git_reader, which starts no process), storing items
(services/transfer/import_items.py).

git runs in an empty folder of its own and is given the repository's objects only, so that it never
reads a config, hook, attribute, alias or replacement of that repository (docs/adr/0028-sources.md).
Only ``rev-list``, ``cat-file`` and ``diff-tree`` run, without network and with a time limit.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.anchor import Anchor
from aforesaid.domain.model.commit import (
    BLOB_BYTES,
    COMMIT_BYTES,
    MAX_FILES,
    Commit,
    commit_anchors,
    commit_item,
    commit_item_name,
    parse_commit,
)
from aforesaid.domain.model.import_item import ImportItem, SkipCounter
from aforesaid.domain.projects.detection import Repository

MAX_COMMITS = 1_000  #: by default
CHUNK = 200  #: commits per git process
MAX_SECONDS = 30.0  #: per git process, by default
OUTPUT_BYTES = 64_000_000  #: per git process
_SHA256_DIGITS = 64
_SHALLOW_BYTES = 1_000_000
_MAX_ENTRIES = 300_000
_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
)  # fmt: skip


def read_history(
    repository: Repository,
    project: str,
    skipped: SkipCounter,
    *,
    since: int | None = None,
    max_commits: int = MAX_COMMITS,
    max_seconds: float = MAX_SECONDS,
) -> Iterator[ImportItem]:
    """Yield the commits reachable from a repository's HEAD, without merges, oldest first.

    Args:
        repository: from adapters/git_reader.
        project: the key of its project; part of each item's name.
        skipped: counts what is skipped.
        since: skip commits before this time (ms).
        max_commits: the maximum number; the newest are kept.
        max_seconds: for each git process.

    Raises:
        InvalidInputError: it has no commit, or its object folder contains something else.
        UnavailableError: git is not installed, failed or timed out.
    """
    if repository.commit is None:
        raise InvalidInputError(
            f"cannot read commits of {repository.root}: it has no commit yet, or it uses the "
            "reftable format, which is not supported"
        )
    objects = os.path.join(repository.common_dir, "objects")
    _check_objects(objects)
    with _Git(repository, objects, max_seconds) as git:
        arguments = ["rev-list", "--no-merges", "--reverse", f"--max-count={max_commits}"]
        if since is not None:
            arguments.append(f"--max-age={since // 1000}")
        ids = [line.decode() for line in git.run([*arguments, repository.commit, "--"]).split()]
        counts: dict[str, int] = {}
        for start in range(0, len(ids), CHUNK):
            for commit, files, anchors in _chunk(git, ids[start : start + CHUNK], skipped):
                counts[commit.origin] = counts.get(commit.origin, 0) + 1
                name = commit_item_name(project, commit, counts[commit.origin])
                yield commit_item(commit, name, files, anchors)


def _chunk(
    git: _Git, ids: Sequence[str], skipped: SkipCounter
) -> Iterator[tuple[Commit, tuple[str, ...], tuple[Anchor, ...]]]:
    """Yield each commit with its files and the anchors to them."""
    raw = git.objects(ids, "commit", COMMIT_BYTES)
    files = git.files(ids)
    blobs = {blob for name in ids for _, blob in files.get(name, ())[:MAX_FILES] if blob}
    contents = git.objects(sorted(blobs), "blob", BLOB_BYTES)
    for name in ids:
        commit = parse_commit(name, raw[name], skipped.cleaned) if name in raw else None
        if commit is None:
            skipped.add("commits that are too large or unreadable")
            continue
        touched = files.get(name, ())
        yield commit, tuple(path for path, _ in touched), commit_anchors(touched, contents)


def _check_objects(folder: str) -> None:
    """Raise for a pipe or device among the objects: git would block on it.

    Raises:
        InvalidInputError: there is a pipe or device.
    """
    remaining = _MAX_ENTRIES
    pending = [(folder, 2)]
    while pending:
        current, levels = pending.pop()
        try:
            with os.scandir(current) as entries:
                for entry in entries:
                    remaining -= 1
                    if entry.is_dir():
                        if levels:
                            pending.append((entry.path, levels - 1))
                    elif not entry.is_file():
                        raise InvalidInputError(
                            f"{entry.path} is not a regular file, so the repository was not read"
                        )
                    if remaining < 0:
                        return
        except OSError as error:
            raise InvalidInputError(f"cannot read {current}: {error.strerror}") from error


class _Git:
    """Runs git on a repository's objects without its configuration."""

    def __init__(self, repository: Repository, objects: str, max_seconds: float) -> None:
        self._max_seconds = max_seconds
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

    def run(self, arguments: Sequence[str], stdin: Sequence[str] = ()) -> bytes:
        """Return the output of a git command, at most OUTPUT_BYTES.

        Args:
            arguments: the command and its arguments.
            stdin: lines for its standard input.

        Raises:
            UnavailableError: git is not installed, failed or timed out.
        """
        path = self._write("stdin", "".join(f"{line}\n" for line in stdin))
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
                    "cannot read the history: git is not on the PATH; install git and try again"
                ) from error
        return _output(process, arguments[0], self._max_seconds)

    def objects(self, names: Sequence[str], kind: str, max_bytes: int) -> dict[str, bytes]:
        """Return the objects of one kind with at most ``max_bytes``, by name."""
        if not names:
            return {}
        small = []
        for line in self.run(["cat-file", "--batch-check"], names).splitlines():
            name, *facts = line.decode("ascii", "replace").split()
            if facts[:1] == [kind] and int(facts[1]) <= max_bytes:
                small.append(name)
        contents: dict[str, bytes] = {}
        raw = self.run(["cat-file", "--batch"], small) if small else b""
        position = 0
        while (end := raw.find(b"\n", position)) >= 0:
            name, _, size = raw[position:end].decode("ascii", "replace").split()
            content = raw[end + 1 : end + 1 + int(size)]
            if len(content) == int(size):
                contents[name] = content
            position = end + 2 + int(size)
        return contents

    def files(self, commits: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """Return the files that each commit changed: path, and blob ("" if deleted)."""
        raw = self.run(
            ["diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
             "--no-ext-diff", "--no-textconv"],
            commits,
        )  # fmt: skip
        commit_ids = set(commits)
        changes: dict[str, list[tuple[str, str]]] = {}
        files: list[tuple[str, str]] = []
        fields = iter(raw.split(b"\0"))
        for field in fields:
            text = field.decode("utf-8", "replace").strip("\n")
            if text in commit_ids:
                files = changes.setdefault(text, [])
            elif text.startswith(":"):
                facts = text.split(" ")
                path = next(fields, b"").decode("utf-8", "replace")
                is_file = facts[1].startswith("100")
                files.append((path, facts[3] if is_file else ""))
        return changes


@contextmanager
def _without_git_variables() -> Iterator[None]:
    """Remove every GIT_* variable from the environment that GitPython passes to git."""
    removed = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    for name in removed:
        del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"  # else importing GitPython runs git
    try:
        yield
    finally:
        del os.environ["GIT_PYTHON_REFRESH"]
        os.environ.update(removed)


def _output(process: Any, command: str, max_seconds: float) -> bytes:
    """Return a process's output, cut at OUTPUT_BYTES, and end the process.

    Raises:
        UnavailableError: it failed or timed out.
    """
    timed_out = threading.Event()

    def kill() -> None:
        timed_out.set()
        process.proc.kill()

    watchdog = threading.Timer(max_seconds, kill)
    watchdog.start()
    try:
        output: bytes = process.proc.stdout.read(OUTPUT_BYTES)
        if len(output) == OUTPUT_BYTES:
            process.proc.kill()
            return output
        errors = process.proc.stderr.read(2_000)
        code = process.proc.wait()
    finally:
        watchdog.cancel()
        process.proc.kill()
        process.proc.wait()
        process.proc.stdout.close()
        process.proc.stderr.close()
    if timed_out.is_set():
        raise UnavailableError(f"git {command} was stopped after {max_seconds:.0f} s")
    if code:
        reason = errors.decode("utf-8", "replace").strip().partition("\n")[0][:200]
        raise UnavailableError(f"git {command} failed with exit code {code}: {reason}")
    return output


def _read_regular(path: str) -> bytes | None:
    """Return a regular file's bytes; None if it is not one, or too large."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _SHALLOW_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read(_SHALLOW_BYTES)
    except OSError:
        return None
