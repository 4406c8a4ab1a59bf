"""Codex, Gemini CLI and OpenCode, installed as their users do it: one memory for all of them.

Claude Code takes part with the plugin. All have the same repository and the same store.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from rig import (
    AGENTS,
    Agent,
    ClientUnavailableError,
    Sandbox,
    call,
    find_agent,
    find_client,
    turn,
)
from rig.processes import processes_of_home

pytestmark = pytest.mark.client

ROOT = Path(__file__).resolve().parents[2]
DOOR = ROOT / "bin" / "aforesaid"
REMOTE = "git@github.com:acme/shop.git"
WAIT_SECONDS = 30


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Dev", "-c", "user.email=dev@example.com")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


def clone(origin: Path, project: Path) -> None:
    """Make a new repository a clone of the shop's, with its address."""
    git(project, "remote", "add", "origin", REMOTE)
    git(project, "pull", "-q", str(origin), "main")


class World:
    """The agents of one user, who works on one repository."""

    def __init__(self, folder: Path, agents: dict[str, Agent]) -> None:
        self.folder = folder
        self.agents = agents
        self.variables = {"AFORESAID_DB": str(folder / "memory.db"), "AFORESAID_ENV": sys.prefix}
        origin = folder / "origin"
        git(folder, "init", "-q", "-b", "main", str(origin))
        git(origin, "commit", "-q", "--allow-empty", "-m", "Start the shop")
        for agent in agents.values():
            clone(origin, agent.project)
            self.aforesaid(agent, "install", "--client", agent.name, "--yes")

    def aforesaid(self, agent: Agent, *arguments: str) -> str:
        done = subprocess.run(
            [DOOR, *arguments],
            env={**agent.env(), **self.variables},
            cwd=agent.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return done.stdout

    def memories(self, agent: Agent, *options: str) -> list[dict[str, str]]:
        return json.loads(self.aforesaid(agent, "list", *options, "--json"))["results"]

    def wait_for(self, agent: Agent, text: str, *options: str) -> dict[str, str]:
        """Wait until a memory with this text is there, and return it."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            memories = self.memories(agent, *options)
            for memory in memories:
                if text in memory["preview"]:
                    return memory
            assert time.monotonic() < deadline, memories
            time.sleep(0.3)


@pytest.fixture
def world(tmp_path):
    with ExitStack() as stack:
        agents = {}
        for kind in AGENTS:
            try:
                executable = find_agent(kind)
            except ClientUnavailableError as error:
                if os.environ.get("AFORESAID_TEST_CLIENT_REQUIRED"):
                    raise
                pytest.skip(str(error))
            agents[kind.name] = stack.enter_context(kind(tmp_path / kind.name, executable))
        yield World(tmp_path, agents)


def test_what_one_agent_is_told_all_others_know_and_a_correction_replaces_it(world):
    codex, gemini, opencode = (world.agents[name] for name in ("codex", "gemini", "opencode"))
    codex.prompt("Our queue is NATS JetStream, for replay.", script=["Noted."])
    fact = world.wait_for(codex, "NATS JetStream", "--type", "semantic")
    assert "codex" == fact["client"]
    for agent, request in ((gemini, "Use tabs."), (opencode, "We never deploy on Fridays.")):
        seen = agent.prompt(request, script=["Yes."])
        assert "Our queue is NATS JetStream" in seen.main[0].all_text
    world.wait_for(gemini, "We never deploy on Fridays", "--type", "procedural")
    with Sandbox(world.folder / "claude", find_client(), env=dict(world.variables)) as box:
        clone(world.folder / "origin", box.project)
        result = box.prompt("Hello.", "--plugin-dir", str(ROOT), script=["Hi."])
        assert 0 == result.code, result.stderr
        assert "Our queue is NATS JetStream" in result.main[0].all_text
        assert "We never deploy on Fridays" in result.main[0].all_text

    gemini.prompt("Correction: our queue is Kafka, not NATS JetStream.", script=["Understood."])
    world.wait_for(gemini, "Kafka", "--type", "semantic")
    for agent in (codex, opencode):
        text = agent.prompt("Which queue do we have?", script=["Kafka."]).main[0].all_text
        context = text[text.index("This project") : text.index("More: recall_memory")]
        context = context.partition("Last sessions")[0]  # which tell what was said then
        assert "Kafka" in context
        assert "queue is NATS" not in context
    digests = [memory["client"] for memory in world.memories(codex, "--type", "episodic")]
    assert "codex" in digests
    inspected = json.loads(world.aforesaid(codex, "inspect", fact["id"], "--json"))
    assert "codex" == inspected["session"]["client"]


def test_each_recalls_at_the_prompt_what_another_project_does_not_see(world):
    codex = world.agents["codex"]
    world.aforesaid(codex, "remember", "Deploys go through Argo CD, never kubectl apply.")
    request = "Deploy the release with kubectl apply."
    for agent in world.agents.values():
        world.aforesaid(agent, "config", "set", "hooks.session_start", "false")
        text = agent.prompt(request, script=["Argo."]).main[-1].all_text
        assert "never kubectl apply" in text, agent.name
        other = agent.home.parent / "other"
        git(agent.home, "init", "-q", str(other))
        text = agent.prompt(request, script=["?"], folder=other).main[-1].all_text
        assert "never kubectl apply" not in text, agent.name


def test_what_was_said_before_a_kill_is_kept(world):
    said = {
        "codex": "We always squash commits before merging.",
        "gemini": "Never commit directly to the main branch.",
        "opencode": "Our invoices are always in Swiss francs.",
    }
    for name, text in said.items():
        agent = world.agents[name]

        def kill(_request: object, agent: Agent = agent) -> str:
            for process in processes_of_home(agent.home):
                os.kill(process.pid, signal.SIGKILL)
            return "too late"

        assert 0 != agent.prompt(text, script=[kill]).code
    reader = world.agents["codex"]
    reader.prompt("Hello.", script=["Hi."])
    for text in said.values():
        world.wait_for(reader, text.rstrip("."))


def test_of_two_at_once_each_sees_what_the_other_stores(world):
    codex, gemini, opencode = (world.agents[name] for name in ("codex", "gemini", "opencode"))

    def meanwhile(_request: object) -> object:
        store = call("memory", "store_memory", {"content": "Deploys go through Argo CD."})
        gemini.prompt("Note how we deploy.", script=[turn(store), "Noted."])
        shown = opencode.prompt("How do we deploy with Argo CD?", script=["?"]).main[-1].all_text
        assert "Deploys go through Argo CD" in shown
        return turn(call("memory", "recall_memory", {"query": "how do we deploy?"}))

    result = codex.prompt("Ready?", script=[meanwhile, "Through Argo CD."])
    assert "Argo CD" not in result.main[0].all_text
    assert "Deploys go through Argo CD" in result.main[1].last_tool_result


def test_each_has_the_commands_that_it_can_have(world):
    codex, gemini, opencode = (world.agents[name] for name in ("codex", "gemini", "opencode"))
    listed = codex.prompt("Hello.", script=["Hi."]).main[0].all_text
    assert "How to recall and store well with Aforesaid's tools" in listed
    asked = "The user asks what you remember about: queues"
    # with a start's context before it, a headless run takes no command
    world.aforesaid(gemini, "config", "set", "hooks.session_start", "false")
    assert asked in gemini.prompt("/recall queues", script=["?"]).main[0].all_text
    opencode.options = ("--command", "memory:recall")
    assert asked in opencode.prompt("queues", script=["?"]).main[0].all_text
