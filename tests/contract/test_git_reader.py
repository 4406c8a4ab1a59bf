"""The git reader agrees with git itself, in repositories created here."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import git as gitpython
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from aforesaid.adapters.git_reader import read_repository
from aforesaid.adapters.git_reader.git_files import parse_config
from aforesaid.adapters.git_reader.session_commits import read_commits
from generated import examples
from git_folders import ENVIRONMENT, git, make_repository, try_git


def assert_like_git(folder: Path | str) -> None:
    """Compare every fact of the reader with git's own answer in that folder."""
    read = read_repository(str(folder))
    assert read is not None, f"no repository found from {folder}"
    common = try_git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    assert os.path.realpath(common or "") == read.common_dir
    own = try_git(folder, "rev-parse", "--absolute-git-dir")
    assert os.path.realpath(own or "") == read.git_dir
    assert try_git(folder, "symbolic-ref", "-q", "--short", "HEAD") == read.branch
    assert try_git(folder, "rev-parse", "-q", "--verify", "HEAD") == read.commit
    assert try_git(folder, "rev-parse", "--is-bare-repository") == str(read.is_bare).lower()
    top = try_git(folder, "rev-parse", "--show-toplevel")
    if top is not None:
        assert top == read.root
    names = (try_git(folder, "remote") or "").splitlines()
    urls = {name: try_git(folder, "config", "--get-all", f"remote.{name}.url") for name in names}
    assert {name: url.splitlines()[0] for name, url in urls.items() if url} == read.remotes


def test_a_repository_and_its_subfolders_read_alike(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "payments", remote="git@github.com:acme/payments.git")
    deep = top / "src" / "deep"
    deep.mkdir(parents=True)
    assert_like_git(top)
    assert_like_git(deep)
    assert read_repository(str(top)) == read_repository(str(deep))


def test_gitpython_agrees_on_branch_commit_and_remotes(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "payments", remote="https://example.org/acme/payments.git")
    with gitpython.Repo(top) as oracle:
        read = read_repository(str(top))
        assert read is not None
        assert oracle.active_branch.name == read.branch
        assert oracle.head.commit.hexsha == read.commit
        assert {remote.name: remote.url for remote in oracle.remotes} == read.remotes
        assert os.path.realpath(oracle.common_dir) == read.common_dir
        assert str(oracle.working_tree_dir) == read.root


def test_worktrees_share_one_common_dir(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "main tree")
    git(top, "worktree", "add", "-q", "-b", "feature/x", str(tmp_path / "linked"))
    inside = tmp_path / "linked" / "sub"
    inside.mkdir()
    for folder in (top, tmp_path / "linked", inside):
        assert_like_git(folder)
    first, second = read_repository(str(top)), read_repository(str(inside))
    assert first is not None
    assert second is not None
    assert first.common_dir == second.common_dir
    assert ("main", "feature/x") == (first.branch, second.branch)


def test_worktrees_of_a_bare_repository_are_not_bare(tmp_path: Path) -> None:
    make_repository(tmp_path / "seed")
    git(tmp_path, "clone", "-q", "--bare", "seed", "project/.bare")
    (tmp_path / "project" / ".git").write_text("gitdir: ./.bare\n")
    git(tmp_path / "project", "worktree", "add", "-q", "main")
    for folder in ("project", "project/main", "project/.bare", "project/.bare/refs"):
        assert_like_git(tmp_path / folder)


def test_a_bare_repository_reads_like_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "store.git")
    assert_like_git(tmp_path / "store.git")
    assert_like_git(tmp_path / "store.git" / "objects")


def test_inside_the_git_folder_the_repository_around_it_answers(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    git(top, "worktree", "add", "-q", "-b", "b", str(tmp_path / "b"))
    for folder in (".git", ".git/hooks", ".git/refs/heads"):
        assert_like_git(top / folder)
        repository = read_repository(str(top / folder))
        assert repository is not None
        assert str(top) == repository.root
    repository = read_repository(str(top / ".git/worktrees/b"))
    assert repository is not None
    assert str(tmp_path / "b") == repository.root
    assert str(top / ".git") == repository.common_dir


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    make_repository(tmp_path / "library", remote="https://example.org/acme/library")
    top = make_repository(tmp_path / "application")
    git(top, "submodule", "add", "-q", str(tmp_path / "library"), "vendor/library")
    assert_like_git(top)
    assert_like_git(top / "vendor/library")
    assert_like_git(top / ".git/modules/vendor/library")
    inner, outer = read_repository(str(top / "vendor/library")), read_repository(str(top))
    assert inner is not None
    assert outer is not None
    assert inner.common_dir != outer.common_dir
    at_its_files = read_repository(str(top / ".git/modules/vendor/library"))
    assert inner == at_its_files


def test_nested_repositories_answer_for_themselves(tmp_path: Path) -> None:
    outer = make_repository(tmp_path / "outer")
    inner = make_repository(outer / "inner")
    assert_like_git(outer)
    assert_like_git(inner)


def test_a_detached_head_has_a_commit_and_no_branch(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", commits=2)
    git(top, "checkout", "-q", "--detach", "HEAD~1")
    assert_like_git(top)


def test_no_commit_yet_means_a_branch_without_commit(tmp_path: Path) -> None:
    assert_like_git(make_repository(tmp_path / "a", commits=0, branch="trunk"))


def test_packed_refs_are_read_and_loose_ones_win(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", branch="topic/with/slashes")
    git(top, "tag", "-a", "-m", "one", "v1")
    git(top, "pack-refs", "--all")
    assert not (top / ".git/refs/heads/topic/with/slashes").exists()
    assert_like_git(top)
    git(top, "commit", "-q", "--allow-empty", "-m", "two")
    assert_like_git(top)


def test_a_symbolic_branch_is_followed(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    git(top, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(top, "symbolic-ref", "HEAD", "refs/heads/alias")
    read = read_repository(str(top))
    assert read is not None
    assert git(top, "rev-parse", "HEAD") == read.commit


def test_head_as_a_symbolic_link_is_read_but_not_followed(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    (top / ".git/HEAD").unlink()
    (top / ".git/HEAD").symlink_to("refs/heads/main")
    assert_like_git(top)


@pytest.mark.parametrize("name", ["with blanks", "naïve-größe", "支付 系统", "quo'te\"d", "-dash"])
def test_paths_with_blanks_and_any_letters(tmp_path: Path, name: str) -> None:
    top = make_repository(tmp_path / name / "repo")
    (top / name).mkdir()
    assert_like_git(top / name)


def test_a_path_that_is_no_utf8_is_read(tmp_path: Path) -> None:
    top = make_repository(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    read = read_repository(str(top))
    assert read is not None
    assert str(top) == read.root


def test_links_to_a_repository_lead_to_its_real_path(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "real")
    (top / "sub").mkdir()
    (tmp_path / "link").symlink_to(top / "sub")
    assert_like_git(tmp_path / "link")


def test_a_separate_git_dir_is_found(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "files"), "tree")
    git(tmp_path / "tree", "config", "core.worktree", "../tree")
    assert_like_git(tmp_path / "tree")
    read = read_repository(str(tmp_path / "files"))
    assert read is not None
    assert str(tmp_path / "tree") == read.root


def test_per_worktree_settings_are_read(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    git(top, "config", "extensions.worktreeConfig", "true")
    git(top, "config", "--worktree", "user.name", "Grace")
    read = read_repository(str(top))
    assert read is not None
    assert "Grace" == read.user_name


def test_all_remotes_with_their_first_address(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", remote="https://user:t0ken@example.org/a/b.git")
    git(top, "remote", "add", "up.stream", "ssh://git@example.org/x/y.git")
    git(top, "config", "--add", "remote.origin.url", "https://second.example.org/a/b.git")
    git(top, "config", "remote.pushonly.pushurl", "https://example.org/only.git")
    assert_like_git(top)


def test_odd_but_valid_config_syntax_reads_like_git(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    (top / ".git/config").write_text(
        "\ufeff[core]bare=false ; said twice\n"
        "\t repositoryFormatVersion = 0 # and this\n"
        '[REMOTE "Or\\"igin"]   URL = "https://exa#mple.org/a" \\\n  b   ; end\n'
        "  fetch\n"
        '[remote "tail"] url = a\\tb\\\\c"  kept  "   \n'
        "[remote.Old.Style] url=https://example.org/old\r\n"
    )
    expected = try_git(top, "config", "--file", ".git/config", "--list", "-z")
    assert expected is not None
    assert expected == list_like_git((top / ".git/config").read_bytes().decode())


def list_like_git(text: str) -> str:
    """Return entries in the form of ``git config --list -z``."""
    return "".join(
        ".".join(part for part in (section, sub, key) if part)
        + ("" if value is None else f"\n{value}")
        + "\0"
        for section, sub, key, value in parse_config(text)
    )


# Parts of config files, so that examples are nearly valid instead of failing at once. No tab
# within a value: before 2.45 git turned it into a space, since then it keeps it.
PIECES = st.sampled_from(
    ["[core]", '[remote "origin"]', "[a.B]", r'[x "q\"\\uoted"]', "\n", "\n", " ", "url",
     "key-1", "=", " = ", "value", '"', r"\\", r"\n", "\\\n", r'\"', "#", ";", "true", "é",
     "\r\n", "\n\t", "[", "]", "[core]key=1"]
)  # fmt: skip


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
@given(st.lists(PIECES, max_size=24).map("".join))
def test_what_git_reads_from_a_config_we_read_too(text: str) -> None:
    done = subprocess.run(
        ["git", "config", "--file", "-", "--list", "-z"],
        input=text.encode(), env=ENVIRONMENT, capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    assume(done.returncode == 0)
    assert done.stdout.decode() == list_like_git(text)


def test_commits_of_a_session_come_from_the_log(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", commits=3)
    git(
        top,
        "commit",
        "-q",
        "--allow-empty",
        "--amend",
        "-m",
        "mended: with colon",
        at=1_700_000_010,
    )
    git(top, "checkout", "-q", "-b", "side")
    git(top, "commit", "-q", "--allow-empty", "-m", "on the side", at=1_700_000_020)
    git(top, "checkout", "-q", "main")
    git(top, "merge", "-q", "--no-ff", "-m", "bring it in", "side", at=1_700_000_030)
    git(top, "reset", "-q", "--hard", "HEAD~1", at=1_700_000_040)
    read = read_repository(str(top))
    assert read is not None
    commits = read_commits(read, 1_700_000_001_500, 1_700_000_060_000)
    assert [
        ("commit", "commit 1", 1_700_000_001_000),  # in the second in which the session began
        ("commit", "commit 2", 1_700_000_002_000),
        ("amend", "mended: with colon", 1_700_000_010_000),
        ("commit", "on the side", 1_700_000_020_000),
        ("merge", "Merge side", 1_700_000_030_000),
    ] == [(commit.kind, commit.subject, commit.at_ms) for commit in commits]
    assert commits[1].id == commits[2].replaces
    assert git(top, "rev-parse", "side") == commits[3].id
    assert ["initial"] == [c.kind for c in read_commits(read, 0, 1_700_000_000_999)]


def test_commits_of_a_long_log_are_read_from_its_end(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", commits=1)
    log = top / ".git/logs/HEAD"
    line = f"{'a' * 40} {'b' * 40} Ada <a@example.org> 1600000000 +0000\tcommit: old\n"
    log.write_text(line * 12_000 + log.read_text())
    read = read_repository(str(top))
    assert read is not None
    assert 1 << 20 < log.stat().st_size
    assert ["initial"] == [c.kind for c in read_commits(read, 1_700_000_000_000, 1_800_000_000_000)]
    assert 12_000 > len(read_commits(read, 0, 1_800_000_000_000))


def test_where_a_clone_came_from_is_known(tmp_path: Path) -> None:
    seed = make_repository(tmp_path / "seed")
    git(tmp_path, "clone", "-q", str(seed), "copy")
    first, second = read_repository(str(seed)), read_repository(str(tmp_path / "copy"))
    assert first is not None
    assert second is not None
    assert (None, str(seed)) == (first.cloned_from, second.cloned_from)


def test_a_reftable_repository_has_an_unknown_branch(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", remote="https://example.org/a/b")
    (top / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    read = read_repository(str(top))
    assert read is not None
    assert (None, None) == (read.branch, read.commit)
    assert {"origin": "https://example.org/a/b"} == read.remotes


def test_no_repository_means_none(tmp_path: Path) -> None:
    assert try_git(tmp_path, "rev-parse") is None
    assert read_repository(str(tmp_path)) is None
    assert read_repository("") is None


def test_an_empty_git_folder_is_passed_over_as_git_does(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    (top / "sub/.git").mkdir(parents=True)
    assert_like_git(top / "sub")


def test_a_git_file_that_points_nowhere_ends_the_search_as_git_does(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    (top / "sub").mkdir()
    (top / "sub/.git").write_text("gitdir: /nowhere/at/all\n")
    assert try_git(top / "sub", "rev-parse") is None
    assert read_repository(str(top / "sub")) is None


def test_ceilings_hide_a_repository_from_below_but_not_at_itself(tmp_path: Path) -> None:
    home = make_repository(tmp_path / "home")
    (home / "work").mkdir()
    assert read_repository(str(home / "work"), (str(home),)) is None
    repository = read_repository(str(home), (str(home),))
    assert repository is not None
    assert str(home) == repository.root


def test_a_committed_bare_repository_does_not_speak_for_its_folder(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    git(top, "init", "-q", "--bare", "trap")
    git(top / "trap", "remote", "add", "origin", "https://github.com/acme/payments")
    repository = read_repository(str(top / "trap" / "refs"))
    assert repository is not None
    assert str(top) == repository.root
    assert {} == repository.remotes


def test_a_worktree_setting_that_names_a_foreign_folder_is_not_believed(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a")
    git(top, "config", "core.worktree", str(tmp_path))
    repository = read_repository(str(top))
    assert repository is not None
    assert str(top) == repository.root


def test_reading_a_repository_takes_under_two_milliseconds(tmp_path: Path) -> None:
    top = make_repository(tmp_path / "a", remote="https://github.com/acme/payments")
    deep = top / "server" / "package" / "module"
    deep.mkdir(parents=True)
    best = 1.0
    for _ in range(30):
        start = time.perf_counter()
        read_repository(str(deep))
        best = min(best, time.perf_counter() - start)
    print(f"read_repository: {best * 1000:.3f} ms")
    assert best < 0.002
