"""The server over HTTP as clients meet it: a real process, the SDK's clients, several at once."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation, ListRootsResult, Root

from git_folders import make_repository
from integration.test_mcp_server import DOOR, call

QUEUE = "The queue is NATS JetStream, for replay."
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}


class Served:
    """A server process, and how clients reach it."""

    prefix = ()  #: of the command that starts it

    def __init__(self, environment, *options, **more):
        self.environment = {**environment, **more}
        self.process = subprocess.Popen(
            [*self.prefix, DOOR, "serve", *(options or ("--http", "--port", "0"))],
            env=self.environment,
            cwd=environment["HOME"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        report = self.process.stderr.readline()
        results = re.search(r"http://\S+:(\d+)/mcp", report)
        assert results, report + self.process.stderr.read()
        self.said = report + self.process.stderr.readline()
        self.port = int(results[1])
        self.base = f"http://127.0.0.1:{self.port}"
        self.token_file = Path(re.search(r"is in (.*)$", self.said)[1])
        self.token = self.token_file.read_text().strip()

    def headers(self, **place):
        named = {f"Aforesaid-{name.capitalize()}": value for name, value in place.items()}
        return {"Authorization": f"Bearer {self.token}", **named}

    @asynccontextmanager
    async def client(self, *, query="", roots=None, **place):
        async def list_roots(_context):
            return ListRootsResult(roots=[Root(uri=f"file://{root}") for root in roots])

        async with (
            httpx2.AsyncClient(headers=self.headers(**place), timeout=30) as http,
            streamable_http_client(f"{self.base}/mcp{query}", http_client=http) as streams,
            ClientSession(
                *streams,
                client_info=Implementation(name="tests", version="1"),
                list_roots_callback=list_roots if roots else None,
            ) as session,
        ):
            await session.initialize()
            yield session

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        code = self.process.wait(20)
        self.process.stderr.close()
        return code


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("http")
    (home / "tmp").mkdir()
    server = Served(
        {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "AFORESAID_ENV": os.environ.get("AFORESAID_ENV") or sys.prefix,
        }
    )
    yield server
    if server.process.poll() is None:
        server.stop()


def live(does):
    async def within():
        with anyio.fail_after(60):
            return await does()

    return anyio.run(within)


def post(served, *, expected, **headers):
    answer = httpx2.post(
        f"{served.base}/mcp",
        json=INITIALIZE,
        headers={
            "Accept": "application/json, text/event-stream",
            **served.headers(),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )
    assert expected == answer.status_code, answer.text
    return answer


def test_two_clients_at_once_each_with_its_project_never_see_the_other_s(served):
    async def both():
        async with (
            served.client(project="acme/payments") as item,
            served.client(query="?project=acme/billing") as other,
        ):
            stored = {}

            async def store(session, name, content):
                stored[name] = await call(session, "store_memory", content=content)

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(store, item, "one", QUEUE)
                tasks.start_soon(store, other, "other", "Invoices are numbered per year.")
            seen = {
                name: await call(session, "recall_memory", query="queue or invoices", max_results=9)
                for name, session in (("one", item), ("other", other))
            }
            unseen = await call(item, "recall_memory", ids=[stored["other"]["id"]])
            return stored, seen, unseen

    stored, seen, unseen = live(both)
    assert "acme/payments" == stored["one"]["project"]
    assert "acme/billing" == stored["other"]["project"]
    for name in ("one", "other"):
        assert [stored[name]["id"]] == [result["id"] for result in seen[name]["results"]]
    assert "; project acme/billing has it: " in unseen["not_found"][0]


def test_what_one_session_chose_is_no_other_s(served):
    async def choose():
        async with served.client() as item, served.client() as other:
            await call(item, "set_project", project="Nebula", new=True)
            return await call(item, "get_context"), await call(other, "get_context")

    chosen, other = live(choose)
    assert "Nebula" == chosen["project"]
    assert "project" not in other
    assert "no folder" in other["evidence"]


def test_the_next_session_of_a_project_recalls_what_an_earlier_one_stored(served):
    async def store():
        async with served.client(project="acme/shop") as session:
            return await call(session, "store_memory", content="Carts expire after two hours.")

    async def recall():
        async with served.client(project="acme/shop") as session:
            return await call(session, "recall_memory", query="how long do carts live?")

    stored = live(store)
    assert [stored["id"]] == [result["id"] for result in live(recall)["results"]]


@pytest.mark.parametrize("by", ["header", "query", "roots"])
def test_a_folder_is_said_by_header_query_or_roots(served, tmp_path, by):
    folder = make_repository(tmp_path / "code", remote="https://host.example/acme/tools.git")
    place = {
        "header": {"folder": str(folder)},
        "query": {"query": f"?folder={folder}"},
        "roots": {"roots": [folder]},
    }[by]

    async def look():
        async with served.client(**place) as session:
            return await call(session, "get_context")

    results = live(look)
    assert ("acme/tools", str(folder)) == (results["project"], results["folder"])


def test_a_name_that_is_not_ascii_is_said_percent_encoded(served):
    async def store():
        async with served.client(project="caf%C3%A9") as session:
            return await call(session, "store_memory", content="Beans come from Huila.")

    assert "café" == live(store)["project"]


def test_a_client_that_still_needs_sse_is_served(served):
    async def both():
        async with (
            sse_client(f"{served.base}/sse?project=acme/old", headers=served.headers()) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            stored = await call(session, "store_memory", content="The old door is still open.")
            return stored, await call(session, "recall_memory", query="old door")

    stored, results = live(both)
    assert "acme/old" == stored["project"]
    assert [stored["id"]] == [result["id"] for result in results["results"]]


def test_a_client_of_both_eras_takes_the_one_with_sessions(served):
    async def choose():
        async with (
            httpx2.AsyncClient(headers=served.headers(), timeout=30) as http,
            Client(streamable_http_client(f"{served.base}/mcp", http_client=http)) as client,
        ):
            await client.call_tool("set_project", {"project": "Two Eras", "new": True})
            answer = await client.call_tool("get_context", {})
            return json.loads(answer.content[0].text)

    assert "Two Eras" == live(choose)["project"]


def test_a_client_without_sessions_is_served_and_told_that_it_has_none(served):
    async def choose():
        async with (
            httpx2.AsyncClient(headers=served.headers(), timeout=30) as http,
            Client(
                streamable_http_client(f"{served.base}/mcp", http_client=http), mode="2026-07-28"
            ) as client,
        ):
            fields = {"project": "No Session", "new": True}
            chosen = await client.call_tool("set_project", fields)
            stored = await client.call_tool(
                "store_memory", {"content": "Nobody holds me.", "project": "No Session"}
            )
            return [json.loads(answer.content[0].text) for answer in (chosen, stored)]

    chosen, stored = live(choose)
    assert "pass project=... in each call" in chosen["note"]
    assert "No Session" == stored["project"]


def test_eight_clients_at_once_lose_nothing(served):
    async def store(number, ids):
        async with served.client(project=f"team/{number}") as session:
            for turn in range(4):
                stored = await call(
                    session, "store_memory", content=f"Host {number}-{turn} runs service {turn}."
                )
                ids.append((number, stored["id"]))

    async def all_of_them():
        ids = []
        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(store, number, ids)
        seen = {}
        for number in range(8):
            async with served.client(project=f"team/{number}") as session:
                answer = await call(session, "recall_memory", type="semantic", max_results=50)
                seen[number] = {result["id"] for result in answer["results"]}
        return ids, seen

    ids, seen = live(all_of_them)
    assert 32 == len(ids)
    assert seen == {number: {item for at, item in ids if at == number} for number in range(8)}


def test_a_client_that_waits_for_another_process_keeps_nobody_else_waiting(served):
    database = Path(served.environment["HOME"]) / ".local/share/aforesaid/memory.db"

    async def side_by_side():
        done = []
        async with (
            served.client(project="held/one") as row,
            served.client(project="held/other") as other,
        ):
            await call(other, "store_memory", content=QUEUE)
            holder = sqlite3.connect(database, isolation_level=None)
            holder.execute("BEGIN IMMEDIATE")

            async def store():
                stored = await call(row, "store_memory", content="The port is 5433.")
                done.append(("stored", "id" in stored))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(store)
                for _turn in range(3):
                    answer = await call(other, "recall_memory", query="which queue")
                    done.append(("recalled", [row["content"] for row in answer["results"]]))
                holder.execute("ROLLBACK")
            holder.close()
        return done

    assert [("recalled", [QUEUE])] * 3 + [("stored", True)] == live(side_by_side)


def test_without_the_token_nothing_is_answered(served):
    for report in ("", "Bearer", "Bearer wrong", served.token, f"Basic {served.token}", "Bearer é"):
        answer = post(served, expected=401, Authorization=report.encode("latin-1"))
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert served.token not in answer.text
    for path in ("/sse", "/messages", "/", "/mcp/"):
        assert 401 == httpx2.get(f"{served.base}{path}").status_code


def test_a_foreign_host_or_origin_is_refused_though_it_bears_the_token(served):
    right = f"127.0.0.1:{served.port}"
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1:1", "127.0.0.1", ""):
        post(served, expected=403, Host=host)
    for origin in ("http://evil.example", "null", f"http://127.0.0.1.evil.example:{served.port}"):
        post(served, expected=403, Origin=origin)
    post(served, expected=200, Host=right, Origin=f"http://localhost:{served.port}")


def test_the_token_is_the_user_s_alone_and_stays_the_same(served, environment):
    first = Served(environment)
    assert 0o600 == stat.S_IMODE(first.token_file.stat().st_mode)
    assert 43 == len(first.token)
    assert first.token not in first.said
    assert 0 == first.stop(signal.SIGINT)
    first.token_file.chmod(0o644)
    again = Served(environment)
    assert first.token == again.token != served.token
    assert 0o600 == stat.S_IMODE(again.token_file.stat().st_mode)
    again.stop()


def test_what_a_client_does_not_say_the_process_says_but_for_its_own_folder(environment, tmp_path):
    folder = make_repository(tmp_path / "code", remote="https://host.example/acme/tools.git")
    server = Served(
        environment,
        AFORESAID_PROJECT="acme/base",
        AFORESAID_CWD=str(folder),
        CLAUDE_PROJECT_DIR=str(folder),
    )

    async def look():
        async with server.client() as silent, server.client(project="acme/said") as message:
            return await call(silent, "get_context"), await call(message, "get_context")

    silent, message = live(look)
    server.stop()
    assert ("acme/base", "acme/said") == (silent["project"], message["project"])
    assert "folder" not in silent


def test_it_ends_clean_with_open_sessions_and_streams(environment):
    server = Served(environment)

    async def hold():
        async with (
            server.client(project="acme/payments") as session,
            sse_client(f"{server.base}/sse", headers=server.headers()),
            httpx2.AsyncClient(headers=server.headers(), timeout=30) as http,
        ):
            stored = await call(session, "store_memory", content=QUEUE)
            begun = await http.post(
                f"{server.base}/mcp",
                json=INITIALIZE,
                headers={"Accept": "application/json, text/event-stream"},
            )
            listening = anyio.Event()

            async def listen():
                report = {"mcp-session-id": begun.headers["mcp-session-id"]}
                async with http.stream(
                    "GET", f"{server.base}/mcp", headers={"Accept": "text/event-stream", **report}
                ) as stream:
                    listening.set()
                    async for _ in stream.aiter_bytes():
                        pass

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listen)
                await listening.wait()
                code = await anyio.to_thread.run_sync(server.stop)
                tasks.cancel_scope.cancel()
            return stored, code

    try:
        stored, code = live(hold)
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
    assert 0 == code
    assert stored["id"]


def refused(environment, *options, **more):
    """Return the exit code and the words of a server that does not start."""
    done = subprocess.run(
        [DOOR, "serve", "--http", *options],
        env={**environment, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_port_that_is_taken_is_said_with_the_way_out(served):
    code, message = refused(served.environment, "--port", str(served.port))
    assert 5 == code
    assert f"127.0.0.1 port {served.port}" in message
    assert "--port" in message


def test_listening_everywhere_needs_the_name_that_clients_use(environment):
    code, message = refused(environment, "--host", "0.0.0.0", "--port", "0")
    assert 2 == code
    assert "--allow-host" in message


def test_switched_off_it_does_not_serve(environment):
    code, message = refused(environment, "--port", "0", AFORESAID_OFF="1")
    assert 5 == code
    assert "AFORESAID_OFF" in message


def test_another_machine_s_name_is_served_once_allowed_with_a_warning(environment):
    server = Served(
        environment,
        *("--http", "--host", "0.0.0.0", "--port", "0", "--allow-host", "memory.lan"),
    )
    warning = server.process.stderr.readline()
    post(server, expected=200, Host=f"memory.lan:{server.port}")
    post(server, expected=200, Host="memory.lan", Origin="https://memory.lan")
    post(server, expected=403, Host="other.lan")
    assert 0 == server.stop()
    assert "WARNING" in warning
    assert "TLS" in warning


def test_the_setting_makes_http_the_transport_but_a_client_s_pipe_stays_one(environment):
    chosen = {"AFORESAID_SERVER_TRANSPORT": "http", "AFORESAID_SERVER_PORT": "0"}
    server = Served(environment, "--allow-host", "memory.lan", **chosen)
    post(server, expected=200)
    assert 0 == server.stop()
    piped = subprocess.run(
        [DOOR, "serve"],
        env={**environment, **chosen},
        input=json.dumps(INITIALIZE) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "serverInfo" in json.loads(piped.stdout.splitlines()[0])["result"]


def test_the_status_and_the_doctor_name_a_server_that_nobody_has_called_yet(environment):
    subprocess.run(
        [DOOR, "remember", "The queue is NATS."], env=environment, cwd=environment["HOME"],
        stdin=subprocess.DEVNULL, timeout=120, check=True,
    )  # fmt: skip
    server = Served(environment)
    named = f"aforesaid serve --http --port 0 (process {server.process.pid})"
    try:
        for arguments in ((), ("doctor",)):
            done = subprocess.run(
                [DOOR, *arguments], env=environment, cwd=environment["HOME"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            assert named in " ".join(done.stdout.split())
    finally:
        server.stop()
