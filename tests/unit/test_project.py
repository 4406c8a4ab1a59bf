"""The decision which project a folder is, over facts without any folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aforesaid.domain.projects.detection import (
    MAX_NAME_CHARS,
    Marker,
    ProjectResolution,
    Repository,
    WorkspaceFacts,
    adopt,
    chosen_keys,
    identify,
)

SERVER = Path(__file__).resolve().parents[2] / "server"
REMOTE = "https://user:s3cret@github.com/Acme/Payments.git"


def repository(root: str = "/w/pay", **more: object) -> Repository:
    facts = {"root": root, "common_dir": f"{root}/.git", "git_dir": f"{root}/.git"}
    return Repository(**{**facts, **more})


def surroundings(**more: object) -> WorkspaceFacts:
    return WorkspaceFacts(**{"folder": "/w/pay/src", **more})


def test_a_remote_names_the_project_without_its_credentials() -> None:
    identity = identify(
        surroundings(repository=repository(remotes={"origin": REMOTE}, branch="main"))
    )
    assert identity is not None
    assert "git:github.com/acme/payments" == identity.key
    assert "Acme/Payments" == identity.name
    assert "https://github.com/Acme/Payments.git" == identity.remote
    assert (0.95, "git remote", False) == (
        identity.confidence,
        identity.source,
        identity.provisional,
    )
    assert ("main", "/w/pay") == (identity.branch, identity.root)
    assert "s3cret" not in repr(identity)


@pytest.mark.parametrize(
    ("branch", "shown"),
    [
        ("feature/größe", "feature/größe"),
        ("main\u2003ignore\u00a0all\x9b31m\u2028and run", "main-ignore-all31m-and-run"),
        ("a" * 100_000, "a" * MAX_NAME_CHARS),
        ("x\udcff", "x\\udcff"),
    ],
)
def test_of_a_branch_no_more_is_told_than_a_name(branch, shown):
    identity = identify(surroundings(repository=repository(branch=branch)))
    assert shown == identity.branch


def test_without_remote_the_shared_repository_is_the_project() -> None:
    linked = repository("/w/feature", common_dir="/w/pay/.git", git_dir="/w/pay/.git/worktrees/f")
    main, worktree = (identify(surroundings(repository=r)) for r in (repository(), linked))
    assert main is not None
    assert worktree is not None
    assert "repo:/w/pay/.git" == main.key == worktree.key
    assert ("pay", "pay") == (main.name, worktree.name)
    assert (0.9, "git repository", False) == (main.confidence, main.source, main.provisional)


@pytest.mark.parametrize(
    ("common_dir", "name"),
    [
        ("/w/pay/.git", "pay"),
        ("/srv/pay.git", "pay"),
        ("/w/pay/.bare", "pay"),
        ("/w/top/.git/modules/pay", "pay"),
    ],
)
def test_a_repository_without_remote_is_named_after_its_folder(common_dir: str, name: str) -> None:
    identity = identify(surroundings(repository=repository(common_dir=common_dir)))
    assert identity is not None
    assert name == identity.name


@pytest.mark.parametrize(
    ("remotes", "chosen"),
    [
        ({"upstream": "https://h/u/x", "origin": "https://h/o/x"}, "h/o/x"),
        ({"anything": "https://h/a/x"}, "h/a/x"),
        ({"fork": "https://h/f/x", "upstream": "https://h/u/x"}, "h/u/x"),
        ({"zeta": "https://h/z/x", "alpha": "https://h/a/x"}, "h/z/x"),
        ({"origin": "ext::sh -c evil", "backup": "https://h/b/x"}, "h/b/x"),
    ],
)
def test_origin_then_the_only_one_then_upstream_then_the_first(
    remotes: dict[str, str], chosen: str
) -> None:
    identity = identify(surroundings(repository=repository(remotes=remotes)))
    assert identity is not None
    assert f"git:{chosen}" == identity.key


def test_a_relative_remote_is_resolved_against_the_repository() -> None:
    identity = identify(surroundings(repository=repository(remotes={"origin": "../hub/pay.git"})))
    assert identity is not None
    assert "git:file:/w/hub/pay" == identity.key


def test_a_clone_by_path_is_the_project_of_what_it_was_cloned_from() -> None:
    hub = Repository(
        root="/srv/pay.git", common_dir="/srv/pay.git", git_dir="/srv/pay.git", is_bare=True
    )
    original = identify(surroundings(repository=hub))
    clone = identify(surroundings(repository=repository(remotes={"origin": "/srv/pay.git"})))
    assert original is not None
    assert clone is not None
    assert clone.key in original.keys


def test_a_marker_is_asked_about_and_keyed_by_its_folder() -> None:
    marker = Marker(folder="/w/pay", file="pyproject.toml", name="payments")
    identity = identify(surroundings(marker=marker))
    assert identity is not None
    assert ("marker:/w/pay", "payments") == (identity.key, identity.name)
    assert (0.7, "marker", True) == (identity.confidence, identity.source, identity.provisional)
    assert "pyproject.toml" in identity.evidence


def test_a_plain_folder_is_its_own_project_for_now() -> None:
    identity = identify(surroundings())
    assert identity is not None
    assert ("folder:/w/pay/src", "src") == (identity.key, identity.name)
    assert (0.5, "folder", True) == (identity.confidence, identity.source, identity.provisional)


def test_two_folders_with_one_basename_are_two_projects() -> None:
    item, two = (identify(WorkspaceFacts(folder=folder)) for folder in ("/a/api", "/b/api"))
    assert item is not None
    assert two is not None
    assert "api" == item.name == two.name
    assert item.key != two.key


@pytest.mark.parametrize("why", ["home folder", "root of the file system", "temporary folder"])
def test_nobodys_folders_have_no_project_unless_a_repository_is_there(why: str) -> None:
    assert identify(surroundings(excluded_reason=why)) is None
    assert identify(surroundings(excluded_reason=why, repository=repository())) is not None


def test_what_was_said_wins_in_order() -> None:
    everything = surroundings(
        chosen="git:github.com/acme/chosen", asked="asked", mapped="mapped",
        repository=repository(remotes={"origin": REMOTE}),
    )  # fmt: skip
    messages = [
        everything,
        everything.replace(chosen=None),
        everything.replace(chosen_in="folder", asked=None),
        everything.replace(chosen=None, asked=None),
        everything.replace(chosen=None, asked=None, mapped=None),
    ]
    results = [(i.key, i.source, i.confidence) for i in map(identify, messages) if i is not None]
    assert [
        ("git:github.com/acme/chosen", "session", 1.0),
        ("name:asked", "environment", 1.0),
        ("git:github.com/acme/chosen", "session", 1.0),
        ("name:mapped", "mapping", 1.0),
        ("git:github.com/acme/payments", "git remote", 0.95),
    ] == results


def test_the_environment_beats_a_choice_made_here_in_an_earlier_session() -> None:
    identity = identify(surroundings(chosen="name:before", chosen_in="folder", asked="Brand  X"))
    assert identity is not None
    assert ("name:brand x", "Brand  X") == (identity.key, identity.user_text)
    assert "Brand X" == identity.name


def test_a_folder_in_the_environment_is_identified_and_sure() -> None:
    identity = identify(
        surroundings(asked="/w/pay", asked_for_folder=True, repository=repository())
    )
    assert identity is not None
    assert ("repo:/w/pay/.git", 1.0, "environment") == (
        identity.key,
        identity.confidence,
        identity.source,
    )


def test_what_was_said_never_makes_the_place_an_alias() -> None:
    identity = identify(surroundings(asked="other", repository=repository()))
    assert identity is not None
    assert ("name:other",) == identity.keys
    assert () == identity.former_keys


def test_a_choice_holds_below_a_repository_and_only_at_a_plain_folder() -> None:
    in_repository = surroundings(repository=repository())
    assert ("chosen:/w/pay/src", "chosen:/w/pay") == chosen_keys(in_repository)
    assert ("chosen:/w/pay/src",) == chosen_keys(surroundings())
    assert () == chosen_keys(surroundings(excluded_reason="temporary folder"))
    assert () == chosen_keys(WorkspaceFacts(folder="", excluded_reason="no folder"))


def test_bytes_that_are_no_text_make_a_key_that_can_be_stored() -> None:
    identity = identify(WorkspaceFacts(folder="/w/caf\udce9"))
    assert identity is not None
    assert "folder:/w/caf\\udce9" == identity.key
    assert identity.evidence.encode()


def test_a_composed_and_a_decomposed_path_are_one_folder() -> None:
    keys = {
        i.key
        for f in ("/w/caf\u00e9", "/w/cafe\u0301")
        if (i := identify(WorkspaceFacts(folder=f)))
    }
    assert 1 == len(keys)


def test_names_are_one_bounded_line() -> None:
    marker = Marker(folder="/w", file="package.json", name="a\n\x1b[31mb\u202ec" + "x" * 500)
    identity = identify(surroundings(marker=marker))
    assert identity is not None
    assert 120 == len(identity.name)
    assert identity.name.startswith("a bc")


# -- what a store does with an identity


def test_an_unknown_identity_is_made_with_all_its_keys() -> None:
    identity = identify(surroundings(repository=repository(remotes={"origin": REMOTE})))
    assert identity is not None
    assert ProjectResolution(project=None, record=identity.keys) == adopt(identity, {}, {})


def test_a_remote_that_appears_later_orphans_nothing() -> None:
    before = identify(surroundings(repository=repository()))
    after = identify(surroundings(repository=repository(remotes={"origin": REMOTE})))
    assert before is not None
    assert after is not None
    owners = dict.fromkeys(before.keys, 7)
    assert ProjectResolution(project=7, record=(after.key,)) == adopt(
        after, owners, {7: before.keys}
    )


def test_a_repository_takes_over_what_its_folder_held() -> None:
    plain = identify(WorkspaceFacts(folder="/w/pay"))
    after = identify(surroundings(repository=repository()))
    assert plain is not None
    assert after is not None
    assert ProjectResolution(project=3, record=after.keys) == adopt(
        after, {plain.key: 3}, {3: plain.keys}
    )


def test_two_projects_that_turn_out_to_be_one_are_merged() -> None:
    before = identify(surroundings(repository=repository()))
    after = identify(surroundings(repository=repository(remotes={"origin": REMOTE})))
    assert before is not None
    assert after is not None
    owners = {after.key: 1, **dict.fromkeys(before.keys, 2)}
    assert ProjectResolution(project=1, record=before.keys, merge=(2,)) == adopt(
        after, owners, {1: (after.key,), 2: before.keys}
    )


def test_a_fresh_clone_in_an_old_place_does_not_see_what_lay_there() -> None:
    old = identify(surroundings(repository=repository(remotes={"origin": "https://h/o/old"})))
    local = identify(surroundings(repository=repository()))
    fresh = identify(
        surroundings(
            repository=repository(
                remotes={"origin": "https://h/o/new"}, cloned_from="https://h/o/new"
            )
        )
    )
    assert old is not None
    assert local is not None
    assert fresh is not None
    for former in (old, local):
        owners = {key: 5 for key in fresh.keys if key in former.keys}
        assert ProjectResolution(project=None, record=fresh.keys) == adopt(
            fresh, owners, {5: former.keys}
        )


def test_a_clone_whose_remote_was_renamed_stays_its_project() -> None:
    clone = repository(remotes={"origin": "https://h/o/a"}, cloned_from="https://h/o/a")
    old = identify(surroundings(repository=clone))
    new = identify(surroundings(repository=clone.replace(remotes={"origin": "https://h/o/b"})))
    assert old is not None
    assert new is not None
    owners = dict.fromkeys(old.keys, 5)
    del owners[old.key]
    assert ProjectResolution(project=5, record=(new.key,)) == adopt(new, owners, {5: old.keys})


def test_a_project_known_only_through_a_clone_by_path_is_found_at_the_original() -> None:
    clone = identify(
        surroundings(
            repository=repository("/w/copy", remotes={"origin": "/w/pay"}, cloned_from="/w/pay")
        )
    )
    original = identify(
        surroundings(repository=repository(remotes={"origin": REMOTE}, cloned_from=REMOTE))
    )
    assert clone is not None
    assert original is not None
    owners = {key: 4 for key in original.keys if key in clone.keys}
    assert 4 == adopt(original, owners, {4: clone.keys}).project


def test_detection_loads_nothing_that_the_hook_path_cannot_afford() -> None:
    code = f"""
import sys
sys.path.insert(0, {str(SERVER)!r})
before = set(sys.modules)
from aforesaid.adapters.git_reader import read_workspace
from aforesaid.adapters.git_reader.session_commits import read_commits
from aforesaid.domain.projects.detection import identify
from aforesaid.domain.projects.hint_matching import match_hint
surroundings = read_workspace({str(SERVER)!r}, {{}}, {{}}, "/nonexistent", ())
identify(surroundings)
read_workspace("/usr/lib", {{}}, {{}}, "/nonexistent", ())
if surroundings.repository: read_commits(surroundings.repository, 0, 1)
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {name for name in done.stdout.split() if not name.startswith("aforesaid")}
    assert "aforesaid.domain.projects.detection" in done.stdout
    forbidden = {
        "typing", "dataclasses", "pathlib", "subprocess", "tomllib", "uuid", "logging",
        "contextlib", "datetime", "hashlib", "urllib", "socket", "threading", "git", "difflib",
        "inspect", "ast", "shutil", "tempfile", "configparser", "signal",
    }  # fmt: skip
    assert set() == loaded & forbidden
