"""The words that the end-to-end tests share: calls of our tools, contexts, processes.

Here: what is said and looked for. Not here: fixtures (conftest.py), the client (tests/rig).
"""

from __future__ import annotations

import json
import math
import re
import time
from typing import Any

from rig import Process, Request, Result, Sandbox, processes_of_home, tool, turn, wait_until
from rig.script import Block, Turn

#: how often in a row nothing must run before it is believed
STILL_LOOKS = 4

PREFIX = "mcp__plugin_aforesaid_memory__"

PREFERENCE = "Wants commit messages in the imperative, under 60 characters."
DECISION = "The importer's queue is NATS JetStream (was RabbitMQ): replay."
PROCEDURE = "Release: run make freeze, then tag, then make ship."
KEPT = (PREFERENCE, DECISION, PROCEDURE)
#: what the first session is about; the name stands in its digest only
SUBJECT = "Zephyrine"
PROMPT = f"Settle the queue of the {SUBJECT} importer, and note how we release."
#: Opens what a prompt brings of a session that ended right before this one.
LATE_DIGEST = "Sessions that ended shortly before this one:"


def call(name: str, **arguments: Any) -> Block:
    """Return a block in which the model calls one of our tools."""
    return tool(PREFIX + name, arguments)


def stores() -> list[Turn]:
    """Return the turns in which a preference, a decision and a procedure are stored."""
    return [
        turn(call("store_memory", content=PREFERENCE, scope="global", provenance="user")),
        turn(call("store_memory", content=DECISION, scope="project", provenance="user")),
        turn(call("store_memory", content=PROCEDURE, type="procedural", provenance="user")),
    ]


def remember_three(box: Sandbox) -> Result:
    """Run the first session to its end: three stores, one answer."""
    result = box.prompt(PROMPT, script=[*stores(), "Settled: NATS JetStream. Noted the release."])
    settle(box)
    return result


def contexts_of(request: Request) -> list[str]:
    """Return what our hooks said in this request, oldest first, fences included."""
    results = re.finditer(r"<(aforesaid-\w+)\b[^>]*>.*?</\1>", request.all_text, re.DOTALL)
    return [match[0] for match in results]


def digests_in(context: str) -> str:
    """Return the section on the last sessions."""
    _, _, after = context.partition("\nLast sessions\n")
    return after.partition("\nNeeds attention\n")[0]


def tokens(text: str) -> int:
    """Return how many tokens this counts as: four characters each."""
    return math.ceil(len(text) / 4)


def ids_of(results: list[str]) -> list[str]:
    """Return the ids that store_memory answered with."""
    return [json.loads(result)["id"] for result in results]


def shown(request: Request) -> str:
    """Return our one context in this request, beside which a late digest may stand.

    Raises:
        ValueError: where there is none, or more than one.
    """
    (context,) = (context for context in contexts_of(request) if LATE_DIGEST not in context)
    return context


def settle(box: Sandbox) -> None:
    """Wait until nothing runs for this box any more: server gone, digest written.

    Looked at several times: between its start and its exec a process shows no environment.
    """
    for _ in range(STILL_LOOKS):
        wait_until(lambda: not processes_of_home(box.home), f"no process of {box.home}", timeout=60)
        time.sleep(0.2)


def servers_of(box: Sandbox) -> list[Process]:
    """Return the memory servers that run for this box."""
    return [p for p in processes_of_home(box.home) if "/start.py serve" in p.command]
