"""The reader of branches agrees with what git itself merges, squashes and deletes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aforesaid.adapters.git_reader.branches import GitBranches
from aforesaid.domain.model.branch import GONE, MERGED, OPEN, UNKNOWN, BranchMark
from git_folders import git, make_repository

BORN = 1_700_000_000
READER = GitBranches()


def commit(top: Path, path: str, text: str, at: int = BORN + 100) -> str:
    (top / path).write_text(text)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", f"change {path}", at=at)
    return git(top, "rev-parse", "HEAD")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository on the branch feature/outbox, with one commit there."""
    folder = make_repository(tmp_path / "shop", commits=2)
    git(folder, "checkout", "-q", "-b", "feature/outbox")
    commit(folder, "outbox.py", "table = 'outbox'\n")
    return folder


def mark(top: Path, branch: str = "feature/outbox") -> BranchMark:
    found = READER.mark(str(top), branch)
    assert found is not None
    return found


def state(top: Path, of: BranchMark) -> str:
    return READER.state_of(str(top), of, BORN * 1000)[0]


def test_the_default_branch_and_an_unknown_one_have_no_mark(top):
    assert READER.mark(str(top), "main") is None
    assert READER.mark(str(top), "nowhere") is None
    assert READER.mark(str(top.parent), "feature/outbox") is None


def test_the_remotes_head_names_the_default_branch(top):
    git(top, "branch", "next")
    git(top, "remote", "add", "origin", "https://example.org/shop.git")
    git(top, "update-ref", "refs/remotes/origin/next", "HEAD")
    git(top, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")
    assert READER.mark(str(top), "next") is None
    assert mark(top, "main").name == "main"


def test_a_mark_has_the_branchs_newest_commit(top):
    assert mark(top).commit == git(top, "rev-parse", "HEAD")
    assert not mark(top).is_start


def test_what_is_learnt_before_the_first_commit_holds_elsewhere_only_after_it_was_merged(top):
    git(top, "checkout", "-q", "-b", "empty", "main")
    learnt = mark(top, "empty")
    assert learnt.is_start
    git(top, "checkout", "-q", "main")
    assert {learnt} == READER.find_unmerged(str(top), [learnt])
    assert OPEN == state(top, learnt)
    git(top, "checkout", "-q", "empty")
    first = commit(top, "a.py", "a\n")
    assert (OPEN, first) == READER.state_of(str(top), learnt, BORN * 1000)


@pytest.mark.parametrize("how", ["merge", "fast-forward", "rebase-and-pack"])
def test_a_merged_branch_holds(top, how):
    learnt = mark(top)
    git(top, "checkout", "-q", "main")
    assert {learnt} == READER.find_unmerged(str(top), [learnt])
    assert OPEN == state(top, learnt)
    flag = "--no-ff" if how == "merge" else "--ff-only"
    git(top, "merge", "-q", flag, "feature/outbox", at=BORN + 200)
    git(top, "branch", "-q", "-d", "feature/outbox")
    if how == "rebase-and-pack":
        git(top, "gc", "-q")
        git(top, "pack-refs", "--all")
    assert not READER.find_unmerged(str(top), [learnt])
    assert MERGED == state(top, learnt)


def test_on_the_branch_itself_and_on_one_that_was_started_from_it_all_holds(top):
    learnt = mark(top)
    assert not READER.find_unmerged(str(top), [learnt])
    git(top, "checkout", "-q", "-b", "stacked")
    commit(top, "b.py", "b\n", BORN + 150)
    assert not READER.find_unmerged(str(top), [learnt])


def test_another_worktree_is_judged_by_what_is_checked_out_there(top):
    learnt = mark(top)
    other = top.parent / "hotfix"
    git(top, "worktree", "add", "-q", "-b", "hotfix", str(other), "main")
    assert {learnt} == READER.find_unmerged(str(other), [learnt])
    assert not READER.find_unmerged(str(top), [learnt])
    git(other, "merge", "-q", "feature/outbox")
    assert not READER.find_unmerged(str(other), [learnt])


def test_a_squashed_merge_is_recognised_by_its_changes_after_others_were_made(top):
    commit(top, "other.py", "more\n", BORN + 110)
    learnt = mark(top)
    git(top, "checkout", "-q", "main")
    commit(top, "readme.md", "unrelated\n", BORN + 120)
    git(top, "merge", "-q", "--squash", "feature/outbox")
    git(top, "commit", "-q", "-m", "Add the outbox (#12)", at=BORN + 130)
    git(top, "branch", "-q", "-D", "feature/outbox")
    commit(top, "readme.md", "later\n", BORN + 140)
    assert MERGED == state(top, learnt)


def test_a_merge_of_the_default_branch_into_a_feature_is_no_merge_of_the_feature(top):
    git(top, "checkout", "-q", "main")
    commit(top, "readme.md", "unrelated\n", BORN + 120)
    git(top, "checkout", "-q", "feature/outbox")
    git(top, "merge", "-q", "--no-edit", "main", at=BORN + 130)
    assert OPEN == state(top, mark(top))


def test_a_merge_commit_that_names_the_branch_counts_without_its_commits(top):
    learnt = mark(top)
    git(top, "checkout", "-q", "main")
    git(
        top, "commit", "-q", "--allow-empty", "-m",
        "Merge pull request #7 from ada/feature/outbox", at=BORN + 200,
    )  # fmt: skip
    assert MERGED == state(top, learnt)


def test_a_deleted_branch_is_gone_unless_a_remote_still_has_it_or_this_is_another_clone(top):
    learnt = mark(top)
    git(top, "checkout", "-q", "main")
    git(top, "branch", "-q", "-D", "feature/outbox")
    assert GONE == state(top, learnt)
    assert UNKNOWN == state(make_repository(top.parent / "elsewhere"), learnt)
    git(top, "remote", "add", "origin", "https://example.org/shop.git")
    git(top, "update-ref", "refs/remotes/origin/feature/outbox", learnt.commit)
    assert OPEN == state(top, learnt)


def test_a_folder_that_is_gone_tells_nothing(top):
    learnt = mark(top)
    shutil.rmtree(top)
    git(top.parent, "init", "-q")
    assert UNKNOWN == state(top, learnt)
    assert {learnt} == READER.find_unmerged(str(top), [learnt])


def test_damaged_objects_and_refs_leave_the_mark(top):
    learnt = mark(top)
    git(top, "checkout", "-q", "main")
    shutil.rmtree(top / ".git" / "objects")
    (top / ".git" / "objects").mkdir()
    assert {learnt} == READER.find_unmerged(str(top), [learnt])
    (top / ".git" / "HEAD").write_bytes(b"\xff\x00")
    assert {learnt} == READER.find_unmerged(str(top), [learnt])
