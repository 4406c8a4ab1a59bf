"""What an update replaces: the code of a running server, and paths into the old version."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import interfaces
from rig import wait_until

ROOT = Path(__file__).resolve().parents[2]
FACT = "The importer's queue is NATS JetStream."
LATE = "services/recall/inspect.py"  # needed by no call but memory_inspect
TAG = sys.implementation.cache_tag
NOT_NEEDED_BY_CALLS = {"entrypoints", "bootstrap", "models", "samples"}


class Server:
    """A server over standard input and output, in a copy of the code."""

    def __init__(self, code, environment, project):
        self._number = 0
        self._process = subprocess.Popen(
            [str(code / "bin" / "aforesaid"), "serve"],
            env={**environment, "AFORESAID_CWD": str(project)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        self.ask("initialize", {**hello, "clientInfo": {"name": "tests", "version": "1"}})
        self._send({"method": "notifications/initialized"})
        self.ask("tools/list", {})

    def _send(self, message):
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def ask(self, method, params):
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return json.loads(self._process.stdout.readline())["result"]

    def call(self, tool, **arguments):
        """Return an answer; a failure as text."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = answer["content"][0]["text"]
        return text if answer["isError"] else json.loads(text)

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(30)


@pytest.fixture
def code(tmp_path):
    """Return a copy of the code, laid out like a version in the client's plugin cache.

    The large files are links.
    """
    copy = tmp_path / "plugins" / "cache" / "market" / "aforesaid" / "1.0.0"
    shutil.copytree(ROOT / "bin", copy / "bin")
    shutil.copytree(
        ROOT / "server",
        copy / "server",
        ignore=shutil.ignore_patterns("models", "__pycache__"),
    )
    (copy / "server/aforesaid/models").symlink_to(ROOT / "server/aforesaid/models")
    return copy


@pytest.fixture
def serve(code, environment, tmp_path):
    """Return a function that starts a server on the copy."""
    servers = []

    def start():
        servers.append(Server(code, environment, tmp_path))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def wait_for_the_code(code):
    """Wait until everything that a call may need has been compiled: then it has been read, too."""
    package = code / "server" / "aforesaid"
    folders = [path for path in package.iterdir() if path.is_dir()]
    for folder in folders:
        if folder.name not in {*NOT_NEEDED_BY_CALLS, "__pycache__"}:
            for path in folder.rglob("*.py"):
                compiled = path.parent / "__pycache__" / f"{path.stem}.{TAG}.pyc"
                wait_until(compiled.exists, f"{compiled}", timeout=60)


def use_everything(server):
    """Return what each tool answered: failures are text."""
    stored = server.call("store_memory", content=FACT, scope="global")
    other = server.call("store_memory", content="Alice runs the importer.", type="entity")
    answers = [stored, other]
    ids = [answer["id"] for answer in answers]
    link = {"source_id": ids[0], "kind": "related_to", "target_id": ids[1]}
    return [
        *answers,
        server.call("recall_memory", query="which queue", since="last month"),
        server.call("link_memories", **link),
        server.call("update_memory", id=ids[0], content=f"{FACT} It replays."),
        server.call("explore_memory"),
        server.call("get_context"),
        server.call("memory_inspect", id=ids[0]),
        server.call("memory_stats"),
        server.call("search_entities", query="Alice"),
        server.call("set_project", project="acme/payments"),
        server.call("forget_memory", id=ids[1]),
        server.call("forget_memory", id=ids[0], erase=True),
    ]


def test_a_server_goes_on_when_its_code_is_removed(code, serve):
    server = serve()
    server.call("memory_stats")
    wait_for_the_code(code)
    shutil.rmtree(code)
    assert [] == [answer for answer in use_everything(server) if isinstance(answer, str)]


def test_a_server_goes_on_when_its_code_is_replaced_in_place(code, serve):
    server = serve()
    server.call("memory_stats")
    wait_for_the_code(code)
    for path in (code / "server").rglob("*.py"):
        path.write_text("raise RuntimeError('code of another version')\n")
    assert [] == [answer for answer in use_everything(server) if isinstance(answer, str)]


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_call_that_needs_code_that_is_gone_says_to_restart_the_session(code, serve, how):
    (late,) = code.rglob(LATE)
    late.unlink()
    server = serve()
    memory = server.call("store_memory", content=FACT)["id"]
    assert "setup --rebuild" in server.call("memory_inspect", id=memory)
    if how == "removed":
        wait_for_the_code(code)
        shutil.rmtree(code)
    else:
        (code / "server/aforesaid/version.py").write_text('__version__ = "99.0.0"\n')
    answer = server.call("memory_inspect", id=memory)
    assert answer.startswith("Aforesaid was updated while it was running")
    assert "restart the session" in answer
    assert FACT == server.call("recall_memory", ids=[memory])["results"][0]["content"]


def test_a_server_that_runs_for_weeks_keeps_its_environment_from_being_removed(
    serve, environment, tmp_path
):
    built = tmp_path / "built"
    venv.create(built, symlinks=True)
    (packages,) = built.glob("lib/python*/site-packages")
    (packages / "tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    for mark in ("ready", "used"):
        (built / mark).touch()
    environment["AFORESAID_ENV"] = str(built)
    server = serve()
    server.call("memory_stats")
    os.utime(built / "used", (0, 0))
    server.call("memory_stats")
    wait_until(lambda: (built / "used").stat().st_mtime > 0, "the mark of the environment's use")


def test_other_clients_start_by_a_path_that_survives_an_update(code, environment):
    def ask(*arguments):
        return interfaces.run([str(code / "bin" / "aforesaid"), *arguments], environment)

    link = os.path.join(environment["HOME"], ".local", "bin", "aforesaid")
    before = ask("config", "--client", "generic")
    assert str(code) in before.stdout
    assert "setup --on-path" in before.stderr
    ask("setup", "--on-path")
    after = ask("config", "--client", "generic")
    assert f'"{link}"' in after.stdout
    assert str(code) not in after.stdout
    assert "setup --on-path" not in after.stderr
