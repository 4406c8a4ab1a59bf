"""The server as a client meets it: the SDK's own client over stdio, through the launcher."""

from __future__ import annotations

import glob
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, ListRootsResult, Root

from aforesaid.entrypoints.api.tool_schemas import TOOLS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")


@pytest.fixture
def world(tmp_path):
    """An environment of its own, in a folder that is a repository."""
    project = tmp_path / "code" / "payments"
    (project / ".git" / "objects").mkdir(parents=True)
    (project / ".git" / "refs").mkdir()
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (project / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@host.example:acme/payments.git\n'
    )
    (tmp_path / "tmp").mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path / "tmp"),
        "AFORESAID_ENV": sys.prefix,
        "AFORESAID_CWD": str(project),
    }


@asynccontextmanager
async def client_of(environment, name="tests"):
    parameters = StdioServerParameters(command=DOOR, args=["serve"], env=environment)
    with open(os.devnull, "w") as quiet:  # noqa: ASYNC230 - it blocks nothing
        async with (
            stdio_client(parameters, errlog=quiet) as streams,
            ClientSession(*streams, client_info=Implementation(name=name, version="1")) as session,
        ):
            await session.initialize()
            yield session


async def call(session, tool, **arguments):
    answer = await session.call_tool(tool, arguments)
    text = answer.content[0].text
    return text if answer.is_error else json.loads(text)


def run(environment, does):
    async def live():
        with anyio.fail_after(60):
            async with client_of(environment) as session:
                return await does(session)

    return anyio.run(live)


def test_what_one_client_stores_the_next_one_recalls_by_meaning(world):
    async def store(session):
        return await call(
            session,
            "store_memory",
            content="Release: make freeze, tag, make ship.",
            type="procedural",
        )

    stored = run(world, store)
    assert "acme/payments" == stored["project"]

    async def recall(session):
        return await call(
            session, "recall_memory", query="how do I get this version out to customers?"
        )

    results = run(world, recall)
    assert [stored["id"]] == [result["id"] for result in results["results"]]
    assert [] == results.get("degradations", [])


def test_the_client_is_told_instructions_and_every_tool_with_every_hint(world):
    async def look(session):
        return await session.list_tools()

    listed = run(world, look).tools
    assert list(TOOLS) == [tool.name for tool in listed]
    for tool in listed:
        hints = tool.annotations
        values = [
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        ]
        assert all(isinstance(hint, bool) for hint in values)
        assert tool.output_schema is None


def test_an_agent_has_no_memory_where_the_user_switched_the_project_off(world):
    async def live(session):
        report = [await call(session, "store_memory", content="The client is Initech.", **where)
                for where in ({}, {"scope": "global"}, {"project": "acme/shop"})]  # fmt: skip
        report += [await call(session, "recall_memory", query="which client?"),
                 await call(session, "get_context")]  # fmt: skip
        await call(session, "set_project", project="acme/shop", new=True)
        return report, await call(session, "store_memory", content="The shop sells tea.")

    off, elsewhere = run({**world, "AFORESAID_PROJECT_OFF": "acme/payments"}, live)
    assert {"Memory is off in acme/payments (setting project.off): continue without it."} == set(
        off
    )
    assert "acme/shop" == elsewhere["project"]
    result = run(
        world, lambda session: call(session, "recall_memory", type="semantic", project="*")
    )
    assert ["The shop sells tea."] == [row["content"] for row in result["results"]]


def test_a_wrong_parameter_is_refused_by_name_with_the_right_one(world):
    async def ask(session):
        return await call(session, "recall_memory", querry="queue")

    assert "recall_memory has no parameter 'querry': did you mean query?" == run(world, ask)


def test_a_number_or_list_that_came_as_text_is_understood(world):
    async def ask(session):
        await call(session, "store_memory", content="The queue is NATS.", tags='["infra", "queue"]')
        return await call(session, "recall_memory", tags="infra", max_results="3")

    assert ["infra", "queue"] == run(world, ask)["results"][0]["tags"]


def test_a_server_that_is_killed_in_the_middle_loses_nothing_it_acknowledged(world):
    acknowledged = []

    async def store_until_killed(session):
        for number in range(200):
            try:
                with anyio.fail_after(60 if number <= 20 else 5):
                    stored = await call(
                        session, "store_memory", content=f"Fact {number}: host-{number} runs alpha."
                    )
            except Exception:  # noqa: BLE001 - however the client says that its server is gone
                return
            acknowledged.append(stored["id"])
            if number == 20:
                for pid in _servers_of(world):
                    os.kill(pid, signal.SIGKILL)

    try:
        run(world, store_until_killed)
    except* Exception:  # noqa: BLE001 - the client's own complaint about the dead server
        pass
    assert 20 < len(acknowledged) < 200

    async def read(session):
        results = []
        for start in range(0, len(acknowledged), 50):
            answer = await call(
                session, "recall_memory", ids=acknowledged[start : start + 50], summary_only=True
            )
            results += answer["results"]
        return results

    assert acknowledged == [result["id"] for result in run(world, read)]


def _servers_of(environment):
    """Return the pids of servers that run with this HOME."""
    mark = f"HOME={environment['HOME']}".encode()
    results = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    inside = file.read().split(b"\0")
            except OSError:
                continue
            if mark in inside:
                results.append(int(name))
    return results


def test_a_client_of_both_eras_is_asked_for_its_roots_also_without_the_front(world, tmp_path):
    """As where the package was installed: its command is the server from the first line on."""
    folder = world.pop("AFORESAID_CWD")
    start = "from aforesaid.entrypoints.mcp.server import main; main(())"
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", start],
        env={**world, "PYTHONPATH": os.path.join(ROOT, "server")},
        cwd=str(tmp_path),
    )

    async def list_roots(_context):
        return ListRootsResult(roots=[Root(uri=f"file://{folder}")])

    async def live():
        with anyio.fail_after(60):
            async with Client(parameters, list_roots_callback=list_roots) as client:
                answer = await client.call_tool("get_context", {})
                return json.loads(answer.content[0].text)

    assert "acme/payments" == anyio.run(live)["project"]


def test_calls_that_come_together_all_know_the_client_s_folder(world, tmp_path):
    folder = world.pop("AFORESAID_CWD")
    answered = anyio.Event()

    async def list_roots(_context):
        with anyio.move_on_after(0.5):  # a call that does not wait for roots is answered meanwhile
            await answered.wait()
        return ListRootsResult(roots=[Root(uri=f"file://{folder}")])

    async def live():
        parameters = StdioServerParameters(
            command=DOOR, args=["serve"], env=world, cwd=str(tmp_path)
        )
        results = []
        async with (
            stdio_client(parameters) as streams,
            ClientSession(*streams, list_roots_callback=list_roots) as session,
        ):
            await session.initialize()

            async def look():
                results.append(await call(session, "get_context"))
                answered.set()

            with anyio.fail_after(60):
                async with anyio.create_task_group() as tasks:
                    for _ in range(3):
                        tasks.start_soon(look)
        return results

    assert ["acme/payments"] * 3 == [item.get("project") for item in anyio.run(live)]


def test_what_was_cut_in_the_middle_of_an_emoji_is_stored_and_nonsense_ends_nothing(world):
    def message(number, method, **params):
        asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return json.dumps(asked).encode() + b"\n"

    def say(*lines, until):
        server.stdin.write(b"".join(lines))
        server.stdin.flush()
        while until not in answers:
            answer = json.loads(server.stdout.readline())
            answers[answer["id"]] = answer.get("result")

    def store(number, half):
        content = {"content": f"The user signs letters with {half}"}
        return message(number, "tools/call", name="store_memory", arguments=content)

    answers = {}
    report = {"protocolVersion": "2025-06-18", "capabilities": {}}
    report["clientInfo"] = {"name": "tests", "version": "1"}
    deep = b"[" * 100_000 + b"]" * 100_000
    with subprocess.Popen(
        [DOOR, "serve"], env=world, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        say(message("hello", "initialize", **report), until="hello")
        for number, half in enumerate(("\ud83d", "\ude00")):  # the first one by way of the front
            last = message(f"last {number}", "tools/call", name="memory_stats")
            say(store(number, half), last, until=f"last {number}")
        say(
            b'{"id":7,"method":"server/discover","params":' + deep + b"}\n",
            message("after", "ping"),
            until="after",
        )
        server.stdin.close()
    assert [False, False] == [answers[number]["isError"] for number in (0, 1)]


def test_where_there_is_no_project_the_agent_asks_once_and_never_again(world, tmp_path):
    world["AFORESAID_CWD"] = str(tmp_path)

    async def look(session):
        return await call(session, "get_context")

    first, second = run(world, look), run(world, look)
    assert "set_project" in first["ask"]
    assert "no project here (home folder)" in second["evidence"]
    assert "ask" not in second


def test_the_end_of_input_ends_the_server(world):
    async def nothing(session):
        return await session.send_ping()

    run(world, nothing)
    until = time.monotonic() + 5
    while _servers_of(world) and time.monotonic() < until:
        time.sleep(0.02)
    assert [] == _servers_of(world)


def test_an_interrupt_ends_the_server_though_its_input_stays_open(world):
    with subprocess.Popen(
        [DOOR, "serve"], env=world, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        server.stdin.write(
            b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"none"}}\n'
        )
        server.stdin.flush()
        assert 1 == json.loads(server.stdout.readline())["id"]
        server.send_signal(signal.SIGINT)
        assert 0 == server.wait(timeout=60)
    assert [] == glob.glob(os.path.join(world["TMPDIR"], "*", "*.sock"))


def test_an_unreadable_database_is_said_in_every_answer_and_mends_without_a_restart(
    world, tmp_path
):
    database = tmp_path / "memory.db"
    database.write_bytes(b"this is no database, but somebody's letter to a friend" * 100)
    world["AFORESAID_DB"] = str(database)

    async def ask(session):
        failed = await call(session, "memory_stats")
        database.unlink()
        return failed, await call(session, "memory_stats")

    failed, mended = run(world, ask)
    assert "is not a database" in failed
    assert 0 == mended["total"]


def test_an_event_date_that_is_none_costs_no_memory_and_the_answer_says_so(world):
    async def live(session):
        return await call(
            session, "store_memory", content="The demo went well.", type="episodic",
            metadata={"event_date": "once upon a time"},
        )  # fmt: skip

    assert "stored without event_date: 'once upon a time'" in run(world, live)["note"]


def test_set_project_keeps_the_folder_for_good(world, tmp_path):
    plain = tmp_path / "notes"
    plain.mkdir()
    world["AFORESAID_CWD"] = str(plain)

    async def choose(session):
        await call(session, "store_memory", content="The brand colour is teal.")
        return await call(session, "set_project", project="Brand X", description="copy for Brand X")

    assert 1 == run(world, choose)["memory_count"]

    async def look(session):
        return await call(session, "get_context")

    result = run(world, look)
    assert ("Brand X", 1.0) == (result["project"], result["confidence"])
    assert "teal" in result["context"]


def test_what_is_linked_is_recalled_beside_it_and_goes_when_the_link_does(world):
    async def live(session):
        wal = await call(session, "store_memory", content="SQLite runs in WAL mode.")
        hooks = await call(
            session,
            "store_memory",
            content="Hooks and servers write to one file at once.",
            relations=[{"kind": "depends_on", "target_id": wal["id"]}],
        )
        beside = await call(session, "recall_memory", ids=[hooks["id"]])
        fields = {"source_id": hooks["id"], "kind": "depends_on", "target_id": wal["id"]}
        again = await call(session, "link_memories", **fields)
        gone = await call(session, "link_memories", **fields, remove=True)
        alone = await call(session, "recall_memory", ids=[hooks["id"]])
        odd = await call(session, "store_memory", content="x", relations=[{"to": "abcd"}])
        return wal["id"], hooks["id"], beside, again, gone, alone, odd

    wal, hooks, beside, again, gone, alone, odd = run(world, live)
    item = {
        "id": wal,
        "kind": "depends_on",
        "direction": "out",
        "preview": "SQLite runs in WAL mode.",
    }
    assert [item] == beside["results"][0]["related"]
    triple = {"source": hooks, "kind": "depends_on", "target": wal}
    assert {**triple, "created": False} == again
    assert {**triple, "removed": True} == gone
    assert "related" not in alone["results"][0]
    assert "target_id" in odd


def test_supersedes_replaces_and_a_removed_link_brings_back(world):
    async def live(session):
        old = await call(session, "store_memory", content="The queue is RabbitMQ.")
        new = await call(session, "store_memory", content="Messages go through NATS.")
        fields = {"source_id": new["id"], "kind": "supersedes", "target_id": old["id"]}
        await call(session, "link_memories", **fields)
        cycle = await call(
            session,
            "link_memories",
            source_id=old["id"],
            kind="supersedes",
            target_id=new["id"],
        )
        replaced = await call(session, "recall_memory", ids=[old["id"]])
        back = await call(session, "link_memories", **fields, remove=True)
        return old["id"], new["id"], cycle, replaced, back

    old, new, cycle, replaced, back = run(world, live)
    assert new == replaced["results"][0]["superseded_by"]
    assert f"[{new}] already supersedes [{old}]" in cycle
    assert f"[{old}] is in force again" == back["note"]


def test_inspecting_tells_relations_versions_and_changes(world):
    async def live(session):
        old = await call(session, "store_memory", content="The queue is RabbitMQ.")
        new = await call(
            session, "store_memory", content="Messages go through NATS.", supersedes=old["id"]
        )
        results = await call(session, "memory_inspect", id=old["id"], include_log=True)
        await call(session, "forget_memory", id=old["id"])
        return old["id"], new["id"], results, await call(session, "memory_inspect", id=old["id"])

    old, new, results, forgotten = run(world, live)
    assert f"superseded, in force now: {new}" == results["state"]
    assert [old, new] == [version["id"] for version in results["history"]]
    assert ["create", "supersede"] == [line["operation"] for line in results["log"]]
    assert {"id", "forgotten_at"} == set(forgotten)


def test_prompts_and_resources_are_there_for_clients_without_our_commands(world):
    async def use(session):
        stored = await call(session, "store_memory", content="The queue is NATS JetStream.")
        prompts = [prompt.name for prompt in (await session.list_prompts()).prompts]
        prompt = await session.get_prompt("recall", {"topic": "queues"})
        templates = (await session.list_resource_templates()).resource_templates
        context = await session.read_resource("memory://context")
        item = await session.read_resource(f"memory://{stored['id']}")
        return prompts, prompt, templates, context, item

    prompts, prompt, templates, context, item = run(world, use)
    assert ["forget", "recall", "remember", "status", "tasks", "topics"] == prompts
    assert "remember about: queues\n" in prompt.messages[0].content.text
    assert "mcp__plugin" not in prompt.messages[0].content.text
    assert ["memory://{id}"] == [template.uri_template for template in templates]
    assert "The queue is NATS JetStream." in context.contents[0].text
    assert (
        "The queue is NATS JetStream." == json.loads(item.contents[0].text)["results"][0]["content"]
    )


def test_what_is_no_prompt_or_resource_is_refused_in_words(world):
    async def ask(session):
        messages = []
        for asked in (
            session.get_prompt("recal", {"topic": "x"}),
            session.get_prompt("recall", {}),
            session.read_resource("file:///etc/passwd"),
        ):
            try:
                await asked
            except MCPError as error:
                messages.append(str(error))
        return messages

    unknown, missing, foreign = run(world, ask)
    assert "there is no prompt 'recal'" in unknown
    assert "needs topic" in missing
    assert "there is no resource" in foreign


def test_prompts_are_not_offered_to_a_client_that_has_our_commands(world):
    async def live():
        async with client_of(world, name="claude-code") as session:
            before = (await session.list_prompts()).prompts  # the front's answer
            await call(session, "memory_stats")
            return before, (await session.list_prompts()).prompts  # the server's

    assert ([], []) == anyio.run(live)
