"""Starts the server from an installed wheel and shakes hands with it, as another client would.

Run it with the Python of the environment that the wheel was installed into, far from the source:

    python -I tools/try_wheel.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any

TIMEOUT_SECONDS = 120


def main() -> int:
    """Stores one memory and recalls it through the installed command; returns the exit code."""
    command = os.path.join(sysconfig.get_path("scripts"), "aforesaid")
    with tempfile.TemporaryDirectory() as home:
        variables = {
            "HOME": home,
            "PATH": os.environ.get("PATH", os.defpath),
            "AFORESAID_DB": os.path.join(home, "memories.db"),
            "AFORESAID_CWD": home,
        }
        questions = [
            _request(0, "server/discover"),
            _request(
                1,
                "initialize",
                protocolVersion="2025-06-18",
                capabilities={},
                clientInfo={"name": "try_wheel", "version": "1"},
            ),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            _request(2, "tools/list"),
            _call(3, "store_memory", content="The queue of acme/payments is NATS JetStream."),
            _call(4, "recall_memory", query="which queue does payments use"),
        ]
        answers = _converse([command], variables, questions)
    print(f"server {answers[1]['serverInfo']}: {len(answers[2]['tools'])} tools")
    text = json.dumps(answers[4])
    print(f"stored and recalled: {text[:300]}")
    return 0 if "JetStream" in text and not answers[4].get("isError") else 1


def _request(identity: int, method: str, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": parameters}


def _call(identity: int, name: str, **arguments: Any) -> dict[str, Any]:
    return _request(identity, "tools/call", name=name, arguments=arguments)


def _converse(
    command: list[str], variables: dict[str, str], questions: list[dict[str, Any]]
) -> dict[int, dict[str, Any]]:
    """Asks one question after the other; returns each result by id, an error as a result."""
    answers = {}
    with subprocess.Popen(
        command,
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for question in questions:
            server.stdin.write(json.dumps(question) + "\n")
            server.stdin.flush()
            while "id" in question and question["id"] not in answers:
                line = server.stdout.readline()
                if not line:
                    raise SystemExit(f"the server ended at {question}")
                answer = json.loads(line)
                if "id" in answer and "method" not in answer:
                    answers[answer["id"]] = answer.get("result", answer.get("error"))
        server.stdin.close()
        if server.wait(timeout=TIMEOUT_SECONDS):
            raise SystemExit(f"the server ended with {server.returncode}")
    return answers


if __name__ == "__main__":
    sys.exit(main())
