"""A session, a command and an import stay with the project that they belong to."""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import asynccontextmanager, closing

import anyio
import apsw
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from aforesaid import Memory
from aforesaid.domain.errors import InvalidInputError
from git_folders import git, make_repository
from interfaces import LAUNCHER

ASKED = "Ask the user once"
LEDGER, TEA = "The ledger closes at 17:30.", "The shop sells tea."


class Client:
    """One client process, which is this one: its hooks and its servers, in several folders."""

    def __init__(self, environment, base) -> None:
        self.environment = {**environment, "CLAUDE_PID": str(os.getpid())}
        self.payments = make_repository(
            base / "payments", remote="https://github.com/acme/payments"
        )
        self.shop = make_repository(base / "shop", remote="https://github.com/acme/shop")

    def run(self, *arguments, folder=None, check=True, **more):
        return subprocess.run(
            [LAUNCHER, *arguments], cwd=folder or self.payments,
            env={**self.environment, **more}, input="", capture_output=True, text=True,
            check=check, timeout=120,
        )  # fmt: skip

    def start(self, session, folder, *, source="startup", project_dir=None) -> str:
        event = {"session_id": session, "cwd": str(folder), "source": source,
                 "hook_event_name": "SessionStart", "transcript_path": ""}  # fmt: skip
        values = {} if project_dir is None else {"CLAUDE_PROJECT_DIR": str(project_dir)}
        done = subprocess.run(
            [LAUNCHER, "hook", "session-start"], cwd=folder, env={**self.environment, **values},
            input=json.dumps(event), capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        answer = json.loads(done.stdout)
        return answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    def asked(self, sure: str = "") -> dict[str, bool]:
        """Return which sessions recalled something themselves; ``sure`` did, and is waited for.

        A server writes down what was recalled after its reply.
        """
        for _ in range(50):
            output = json.loads(self.run("stats", "--sessions", "--project", "*", "--json").stdout)
            asked = {
                session["session"]: session.get("asked_tokens", 0) > 0
                for session in output["sessions"]
            }
            if not sure or asked.get(sure):
                break
            time.sleep(0.1)
        return asked

    @asynccontextmanager
    async def server(self, folder, **more):
        environment = {**self.environment, "CLAUDE_PROJECT_DIR": str(folder), **more}
        parameters = StdioServerParameters(
            command=LAUNCHER, args=["serve"], env=environment, cwd=folder
        )
        with open(os.devnull, "w") as quiet:  # noqa: ASYNC230 - it blocks nothing
            async with (
                stdio_client(parameters, errlog=quiet) as streams,
                ClientSession(*streams) as session,
            ):
                await session.initialize()
                yield session


@pytest.fixture
def client(environment, tmp_path) -> Client:
    made = Client(environment, tmp_path)
    made.run("remember", LEDGER, folder=made.payments)
    made.run("remember", TEA, folder=made.shop)
    return made


async def recalled(server) -> list[str]:
    answer = await server.call_tool("recall_memory", {"type": "semantic"})
    return [one["content"] for one in json.loads(answer.content[0].text)["results"]]


def live(does):
    async def limited():
        with anyio.fail_after(120):
            return await does()

    return anyio.run(limited)


def test_a_recall_without_a_good_match_says_so_and_gives_the_two_nearest(client) -> None:
    for number in range(4):
        client.run("remember", f"The queue of service {number} is NATS.")

    async def does():
        async with client.server(client.payments) as server:
            query = "why does the E_4711 queue of Zanzibar run on Kafka?"
            calls = ({"query": query}, {"query": query, "min_relevance": 0})
            answers = [await server.call_tool("recall_memory", one) for one in calls]
            return [json.loads(one.content[0].text) for one in answers]

    nearest, everything = live(does)
    assert (True, 2) == (nearest["no_good_match"], len(nearest["results"]))
    assert everything["no_good_match"] is True
    assert len(everything["results"]) > 2


@pytest.mark.parametrize("by_variable", [True, False], ids=["by its variable", "by its folder"])
def test_a_server_stays_with_the_session_of_its_own_folder(client, by_variable) -> None:
    """Two sessions of one client process, each with a server, whichever began last."""

    async def does():
        async with client.server(client.payments) as item, client.server(client.shop) as other:
            client.start("a", client.payments, project_dir=client.payments if by_variable else None)
            client.start("b", client.shop, project_dir=client.shop if by_variable else None)
            first = await recalled(item), await recalled(other)
            client.start("a", client.payments, project_dir=client.payments if by_variable else None)
            return first, (await recalled(item), await recalled(other))

    assert (([LEDGER], [TEA]), ([LEDGER], [TEA])) == live(does)
    assert {"a": True, "b": True} == client.asked()


def test_a_server_whose_folder_has_no_session_answers_from_its_own_folder(client) -> None:
    async def does():
        async with client.server(client.payments) as server:
            client.start("b", client.shop, project_dir=client.shop)
            return await recalled(server)

    assert [LEDGER] == live(does)
    assert {"b": False} == client.asked()


def test_a_server_follows_its_client_to_a_cleared_and_a_resumed_session(client) -> None:
    below = client.payments / "docs"
    below.mkdir()

    async def does():
        seen = []
        async with client.server(client.payments) as server:
            client.start("one", client.payments, project_dir=client.payments)
            client.start("two", below, source="clear", project_dir=client.payments)
            await recalled(server)
            seen.append(client.asked(sure="two"))
            client.start("one", client.payments, source="resume", project_dir=client.payments)
            await recalled(server)
            seen.append(client.asked(sure="one"))
        return seen

    assert [{"one": False, "two": True}, {"one": True, "two": True}] == live(does)


def test_a_server_counts_a_recall_that_another_writer_held_up(client) -> None:
    path = os.path.join(client.environment["XDG_DATA_HOME"], "aforesaid", "memory.db")

    async def does():
        async with client.server(client.payments) as server:
            client.start("a", client.payments, project_dir=client.payments)
            with closing(apsw.Connection(path)) as writer:
                writer.set_busy_timeout(10_000)
                writer.execute("BEGIN IMMEDIATE")
                answer = await recalled(server)
                await anyio.sleep(0.5)
                writer.execute("ROLLBACK")
            return answer, client.asked(sure="a")

    assert ([LEDGER], {"a": True}) == live(does)


def test_a_server_keeps_what_a_later_version_noted_of_its_session(client) -> None:
    """A process of a later version migrated the store while this server runs."""
    path = os.path.join(client.environment["XDG_DATA_HOME"], "aforesaid", "memory.db")

    async def does():
        async with client.server(client.payments) as server:
            client.start("a", client.payments, project_dir=client.payments)
            await recalled(server)
            with closing(apsw.Connection(path)) as store:
                store.set_busy_timeout(10_000)
                store.execute("ALTER TABLE sessions ADD COLUMN later TEXT NOT NULL DEFAULT ''")
                store.execute("UPDATE sessions SET later = 'kept'")
            await server.call_tool("set_project", {"project": "acme/shop"})
            with closing(apsw.Connection(path)) as store:
                return store.execute("SELECT chosen_project, later FROM sessions").fetchall()

    assert [(1, "kept")] == live(does)


# -- where memory is switched off


OFF = {"AFORESAID_PROJECT_OFF": "acme/payments"}
HOW = "remove the project from [project] off in AFORESAID_PROJECT_OFF"


def test_no_command_stores_anything_where_memory_is_off(client, tmp_path) -> None:
    (known,) = json.loads(client.run("list", "--json").stdout)["results"]
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "Imported."}\n')
    named = tmp_path / "named.jsonl"
    named.write_text(
        '{"content": "Imported.", "project": "acme/payments"}\n{"content": "To the shop."}\n'
    )
    for arguments in (
        ("remember", "It is off."),
        ("remember", "--scope", "global", "It is off."),
        ("remember", "--project", "acme/shop", "It is off."),
        ("update", known["id"], "--content", "It is off."),
        ("link", known["id"], "supports", known["id"]),
        ("import", str(lines)),
        ("ingest", "--git"),
    ):
        done = client.run(*arguments, check=False, **OFF)
        assert done.returncode != 0, arguments
        assert HOW in " ".join(done.stderr.split()), arguments
    done = client.run("remember", "--project", "acme/payments", "It is off.", folder=client.shop,
                      check=False, **OFF)  # fmt: skip
    assert done.returncode != 0
    done = client.run("import", str(named), folder=client.shop, check=False, **OFF)
    assert "1 stored in acme/shop, 0 already known, 1 refused" in done.stdout
    everything = json.loads(client.run("list", "--all-projects", "--json").stdout)["results"]
    assert {LEDGER, TEA, "To the shop."} == {row["preview"] for row in everything}
    assert LEDGER in client.run("search", "ledger", **OFF).stdout  # a shell still reads
    client.run("forget", known["id"], **OFF)  # and takes out


def test_no_command_stores_anything_in_a_session_that_is_off(client, tmp_path) -> None:
    (known,) = json.loads(client.run("list", "--json").stdout)["results"]
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "Imported."}\n')
    for arguments in (
        ("remember", "It is off."),
        ("update", known["id"], "--content", "It is off."),
        ("link", known["id"], "supports", known["id"]),
        ("confirm", known["id"]),
        ("import", str(lines)),
        ("import", "--from", "claude-md"),
        ("ingest",),
        ("ingest", "--git"),
        ("digest",),
    ):
        done = client.run(*arguments, check=False, AFORESAID_OFF="1")
        assert done.returncode != 0, arguments
        assert "memory is off here (AFORESAID_OFF)" in " ".join(done.stderr.split()), arguments
    everything = json.loads(client.run("list", "--all-projects", "--json").stdout)["results"]
    assert {LEDGER, TEA} == {row["preview"] for row in everything}
    assert LEDGER in client.run("search", "ledger", AFORESAID_OFF="1").stdout  # a shell still reads
    client.run("remember", "It is on.", AFORESAID_OFF="0")


def test_a_clone_of_a_repository_that_is_off_is_off_and_both_stay_so(client, tmp_path) -> None:
    def names():
        rows = json.loads(client.run("projects", "--json").stdout)["projects"]
        return [row["project"] for row in rows]

    known = names()
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "-q", str(client.payments), str(copy))
    client.run("context", folder=copy)
    assert known == names()
    for folder in (client.payments, copy):
        done = client.run("remember", "It is off.", folder=folder, check=False, **OFF)
        assert HOW in " ".join(done.stderr.split())


def test_an_unknown_name_of_a_project_that_is_off_is_reported(client) -> None:
    off = {"AFORESAID_PROJECT_OFF": "acme/paymens"}
    note = "project.off names 'acme/paymens', and no known project is called that"
    assert note in " ".join(client.run("config", **off).stderr.split())
    assert note in " ".join(client.run("doctor", check=False, **off).stdout.split())
    assert "project.off names" not in client.run("config", **OFF).stderr


def test_the_library_stores_nothing_where_memory_is_off(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFORESAID_PROJECT_OFF", "acme/payments")
    with Memory(tmp_path / "m.db", project="acme/payments") as memory:
        with pytest.raises(InvalidInputError, match="memory is off in acme/payments"):
            memory.store("It is off.")
        stored = memory.store("To the shop.", project="acme/shop")
        with pytest.raises(InvalidInputError, match="remove the project from"):
            memory.update(stored.memory.id, importance=0.9)


def test_a_client_cannot_store_into_a_project_that_is_off_from_elsewhere(client) -> None:
    async def does():
        async with client.server(client.shop, **OFF) as server:
            fields = {"content": "It is off.", "project": "acme/payments"}
            answer = await server.call_tool("store_memory", fields)
            return answer.is_error, answer.content[0].text

    failed, message = live(does)
    assert failed
    assert "memory is off in acme/payments" in message


# -- a project that was named before its repository was seen


def test_lines_that_name_a_project_and_its_repository_meet(client, tmp_path) -> None:
    lines = tmp_path / "lines.jsonl"
    said_by_user = {"content": "The API is REST.", "project": "acme/api", "provenance": "user"}
    lines.write_text(json.dumps(said_by_user) + "\n")
    output = client.run("import", str(lines)).stdout
    assert "assign one with: aforesaid projects map FOLDER acme/api" in output
    report = json.loads(client.run("import", str(lines), "--json").stdout)
    assert ["acme/api"] == report["without_folder"]

    api = make_repository(tmp_path / "api", remote="https://github.com/acme/api")
    shown = client.start("x", api)
    assert "REST" not in shown
    assert ASKED in shown
    assert "set_project(project='name:acme/api')" in shown
    client.run("remember", "The API has one door.", folder=api)
    assert ASKED not in client.start("y", api)
    client.run("projects", "map", ".", "name:acme/api", folder=api)
    listed = json.loads(client.run("list", "--json", folder=api).stdout)["results"]
    assert {"The API is REST.", "The API has one door."} == {memory["preview"] for memory in listed}
    assert "REST" in client.start("z", api)
    known = json.loads(client.run("projects", "--json").stdout)["projects"]
    assert 1 == [row["project"] for row in known].count("acme/api")


@pytest.mark.parametrize("named", ["https://github.com/acme/api.git", "git:github.com/acme/api"])
def test_lines_that_name_a_remote_are_found_in_its_repository(client, tmp_path, named) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"content": "The API is REST.", "project": named}) + "\n")
    assert "no folder" not in client.run("import", str(lines)).stdout
    api = make_repository(tmp_path / "api", remote="git@github.com:acme/api.git")
    shown = client.start("x", api)
    assert ASKED not in shown
    listed = json.loads(client.run("list", "--json", folder=api).stdout)["results"]
    assert ["The API is REST."] == [memory["preview"] for memory in listed]


def test_mapping_a_folder_says_what_stays_behind_and_how_it_moves(client) -> None:
    output = json.loads(client.run("projects", "map", ".", "acme/shop", "--json").stdout)
    assert "1 memory in acme/payments" == output["stays_behind"]
    command = "aforesaid projects merge git:github.com/acme/payments git:github.com/acme/shop"
    assert command == output["to_move"]
    client.run(*command.split()[1:], "--yes")
    listed = json.loads(client.run("list", "--json").stdout)["results"]
    assert {LEDGER, TEA} == {memory["preview"] for memory in listed}


def test_mapping_a_provisional_folder_says_what_came_along(client, tmp_path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    client.run("remember", "Noted here.", folder=notes)
    output = json.loads(
        client.run("projects", "map", ".", "acme/shop", "--json", folder=notes).stdout
    )
    assert ("1 memory", None) == (output["moved"], output.get("stays_behind"))
