"""The history of a repository as memories: each commit once, with its files as they were then."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from aforesaid.adapters.git_history import read_history
from aforesaid.adapters.git_reader import read_repository
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.import_item import SkipCounter
from git_folders import ENVIRONMENT, git, make_repository

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")
NOVEMBER = 1_700_000_000
DAY = 86_400


def commit(top, at, message, **files):
    for name, text in files.items():
        path = top / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    git(top, "add", "-A")
    git(top, "commit", "-q", "--allow-empty", "-m", message, at=at)
    return git(top, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    """Four commits and a merge."""
    top = make_repository(
        tmp_path / "code" / "shop", remote="git@host.example:acme/shop.git", commits=0
    )
    commit(top, NOVEMBER, "Add the queue", src__queue_py="queue = 1\n", old_py="x\n")
    commit(
        top, NOVEMBER + DAY,
        "Retry payments\n\nA timeout hid a success.\n\nSigned-off-by: Ada <ada@example.org>",
        src__pay_py="pay\n",
    )  # fmt: skip
    git(top, "checkout", "-q", "-b", "side")
    commit(top, NOVEMBER + 2 * DAY, "Work beside", side_py="s\n")
    git(top, "checkout", "-q", "main")
    commit(top, NOVEMBER + 3 * DAY, "Change the queue", src__queue_py="queue = 2\n", old_py=None)
    git(top, "merge", "-q", "--no-ff", "-m", "Merge side", "side", at=NOVEMBER + 4 * DAY)
    return top


def read(top, **asked):
    left_out = SkipCounter()
    results = read_repository(str(top))
    assert results is not None
    return [piece.statement for piece in read_history(results, "git:x", left_out, **asked)]


def test_commits_come_oldest_first_with_files_and_without_merges(repository):
    statements = read(repository)
    assert ["Add the queue", "Retry payments", "Work beside", "Change the queue"] == [
        statement.summary for statement in statements
    ]
    first, second, _, last = statements
    assert first.content.endswith("Add the queue\nFiles: old.py, src/queue.py")
    assert "\nA timeout hid a success.\nFiles: src/pay.py" in second.content
    assert "Signed-off-by" not in second.content
    assert ["src/queue.py"] == [anchor.path for anchor in last.cited]
    assert NOVEMBER * 1000 == first.created_at
    assert ("git", "Ada", "2023-11-14") == tuple(
        first.metadata[name] for name in ("source", "author", "event_date")
    )


def test_what_git_says_is_what_is_read(repository):
    ids = git(repository, "rev-list", "--no-merges", "--reverse", "HEAD").split()
    assert ids == [item.metadata["commit"] for item in read(repository)]


def test_since_and_most_bound_what_is_read(repository):
    assert 2 == len(read(repository, since=(NOVEMBER + DAY + 1) * 1000))
    assert ["Change the queue"] == [item.summary for item in read(repository, max_commits=1)]


def test_a_worktree_a_bare_and_a_shallow_repository_are_read(repository, tmp_path):
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "side")
    assert 3 == len(read(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(tmp_path / "bare.git"))
    assert 4 == len(read(tmp_path / "bare.git"))
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(tmp_path / "shallow"))
    assert len(read(tmp_path / "shallow")) <= 1


def test_an_empty_repository_says_so(tmp_path):
    with pytest.raises(InvalidInputError, match="no commit"):
        read(make_repository(tmp_path / "empty", commits=0))


@pytest.mark.parametrize("name", ["line\nbreak.py", "tab\t.py", "ünï.py", "-rf", " ", "a -> b"])
def test_any_file_name_is_read(tmp_path, name):
    top = make_repository(tmp_path / "a", commits=0)
    (top / name).write_text("x\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "odd")
    (statement,) = read(top)
    assert name in statement.content


def test_any_message_is_read(tmp_path):
    top = make_repository(tmp_path / "a", commits=0)
    git(top, "-c", "i18n.commitEncoding=iso-8859-1", "commit", "-q", "--allow-empty", "-m", "x")
    raw = (
        f"tree {git(top, 'rev-parse', 'HEAD^{tree}')}\n".encode()
        + b"author \xff <a> 1700000000 +0000\ncommitter B <b> 1700000000 +0000\n"
        + b"encoding no-such\n\n\xfe\xff broken \x00 words\n"
    )
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        input=raw, capture_output=True, cwd=top, env=ENVIRONMENT, check=True,
    )  # fmt: skip
    (top / ".git/refs/heads/main").write_bytes(made.stdout)
    (statement,) = read(top)
    assert "broken" in statement.content


# -- through the door


@pytest.fixture
def shell(environment, repository):
    def run(*arguments, code=0, folder=repository):
        done = subprocess.run(
            [DOOR, *arguments, "--json"],
            cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=120,
            check=False,
        )  # fmt: skip
        assert code == done.returncode, done.stderr
        return json.loads(done.stdout) if code == 0 else done.stderr

    return run


def test_each_commit_comes_in_once_and_is_found_with_what_changed_since(shell, repository):
    assert 4 == shell("ingest", "--git", "--dry-run")["stored"]
    assert 4 == shell("ingest", "--git")["stored"]
    again = shell("ingest", "--git")
    assert (0, 0, 4) == (again["stored"], again["changed"], again["known"])
    results = shell("search", "payments retry", "--type", "episodic")["results"][0]
    assert ("import", ["commit"]) == (results["provenance"], results["tags"])
    listed = shell("list", "--no-summary-only")["results"]
    stale = {memory["content"].splitlines()[0][19:]: memory.get("stale") for memory in listed}
    assert "src/queue.py changed" in str(stale["Add the queue"])
    assert not stale["Change the queue"]


def test_a_rebased_commit_is_the_same_one_under_its_new_id(shell, repository):
    shell("ingest", "--git")
    git(repository, "checkout", "-q", "side")
    git(repository, "rebase", "-q", "--onto", "main~1", "main~2", at=NOVEMBER + 9 * DAY)
    done = shell("ingest", "--git")
    assert 0 == done["stored"]
    head = git(repository, "rev-parse", "--short=10", "HEAD")
    contents = [row["content"] for row in shell("list", "--no-summary-only")["results"]]
    beside = [text for text in contents if "Work beside" in text]
    assert [f"Commit {head}: Work beside"] == [text.splitlines()[0] for text in beside]


def test_a_secret_in_a_message_or_a_path_is_not_kept(shell, repository):
    secret = "ghp_" + "Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zA4bC"
    commit(repository, NOVEMBER + 10 * DAY, f"Drop {secret}", **{f"{secret}_py": "x\n"})
    output = shell("ingest", "--git")
    assert 5 == output["stored"]
    assert output["left_out"]["secrets and private spans"]
    assert secret not in json.dumps(shell("list", "--no-summary-only"))


def test_a_folder_without_a_repository_says_so(shell, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    assert "not in a git repository" in shell("ingest", "--git", code=2, folder=plain)
