"""A repository that wants to run something, hang us, or pass for another gets nowhere (T23)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest

from aforesaid.adapters.git_history import read_history
from aforesaid.adapters.git_reader import read_repository, read_workspace
from aforesaid.adapters.git_reader.session_commits import read_commits, read_session_commits
from aforesaid.domain.errors import AforesaidError, InvalidInputError, UnavailableError
from aforesaid.domain.model.import_item import SkipCounter
from aforesaid.domain.projects.detection import identify
from git_folders import ENVIRONMENT, git, make_repository, try_git

SERVER = Path(__file__).resolve().parents[2] / "server"

# Looks around in a process that notes every attempt to run or load something.
WATCHED = """
import json, sys
sys.path.insert(0, sys.argv[1])
seen = []
ends = ("system", "exec", "posix_spawn", "spawn", "fork", "forkpty", "Popen", "connect", "dlopen")
def watch(event, args):
    module, _, what = event.partition(".")
    if module in ("os", "subprocess", "socket", "ctypes", "pty") and what.startswith(ends):
        seen.append(event)
from aforesaid.adapters.git_reader import read_workspace
from aforesaid.adapters.git_reader.session_commits import read_commits, read_session_commits
from aforesaid.domain.model.import_item import SkipCounter
from aforesaid.domain.projects.detection import identify
import os
sys.addaudithook(watch)
surroundings = read_workspace(sys.argv[2], os.environ, {}, "/nonexistent", ())
found = identify(surroundings)
commits = read_commits(surroundings.repository, 0, 1 << 50) if surroundings.repository else []
if commits:
    made = read_session_commits(surroundings.repository, "git:x", 0, 1 << 50, SkipCounter())
    assert len(commits) == len(made), made
print(json.dumps([found.key if found else None, len(commits), seen]))
"""


def detect_watched(folder: Path, **environment: str) -> tuple[str | None, int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", WATCHED, str(SERVER), str(folder)],
        env={**ENVIRONMENT, **environment}, capture_output=True, text=True, check=True, timeout=10,
    )  # fmt: skip
    key, commits, seen = json.loads(done.stdout)
    return key, commits, seen


@pytest.fixture
def payload(tmp_path: Path) -> Path:
    """Return a program that leaves a trace when it runs: the file ``ran`` beside it."""
    script = tmp_path / "payload.sh"
    script.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{tmp_path}/ran'\ncat 2>/dev/null\n")
    script.chmod(0o755)
    return script


def make_hostile(folder: Path, payload: Path) -> Path:
    top = make_repository(folder, remote="https://github.com/acme/payments.git")
    (top / "file.txt").write_text("one\n")
    (top / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    git(top, "add", "file.txt")
    git(top, "commit", "-q", "-m", "add a file")
    (top / "included").write_text(f"[core]\n\tfsmonitor = {payload}\n")
    hooks = top / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        (hooks / name).symlink_to(payload)
    with (top / ".git/config").open("a") as config:
        config.write(
            f"""
[core]
    fsmonitor = {payload}
    hooksPath = {hooks}
    sshCommand = {payload}
    gitProxy = {payload}
    editor = {payload}
    pager = {payload}
    askPass = {payload}
    alternateRefsCommand = {payload}
[filter "evil"]
    clean = {payload}
    smudge = {payload}
    process = {payload}
    required = true
[diff]
    external = {payload}
[diff "evil"]
    textconv = {payload}
    command = {payload}
[merge "evil"]
    driver = {payload} %A
[credential]
    helper = !{payload}
[gpg]
    program = {payload}
[gpg "ssh"]
    program = {payload}
    defaultKeyCommand = {payload}
[log]
    showSignature = true
[alias]
    status = !{payload}
    rev-parse = !{payload}
[sequence]
    editor = {payload}
[interactive]
    diffFilter = {payload}
[pager]
    log = {payload}
[include]
    path = {top}/included
[includeIf "gitdir:/"]
    path = {top}/included
[uploadpack]
    packObjectsHook = {payload}
[remote "evil"]
    url = ext::sh -c {payload}
    uploadpack = {payload}
    vcs = evil
[url "ext::sh -c {payload} "]
    insteadOf = https://
[trailer "evil"]
    command = {payload}
[difftool "evil"]
    cmd = {payload}
[browser "evil"]
    cmd = {payload}
[submodule "evil"]
    update = !{payload}
"""
        )
    (top / "file.txt").write_text("two\n")
    return top


def test_the_trap_is_live_git_status_runs_the_payload(tmp_path: Path, payload: Path) -> None:
    top = make_hostile(tmp_path / "trap", payload)
    try_git(top, "status")
    assert (tmp_path / "ran").exists()


def test_a_hostile_config_runs_nothing_and_is_read_in_a_second(
    tmp_path: Path, payload: Path
) -> None:
    top = make_hostile(tmp_path / "trap", payload)
    (tmp_path / "ran").unlink(missing_ok=True)  # making the repository may have run it
    start = time.perf_counter()
    detected = detect_watched(top)
    took = time.perf_counter() - start
    assert ("git:github.com/acme/payments", 2, []) == detected
    assert not (tmp_path / "ran").exists()
    assert took < 1
    print(f"hostile repository, whole process: {took * 1000:.0f} ms, 0 executions")


def test_git_variables_of_the_environment_change_nothing(tmp_path: Path, payload: Path) -> None:
    top = make_hostile(tmp_path / "trap", payload)
    other = make_repository(tmp_path / "other", remote="https://github.com/evil/other")
    (tmp_path / "ran").unlink(missing_ok=True)
    detected = detect_watched(
        top,
        GIT_DIR=str(other / ".git"),
        GIT_WORK_TREE=str(other),
        GIT_COMMON_DIR=str(other / ".git"),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="remote.origin.url",
        GIT_CONFIG_VALUE_0="https://github.com/evil/other",
        GIT_CONFIG_GLOBAL=str(other / ".git/config"),
        GIT_CEILING_DIRECTORIES=str(top),
        GIT_EXTERNAL_DIFF=str(payload),
        GIT_SSH_COMMAND=str(payload),
        GIT_PAGER=str(payload),
        GIT_TRACE=str(tmp_path / "ran"),
    )
    assert ("git:github.com/acme/payments", 2, []) == detected
    assert not (tmp_path / "ran").exists()


def test_an_embedded_bare_repository_neither_runs_nor_speaks(tmp_path: Path, payload: Path) -> None:
    top = make_repository(tmp_path / "clone", remote="https://github.com/someone/else")
    trap = top / "docs"
    git(top, "init", "-q", "--bare", "docs")
    with (trap / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {payload}\n\tworktree = {tmp_path}\n")
        config.write('[remote "origin"]\n\turl = https://github.com/acme/payments\n')
    assert ("git:github.com/someone/else", 1, []) == detect_watched(trap)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs", "commondir", "logs/HEAD"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "link to a fifo", "loop", "device"])
def test_files_that_are_none_are_not_waited_for(tmp_path: Path, name: str, kind: str) -> None:
    top = make_repository(tmp_path / "a", remote="https://github.com/acme/payments")
    path = top / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(tmp_path / "fifo")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        targets = {"link to a fifo": tmp_path / "fifo", "loop": path, "device": "/dev/zero"}
        path.symlink_to(targets[kind])
    start = time.perf_counter()
    read = read_repository(str(top))
    assert read is not None
    assert str(top) == read.root
    read_commits(read, 0, 1 << 50)
    assert time.perf_counter() - start < 1
    if name == "HEAD":
        assert (None, None) == (read.branch, read.commit)
        assert {"origin": "https://github.com/acme/payments"} == read.remotes


def test_a_git_entry_that_is_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert read_repository(str(tmp_path)) is None


@pytest.mark.parametrize("at", ["pack/pack-1.idx", "pack/pack-1.pack", "info/alternates", "head"])
@pytest.mark.parametrize("kind", ["fifo", "link to a fifo", "link to a device", "garbage"])
def test_objects_that_are_none_are_not_waited_for_by_a_session(
    tmp_path: Path, at: str, kind: str
) -> None:
    top = make_repository(tmp_path / "a", commits=2)
    head = git(top, "rev-parse", "HEAD")
    objects = top / ".git/objects"
    path = objects / (f"{head[:2]}/{head[2:]}" if at == "head" else at)
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(tmp_path / "fifo")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "garbage":
        path.write_bytes(b"\xfftOc\0\0\0\x02" + os.urandom(5_000))
        (objects / "pack/pack-1.pack").write_bytes(os.urandom(5_000))
    else:
        path.symlink_to(tmp_path / "fifo" if kind == "link to a fifo" else "/dev/zero")
    read = read_repository(str(top))
    assert read is not None
    start = time.perf_counter()
    made = read_session_commits(read, "git:x", 0, 1 << 50, SkipCounter())
    assert time.perf_counter() - start < 1
    assert (0 if at == "head" else 2) == len(made)


def test_an_object_that_unpacks_to_much_more_is_not_read(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", commits=1)
    bomb = zlib.compress(b"commit 900000000\0" + bytes(200_000_000))
    head = git(top, "rev-parse", "HEAD")
    path = top / ".git/objects" / head[:2] / head[2:]
    path.unlink()
    path.write_bytes(bomb)
    read = read_repository(str(top))
    assert read is not None
    tracemalloc.start()
    try:
        assert [] == read_session_commits(read, "git:x", 0, 1 << 50, SkipCounter())
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_huge_config_is_not_read(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    with (top / ".git/config").open("a") as config:
        config.write("# padding\n" * 120_000)
        config.write('[remote "origin"]\n\turl = https://github.com/acme/payments\n')
    start = time.perf_counter()
    read = read_repository(str(top))
    assert read is not None
    assert {} == read.remotes
    assert time.perf_counter() - start < 1


def test_the_largest_config_that_is_read_takes_less_than_a_second(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    line = '[remote "x"] url = "a\\"b\\\\c" # x\n'
    (top / ".git/config").write_text(line * ((1 << 20) // len(line)))
    start = time.perf_counter()
    read = read_repository(str(top))
    assert read is not None
    assert {"x": 'a"b\\c'} == read.remotes
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    "head",
    [
        b"", b"\x00" * 41, b"ref: refs/heads/../../../../etc/passwd\n", b"ref: /etc/passwd\n",
        b"ref: refs/heads/a b\n", b"ref: refs/heads/\xff\xfe\n", b"ref: " + b"r" * 100_000,
        b"gitdir: .\n", b"0123", b"ref: refs/heads/x.lock\n", b"ref: refs/heads/a\x1b[31m\n",
    ],
)  # fmt: skip
def test_any_head_is_read_or_left_unknown(tmp_path: Path, head: bytes) -> None:
    top = make_repository(tmp_path / "a", remote="https://github.com/acme/payments")
    (top / ".git/HEAD").write_bytes(head)
    read = read_repository(str(top))
    assert read is not None
    assert read.commit is None
    assert read.branch is None or b"\xff" in head
    identity = identify(read_workspace(str(top), {}, {}, "", ()))
    assert identity is not None
    assert "git:github.com/acme/payments" == identity.key
    assert identity.branch is None or identity.branch.encode()


def test_refs_that_lead_to_each_other_end(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    heads = top / ".git/refs/heads"
    (heads / "main").write_text("ref: refs/heads/other\n")
    (heads / "other").write_text("ref: refs/heads/main\n")
    read = read_repository(str(top))
    assert read is not None
    assert ("main", None) == (read.branch, read.commit)


def test_git_files_that_lead_to_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/.git").write_text("gitdir: ../b/.git\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/.git").write_text("gitdir: ../a/.git\n")
    assert read_repository(str(tmp_path / "a")) is None


def test_a_deleted_folder_is_answered_by_what_is_left(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    gone = top / "sub" / "deeper"
    gone.mkdir(parents=True)
    gone.rmdir()
    gone.parent.rmdir()
    read = read_repository(str(gone))
    assert read is not None
    assert str(top) == read.root
    plain = identify(read_workspace(str(tmp_path / "never was"), {}, {}, "", ()))
    assert plain is not None
    assert f"folder:{tmp_path / 'never was'}" == plain.key


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
@pytest.mark.parametrize("what", ["", ".git", ".git/HEAD", ".git/config", ".git/refs"])
def test_what_may_not_be_read_is_no_traceback(tmp_path: Path, what: str) -> None:
    outer = make_repository(tmp_path / "outer", remote="https://github.com/acme/outer")
    top = make_repository(outer / "a", remote="https://github.com/acme/payments")
    locked = top / what
    mode = locked.stat().st_mode
    locked.chmod(0)
    try:
        identity = identify(read_workspace(str(top), {}, {}, "", ()))
    finally:
        locked.chmod(mode)
    assert identity is None or "git:github.com/acme/outer" != identity.key


@pytest.mark.parametrize(
    "folder", ["a\x00b", "\ud800", "/" + "x" * 5000, "/dev/null", "/proc/self/fd/0"]
)
def test_folders_that_cannot_be_are_no_traceback(folder: str) -> None:
    assert read_repository(folder) is None
    identity = identify(read_workspace(folder, {}, {folder: "x"}, folder, (folder,)))
    assert identity is None or identity.confidence == 1.0


def test_a_loop_of_links_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert read_repository(str(tmp_path / "a" / "c")) is None
    assert identify(read_workspace(str(tmp_path / "a"), {}, {}, "", ())) is not None


# -- its history, which is read on request and by git itself


def read_history_of(folder: Path) -> list[str]:
    """Return the subjects that a history read gives, in a process that hostile variables reach."""
    repository = read_repository(str(folder))
    assert repository is not None
    return [
        str(piece.statement.summary) for piece in read_history(repository, "git:x", SkipCounter())
    ]


def test_a_hostile_config_runs_nothing_when_history_is_read(
    tmp_path: Path, payload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = make_hostile(tmp_path / "trap", payload)
    with (top / ".git/config").open("a") as config:
        config.write(
            f"""
[extensions]
    partialClone = evil
[remote "evil"]
    promisor = true
[core]
    attributesFile = {top}/.gitattributes
    commitGraph = true
[diff]
    orderFile = {tmp_path}/order
[alias]
    rev-list = !{payload}
    cat-file = !{payload}
    diff-tree = !{payload}
[trace2]
    eventTarget = {tmp_path}/ran
"""
        )
    other = make_repository(tmp_path / "other", commits=3)
    for name, value in {
        "GIT_DIR": str(other / ".git"), "GIT_OBJECT_DIRECTORY": str(other / ".git/objects"),
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(payload), "GIT_EXTERNAL_DIFF": str(payload),
        "GIT_SSH_COMMAND": str(payload), "GIT_PAGER": str(payload),
        "GIT_TRACE": str(tmp_path / "ran"), "GIT_EXEC_PATH": str(tmp_path),
        "GIT_PYTHON_TRACE": "full", "GIT_NAMESPACE": "evil",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (tmp_path / "ran").unlink(missing_ok=True)
    before = dict(os.environ)
    start = time.perf_counter()
    subjects = read_history_of(top)
    took = time.perf_counter() - start
    assert ["commit 0", "add a file"] == subjects
    assert not (tmp_path / "ran").exists()
    assert before == dict(os.environ)
    print(f"history of a hostile repository: {took * 1000:.0f} ms, 0 executions")


def test_objects_that_are_missing_are_fetched_from_nowhere(tmp_path: Path, payload: Path) -> None:
    top = make_hostile(tmp_path / "trap", payload)
    with (top / ".git/config").open("a") as config:
        config.write(f"""
[core]
    repositoryformatversion = 1
[extensions]
    partialClone = evil
[remote "evil"]
    promisor = true
    url = ext::{payload}
[protocol]
    allow = always
""")
    for name in list((top / ".git/objects").glob("??/*"))[:2]:
        name.unlink()
    (tmp_path / "ran").unlink(missing_ok=True)
    try:
        read_history_of(top)
    except AforesaidError as error:
        assert "git" in str(error)  # noqa: PT017 - either answer will do, a fetch will not
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("at", ["pack/pack-1.idx", "pack/pack-1.pack", "info/alternates", "aa/bb"])
@pytest.mark.parametrize("kind", ["fifo", "link to a fifo", "link to a device"])
def test_objects_that_are_none_are_refused_and_not_waited_for(
    tmp_path: Path, at: str, kind: str
) -> None:
    top = make_repository(tmp_path / "a")
    path = top / ".git/objects" / at
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / "fifo")
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(tmp_path / "fifo" if kind == "link to a fifo" else "/dev/zero")
    start = time.perf_counter()
    with pytest.raises(InvalidInputError):
        read_history_of(top)
    assert time.perf_counter() - start < 1


def test_replacements_grafts_and_a_hostile_shallow_file_change_nothing(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", commits=3)
    head, first = git(top, "rev-parse", "HEAD"), git(top, "rev-parse", "HEAD~2")
    git(top, "replace", head, first)
    (top / ".git/info/grafts").write_text(f"{head} {first}\n")
    os.mkfifo(top / ".git/shallow")
    assert ["commit 0", "commit 1", "commit 2"] == read_history_of(top)


def test_what_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = make_repository(tmp_path / "a")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "git").write_text('#!/bin/sh\n[ "$1" = version ] || exec sleep 60\n')
    (bin_folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    repository = read_repository(str(top))
    with pytest.raises(UnavailableError, match="was stopped after"):
        list(read_history(repository, "git:x", SkipCounter(), max_seconds=0.2))


READ_HISTORY = """
import sys
from aforesaid.adapters.git_history import read_history
from aforesaid.adapters.git_reader import read_repository
from aforesaid.domain.model.import_item import SkipCounter
print(len(list(read_history(read_repository(sys.argv[1]), "git:x", SkipCounter()))))
"""


def test_nothing_is_left_behind_by_reading_history(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    (tmp_path / "tmp").mkdir()
    before = sorted(path for path in top.rglob("*"))
    output = subprocess.check_output(
        [sys.executable, "-c", READ_HISTORY, str(top)],
        env={**ENVIRONMENT, "PYTHONPATH": str(SERVER), "TMPDIR": str(tmp_path / "tmp")},
        timeout=60,
    )
    assert int(output)
    assert [] == list((tmp_path / "tmp").iterdir())
    assert before == sorted(path for path in top.rglob("*"))
