"""The reader of moves finds the files that git calls renamed, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from aforesaid.adapters.git_reader.moves import GitMoves
from git_folders import git, make_repository

BORN = 1_700_000_000
QUEUE = "".join(f"line {number} of the queue\n" for number in range(20))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = make_repository(tmp_path / "shop", commits=1)
    write(folder, "src/queue.py", QUEUE)
    write(folder, "src/other.py", "something else\n" * 20)
    commit(folder)
    return folder


def write(top: Path, path: str, text: str) -> None:
    (top / path).parent.mkdir(parents=True, exist_ok=True)
    (top / path).write_text(text)


def move(top: Path, old: str, new: str, at: int = BORN + 100) -> None:
    (top / new).parent.mkdir(parents=True, exist_ok=True)
    git(top, "mv", old, new)
    commit(top, at)


def commit(top: Path, at: int = BORN + 50) -> None:
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "change", at=at)


def find(root: Path, path: str = "src/queue.py", since: int = BORN) -> dict[str, str]:
    return GitMoves().find_moved(str(root), [path], since * 1000)


def test_a_file_is_followed_through_several_moves(top):
    move(top, "src/queue.py", "lib/queue.py")
    write(top, "lib/queue.py", QUEUE.replace("line 3", "line three"))
    commit(top, BORN + 101)
    move(top, "lib/queue.py", "lib/jobs/consumer.py", BORN + 102)
    assert {"src/queue.py": "lib/jobs/consumer.py"} == find(top)


def test_a_file_that_changed_while_it_moved_is_found_by_its_lines(top):
    write(top, "src/queue.py", QUEUE.replace("line 3", "line three"))
    move(top, "src/queue.py", "lib/queue.py")
    assert {"src/queue.py": "lib/queue.py"} == find(top)


def test_a_merge_that_moves_a_file_is_read(top):
    git(top, "checkout", "-q", "-b", "feature")
    move(top, "src/queue.py", "lib/queue.py")
    assert {} == find(top)  # not in the default branch yet
    git(top, "checkout", "-q", "main")
    git(top, "merge", "-q", "--no-ff", "-m", "Merge feature", "feature", at=BORN + 200)
    assert {"src/queue.py": "lib/queue.py"} == find(top)


def test_paths_are_those_of_a_package_in_its_folder(top):
    move(top, "src/queue.py", "src/jobs/queue.py")
    assert {"queue.py": "jobs/queue.py"} == find(top / "src", "queue.py")


@pytest.mark.parametrize(
    "change",
    [
        lambda top: (top / "src/queue.py").unlink(),
        lambda top: (
            write(top, "src/queue.py", "all other lines\n" * 20),
            git(top, "mv", "src/queue.py", "lib.py"),
        ),
        lambda top: (
            write(top, "a.py", QUEUE), write(top, "b.py", QUEUE), (top / "src/queue.py").unlink()
        ),
    ],
    ids=["deleted", "rewritten", "copied twice"],
)  # fmt: skip
def test_where_it_is_not_sure_nothing_is_said(top, change):
    change(top)
    commit(top, BORN + 100)
    assert {} == find(top)


def test_what_was_moved_before_and_what_no_repository_has_is_not_found(top, tmp_path):
    move(top, "src/queue.py", "lib/queue.py")
    assert {} == find(top, since=BORN + 1_000)
    assert {} == find(top, "nowhere.py")
    assert {} == find(tmp_path)
