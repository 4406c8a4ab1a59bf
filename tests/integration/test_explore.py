"""Start broad, drill down: the tree through the real server and at a shell."""

from __future__ import annotations

import json
import os
import sys

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from aforesaid.domain.model.memory import CallContext
from aforesaid.domain.model.statement import Statement
from aforesaid.entrypoints.cli import main
from aforesaid.wiring.container import ServiceContainer

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")


def talk(folder, does):
    """Do something as the client of a server in a project's folder."""
    project = folder / "payments"
    project.mkdir(exist_ok=True)
    (project / "pyproject.toml").write_text('[project]\nname = "payments"\n')
    (folder / "tmp").mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder / "tmp"),
        "AFORESAID_ENV": sys.prefix,
        "AFORESAID_CWD": str(project),
    }

    async def live():
        parameters = StdioServerParameters(command=DOOR, args=["serve"], env=environment)
        with anyio.fail_after(60), open(os.devnull, "w") as quiet:  # noqa: ASYNC230 - blocks nothing
            async with (
                stdio_client(parameters, errlog=quiet) as streams,
                ClientSession(*streams) as session,
            ):
                await session.initialize()

                async def call(tool, **arguments):
                    answer = await session.call_tool(tool, arguments)
                    text = answer.content[0].text
                    return text if answer.is_error else json.loads(text)

                return await does(call)

    return anyio.run(live)


def test_one_starts_broad_and_drills_down(tmp_path):
    async def does(call):
        stored = await call(
            "store_memory", content="Access tokens live fifteen minutes.", topic="auth/jwt"
        )
        detail = await call(
            "store_memory",
            content="The mobile app refreshes them at minute twelve.",
            parent_id=stored["id"],
        )
        overview = await call(
            "store_memory",
            content="How people and services prove who they are.",
            topic="auth",
            depth=0,
        )
        again = await call(
            "store_memory",
            content="The signing key is rotated every ninety days.",
            topic="Auth/JWTs",
        )
        await call("store_memory", content="Events go through NATS JetStream.", topic="queue")
        assert ("auth/jwt", "auth/jwt") == (stored["topic"], detail["topic"])
        assert "Auth/JWTs matches the existing topic auth/jwt" in again["note"]

        broad = await call("explore_memory")
        assert [("auth", 4), ("queue", 1)] == [
            (node["id"], node["counts"]["memories"]) for node in broad["nodes"]
        ]
        assert "prove who they are" in broad["nodes"][0]["summary"]
        assert overview["id"] == broad["nodes"][0]["overview"]

        topics = await call("recall_memory", query="when are tokens refreshed?", depth=0)
        assert "auth" == topics["results"][0]["id"]
        (concept,) = (await call("explore_memory", topic="auth", max_depth=1))["nodes"][0][
            "children"
        ]
        assert "auth/jwt" == concept["id"]
        facts = await call("explore_memory", id=concept["id"], direction="children")
        assert {stored["id"], again["id"]} == {node["id"] for node in facts["nodes"]}
        below = await call("explore_memory", id=stored["id"])
        assert [detail["id"]] == [node["id"] for node in below["nodes"]]
        (up,) = (await call("explore_memory", id=detail["id"], direction="parent"))["nodes"]
        assert stored["id"] == up["id"]
        (read,) = (await call("recall_memory", ids=[detail["id"]]))["results"]
        assert ("auth/jwt", 3) == (read["topic"], read["depth"])

    talk(tmp_path, does)


def test_what_cannot_be_explored_is_said_with_the_way_out(tmp_path):
    async def does(call):
        await call("store_memory", content="Events go through NATS JetStream.", topic="queue")
        return [
            await call("explore_memory", topic="zebra crossing"),
            await call("explore_memory", topic="queue", id="k3f9"),
            await call("explore_memory", direction="parent"),
            await call("explore_memory", topic="queue", max_depth=99),
            await call("store_memory", content="Over and out.", depth=0),
            await call("store_memory", content="Over and out.", topic="///"),
        ]

    message = talk(tmp_path, does)
    for answer, words in zip(
        message,
        (
            "no topic matches",
            "not both",
            "needs id",
            "use 0 (topics)",
            "set topic",
            "contains no name",
        ),
        strict=True,
    ):
        assert words in answer


@pytest.fixture
def filed(tmp_path, monkeypatch) -> list[str]:
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFORESAID_CWD", str(tmp_path))
    core = ServiceContainer(os.environ)
    context = CallContext(project=core.projects.default())
    stored = [
        core.writer.store(Statement(content=content, topic=topic, scope="project"), context)
        for content, topic in (
            ("Tokens live fifteen minutes.", "auth/jwt"),
            ("Everything about login.", "auth"),
            ("Lunch is at noon.", None),
        )
    ]
    core.close()
    return [memory.memory.id for memory in stored if memory is not None]


def test_what_is_known_of_a_file_is_listed_newest_first(tmp_path):
    async def does(call):
        await call("store_memory", content="src/queue.py retries three times.")
        await call("store_memory", content="The port is 5433.")
        await call("store_memory", content="Keep src/queue.py free of asyncio.", topic="queue")
        listed = await call("explore_memory", path="src/queue.py")
        nothing = await call("explore_memory", path="src/other.py")
        both = await call("explore_memory", path="src/queue.py", topic="queue")
        alone = await call("explore_memory", id=listed["nodes"][1]["id"])
        return [node["preview"] for node in listed["nodes"]], nothing, both, alone

    previews, nothing, both, alone = talk(tmp_path, does)
    assert ["Keep src/queue.py free of asyncio.", "src/queue.py retries three times."] == previews
    assert ([], "nothing is known about it") == (nothing["nodes"], nothing["note"])
    assert "alone" in both
    assert "has no details" in alone["note"]


def test_topics_are_shown_at_a_shell(filed, capsys):
    assert 0 == main(["topics"])
    assert [
        "auth (2)",
        "  jwt (1)",
        "1 without a topic (aforesaid list shows them)",
    ] == capsys.readouterr().out.splitlines()

    assert 0 == main(["topics", "auth/jwt"])
    first, second = capsys.readouterr().out.splitlines()
    assert "jwt (1)" == first
    assert second.startswith("  - Tokens live fifteen minutes. [")

    assert 0 == main(["topics", "auth", "--depth", "0", "--json"])
    assert ["auth"] == [node["id"] for node in json.loads(capsys.readouterr().out)["nodes"]]
    assert 3 == main(["topics", "zebra"])
    assert "no topic matches" in capsys.readouterr().err


def test_a_shell_without_topics_says_how_they_come(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AFORESAID_DB", str(tmp_path / "m.db"))
    monkeypatch.setenv("AFORESAID_CWD", str(tmp_path))
    assert 0 == main(["topics"])
    assert capsys.readouterr().out.startswith("No topics yet")
