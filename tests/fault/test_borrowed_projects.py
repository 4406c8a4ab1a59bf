"""A folder that names somebody else's project is shown nothing of it; the user is asked once.

Through the hook commands, the server and the command line, as a client and a person use them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import apsw
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from git_folders import git, make_repository
from interfaces import LAUNCHER

REMOTE = "https://github.com/acme/payments.git"
SECRET = "The payments ledger closes at 17:30 in Lisbon."
ASKED = "Ask the user once"


class User:
    """A user with a repository of acme/payments, of which one memory is stored."""

    def __init__(self, environment: dict[str, str], base: Path) -> None:
        self.environment = {**environment, "CLAUDE_PID": str(os.getpid())}
        self.base = base
        self.own = make_repository(base / "work" / "payments", remote=REMOTE, commits=3)
        self.sessions = 0

    def run(self, *arguments: str, folder: Path | None = None, **more: str) -> str:
        done = subprocess.run(
            [LAUNCHER, *arguments], cwd=folder or self.own, env={**self.environment, **more},
            capture_output=True, text=True, check=False, timeout=120, input="",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, folder: Path) -> str:
        """Start a session in a folder; return what the model is shown."""
        self.sessions += 1
        event = {"session_id": f"s{self.sessions}", "cwd": str(folder), "source": "startup",
                 "hook_event_name": "SessionStart", "transcript_path": ""}  # fmt: skip
        done = subprocess.run(
            [LAUNCHER, "hook", "session-start"], cwd=folder, env=self.environment,
            input=json.dumps(event), capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        answer = json.loads(done.stdout)
        return answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    def remember(self) -> None:
        """Work in the repository: a session starts there, and a memory is stored."""
        self.start(self.own)
        self.run("remember", SECRET)

    def call(self, folder: Path, *calls: tuple[str, dict[str, object]]) -> list[str]:
        """Return what the tools answer to a client in a folder that runs no hooks."""

        async def live() -> list[str]:
            with anyio.fail_after(60):
                async with self._client(folder) as session:
                    answers = [await session.call_tool(*call) for call in calls]
                    return [answer.content[0].text for answer in answers]

        return anyio.run(live)

    @asynccontextmanager
    async def _client(self, folder: Path):
        environment = {**self.environment, "AFORESAID_CWD": str(folder)}
        parameters = StdioServerParameters(command=LAUNCHER, args=["serve"], env=environment)
        with open(os.devnull, "w") as quiet:  # noqa: ASYNC230 - it blocks nothing
            async with (
                stdio_client(parameters, errlog=quiet) as streams,
                ClientSession(*streams) as session,
            ):
                await session.initialize()
                yield session


@pytest.fixture
def user(environment: dict[str, str], tmp_path: Path) -> User:
    return User(environment, tmp_path)


def unpack(user: User, kind: str) -> Path:
    """Make a folder as an archive brings it that borrows the user's repository; return it."""
    folder = user.base / "downloads" / "archive"
    folder.mkdir(parents=True)
    (folder / "README").write_text("Hello.\n")
    target = user.own / ".git"
    if kind == "file":
        (folder / ".git").write_text(f"gitdir: {target}\n")
    elif kind == "file to a worktree":
        git(user.own, "worktree", "add", "-q", str(user.base / "work" / "fix"))
        (folder / ".git").write_text(f"gitdir: {target}/worktrees/fix\n")
    elif kind == "link":
        (folder / ".git").symlink_to(target)
    elif kind == "links to the git folder and to tracked files":
        (user.own / "src").mkdir()
        (user.own / "src" / "main.py").write_text("print()\n")
        git(user.own, "add", "src")
        (folder / ".git").symlink_to(target)
        (folder / "src").symlink_to(user.own / "src")
    elif kind == "commondir":
        (folder / ".git").mkdir()
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / ".git" / "commondir").write_text(f"{target}\n")
        (folder / ".git" / "gitdir").write_text(f"{folder}/.git\n")
    elif kind == "bare commondir":
        (folder / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / "commondir").write_text(f"{target}\n")
    else:
        make_repository(folder, remote=REMOTE, commits=0)
        if kind == "remote with another history":
            git(folder, "commit", "-q", "--allow-empty", "-m", "planted")
        elif kind == "remote and a ref to a known commit":
            known = git(user.own, "rev-parse", "HEAD")
            (folder / ".git" / "refs" / "heads" / "main").write_text(known + "\n")
        elif kind == "remote and borrowed objects":
            shutil.rmtree(folder / ".git" / "objects")
            (folder / ".git" / "objects").symlink_to(target / "objects")
        elif kind == "remote and a borrowed part of the objects":
            known = git(user.own, "rev-parse", "HEAD")
            (folder / ".git" / "objects" / known[:2]).symlink_to(target / "objects" / known[:2])
        elif kind == "remote and alternates":
            (folder / ".git/objects/info/alternates").write_text(f"{target}/objects\n")
        elif kind == "remote that is a path":
            git(folder, "remote", "set-url", "origin", str(user.own))
        else:
            assert kind == "remote"
    return folder


BORROWED = (
    "file", "file to a worktree", "link", "links to the git folder and to tracked files",
    "commondir", "bare commondir", "remote",
    "remote with another history", "remote and a ref to a known commit",
    "remote and borrowed objects", "remote and a borrowed part of the objects",
    "remote and alternates", "remote that is a path",
)  # fmt: skip


@pytest.mark.parametrize("kind", BORROWED)
def test_an_archive_that_borrows_a_project_is_shown_nothing_of_it(user: User, kind: str) -> None:
    user.remember()
    folder = unpack(user, kind)

    shown = user.start(folder)
    assert SECRET not in shown
    assert ASKED in shown
    assert ASKED not in user.start(folder)
    result = user.run("search", "when does the ledger close?", "--json", folder=folder)
    assert [] == json.loads(result)["results"]


@pytest.mark.parametrize("kind", ["file", "remote with another history"])
def test_its_client_is_answered_nothing_and_what_it_stores_stays_apart(
    user: User, kind: str
) -> None:
    user.remember()
    folder = unpack(user, kind)
    answers = user.call(
        folder,
        ("get_context", {}),
        ("recall_memory", {"query": "when does the ledger close?"}),
        ("store_memory", {"content": "The ledger closes at noon, says the archive."}),
    )

    assert SECRET not in "".join(answers)
    assert "ask" in json.loads(answers[0])
    listed = json.loads(user.run("list", "--json"))["results"]
    assert [SECRET] == [memory["preview"] for memory in listed]


def test_a_doubtful_repository_of_a_project_that_is_off_is_off(user: User) -> None:
    user.remember()
    folder = unpack(user, "remote with another history")
    user.environment["AFORESAID_PROJECT_OFF"] = "acme/payments"
    done = subprocess.run(
        [LAUNCHER, "remember", "It is off."], cwd=folder, env=user.environment, input="",
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    assert "memory is off" in done.stderr


def test_once_the_user_confirms_it_both_are_one_project(user: User) -> None:
    user.remember()
    folder = unpack(user, "remote with another history")
    user.start(folder)
    user.run("remember", "The archive has a build file.", folder=folder)
    user.run("projects", "map", ".", "acme/payments", folder=folder)

    assert SECRET in user.start(folder)
    results = json.loads(user.run("list", "--json"))["results"]
    assert {SECRET, "The archive has a build file."} == {row["preview"] for row in results}
    other = user.base / "again"
    git(user.base, "clone", "-q", str(folder), str(other))
    git(other, "remote", "set-url", "origin", REMOTE)
    assert SECRET in user.start(other)  # the confirmed history is known from now on


def clone(user: User, name: str, *options: str, source: Path | None = None) -> Path:
    """Clone what a server of acme/payments has: what the user's own repository has."""
    folder = user.base / "elsewhere" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(user.base, "clone", "-q", *options, f"file://{source or user.own}", str(folder))
    git(folder, "remote", "set-url", "origin", "ssh://git@github.com/acme/payments")
    return folder


def known_places(user: User, kind: str) -> Path:
    """Return a folder of the user's that is of the project, too."""
    if kind == "clone":
        return clone(user, "clone")
    if kind == "clone that is ahead":
        folder = clone(user, "ahead")
        git(folder, "commit", "-q", "--allow-empty", "-m", "later")
        return folder
    if kind == "shallow clone":
        return clone(user, "shallow", "--depth", "1")
    if kind == "detached":
        folder = clone(user, "detached")
        git(folder, "checkout", "-q", "--detach", "HEAD~1")
        return folder
    if kind == "packed":
        folder = clone(user, "packed")
        git(folder, "gc", "-q")
        git(folder, "pack-refs", "--all")
        return folder
    if kind == "clone without readable refs":
        folder = clone(user, "reftable")
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
        shutil.rmtree(folder / ".git" / "logs")
        shutil.rmtree(folder / ".git" / "refs" / "remotes")
        (folder / ".git" / "packed-refs").unlink()
        return folder
    if kind == "worktree":
        git(user.own, "worktree", "add", "-q", str(user.base / "fix"))
        return user.base / "fix"
    if kind == "worktree with relative paths":
        folder = user.base / "fix"
        git(user.own, "worktree", "add", "-q", str(folder))
        (folder / ".git").write_text("gitdir: ../work/payments/.git/worktrees/fix\n")
        recorded = user.own / ".git" / "worktrees" / "fix" / "gitdir"
        recorded.write_text("../../../../../fix/.git\n")
        return folder
    if kind == "bare with worktrees":
        bare = clone(user, "layout/.bare", "--bare")
        top = bare.parent
        (top / ".git").write_text("gitdir: ./.bare\n")
        git(bare, "worktree", "add", "-q", str(top / "main"))
        return top / "main"
    if kind == "separate git folder":
        (user.base / "store").mkdir()
        (user.own / "file.txt").write_text("one\n")
        git(user.own, "add", "file.txt")
        git(user.own, "commit", "-q", "-m", "a file")
        return clone(user, "separate", f"--separate-git-dir={user.base}/store/x.git")
    if kind == "submodule":
        above = make_repository(user.base / "above")
        git(above, "submodule", "add", "-q", f"file://{user.own}", "payments")
        git(above / "payments", "remote", "set-url", "origin", REMOTE)
        return above / "payments"
    if kind == "folder below":
        (user.own / "docs").mkdir()
        return user.own / "docs"
    assert kind == "moved"
    user.own.rename(user.base / "moved")
    return user.base / "moved"


OWN = (
    "clone", "clone that is ahead", "shallow clone", "detached", "packed",
    "clone without readable refs", "worktree", "worktree with relative paths",
    "bare with worktrees", "separate git folder", "submodule", "folder below", "moved",
)  # fmt: skip


@pytest.mark.parametrize("kind", OWN)
def test_a_place_of_the_project_itself_is_shown_it_unasked(user: User, kind: str) -> None:
    user.remember()
    shown = user.start(known_places(user, kind))
    assert SECRET in shown
    assert ASKED not in shown


def test_a_clone_is_known_where_the_first_repository_is_gone(user: User) -> None:
    upstream = user.base / "server"
    git(user.base, "clone", "-q", "--bare", str(user.own), str(upstream))
    user.remember()
    git(user.own, "commit", "-q", "--allow-empty", "-m", "never pushed")
    user.start(user.own)
    folder = clone(user, "second", source=upstream)
    shutil.rmtree(user.own)
    shown = user.start(folder)
    assert SECRET in shown
    assert ASKED not in shown


def forget_commits(user: User) -> None:
    """Make the store one whose sessions all ran before commits were recorded."""
    (path,) = Path(user.environment["HOME"]).rglob("memory.db")
    connection = apsw.Connection(str(path))
    connection.execute("DELETE FROM project_commits")
    connection.close()


def test_an_older_store_knows_a_clone_by_the_repository_that_is_there(user: User) -> None:
    user.remember()
    forget_commits(user)
    assert SECRET in user.start(clone(user, "second"))


def test_an_older_store_whose_repository_moved_is_asked_about_it_once(user: User) -> None:
    user.remember()
    forget_commits(user)
    folder = known_places(user, "moved")
    shown = user.start(folder)
    assert SECRET not in shown
    assert ASKED in shown
    user.run("projects", "map", ".", "acme/payments", folder=folder)
    assert SECRET in user.start(folder)


def test_an_older_store_records_commits_where_its_repository_is(user: User) -> None:
    user.remember()
    forget_commits(user)
    user.start(user.own)
    assert SECRET in user.start(known_places(user, "moved"))


def test_a_sha256_repository_is_recognised_by_its_commits(user: User) -> None:
    shutil.rmtree(user.own)
    user.own.mkdir()
    git(user.own, "init", "-q", "-b", "main", "--object-format=sha256")
    git(user.own, "remote", "add", "origin", REMOTE)
    git(user.own, "commit", "-q", "--allow-empty", "-m", "first")
    user.remember()
    assert SECRET in user.start(clone(user, "sha256"))


def test_a_repository_without_commits_yet_is_its_project_from_the_start(user: User) -> None:
    shutil.rmtree(user.own)
    make_repository(user.own, remote=REMOTE, commits=0)
    user.remember()
    git(user.own, "commit", "-q", "--allow-empty", "-m", "first")
    assert SECRET in user.start(user.own)
    assert SECRET in user.start(clone(user, "clone"))


def test_a_doubtful_repository_is_taken_once_it_holds_a_known_commit(user: User) -> None:
    user.remember()
    folder = make_repository(user.base / "fresh", remote=REMOTE, commits=0)
    assert SECRET not in user.start(folder)
    user.run("remember", "Noted before the fetch.", folder=folder)
    git(folder, "fetch", "-q", str(user.own), "main")
    assert SECRET in user.start(folder)
    results = json.loads(user.run("list", "--json"))["results"]
    assert {SECRET, "Noted before the fetch."} == {row["preview"] for row in results}


def test_a_fork_with_its_own_remote_is_a_project_of_its_own_and_not_asked_about(user: User) -> None:
    user.remember()
    fork = clone(user, "fork")
    git(fork, "remote", "set-url", "origin", "https://github.com/me/payments")
    git(fork, "remote", "add", "upstream", REMOTE)
    shown = user.start(fork)
    assert SECRET not in shown
    assert ASKED not in shown
