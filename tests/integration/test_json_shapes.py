"""What commands print with --json has the fields that docs/CLI.md names, and no others."""

from __future__ import annotations

import json

from tools.cli_reference import JSON

from aforesaid.entrypoints.cli import aforesaid
from click_tree import commands
from interfaces import write


def test_every_command_that_prints_json_says_what() -> None:
    printing = {
        name
        for name, command in commands(aforesaid).items()
        if any(option.name == "as_json" for option in command.params)
    }
    assert printing | {""} == set(JSON), "say in tools/cli_reference.py what it prints"


#: What speaks a protocol, not to a person; what serves pages; what shows a change and asks; a
#: group without a command.
SILENT = {"serve", "hook", "install", "uninstall", "model", "model embed", "ui"}


def test_every_command_can_print_json() -> None:
    silent = {
        name
        for name, command in commands(aforesaid).items()
        if not any(option.name == "as_json" for option in command.params)
    }
    assert silent == SILENT


#: What takes more than one call to show, and is shown where it is told of.
_ELSEWHERE = {
    "remember", "projects merge", "offers accept", "offers decline", "watch", "model download",
    "model remove",
}  # fmt: skip


def fits(name: str, answer: object) -> list[str]:
    """Return how an answer differs from what is said of it."""
    message = [field.strip() for field in JSON[name].partition(";")[0].split(",")]
    assert isinstance(answer, dict)
    allowed = {field.rstrip("?") for field in message}
    needed = {field for field in message if not field.endswith("?")}
    return sorted(needed - set(answer)) + sorted(f"+{item}" for item in set(answer) - allowed)


def test_what_is_printed_is_what_is_said(shell, tmp_path) -> None:
    def ask(*arguments: str) -> object:
        done = shell(*arguments, "--json")
        assert done.returncode in {0, 1}, done.stderr
        return json.loads(done.stdout)

    lines = str(tmp_path / "lines.jsonl")
    write(lines, '{"content": "The port is 5433."}\n{"type": "nonsense"}\n')
    answer = ask("remember", "The queue is NATS.", "--entity", "NATS", "--topic", "infra/queues")
    other = ask("remember", "The broker is old.", "--task-id", "move", "--summary", "old broker")
    ask("remember", "The old queue was slow.", "--entity", "Kafka")
    asked = {
        "": (),
        "search": ("search", "queue"),
        "why": ("why", "NATS"),
        "fix": ("fix", "connection refused"),
        "list": ("list",),
        "inspect": ("inspect", answer["id"]),
        "explore": ("explore", answer["id"]),
        "update": ("update", answer["id"], "--importance", "high"),
        "confirm": ("confirm", answer["id"]),
        "forget": ("forget", other["id"]),
        "undo": ("undo", other["id"]),
        "link": ("link", answer["id"], "supports", other["id"]),
        "context": ("context",),
        "topics": ("topics",),
        "tasks": ("tasks",),
        "entities": ("entities",),
        "entities list": ("entities", "list"),
        "entities search": ("entities", "search", "NATS"),
        "projects list": ("projects", "list"),
        "projects": ("projects",),
        "projects map": ("projects", "map", str(tmp_path)),
        "stats": ("stats",),
        "offers": ("offers",),
        "guards": ("guards",),
        "guards add": ("guards", "add", answer["id"], "--command", "docker push"),
        "guards remove": ("guards", "remove", answer["id"]),
        "guards test": ("guards", "test", "docker", "push"),
        "cleanup": ("cleanup", "--dry-run"),
        "tend": ("tend",),
        "compact": ("compact", "--dry-run"),
        "runs": ("runs",),
        "ingest": ("ingest", "--dry-run", str(tmp_path)),
        "entities merge": ("entities", "merge", "Kafka", "NATS"),
        "entities rename": ("entities", "rename", "NATS", "Nats"),
        "entities undo": ("entities", "undo"),
        "doctor": ("doctor", "--secrets"),
        "digest": ("digest",),
        "watch start": ("watch", "start", "--folder", str(tmp_path)),
        "watch status": ("watch", "status"),
        "watch stop": ("watch", "stop"),
        "import": ("import", lines),
        "model list": ("model", "list"),
        "model status": ("model", "status"),
        "config": ("config",),
        "config get": ("config", "get", "retrieval.max_results"),
        "config set": ("config", "set", "retrieval.max_results", "8"),
        "config unset": ("config", "unset", "retrieval.max_results"),
        "config init": ("config", "init", str(tmp_path / "example.toml")),
        "model use": ("model", "use", "shipped"),
        "export": ("export", str(tmp_path / "all.jsonl")),
        "backup": ("backup",),
        "restore": ("restore", "latest", "--yes"),
        "reset": ("reset", "--yes"),
        "version": ("version",),
        "setup": ("setup",),
        "completion": ("completion", "zsh"),
        "demo": ("demo",),
    }
    wrong = {name: results for name, words in asked.items() if (results := fits(name, ask(*words)))}
    assert {} == wrong
    assert [] == fits("remember", answer)
    assert _ELSEWHERE == set(JSON) - set(asked)


def test_without_anything_stored_lists_are_empty(shell) -> None:
    for command in ("search nothing", "list", "tasks", "entities search nobody"):
        done = shell(*command.split(), "--json")
        assert 0 == done.returncode
        answer = json.loads(done.stdout)
        rows = next(iter(answer.values()))
        assert [] == rows
