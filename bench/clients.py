"""What one server over HTTP takes with many clients at once: ``python -m bench.clients``.

Servers with different numbers of lanes, one after the other and again in turn, each over a copy of
one store. Every client is a session of a project of its own that stores and recalls; half of them
also while another process holds the file for writing, when those that only recall should not wait.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, "server")]

from bench.corpus import make_memories  # noqa: E402
from bench.timing import describe_machine, environment_folder, percentile  # noqa: E402

from aforesaid import Memory  # noqa: E402
from aforesaid.adapters.sqlite.store import SqliteStore  # noqa: E402

_SERVE = (
    "import sys; from aforesaid.entrypoints.http_server import sessions; "
    "from aforesaid.entrypoints.http_server.server import main; "
    "sessions.WORKERS = int(sys.argv[1]); main(host='127.0.0.1', port=0)"
)
HELD_SECONDS = 1.5  #: that another process holds the file


class Served:
    """A server with so many lanes over a store of its own."""

    def __init__(self, folder: str, store: str, lanes: int) -> None:
        home = tempfile.mkdtemp(dir=folder)
        self.path = os.path.join(home, "memory.db")
        shutil.copyfile(store, self.path)
        python = os.path.join(environment_folder(), "bin", "python")
        self._process = subprocess.Popen(
            [python, "-c", _SERVE, str(lanes)],
            env={
                "PATH": os.defpath,
                "HOME": home,
                "PYTHONPATH": os.path.join(ROOT, "server"),
                "AFORESAID_DB": self.path,
            },
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        said = "".join(self._process.stderr.readline() for _ in range(2))
        threading.Thread(target=self._process.stderr.read, daemon=True).start()
        self.port = int(re.findall(r":(\d+)/mcp", said)[0])
        with open(re.findall(r"is in (.*)", said)[0], encoding="utf-8") as file:
            self.token = file.read().strip()

    def cpu_seconds(self) -> float:
        """Return what the process took so far, user and system."""
        with open(f"/proc/{self._process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        """Return what the process holds in memory."""
        with open(f"/proc/{self._process.pid}/statm", encoding="utf-8") as file:
            pages = int(file.read().split()[1])
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)

    def end(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait(20)


class Client:
    """One session of a project."""

    def __init__(self, served: Served, project: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {served.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Aforesaid-Project": project,
        }
        self._number = 0
        self.taken_ms: dict[str, list[float]] = {"store_memory": [], "recall_memory": []}
        self.wrong: list[str] = []
        self._ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "bench", "version": "1"},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return the answer of a tool, and keep how long it took."""
        began = time.perf_counter()
        answer = self._ask("tools/call", name=tool, arguments=arguments)
        self.taken_ms[tool].append((time.perf_counter() - began) * 1e3)
        text = answer["result"]["content"][0]["text"]
        if answer["result"].get("isError"):
            self.wrong.append(text)
            return {}
        return json.loads(text)

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        asked = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        for line in self._send(asked).splitlines():
            told = json.loads(line.removeprefix("data:")) if line.startswith("data: {") else {}
            if told.get("id") == self._number:
                return told
        raise AssertionError(f"no answer to {method}")

    def _send(self, message: dict[str, Any]) -> str:
        self._connection.request("POST", "/mcp", json.dumps(message), self._headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        self._headers["mcp-session-id"] = answer.headers.get(
            "mcp-session-id", self._headers.get("mcp-session-id", "")
        )
        assert answer.status < http.client.MULTIPLE_CHOICES, text
        return text


def work(client: Client, name: str, rounds: int) -> None:
    """Store and ask for what was stored, which must come first, and be this project's own."""
    for number in range(rounds):
        text = f"The ledger of {name} number {number} keeps {number * 7} entries."
        client.call("store_memory", content=text, type="semantic")
        query = f"how many entries does ledger number {number} keep"
        found = client.call("recall_memory", query=query).get("results", [])
        told = [one["content"] for one in found]
        if text not in told or any(" ledger of " in one and name not in one for one in told):
            client.wrong.append(f"{name} asked for {text!r} and got {told}")


def in_parallel(jobs: list[Any]) -> float:
    """Do all jobs at once; return the seconds it took."""
    threads = [threading.Thread(target=job) for job in jobs]
    began = time.perf_counter()
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return time.perf_counter() - began


def measure(served: Served, clients: int, rounds: int) -> dict[str, Any]:
    """Return what all clients together took, and what each call did."""
    names = [f"team/{number}" for number in range(clients)]
    opened = [Client(served, name) for name in names]
    cpu = served.cpu_seconds()
    jobs = [
        lambda client=client, name=name: work(client, name, rounds)
        for client, name in zip(opened, names, strict=True)
    ]
    seconds = in_parallel(jobs)
    cpu = served.cpu_seconds() - cpu
    told = {"calls_per_second": 2 * clients * rounds / seconds}
    told["cpu_ms_per_call"] = cpu * 1e3 / (2 * clients * rounds)
    for tool, name in (("store_memory", "store"), ("recall_memory", "recall")):
        taken = [ms for client in opened for ms in client.taken_ms[tool]]
        told |= {f"{name}_ms": statistics.median(taken), f"{name}_p95_ms": percentile(taken, 0.95)}
    wrong = [one for client in opened for one in client.wrong]
    blocked, also_wrong = _while_held(served, names)
    return told | {
        "recall_while_held_ms": statistics.median(blocked),
        "recall_while_held_most_ms": max(blocked),
        "memory_mb": served.resident_mb(),
        "wrong": wrong + also_wrong,
    }


def _while_held(served: Served, names: list[str]) -> tuple[list[float], list[str]]:
    """Return what recalls took while another process wrote, and two clients waited for it."""
    other = SqliteStore(served.path)
    storing = [Client(served, name) for name in names[:2]]
    recalling = [Client(served, name) for name in names[2:]]
    until = 0.0

    def hold() -> None:
        nonlocal until
        with other.transaction():
            until = time.perf_counter() + HELD_SECONDS
            time.sleep(HELD_SECONDS)
        other.close()

    def recall(client: Client) -> None:
        time.sleep(0.3)
        while time.perf_counter() < until:
            client.call("recall_memory", query="how many entries does ledger number 1 keep")
            time.sleep(0.1)

    def store(client: Client) -> None:
        time.sleep(0.2)
        client.call("store_memory", content=f"The file was held at {time.time()}.")

    jobs = [hold]
    jobs += [lambda client=client: store(client) for client in storing]
    jobs += [lambda client=client: recall(client) for client in recalling]
    in_parallel(jobs)
    taken = [ms for client in recalling for ms in client.taken_ms["recall_memory"]]
    return taken, [one for client in (*storing, *recalling) for one in client.wrong]


def main() -> int:
    """Print figures by number of lanes; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.clients")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=25, help="stores and recalls of each")
    parser.add_argument("--size", type=int, default=2_000, help="memories that are there before")
    parser.add_argument("--lanes", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--turns", type=int, default=3, help="runs of each, in turn")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    runs: dict[int, list[dict[str, Any]]] = {lanes: [] for lanes in options.lanes}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = os.path.join(folder, "memory.db")
        with Memory(store, project="team/0") as memory:
            memory.store_many([{"content": one.content} for one in make_memories(options.size)])
        for _turn in range(options.turns):
            for lanes in options.lanes:
                served = Served(folder, store, lanes)
                try:
                    runs[lanes].append(measure(served, options.clients, options.rounds))
                finally:
                    served.end()
    wrong = [one for told in runs.values() for run in told for one in run.pop("wrong")]
    told = {
        f"{lanes} lanes": {
            name: round(statistics.median(run[name] for run in found), 1) for name in found[0]
        }
        for lanes, found in runs.items()
    }
    if options.json:
        print(json.dumps({"machine": describe_machine(), **told, "wrong": wrong}))
    else:
        print(describe_machine())
        names = next(iter(told.values()))
        print(f"{'':<28}" + "".join(f"{lanes:>12}" for lanes in told))
        for name in names:
            print(f"{name:<28}" + "".join(f"{found[name]:>12}" for found in told.values()))
        print(f"wrong: {len(wrong)}", *wrong[:3], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
