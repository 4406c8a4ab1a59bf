"""The client updates the plugin while a session is still open in the old code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.conftest import ROOT, install_plugin
from e2e.plugin import call, contexts_of, servers_of, settle
from e2e.test_the_terminal import leave, say
from rig import GitServer, Sandbox, turn

pytestmark = pytest.mark.client

BEFORE = "The importer's queue is NATS JetStream."
MEANWHILE = "Staging runs in Frankfurt since November."
IDENTITY = {
    "GIT_AUTHOR_NAME": "dev",
    "GIT_AUTHOR_EMAIL": "dev@example.com",
    "GIT_COMMITTER_NAME": "dev",
    "GIT_COMMITTER_EMAIL": "dev@example.com",
}
AFTER = "Grafana listens on port 3300 in staging."
BY_THE_NEW = "Backups of staging go to a bucket in Lyon."


@pytest.fixture
def releases(tmp_path):
    """Serve the last release, or the code as it is where none is known; return the server."""
    tree = tmp_path / "market" / "aforesaid"
    tree.mkdir(parents=True)
    last = git(ROOT, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^").strip()
    if last:
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", last], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
    else:
        copy_code(tree)
    server = GitServer(tree)
    yield server
    server.close()


def git(folder, *arguments):
    """Return what git prints, or nothing where it fails."""
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=False, capture_output=True, text=True
    ).stdout


def copy_code(tree: Path) -> None:
    """Put this repository's tracked files, as they are now, in place of what is there."""
    for path in tree.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in filter(None, git(ROOT, "ls-files", "-z").split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def release(server: GitServer) -> tuple[str, str]:
    """Release this repository's code in the served one; return the versions before and after."""
    tree = server.work_tree
    old = version_in(tree)
    copy_code(tree)
    changelog = tree / "CHANGELOG.md"
    text = changelog.read_text()
    changelog.write_text(text.replace("## Unreleased\n", "## Unreleased\n\n- An update.\n", 1))
    server.publish("what is to be released")
    major, minor, patch = max(numbers(old), numbers(version_in(tree)))
    new = f"{major}.{minor}.{patch + 1}"
    done = subprocess.run(
        [sys.executable, "-B", str(tree / "tools" / "release.py"), new],
        env={**os.environ, **IDENTITY},
        check=False,
        capture_output=True,
        text=True,
    )
    assert 0 == done.returncode, done.stderr
    return old, new


def version_in(tree: Path) -> str:
    """Return the version of the plugin in a folder."""
    return json.loads((tree / ".claude-plugin" / "plugin.json").read_text())["version"]


def numbers(version: str) -> list[int]:
    """Return the numbers of a version."""
    return [int(number) for number in version.split(".")]


def stores(content):
    """Return the turn in which the model stores this."""
    return turn(call("store_memory", content=content, scope="global", provenance="user"))


def recalls(query):
    """Return the turn in which the model asks for this."""
    return turn(call("recall_memory", query=query))


def code_of(box: Sandbox) -> list[str]:
    """Return the version in the path of each server that runs."""
    results = [
        re.search(r"/aforesaid/([\d.]+)/server/start\.py", p.command) for p in servers_of(box)
    ]
    return sorted(match[1] for match in results if match)


def run(box: Sandbox, *command: str) -> str:
    """Run a command of the client that must succeed; return what it says."""
    done = box.command(*command)
    assert 0 == done.code, done.stdout + done.stderr
    return done.stdout


def test_an_update_arrives_and_the_session_still_open_goes_on(client, releases, tmp_path):
    with Sandbox(tmp_path / "box", client, env={"AFORESAID_ENV": sys.prefix}) as box:
        install_plugin(box, releases.url)
        box.prompt("note the queue", script=[stores(BEFORE), "noted"])
        settle(box)
        with box.terminal("--permission-mode", "acceptEdits") as term:
            term.wait_for_prompt()
            box.api.extend([stores(MEANWHILE), "FIRST-ANSWER"])
            say(term, "staging is in Frankfurt", "FIRST-ANSWER")
            old, new = release(releases)
            assert [old] == code_of(box)

            run(box, "plugin", "marketplace", "update", "aforesaid")
            result = run(box, "plugin", "update", "aforesaid@aforesaid")
            assert new in result
            assert "already at the latest" not in result

            running = []

            def recall_beside(_request):
                running.extend(code_of(box))
                return recalls("which queue, and where staging runs")

            script = [recall_beside, stores(BY_THE_NEW), "ok"]
            fresh = box.prompt("which queue is it", script=script)
            assert sorted([old, new]) == running
            results, stored = fresh.main[-1].tool_results
            assert BEFORE in contexts_of(fresh.main[0])[0]
            assert [] == [text for text in (BEFORE, MEANWHILE) if text not in results]
            assert stored.startswith('{"id":')

            (folder,) = box.config.glob(f"plugins/cache/*/aforesaid/{old}")
            assert (folder / ".orphaned_at").exists()
            box.api.requests.clear()
            box.api.extend([stores(AFTER), recalls("backups of staging"), "SECOND-ANSWER"])
            say(term, "Grafana is on port 3300", "SECOND-ANSWER")
            stored, results = box.api.main[-1].tool_results[-2:]
            assert stored.startswith('{"id":')
            assert BY_THE_NEW in results
            leave(term)
        settle(box)
        last = box.prompt("where is Grafana", script=[recalls("port of Grafana"), "ok"])
        assert AFTER in last.main[-1].last_tool_result
        settle(box)
        (launcher,) = box.config.glob(f"plugins/cache/*/aforesaid/{new}/bin/aforesaid")
        listed = subprocess.run(
            [str(launcher), "list", "--type", "episodic"],
            cwd=box.project,
            env=box.env(),
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert "Staging is in Frankfurt" in listed
