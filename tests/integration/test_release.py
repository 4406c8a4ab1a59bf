"""A release is made by one command: wholly, or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, datetime

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = "server/aforesaid/models/"  # large, and no part of a release but by being there
TOOLS = ("tools/release.py", "tools/generate_surface.py")
CHANGELOG = "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- What is said under this title.\n"
IDENTITY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "dev",
    "GIT_AUTHOR_EMAIL": "dev@example.com",
    "GIT_COMMITTER_NAME": "dev",
    "GIT_COMMITTER_EMAIL": "dev@example.com",
}


class Checkout:
    """A repository with a copy of ``tools/release.py`` in it."""

    def __init__(self, folder, environment):
        self.folder = str(folder)
        self.environment = {**environment, **IDENTITY}

    def run(self, *command, check=True):
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or 0 == done.returncode, done.stdout + done.stderr
        return done

    def git(self, *arguments):
        return self.run("git", *arguments).stdout.strip()

    def release(self, *arguments):
        return self.run(sys.executable, "-B", "tools/release.py", *arguments, check=False)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, name, text):
        self.write(name, text)
        self.git("add", name)
        self.git("commit", "-q", "-m", f"Change {name}")

    def versions(self):
        surface = json.loads(self.read("server/aforesaid/bootstrap/surface.json"))
        command = self.run(sys.executable, "-B", "server/start.py", "--version")
        return {
            tomllib.loads(self.read("pyproject.toml"))["project"]["version"],
            json.loads(self.read(".claude-plugin/plugin.json"))["version"],
            surface["serverInfo"]["version"],
            command.stdout.split()[-1],
        }

    def state(self):
        """Return all that a release changes."""
        files = self.git("ls-files").splitlines()
        texts = {name: self.read(name) for name in files if not name.endswith((".gz", ".png"))}
        branch = self.run("git", "symbolic-ref", "HEAD", check=False).stdout
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname)")
        status = self.git("status", "--porcelain")
        return texts, branch, self.git("rev-parse", "HEAD"), refs, status


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """Return a repository with two commits, made of this one's files as they are now."""
    origin = Checkout(tmp_path_factory.mktemp("origin"), {"PATH": os.environ["PATH"]})
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "server", ".claude-plugin", "pyproject.toml", *TOOLS],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    for name in listed:
        source, target = (os.path.join(item, name) for item in (ROOT, origin.folder))
        if os.path.isfile(source) and not name.startswith(MODELS):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target)
    origin.git("init", "-q", "-b", "main")
    origin.git("add", "-A")
    origin.git("commit", "-q", "-m", "first")
    version = tomllib.loads(origin.read("pyproject.toml"))["project"]["version"]
    for name in ("pyproject.toml", "server/aforesaid/version.py", ".claude-plugin/plugin.json"):
        origin.write(name, origin.read(name).replace(f'"{version}"', '"1.2.9"'))
    origin.run(sys.executable, "-B", "tools/generate_surface.py")
    origin.write("CHANGELOG.md", CHANGELOG)
    origin.git("add", "-A")
    origin.git("commit", "-q", "-m", "second")
    return origin


@pytest.fixture
def checkout(origin, environment, tmp_path):
    """Return a shallow clone, on its branch."""
    folder = tmp_path / "clone"
    origin.git("clone", "-q", "--depth", "1", f"file://{origin.folder}", str(folder))
    return Checkout(folder, environment)


def test_a_release_sets_every_version_dates_the_changelog_commits_and_tags(checkout):
    before = checkout.git("rev-parse", "HEAD")
    done = checkout.release("1.3.0")
    assert (0, "") == (done.returncode, done.stderr)
    assert {"1.3.0"} == checkout.versions()
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert CHANGELOG.replace(
        "## Unreleased\n", f"## Unreleased\n\n## 1.3.0 - {today}\n"
    ) == checkout.read("CHANGELOG.md")
    assert [before, "Release 1.3.0"] == checkout.git("log", "-1", "--format=%P%n%s").splitlines()
    assert checkout.git("rev-parse", "HEAD") == checkout.git("rev-parse", "v1.3.0^{commit}")
    assert "" == checkout.git("status", "--porcelain")
    assert 0 == checkout.run(sys.executable, "tools/generate_surface.py", "--check").returncode
    assert 0 == checkout.release("--check").returncode


def test_the_next_release_stands_above_the_last(checkout):
    checkout.release("1.3.0")
    text = checkout.read("CHANGELOG.md")
    checkout.commit("CHANGELOG.md", text.replace("Unreleased\n", "Unreleased\n\n- More.\n", 1))
    done = checkout.release("2.0.0")
    assert 0 == done.returncode, done.stderr
    titles = re.findall(r"(?m)^## (\S+)", checkout.read("CHANGELOG.md"))
    assert ["Unreleased", "2.0.0", "1.3.0"] == titles
    assert ["v1.3.0", "v2.0.0"] == checkout.git("tag").split()


def test_a_dry_run_shows_the_changes_and_makes_none(checkout):
    before = checkout.state()
    done = checkout.release("1.3.0", "--dry-run")
    assert 0 == done.returncode, done.stderr
    assert '-version = "1.2.9"\n+version = "1.3.0"' in done.stdout
    assert "+## 1.3.0 - " in done.stdout
    assert before == checkout.state()


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("1.2.9", "name a greater one"),
        ("1.2.10-rc.1", "MAJOR.MINOR.PATCH"),
        ("1.1.99", "name a greater one"),
        ("v1.3.0", "MAJOR.MINOR.PATCH"),
        ("1.3", "MAJOR.MINOR.PATCH"),
        ("01.3.0", "MAJOR.MINOR.PATCH"),
    ],
)
def test_a_version_that_is_not_a_later_one_is_refused(checkout, version, says):
    refused(checkout, says, version)
    refused(checkout, says, version, "--dry-run")


def test_ten_is_later_than_nine(checkout):
    assert 0 == checkout.release("1.2.10", "--dry-run").returncode


def test_what_is_not_committed_is_not_released(checkout):
    checkout.write("pyproject.toml", checkout.read("pyproject.toml") + "\n")
    refused(checkout, "uncommitted changes")
    checkout.git("checkout", "pyproject.toml")
    checkout.write("server/new.py", "")
    refused(checkout, "server/new.py")


def test_a_tag_that_exists_is_kept(checkout):
    checkout.git("tag", "v1.3.0", "HEAD")
    refused(checkout, "v1.3.0 exists")


def test_a_release_needs_a_branch(checkout):
    checkout.git("checkout", "-q", "--detach")
    refused(checkout, "no branch is checked out")


def test_a_changelog_without_news_is_not_released(checkout):
    checkout.commit(
        "CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 1.2.9 - 2026-01-01\n\n- x\n"
    )
    refused(checkout, "nothing under")


def test_files_that_disagree_are_not_released(checkout):
    text = checkout.read("pyproject.toml").replace('"1.2.9"', '"1.2.8"')
    checkout.commit("pyproject.toml", text)
    refused(checkout, "server/aforesaid/version.py: 1.2.9")


@pytest.mark.parametrize(
    ("hook", "script"),
    [("pre-commit", "exit 1"), ("reference-transaction", "! grep -q refs/tags/")],
    ids=["commit", "tag"],
)
def test_a_release_that_fails_half_way_leaves_nothing_behind(checkout, hook, script):
    path = os.path.join(checkout.folder, ".git", "hooks", hook)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{script}\n")
    os.chmod(path, 0o755)
    refused(checkout, "failed")


def test_files_that_are_made_for_a_release_are_part_of_it_or_removed(checkout):
    os.makedirs(os.path.join(checkout.folder, "tests/data/stores"))
    tool = "import os\nopen('tests/data/stores/made', 'w').close()\n"
    checkout.commit("tools/make_release_store.py", f"{tool}os._exit(1)\n")
    refused(checkout, "make_release_store.py failed")
    os.makedirs(os.path.join(checkout.folder, "tests/data/stores"), exist_ok=True)
    checkout.commit("tools/make_release_store.py", tool)
    assert 0 == checkout.release("1.3.0").returncode
    assert "tests/data/stores/made" in checkout.git("show", "--name-only", "--format=", "HEAD")


def test_a_server_that_cannot_describe_itself_is_not_released(checkout):
    checkout.commit("server/aforesaid/entrypoints/mcp/prompts.py", "raise RuntimeError('broken')\n")
    refused(checkout, "broken")


@pytest.mark.parametrize(
    ("changelog", "says"),
    [
        (CHANGELOG, "the tag v1.2.9 exists, but CHANGELOG.md has no section for it"),
        (
            f"{CHANGELOG}\n## 1.2.8 - 2026-01-01\n\n- x\n",
            "1.2.8 is the last release, the code says 1.2.9",
        ),
        (f"{CHANGELOG}\n## 1.2.9 - soon\n", "'MAJOR.MINOR.PATCH - YYYY-MM-DD'"),
        (f"{CHANGELOG}\n## 1.2.9 - 2026-02-30\n", "day"),
        (
            f"{CHANGELOG}\n## 1.2.9 - 2026-01-02\n\n- x\n\n## 1.3.0 - 2026-01-01\n",
            "1.2.9 must not stand above 1.3.0",
        ),
        (f"# Changelog\n\n## 1.2.9 - 2026-01-01\n\n{CHANGELOG}", "must begin with the section"),
    ],
)
def test_the_check_names_what_disagrees(checkout, changelog, says):
    checkout.git("tag", "v1.2.9")
    checkout.write("CHANGELOG.md", changelog)
    done = checkout.release("--check")
    assert 1 == done.returncode
    assert says in done.stderr


def test_the_check_compares_a_tag_with_what_it_holds(checkout):
    checkout.commit("CHANGELOG.md", f"{CHANGELOG}\n## 1.2.9 - 2026-01-01\n\n- x\n")
    assert 0 == checkout.release("--check").returncode
    checkout.git("tag", "v1.2.9")
    assert 0 == checkout.release("--check").returncode
    checkout.release("1.3.0")
    checkout.git("tag", "-f", "v1.3.0", "HEAD^")
    done = checkout.release("--check")
    assert 1 == done.returncode
    assert "the tag v1.3.0 does not hold 1.3.0 in pyproject.toml" in done.stderr


def test_the_check_notices_code_that_is_older_than_a_tag(checkout):
    checkout.git("tag", "v1.4.0")
    done = checkout.release("--check")
    assert 1 == done.returncode
    assert "the tag v1.4.0 is newer than the code" in done.stderr


def refused(checkout, says, *arguments):
    """Assert that a release fails with these words and changes nothing."""
    before = checkout.state()
    done = checkout.release(*(arguments or ("1.3.0",)))
    assert 1 == done.returncode, done.stdout + done.stderr
    assert says in done.stderr
    assert "Traceback (most recent call last):\n" not in done.stderr or says == "broken"
    assert before == checkout.state()
