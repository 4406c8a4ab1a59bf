"""What a session pays for this server's tools, instructions and skill, in tokens.

Run from the root of the repository: ``python -m bench.session_cost --tokenizer FILE [--peer NAME
COMMAND]``. Servers are started over stdio and asked for their tools; each tool is counted as
``{"name", "description", "input_schema"}``, which is what a client hands to the model. FILE is a
tokenizer.json, for example ``anthropic/tokenizer.json`` of the Python package anthropic 0.38.0, the
last one with a tokenizer of Claude's. A peer's tools all count as always loaded, unless they say
otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tokenizers import Tokenizer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALWAYS_LOAD = "anthropic/alwaysLoad"
WAIT_SECONDS = 120

Count = Callable[[str], int]


async def ask(command: list[str], home: str) -> tuple[str, list[dict[str, object]]]:
    """Return a server's instructions and tools."""
    environment = {**os.environ, "HOME": home}
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment)
    with anyio.fail_after(WAIT_SECONDS), open(os.devnull, "w", encoding="utf-8") as quiet:  # noqa: ASYNC230
        async with (
            stdio_client(parameters, errlog=quiet) as streams,
            ClientSession(*streams) as session,
        ):
            started = await session.initialize()
            tools = (await session.list_tools()).tools
    listed = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools]
    return started.instructions or "", listed


def cost_of(tool: dict[str, object], count: Count) -> int:
    """Return the tokens of a tool."""
    schema = {"name": tool["name"], "description": tool.get("description", "")}
    return count(json.dumps({**schema, "input_schema": tool["inputSchema"]}, ensure_ascii=False))


def report(name: str, instructions: str, tools: list[dict[str, object]], count: Count) -> None:
    """Print one row: tools, all of their tokens, those always loaded, instructions."""
    costs = {str(tool["name"]): cost_of(tool, count) for tool in tools}
    marked = [str(tool["name"]) for tool in tools if ALWAYS_LOAD in json.dumps(tool)]
    loaded = sum(costs[tool] for tool in marked or costs)
    told = count(instructions)
    print(f"{name:24}{len(tools):6}{sum(costs.values()):8}{loaded:8}{told:8}{loaded + told:8}")
    if marked:
        print("  " + ", ".join(f"{tool} {cost}" for tool, cost in costs.items()))


def skill_costs(count: Count) -> tuple[int, int]:
    """Return the tokens of the skill's description, always loaded, and of its text, on use."""
    with open(os.path.join(ROOT, "skills", "memory", "SKILL.md"), encoding="utf-8") as file:
        text = file.read()
    described = re.search(r"^description: (.*)$", text, re.MULTILINE)
    assert described
    return count(described[1]), count(text)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.session_cost", description=__doc__)
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json")
    parser.add_argument(
        "--peer", nargs=2, action="append", default=[], metavar=("NAME", "COMMAND"),
        help="another server over stdio",
    )  # fmt: skip
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(options.tokenizer)

    def count(text: str) -> int:
        return len(tokenizer.encode(text).ids)

    own = [os.path.join(ROOT, "bin", "aforesaid"), "serve"]
    print(f"{'tokens':24}{'tools':>6}{'all':>8}{'loaded':>8}{'told':>8}{'start':>8}")
    for name, command in (("aforesaid", own), *((n, shlex.split(c)) for n, c in options.peer)):
        with tempfile.TemporaryDirectory() as home:
            report(name, *anyio.run(ask, command, home), count)
    print("skill: description {}, text on use {}".format(*skill_costs(count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
