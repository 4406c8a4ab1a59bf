"""The command line as a whole: how things stand, completion, colour, what is said when it fails."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import click
import pytest

from aforesaid.entrypoints.cli import aforesaid
from aforesaid.entrypoints.cli.app import COMMANDS
from aforesaid.entrypoints.cli.examples import EXAMPLES
from click_tree import commands
from interfaces import LAUNCHER, write
from rig.terminal import Terminal


def on_a_terminal(environment, *arguments, **more) -> Terminal:
    """Return what a command left on a terminal."""
    terminal = Terminal([LAUNCHER, *arguments], Path(environment["HOME"]), {**environment, **more})
    while terminal.fd >= 0:
        terminal.read(5)
    return terminal


def test_every_command_is_listed_and_every_listed_one_is_there() -> None:
    context = click.Context(aforesaid)
    listed = {name for names in COMMANDS.values() for name in names}
    results = {name: aforesaid.get_command(context, name) for name in listed}
    assert [] == [name for name, command in results.items() if command is None]
    modules = {module for names in COMMANDS.values() for module in names.values()}
    folder = Path(__file__).parents[2] / "server" / "aforesaid" / "entrypoints" / "cli"
    adding = {
        path.stem
        for path in folder.glob("*.py")
        if "\n@aforesaid." in path.read_text(encoding="utf-8")
    }
    assert adding == modules
    assert listed == set(aforesaid.commands)


def test_alone_on_a_terminal_it_says_how_things_stand_and_what_to_do_next(environment) -> None:
    seen = on_a_terminal(environment)
    assert "no session seen yet" in seen.raw
    assert "claude plugin install aforesaid" in seen.raw
    assert "\x1b[1m" in seen.raw
    assert not os.path.exists(environment["XDG_DATA_HOME"])


def test_without_colour_where_nobody_wants_any(environment) -> None:
    seen = on_a_terminal(environment, NO_COLOR="1")
    assert "aforesaid --help" in seen.raw
    assert "\x1b[1m" not in seen.raw


def test_progress_leaves_nothing_behind_without_colour_either(shell) -> None:
    shell("remember", "We ship on Fridays.")
    seen = on_a_terminal(shell.environment, "backup", NO_COLOR="1").raw
    assert "Copying" in seen
    assert seen.rpartition("Copying")[2].partition("backup")[0].endswith("\x1b[A\r\x1b[K")
    seen = on_a_terminal(shell.environment, "tend", "--phase", "archive", NO_COLOR="1").raw
    assert seen.partition("phase ")[0].endswith("\r\x1b[K")


def test_a_terminal_that_knows_no_escapes_is_sent_none(shell) -> None:
    shell("remember", "We ship on Fridays.")
    for asked in ((), ("backup",), ("tend",), ("doctor",)):
        seen = on_a_terminal(shell.environment, *asked, TERM="dumb")
        assert (0, False) == (seen.code or 0, "\x1b" in seen.raw)


def test_a_program_reads_how_things_stand(shell) -> None:
    before = json.loads(shell("--json").stdout)
    assert (False, None, []) == (before["exists"], before["last_digest"], before["wrong"])
    assert "aforesaid ingest" not in [step["command"] for step in before["next"]]
    transcripts = Path(shell.environment["HOME"]) / ".claude" / "projects"
    transcripts.mkdir(parents=True)
    before = json.loads(shell("--json").stdout)
    assert "aforesaid ingest" in [step["command"] for step in before["next"]]
    assert ("acme/payments", "git remote", False) == tuple(
        before["project"][name] for name in ("name", "source", "known")
    )
    shell("remember", "The queue is NATS.")
    after = json.loads(shell("--json").stdout)
    assert {"here": 1, "global": 0, "total": 1} == after["memories"]
    assert (True, True) == (after["exists"], after["project"]["known"])
    assert "aforesaid search what did we decide" in [step["command"] for step in after["next"]]


def test_a_project_that_was_only_named_is_offered_to_the_repository_of_that_name(shell) -> None:
    write(f"{shell.folder}/a.jsonl", '{"content": "It is NATS.", "project": "acme/payments"}\n')
    elsewhere = os.path.dirname(shell.folder)
    assert 0 == shell("import", f"{shell.folder}/a.jsonl", cwd=elsewhere).returncode
    state = json.loads(shell("--json").stdout)
    assert 0 == state["memories"]["here"]
    step = state["next"][0]["command"]
    assert "aforesaid projects map . name:acme/payments" == step
    assert 0 == shell(*step.split()[1:]).returncode
    after = json.loads(shell("--json").stdout)
    assert (1, False) == (after["memories"]["here"], "map" in after["next"][0]["command"])


def test_a_pipe_and_no_command_is_a_client(shell) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                   "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    answered = shell(input=json.dumps(hello) + "\n")
    assert (
        "aforesaid" == json.loads(answered.stdout.splitlines()[0])["result"]["serverInfo"]["name"]
    )


@pytest.mark.parametrize(
    ("shell_name", "words", "at", "expected"),
    [
        ("bash", "aforesaid con", "1", ["plain,confirm", "plain,context", "plain,config"]),
        ("zsh", "aforesaid remem", "1", ["plain", "remember", "Store TEXT*"]),
        ("fish", "aforesaid config in", "in", ["plain,init\tWrite an example*"]),
        ("bash", "aforesaid config --client cur", "3", ["plain,cursor"]),
        ("bash", "aforesaid completion ", "2", ["plain,bash", "plain,zsh", "plain,fish"]),
    ],
)
def test_each_shell_completes_commands_and_words(shell, shell_name, words, at, expected) -> None:
    script = shell("completion", shell_name).stdout
    assert script == json.loads(shell("completion", shell_name, "--json").stdout)["script"]
    assert f"_AFORESAID_COMPLETE={shell_name}_complete" in script
    done = subprocess.run(
        [LAUNCHER], env={**shell.environment, "_AFORESAID_COMPLETE": f"{shell_name}_complete",
                         "COMP_WORDS": words, "COMP_CWORD": at},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(expected) <= len(lines)
    for wanted, line in zip(expected, lines, strict=False):
        assert line.startswith(wanted.rstrip("*"))


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_shows_what_a_command_does_beyond_a_comma(shell) -> None:
    script = shell("completion", "fish").stdout.replace(" aforesaid)", f" {LAUNCHER})")
    write(f"{shell.folder}/ours.fish", script)
    done = subprocess.run(
        ["fish", "--no-config", "-c", "source ours.fish; complete -C 'aforesaid forg'"],
        env=shell.environment, cwd=shell.folder, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert "forget\tHide the memory with this ID, which can" in done.stdout


def test_each_family_of_errors_has_a_code_of_its_own(shell) -> None:
    database = Path(shell.environment["XDG_DATA_HOME"]) / "aforesaid" / "memory.db"
    assert 0 == shell("stats").returncode

    def code(*arguments, **variables) -> int:
        done = shell(*arguments, env={**shell.environment, **variables})
        assert "Traceback" not in done.stderr
        assert (done.returncode == 0) == (done.stderr == "")
        return done.returncode

    item = json.loads(shell("remember", "We ship on Fridays.", "--json").stdout)["id"]
    write(f"{shell.folder}/lines.jsonl", '{"type": "nonsense"}\n')
    assert 1 == code("import", "lines.jsonl")
    assert 2 == code("nonsense")
    assert 2 == code("list", "--max-results", "0")
    assert 2 == code("stats", AFORESAID_DIGEST_MAX_TOKENS="none")
    assert 3 == code("inspect", "zzzz99")
    assert 3 == code("import", "nothing.jsonl")
    assert 3 == code("runs", "77")
    assert 4 == code("update", item, "--restore")
    assert 5 == code("config", "init", "lines.jsonl/in-a-file")
    with closing(sqlite3.connect(database)) as other:
        other.execute("PRAGMA application_id = 7")
    assert 5 == code("stats")
    database.write_bytes(b"this is no database" * 100)
    assert 6 == code("stats")
    for beside in ("-wal", "-shm"):
        database.with_name(database.name + beside).unlink(missing_ok=True)


@pytest.mark.parametrize("asked", ["list", "--version", "completion bash"])
def test_a_reader_that_has_seen_enough_is_no_failure(shell, asked) -> None:
    shell("remember", "We ship on Fridays.")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = subprocess.run(
            [LAUNCHER, *asked.split()], env=shell.environment, cwd=shell.folder,
            stdin=subprocess.DEVNULL, stdout=closed, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("asked", ["version", "--version", "completion zsh"])
def test_an_answer_that_cannot_be_written_is_a_failure(shell, asked) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [LAUNCHER, *asked.split()], env=shell.environment, cwd=shell.folder, stdout=full,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert 5 == done.returncode
    assert "free space" in done.stderr
    assert 1 == len(done.stderr.splitlines())


def test_in_a_folder_that_is_gone_a_command_says_how_things_stand(shell) -> None:
    shell("remember", "We ship on Fridays.", "--scope", "global")
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'
    for asked in (("--json",), ("doctor", "--json"), ("search", "ship", "--json")):
        done = subprocess.run(
            ["sh", "-c", script, LAUNCHER, *asked], env=shell.environment, cwd=shell.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        output = json.loads(done.stdout)
        assert (0, []) == (done.returncode, output.get("wrong", []))


def test_a_command_with_its_streams_closed_does_its_work(shell) -> None:
    shell("remember", "We ship on Fridays.")
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" export all.jsonl <&- >&- 2>&-', LAUNCHER],
        env=shell.environment, cwd=shell.folder, check=False,
    )  # fmt: skip
    assert 0 == done.returncode
    lines = (Path(shell.folder) / "all.jsonl").read_text().splitlines()
    assert len(lines) - 2 == json.loads(lines[-1])["rows"]


def test_an_export_that_cannot_be_written_names_where_it_was_to_go(shell) -> None:
    write(os.path.join(shell.folder, "file"), "")
    os.mkdir(os.path.join(shell.folder, "folder"))
    refused = shell("export", "file/all.jsonl")
    assert (5, True) == (refused.returncode, "file/all.jsonl: Not a directory" in refused.stderr)
    refused = shell("export", "folder")
    assert (2, True) == (refused.returncode, "--format markdown" in refused.stderr)
    assert {"file", "folder"} == set(os.listdir(shell.folder)) - {".git"}


def test_standard_input_is_imported_as_a_file_is(shell) -> None:
    line = '{"content": "We ship on Fridays."}'
    done = subprocess.run(
        ["sh", "-c", 'echo "$1" | "$0" import -', LAUNCHER, line],
        env=shell.environment, cwd=shell.folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("1 stored in acme/payments, 0 already known, 0 refused\n")


def test_a_line_that_is_no_json_is_named_with_the_place_in_it(shell) -> None:
    write(os.path.join(shell.folder, "lines.jsonl"), '{"content": "One."}\n{"content": }\n')
    done = shell("import", "lines.jsonl")
    assert (1, "line 2: not JSON: Expecting value, at character 13\n") == (
        done.returncode, done.stderr,
    )  # fmt: skip


@pytest.mark.parametrize("asked", ["setup", "serve", "hook", "completion"])
def test_help_is_shown_of_what_another_part_answers(shell, asked) -> None:
    done = shell(asked, "--help")
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith(f"Usage: aforesaid {asked} ")
    assert done.stdout == shell(asked, "-h").stdout


def test_every_command_is_told_on_one_line_and_shown_by_an_example() -> None:
    parsed = []
    for name, command in commands(aforesaid).items():
        if command.hidden:
            continue
        short = command.get_short_help_str(10**6)
        assert len(short) <= 64, f"{name}: {short}"
        for line in EXAMPLES[name]:
            typed = line.removeprefix('eval "$(').partition(')"')[0].partition(" > ")[0]
            words = shlex.split(typed, comments=True)
            assert ["aforesaid", *name.split()] == words[: 1 + len(name.split())]
            rest = words[1 + len(name.split()) :]
            with command.make_context(name, rest) as context:
                parsed.append(context)
        context = click.Context(command, info_name=f"aforesaid {name}", terminal_width=80)
        assert [] == [line for line in command.get_help(context).splitlines() if len(line) > 80]
    assert len(parsed) >= len(EXAMPLES)


def test_help_shows_its_examples(shell) -> None:
    output = shell("entities", "merge", "--help").stdout
    assert "Examples:\n  aforesaid entities merge" in output


def test_a_slip_of_the_keyboard_is_told_what_was_near(shell) -> None:
    assert "Did you mean search?" in shell("serch", "queue").stderr
