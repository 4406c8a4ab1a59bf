"""Clients that send half a request, or too many, stop nobody else and fill no log."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys

import httpx2
import pytest
from starlette.testclient import TestClient

from aforesaid.entrypoints.http_server.listening import listen
from aforesaid.entrypoints.http_server.sessions import Sessions, SseTransport
from integration.test_http_server import INITIALIZE, Served, live, post
from integration.test_mcp_server import call

resource = pytest.importorskip("resource")

OPEN_FILES = 256  #: as macOS starts its programs
CONNECTIONS = 300
MAX_LOG_BYTES = 5_000


class LimitedServed(Served):
    """A server process that may open few files."""

    prefix = ("sh", "-c", f'ulimit -S -n {OPEN_FILES}; exec "$@"', "sh")


@pytest.fixture
def start(tmp_path):
    """Return what starts a server that may open few files."""
    started = []

    def begin() -> Served:
        (tmp_path / "tmp").mkdir()
        server = LimitedServed(
            {
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "TMPDIR": str(tmp_path / "tmp"),
                "AFORESAID_ENV": os.environ.get("AFORESAID_ENV") or sys.prefix,
            }
        )
        started.append(server)
        return server

    yield begin
    for server in started:
        if server.process.poll() is None:
            server.stop()


def connect(served: Served, data: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", served.port), timeout=30)
    connection.sendall(data)
    return connection


def closed_after(connection: socket.socket) -> bytes:
    """Return what a server sends until it closes a connection."""
    received = b""
    try:
        while piece := connection.recv(4096):
            received += piece
    except ConnectionResetError:
        pass
    connection.close()
    return received


def ended(served: Served) -> str:
    """End a server; return what it wrote."""
    served.process.send_signal(signal.SIGTERM)
    _out, message = served.process.communicate(timeout=20)
    return message


HEADERS = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


def half_body(served: Served) -> bytes:
    token = served.headers()["Authorization"]
    return (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: {token}\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
        'Content-Length: 100\r\n\r\n{"json'
    ).encode()


@pytest.mark.parametrize("part", ["headers", "body"])
def test_many_half_sent_requests_leave_others_served_and_the_log_short(start, part) -> None:
    served = start()
    data = HEADERS if part == "headers" else half_body(served)
    waiting = []
    for _ in range(CONNECTIONS):
        waiting.append(connect(served, data))

    async def works():
        async with served.client(project="acme/payments") as session:
            await call(session, "store_memory", content="The queue is NATS.")
            return await call(session, "recall_memory", query="which queue")

    answer = live(works)
    for connection in waiting:
        connection.close()
    result = ended(served)

    assert 1 == len(answer["results"])
    assert len(result) < MAX_LOG_BYTES
    assert "too many connections" in result


def test_a_request_that_never_arrives_whole_is_given_up(start) -> None:
    served = start()
    slow = connect(served, HEADERS)
    body = connect(served, half_body(served))
    kept = connect(
        served, f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\nGET /m".encode()
    )

    assert closed_after(slow).startswith(b"HTTP/1.1 408 ")
    assert closed_after(kept).startswith(b"HTTP/1.1 401 ")
    closed_after(body)


def test_lines_that_repeat_are_written_once(start) -> None:
    served = start()
    for _ in range(100):
        closed_after(connect(served, b"no request\r\n\r\n"))
    result = ended(served)

    assert 1 == result.count("Invalid HTTP request")


@pytest.mark.parametrize("name", ["Origin", "Authorization"])
def test_a_header_that_says_two_things_is_refused(start, name) -> None:
    served = start()
    own = {"Origin": served.base, "Authorization": served.headers()["Authorization"]}
    answer = httpx2.post(
        f"{served.base}/mcp",
        json=INITIALIZE,
        headers=[
            ("Accept", "application/json, text/event-stream"),
            *own.items(),
            (name, "http://evil.example"),
        ],
    )

    assert 400 == answer.status_code
    assert name.lower() in answer.text
    post(served, expected=200)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_stream_that_asks_nothing_for_long_is_closed(environment) -> None:
    door = SseTransport(Sessions(environment), idle_seconds=0.5)

    answer = TestClient(door.open).get("/sse")  # returns when the stream is closed

    assert "event: endpoint" in answer.text
    gc.collect()  # the SDK leaves streams to be collected, which warns: here, and in no later test


def test_a_response_is_sent_without_waiting_for_acknowledgements() -> None:
    listener = listen("127.0.0.1", 0, "aforesaid ui")
    with listener, socket.create_connection(listener.getsockname()):
        connection, _address = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
