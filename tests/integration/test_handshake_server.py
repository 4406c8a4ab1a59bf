"""The front, as a client sees it: a real process on pipes, handing over to a stand-in server."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time

import pytest

import interfaces

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "clientInfo": {"name": "größer"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Client:
    """A client on pipes; every wait has an end."""

    def __init__(self, launcher, environment):
        self.process = subprocess.Popen(
            [launcher, "serve"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._buffer = b""

    def write(self, *messages):
        self.write_raw(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def write_raw(self, content):
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def read(self):
        """Returns the next message."""
        deadline = time.monotonic() + 60
        while b"\n" not in self._buffer:
            left = max(0.0, deadline - time.monotonic())
            assert select.select([self.process.stdout], [], [], left)[0], "no answer in a minute"
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            assert chunk, "the server ended"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def ask(self, method, identity=7, **parameters):
        self.write({"jsonrpc": "2.0", "id": identity, "method": method, "params": parameters})
        return self.read()

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code


@pytest.fixture
def launcher(tmp_path):
    return interfaces.copy_plugin(str(tmp_path / "plugin"))


@pytest.fixture
def connect(launcher):
    clients = []

    def start(environment):
        clients.append(Client(launcher, environment))
        return clients[-1]

    yield start
    for client in clients:
        if client.process.poll() is None:
            client.process.kill()
            client.process.wait()
        for pipe in (client.process.stdin, client.process.stdout):
            if not pipe.closed:
                pipe.close()


@pytest.fixture
def ready(tmp_path, connect):
    return connect(
        interfaces.variables(str(tmp_path / "home"), AFORESAID_ENV=interfaces.ENVIRONMENT)
    )


@pytest.fixture
def waiting_for(tmp_path, connect, launcher):
    """A client whose environment is not there yet, and another process holds its set-up."""
    import fcntl

    home = str(tmp_path / "home")
    lock = interfaces.read(os.path.join(interfaces.ROOT, "server", "lock.hash")).strip()
    os.makedirs(interfaces.state(home))
    with open(interfaces.state(home, f"setup-{lock}.lock"), "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        client = connect(interfaces.variables(home))
        client.home = home
        client.pointer = interfaces.state(home, f"env-{lock}")
        yield client


def test_the_probe_of_the_newer_protocol_is_an_unknown_method(ready):
    answer = ready.ask("server/discover", "server-discover-probe-1")
    assert "server-discover-probe-1" == answer["id"]
    assert -32601 == answer["error"]["code"]


def test_initialize_is_answered_from_the_generated_file(ready):
    ready.write(INITIALIZE)
    answer = ready.read()
    assert {
        "jsonrpc": "2.0",
        "id": 0,
        "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "aforesaid", "version": "9.9"},
            "instructions": "what it is for",
        },
    } == answer


def test_an_unknown_protocol_version_gets_the_newest_known(ready):
    for version in ("2099-01-01", None, 3):
        answer = ready.ask("initialize", protocolVersion=version)
        assert "2025-11-25" == answer["result"]["protocolVersion"]


def test_lists_come_from_the_generated_file(ready):
    assert ["store_memory"] == [tool["name"] for tool in ready.ask("tools/list")["result"]["tools"]]
    assert {"prompts": [{"name": "p"}]} == ready.ask("prompts/list")["result"]
    assert {"resources": []} == ready.ask("resources/list")["result"]
    assert {"resourceTemplates": []} == ready.ask("resources/templates/list")["result"]


def test_switched_off_it_offers_nothing_and_says_why(tmp_path, connect):
    home = str(tmp_path / "home")
    client = connect(
        interfaces.variables(home, AFORESAID_ENV=interfaces.ENVIRONMENT, AFORESAID_OFF="1")
    )
    client.write(INITIALIZE)
    assert "instructions" not in client.read()["result"]
    assert {"tools": []} == client.ask("tools/list")["result"]
    answer = client.ask("tools/call", name="store_memory")["result"]
    assert answer["isError"]
    assert "AFORESAID_OFF" in answer["content"][0]["text"]


def test_what_is_no_message_is_refused_and_the_next_is_answered(ready):
    ready.write_raw(b"{nonsense\n\n  \r\n[]\n7\n")
    ready.write_raw(b'{"id":1,"method":[]}\n' + b"[" * 100_000 + b"\n")
    codes = [ready.read()["error"]["code"] for _ in range(5)]
    assert [-32700, -32600, -32600, -32600, -32700] == codes
    ready.write_raw(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n')
    assert {"jsonrpc": "2.0", "id": 1, "result": {}} == ready.read()


def test_notifications_and_answers_get_no_answer(ready):
    ready.write(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": "after", "method": "ping"},
    )
    assert "after" == ready.read()["id"]


def test_a_batch_is_answered_as_a_batch(ready):
    ready.write([{"id": 1, "method": "ping"}, {"id": 2, "method": "what"}, INITIALIZED])
    pong, unknown = ready.read()
    assert (1, {}) == (pong["id"], pong["result"])
    assert (2, -32601) == (unknown["id"], unknown["error"]["code"])


def test_the_first_call_is_answered_by_the_server_in_the_same_process(ready):
    ready.write(INITIALIZE)
    ready.read()
    ready.write(INITIALIZED)
    answer = ready.ask("tools/call", 5, name="store_memory", arguments={"content": "größer"})
    assert 5 == answer["id"]
    assert {
        "server": ready.process.pid,
        "method": "tools/call",
        "initialize": INITIALIZE,
        "initialized": True,
    } == answer["result"]


def test_a_burst_loses_nothing_and_keeps_its_order(ready):
    calls = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"x": "ü" * 3000}}
        for number in range(100, 180)
    ]
    ready.write(INITIALIZE, INITIALIZED, *calls)
    assert [0, *range(100, 180)] == [ready.read()["id"] for _ in range(81)]
    assert 200 == ready.ask("tools/call", 200)["id"]


def test_a_message_in_pieces_is_handed_over_whole(ready):
    call = json.dumps({"id": 1, "method": "tools/call", "params": {"x": "y" * 200_000}}).encode()
    ready.write(INITIALIZE)
    ready.read()
    ready.write_raw(call[:70_000])
    ready.write_raw(call[70_000:] + b"\n" + b'{"id": 2, "method": "tools/')
    ready.write_raw(b'call"}\n')
    assert [1, 2] == [ready.read()["id"], ready.read()["id"]]


def test_calls_that_were_written_before_the_end_of_input_are_answered(ready):
    ready.write(INITIALIZE, INITIALIZED, {"id": 1, "method": "tools/call"})
    ready.write_raw(b'{"id": 2, "method": "tools/call"}')
    ready.process.stdin.close()
    assert [0, 1, 2] == [ready.read()["id"] for _ in range(3)]
    assert 0 == ready.process.wait(timeout=60)


def test_silence_after_the_lists_hands_over_before_the_first_call(ready):
    ready.write(INITIALIZE, INITIALIZED)
    ready.read()
    ready.ask("tools/list")
    # The front rejects this method; only the stand-in server knows it.
    deadline = time.monotonic() + 60
    while "error" in ready.ask("not/of/the/front"):
        assert time.monotonic() < deadline
        select.select([], [], [], 0.4)
    assert ready.ask("not/of/the/front")["result"]["initialized"]


def test_the_end_of_input_ends_it(ready):
    ready.ask("ping")
    assert 0 == ready.end()


def test_the_signals_of_the_client_end_it_at_once(connect, tmp_path):
    variables = interfaces.variables(str(tmp_path / "home"), AFORESAID_ENV=interfaces.ENVIRONMENT)
    for number in (signal.SIGINT, signal.SIGTERM):
        client = connect(variables)
        client.ask("ping")
        client.process.send_signal(number)
        assert -number == client.process.wait(timeout=10)


def test_before_set_up_a_call_is_told_how_far_it_is(waiting_for):
    report = {"step": 2, "of": 5, "text": "installing the packages"}
    interfaces.write(interfaces.state(waiting_for.home, "setup-progress.json"), json.dumps(report))
    waiting_for.write(INITIALIZE)
    assert "what it is for" == waiting_for.read()["result"]["instructions"]
    assert 1 == len(waiting_for.ask("tools/list")["result"]["tools"])
    result = waiting_for.ask("tools/call", name="store_memory")["result"]
    assert result["isError"]
    assert "setting up, 2 of 5: installing the packages" in result["content"][0]["text"]
    assert -32603 == waiting_for.ask("resources/read")["error"]["code"]
    assert 0 == waiting_for.end()


def test_a_failed_set_up_is_told_with_its_cure(waiting_for):
    error = "Aforesaid could not set up: the disk is full. To fix it: free about 500 MB."
    interfaces.write(interfaces.state(waiting_for.home, "setup-error.txt"), error + "\n")
    result = waiting_for.ask("tools/call", name="store_memory")["result"]
    assert result["isError"]
    assert error in result["content"][0]["text"]


def test_it_hands_over_by_itself_when_set_up_is_done(waiting_for):
    waiting_for.write(INITIALIZE, INITIALIZED)
    waiting_for.read()
    first = waiting_for.ask("tools/call", 1)
    assert first["result"]["isError"]
    python = os.path.join(interfaces.ENVIRONMENT, "bin", "python")
    interfaces.write(waiting_for.pointer + ".new", f"{python}\n")
    os.replace(waiting_for.pointer + ".new", waiting_for.pointer)
    second = waiting_for.ask("tools/call", 2)["result"]
    assert (waiting_for.process.pid, True) == (second["server"], second["initialized"])
    assert INITIALIZE == second["initialize"]


def test_a_server_that_cannot_be_loaded_is_told_with_its_cure(ready, launcher):
    server = os.path.join(os.path.dirname(launcher), "../server/aforesaid/entrypoints/mcp")
    interfaces.write(os.path.join(server, "server.py"), "import a_package_that_is_gone\n")
    ready.write(INITIALIZE, INITIALIZED)
    ready.read()
    for number in (1, 2):
        result = ready.ask("tools/call", number)["result"]
        assert result["isError"]
        assert "No module named 'a_package_that_is_gone'" in result["content"][0]["text"]
        assert "setup --rebuild" in result["content"][0]["text"]
    assert 1 == len(ready.ask("tools/list")["result"]["tools"])
