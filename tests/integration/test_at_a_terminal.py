"""Every command on a terminal of 80 columns, against a store that holds something.

Walked from the tree of commands, so that a new one is seen here, too.
"""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aforesaid.bootstrap.paths import PACKAGE
from aforesaid.entrypoints.cli import aforesaid
from aforesaid.entrypoints.cli.terminal import display_width
from click_tree import commands
from interfaces import LAUNCHER, write
from rig.terminal import Terminal

COLUMNS = 80
SAMPLE = os.path.join(PACKAGE, "samples", "demo-session.jsonl")
LONG = "The settlement service compares the totals of each batch with the provider's report. " * 4
STORED = (
    {"content": "The queue is NATS JetStream, for replay.", "topic": "infra/queues",
     "entity": "NATS JetStream", "tags": ["queue"]},
    {"content": LONG, "topic": "settlement", "type": "procedural", "entity": "Ledger"},
    {"content": "日本語の商品名は形態素解析で分割し、検索索引に読み仮名も入れる。" * 3},
    {"content": f"Answer 409. {LONG}", "task_id": "a-task-with-quite-a-long-name-for-a-list",
     "title": "Idempotent retries", "due": "2027-01-15", "priority": "high"},
    {"content": "The user wants short commit messages.", "scope": "global", "pinned": True},
    {"content": LONG.replace("batch", "order"), "project": "acme/shop"},
)  # fmt: skip

#: What each command is asked: its arguments, with ``{…}`` for what the store holds. Those that only
#: look come first; a line of several commands is several cases.
LOOKING: dict[str, tuple[str, ...]] = {
    "": ("", "--help"),
    "search": ("search how is a batch settled",),
    "why": ("why queue.py",),
    "fix": ("fix connection refused",),
    "list": ("list --all-projects", "list -n 2", "list --since last-century"),
    "inspect": ("inspect {id} --log",),
    "explore": ("explore {id}", "explore --topic infra"),
    "context": ("context",),
    "topics": ("topics", "topics infra --depth 3"),
    "entities": ("entities",),
    "entities list": ("entities list --all-projects",),
    "entities search": ("entities search jetstream",),
    "projects": ("projects",),
    "projects list": ("projects list",),
    "projects map": ("projects map .",),
    "tasks": ("tasks --all-projects",),
    "stats": ("stats", "stats --quality", "stats --sessions"),
    "runs": ("runs",),
    "offers": ("offers",),
    "guards": ("guards",),
    "guards test": ("guards test terraform apply",),
    "cleanup": ("cleanup",),
    "install": ("install --client codex",),
    "uninstall": ("uninstall --client codex",),
    "config": ("config", "config --client list"),
    "model": ("model",),
    "model list": ("model list",),
    "model status": ("model status",),
    "doctor": ("doctor", "doctor --secrets"),
    "setup": ("setup",),
    "completion": ("completion --help",),
    "ui": ("ui --help", "ui --port 70000"),
    "version": ("version",),
    "watch status": ("watch status",),
    "serve": ("serve", "serve --port 5"),
    "hook": ("hook",),
    "model embed": ("model embed --help",),
    "model download": ("model download nobody/nothing",),
    "offers accept": ("offers accept 99",),
    "offers decline": ("offers decline 99",),
    "demo": ("demo",),
    "config get": ("config get digest.max_tokens",),
}
CHANGING: dict[str, tuple[str, ...]] = {
    "config set": ("config set digest.max_tokens 300",),
    "config unset": ("config unset digest.max_tokens",),
    "confirm": ("confirm {id}",),
    "remember": (f"remember {LONG}indeed",),
    "update": ("update {id} --importance high",),
    "guards add": ("guards add {id} --command terraform-apply --ask", "guards", "guards add {id}"),
    "guards remove": ("guards remove {id}",),
    "link": ("link {id} supports {other}",),
    "forget": ("forget {other}", "forget {id} --erase"),
    "undo": ("undo {other}", "undo 99"),
    "entities merge": ("entities merge Ledger NATS-JetStream",),
    "entities rename": ("entities rename NATS-JetStream Nats",),
    "entities undo": ("entities undo", "entities undo --list"),
    "projects merge": ("projects merge acme/shop acme/payments",),
    "tend": ("tend", "tend --dry-run"),
    "compact": ("compact --dry-run",),
    "digest": ("digest",),
    "ingest": ("ingest {folder}", "ingest --git"),
    "export": ("export {folder}/all.jsonl", "export {folder}/notes --format markdown"),
    "import": ("import {folder}/all.jsonl --on-conflict newer", "import {folder}/nothing.jsonl"),
    "config init": ("config init {folder}/example.toml", "config init {folder}/all.jsonl"),
    "model use": ("model use shipped",),
    "model remove": ("model remove shipped",),
    "watch": ("watch --folder {folder}",),
    "watch start": ("watch start --folder {folder}",),
    "watch stop": ("watch stop",),
    "backup": ("backup",),
    "restore": ("restore", "restore latest"),
    "reset": ("reset",),
}
#: What is typed when a command shows something, and with which code it ends where that is not 0.
TYPED = {"[y/N]": "n\r", "Watching": "\x03", "MCP client": "\x04"}
CODES = {
    "list --since last-century": 2, "serve --port 5": 2, "hook": 2, "model": 2,
    "ui --port 70000": 2,
    "model download nobody/nothing": 5, "offers accept 99": 3, "offers decline 99": 3,
    "forget {id} --erase": 130, "undo 99": 3, "projects merge acme/shop acme/payments": 130,
    "import {folder}/nothing.jsonl": 3, "model remove shipped": 4, "restore latest": 130,
    "reset": 130, "install --client codex": 130, "ingest --git": 2,
    "config init {folder}/all.jsonl": 4, "guards add {id}": 2,
}  # fmt: skip


def test_every_command_is_tried_here() -> None:
    assert {"", *commands(aforesaid)} == {*LOOKING, *CHANGING}


@pytest.fixture
def filled(shell, tmp_path):
    """Return a shell whose store holds something, and what its memories are called."""
    folder = str(tmp_path / "some" / "where")
    lines = "".join(json.dumps(memory, ensure_ascii=False) + "\n" for memory in STORED)
    write(f"{folder}/lines.jsonl", lines)
    write(f"{folder}/1/one.jsonl", Path(SAMPLE).read_text(encoding="utf-8"))
    assert 0 == shell("import", f"{folder}/lines.jsonl").returncode
    assert 0 == shell("ingest", f"{folder}/1").returncode
    listed = json.loads(shell("list", "--scope", "project", "--json").stdout)["results"]
    shell.environment["AFORESAID_EMBEDDING_HUB"] = "http://127.0.0.1:9"  # where nobody listens
    first, second = [each["id"] for each in listed][:2]
    return shell, {"folder": folder, "id": first, "other": second}


def on_a_terminal(shell, words: list[str]) -> Terminal:
    """Return what a command left on a terminal, whatever it asked."""
    environment = {**shell.environment, "TERM": "xterm-256color"}
    terminal = Terminal([LAUNCHER, *words], shell.folder, environment, columns=COLUMNS)
    asked = dict(TYPED)
    while terminal.fd >= 0:
        terminal.read(0.2)
        for shown, keys in list(asked.items()):
            if shown in terminal.seen:
                terminal.send(keys)
                del asked[shown]
    terminal.wait()
    return terminal


def left_on(raw: str) -> list[str]:
    """Return the lines that stand on the screen at the end, colours left out."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", raw):
        if part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part == "\r":
            column = 0
        elif part == "\x1b[A":
            row -= 1
        elif part == "\x1b[K":
            lines[row] = lines[row][:column]
        elif not part.startswith("\x1b"):
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
            column += len(part)
    return lines


def wrong_with(terminal: Terminal, code: int) -> list[str]:
    """Return what a person would complain of."""
    lines = left_on(terminal.raw)
    results = [] if code == terminal.code else [f"code {terminal.code}: {terminal.seen[-300:]}"]
    results += [line for line in lines if "Traceback" in line or "Error at " in line]
    results += [f"left: {line}" for line in lines if "[###" in line or "[---" in line]
    for line in lines:
        fits = display_width(line.rstrip()) <= COLUMNS
        if (
            not fits and max(map(display_width, line.split())) < COLUMNS // 2
        ):  # no path stands in it
            results.append(f"too wide: {line}")
    if not terminal.seen.strip():
        results.append("it says nothing")
    return results


def test_what_each_command_says_fits_the_terminal_and_ends_as_documented(filled) -> None:
    shell, names = filled

    def tried(case: str) -> tuple[str, list[str]]:
        words = case.format(**names).split()
        return case, wrong_with(on_a_terminal(shell, words), CODES.get(case, 0))

    with ThreadPoolExecutor(4) as several:
        looked = list(several.map(tried, [case for cases in LOOKING.values() for case in cases]))
    changed = [tried(case) for cases in CHANGING.values() for case in cases]
    assert {} == {case: results for case, results in [*looked, *changed] if results}
