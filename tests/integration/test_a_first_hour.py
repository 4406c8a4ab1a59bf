"""What a newcomer meets in the first hour at a shell."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from git_folders import git, make_repository
from interfaces import LAUNCHER, write
from rig.terminal import Terminal


def ask(shell, *arguments, **more):
    """Return a command's answer as a program reads it."""
    done = shell(*arguments, "--json", **more)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_a_list_is_read_page_by_page_with_a_number(shell):
    texts = [f"The code word is {word}." for word in ("alpha", "bravo", "charlie", "delta", "echo")]
    for text in texts:
        ask(shell, "remember", text)
    listed = []
    for page in ("1", "2", "3"):
        rows = ask(shell, "list", "-n", "2", "--page", page)["results"]
        listed += [row["preview"] for row in rows]
    assert texts == listed[::-1]
    assert "Next page: the same command with --page 2" in shell("list", "-n", "2").stdout
    second = shell("list", "-n", "2", "--page", "2").stdout
    assert "3 to 4 of 5" in second
    assert "--page 3" in second
    last = shell("search", "--scope", "project", "-n", "2", "--page", "3").stdout
    assert "5 to 5 of 5" in last
    assert "Next page" not in last
    assert "there is no page 4: the last one is 3" in shell("list", "-n", "2", "--page", "4").stderr
    assert "--page works only without a query" in shell("search", "alpha", "--page", "2").stderr


def test_a_topic_with_more_than_two_levels_says_what_was_left_out(shell):
    stored = ask(
        shell, "remember", "The parser is generated.", "--topic", "code/parser/lexer/tables"
    )
    assert "code/parser" == stored["topic"]
    assert "left out 'lexer/tables'" in stored["note"]


def test_a_project_that_a_memory_is_stored_into_from_elsewhere_counts_as_used(shell, tmp_path):
    def used(folder):
        rows = ask(shell, "projects", cwd=folder)["projects"]
        return {row["project"]: row["last_used"] for row in rows}

    ask(shell, "remember", "The queue is NATS.")
    before = used(tmp_path)["acme/payments"]
    store = sqlite3.connect(ask(shell, "version")["database"])
    with store:
        store.execute("UPDATE projects SET used_at = used_at - 3600000")
    store.close()
    ask(shell, "remember", "Refunds take two days.", "--project", "acme/payments", cwd=tmp_path)
    assert before <= used(tmp_path)["acme/payments"]


def test_a_mistyped_project_is_created_by_no_command(shell):
    stored = ask(shell, "remember", "The queue is NATS.")
    for command in (
        ("remember", "x", "--project", "acme/paymnets"),
        ("update", stored["id"], "--project", "acme/paymnets"),
    ):
        done = shell(*command)
        assert 3 == done.returncode
        message = "aforesaid: no project is called 'acme/paymnets': did you mean 'acme/payments'?"
        assert message == done.stderr.strip()
    assert 1 == len(ask(shell, "projects")["projects"])


@pytest.mark.parametrize(
    ("dates", "valid"),
    [
        (("--valid-from", "2026-03-01"), "from 2026-03-01"),
        (("--valid-from", "2026-03", "--valid-to", "2099-10"), "from 2026-03-01 until 2099-10-31"),
        (("--valid-to", "2026-03-01"), "until 2026-03-01"),
    ],
)
def test_the_dates_between_which_a_fact_holds_are_shown_as_understood(shell, dates, valid):
    stored = ask(shell, "remember", "The discount is 20 percent.", *dates)
    assert valid == stored["valid"]
    is_past = valid == "until 2026-03-01"
    assert is_past == ("that date is past" in stored.get("note", ""))
    changed = ask(shell, "update", stored["id"], "--valid-to", "2098-01-31")
    assert "until 2098-01-31" in changed["valid"]
    assert "valid" not in ask(shell, "update", stored["id"], "--importance", "low")


def test_a_first_name_finds_the_only_person_who_has_it_and_offers_two(shell):
    def found(*query):
        answer = ask(shell, "search", *query)
        return {row["content"] for row in answer["results"]}, answer.get("degradations", [])

    lead, owns = "Marta Oliveira is the SRE lead.", "She owns the staging cluster."
    for text in (lead, owns):
        ask(shell, "remember", text, "--entity", "Marta Oliveira")
    ask(shell, "remember", "The freeze starts in December.")
    for question in ("who is marta", "what does Marta own", "is Marta's cluster big"):
        assert ({lead, owns}, []) == found(question), question
    assert {lead, owns} == {
        row["preview"] for row in ask(shell, "list", "--entity", "Marta")["results"]
    }

    away = ask(shell, "remember", "Marta is on holiday in May.", "--entity", "Marta")
    assert "for 'Marta Oliveira' instead: aforesaid update" in one_line(away["note"])
    assert {lead, owns, "Marta is on holiday in May."} == {
        row["preview"] for row in ask(shell, "list", "--entity", "Marta")["results"]
    }
    ask(shell, "remember", "Marta Silva runs the shop.", "--entity", "Marta Silva")
    note = "'Marta' may be Marta Oliveira or Marta Silva"
    assert note in found("who is Marta")[1]
    assert note not in found("who is Marta Silva")[1]
    ask(shell, "entities", "merge", "Marta", "Marta Silva")
    assert note in found("who is Marta")[1]


def test_a_part_of_a_name_is_found_with_a_typing_error(shell):
    assert "No entities yet" in shell("entities").stdout
    ask(shell, "remember", "Marta Oliveira is the SRE lead.", "--entity", "Marta Oliveira")
    for part in ("olivera", "Mrta", "Oliveria"):
        (row,) = ask(shell, "entities", part)["results"]
        assert "Marta Oliveira" == row["entity"]
    assert "No matching entities." == shell("entities", "Oskar").stdout.strip()
    assert "user" not in shell("entities").stdout
    ask(shell, "remember", "I live in Oslo.", "--entity", "user")
    assert "user" in shell("entities").stdout


def test_a_change_to_something_of_the_same_kind_is_reported(shell):
    old = ask(shell, "remember", "We use Jira")
    ask(shell, "remember", "We use Postgres for storage")
    changed = ask(shell, "remember", "We switched to Linear")
    assert [old["id"]] == [conflict["id"] for conflict in changed["conflicts"]]
    assert "conflicts" not in ask(shell, "remember", "We moved to Hetzner")


def test_two_secrets_that_were_removed_are_not_said_to_disagree(shell):
    ask(shell, "remember", "the wifi password is hunter22")
    again = ask(shell, "remember", "wifi password: hunter22")
    assert "conflicts" not in again


def test_a_corrected_preference_is_kept_beside_the_one_that_it_corrects(shell):
    old = ask(shell, "remember", "I prefer tabs over spaces")
    new = ask(shell, "remember", "Actually, I prefer spaces over tabs")
    assert ("global", "global") == (old["scope"], new["scope"])
    assert [old["id"]] == [conflict["id"] for conflict in new["conflicts"]]


def test_the_rules_of_other_clients_in_a_project_are_imported_with_its_claude_md(shell):
    rules = {
        "CLAUDE.md": "Always use pnpm.",
        "AGENTS.md": "Never force push to main.",
        "GEMINI.md": "Write tests first.",
        ".cursor/rules/style.mdc": "Prefer composition over inheritance.",
        ".github/copilot-instructions.md": "Deploy on Tuesdays only.",
    }
    for name, rule in rules.items():
        path = shell.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        head = "---\nalwaysApply: true\n---\n" if name.endswith(".mdc") else ""
        path.write_text(f"{head}- {rule}\n")
    assert 0 == shell("import", "--from", "claude-md").returncode
    listed = ask(shell, "list")["results"]
    assert dict.fromkeys(rules.values(), "acme/payments") == {
        row["preview"]: row.get("project", "acme/payments") for row in listed
    }


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (("topics", "bakend"), "did you mean 'backend'?"),
        (("model", "use", "multilingul"), "did you mean 'multilingual'?"),
        (("sessions",), "Did you mean stats?"),
        (("due",), "Did you mean tasks?"),
        (("rm",), "Did you mean forget?"),
        (("correct", "k3f9"), "Did you mean update?"),
        (("rename",), "Did you mean entities rename?"),
        (("forget", "queue"), "use an id as shown beside a memory"),
    ],
)
def test_a_slip_is_answered_with_what_was_probably_meant(shell, command, meant):
    ask(shell, "remember", "The API is written in Go.", "--topic", "backend")
    assert meant in shell(*command).stderr


def test_a_folder_without_a_project_says_why_its_memories_are_for_all(shell):
    home = shell.environment["HOME"]
    stored = ask(shell, "remember", "The server runs Debian 12.", cwd=home)
    assert "global" == stored["scope"]
    assert "this folder cannot be a project (home folder)" in stored["note"]
    assert "AFORESAID_PROJECT=NAME names one" in one_line(stored["note"])
    named = {**shell.environment, "AFORESAID_PROJECT": "servers"}
    ask(shell, "remember", "The other server runs Alpine.", cwd=home, env=named)
    assert "note" not in ask(shell, "remember", "Its port is 22.", cwd=home, env=named)


def test_counts_leave_out_the_built_in_entity_until_something_is_known_of_it(shell):
    ask(shell, "remember", "The queue is NATS.", "--entity", "NATS")
    assert 1 == ask(shell, "stats")["entities"]
    ask(shell, "remember", "I live in Oslo.", "--entity", "user")
    assert 2 == ask(shell, "stats")["entities"]


@pytest.mark.parametrize("columns", ["80", "120"])
def test_no_line_of_a_help_ends_within_a_word(shell, columns):
    environment = {**shell.environment, "COLUMNS": columns}
    for command in ("import", "remember", "search", "config", "ingest"):
        lines = shell(command, "--help", env=environment).stdout.splitlines()
        assert not [line for line in lines if line.endswith("-") or len(line) > int(columns)]
    text = one_line(shell("import", "--help", env=environment).stdout)
    assert "mcp-memory-service: mcp-memory-service's database" in text


def on_a_terminal(shell, columns: int, *arguments: str) -> list[str]:
    """Return the lines that a command left on a terminal."""
    environment = {**shell.environment, "TERM": "dumb"}
    terminal = Terminal([str(LAUNCHER), *arguments], shell.folder, environment, columns=columns)
    while terminal.fd >= 0:
        terminal.read(5)
    return terminal.raw.replace("\r", "").splitlines()


def test_a_wrong_option_is_explained_within_the_width_of_a_terminal(shell):
    lines = on_a_terminal(shell, 80, "import", "--from", "CLAUDE.md")
    assert all(len(line) <= 80 for line in lines)
    assert "'mcp-memory-service', 'basic-memory'." in one_line("\n".join(lines))


def test_the_file_of_every_client_is_shown_whole_on_a_terminal(shell):
    lines = on_a_terminal(shell, 80, "config", "--client", "list")
    assert "…" not in "".join(lines)
    assert all(len(line) <= 80 for line in lines)


def test_a_status_outside_of_path_begins_with_putting_the_command_there(shell):
    def commands(path):
        status = ask(shell, env={**shell.environment, "PATH": path})
        return [step["command"] for step in status["next"]]

    assert f"{LAUNCHER} setup --on-path" == commands("/usr/bin:/bin")[0]
    found = commands(f"{os.path.dirname(LAUNCHER)}:/bin")
    assert not any("--on-path" in command for command in found)


def test_a_status_with_the_plugin_installed_asks_for_a_session_instead(shell):
    def commands():
        return [step["command"] for step in ask(shell)["next"]]

    assert any("claude plugin install" in command for command in commands())
    plugins = Path(shell.environment["HOME"]) / ".claude" / "plugins" / "installed_plugins.json"
    write(plugins, '{"version": 2, "plugins": {"aforesaid@aforesaid": [{"scope": "user"}]}}')
    assert "claude" in commands()
    assert not any("plugin install" in command for command in commands())


def test_sessions_are_looked_for_in_vain_without_a_client(shell):
    done = shell("ingest", "--dry-run")
    assert (3, True) == (done.returncode, "no client has kept sessions here" in done.stderr)


def test_names_that_are_typed_and_counts_are_whole_on_a_terminal(shell):
    long_name = "harbor/lighthouse-frontend-monorepo"
    ask(shell, "remember", "The queue is NATS.")
    ask(shell, "projects", "map", str(shell.folder), long_name)
    ask(shell, "remember", "The API is written in Go.")
    assert 0 == shell("backup").returncode
    assert 0 == shell("reset", "--yes").returncode
    assert 0 == shell("restore", "latest", "--yes").returncode
    ask(shell, "search", "which language is the API written in")
    copies = [row["path"].rpartition("/")[2] for row in ask(shell, "restore")["copies"]]
    for columns in (80, 120):
        projects = "\n".join(on_a_terminal(shell, columns, "projects"))
        assert long_name in projects
        shown = on_a_terminal(shell, columns, "restore")
        assert [] == [name for name in copies if not any(line.endswith(name) for line in shown)]
        stats = on_a_terminal(shell, columns, "stats", "--all-projects")
        start = next(at for at, line in enumerate(stats) if line.startswith("project "))
        assert not any("…" in line.rpartition("  ")[2] for line in stats[start:])
        assert "used" in stats[start].split()
        assert all(len(line) <= columns for line in stats[start:])


def test_a_refused_line_of_an_import_names_a_command(shell, tmp_path):
    lines = tmp_path / "lines.jsonl"
    link = '[{"kind": "supports", "target_id": "zzzz"}]'
    lines.write_text('{"content": "The queue is NATS.", "relations": ' + link + "}\n")
    done = shell("import", str(lines))
    assert "line 1: no memory here has the id 'zzzz': aforesaid search QUERY finds ids" in (
        one_line(done.stderr)
    )


def test_a_shell_in_which_memory_is_off_says_so_and_still_checks_the_rest(shell):
    off = {**shell.environment, "AFORESAID_OFF": "1"}
    assert (
        "hooks        off here: AFORESAID_OFF is set"
        in shell(env=off, input=None, stdin=subprocess.DEVNULL).stdout
    )
    assert ask(shell, env=off)["off"]
    assert not ask(shell)["off"]
    done = shell("doctor", env=off)
    assert (0, True) == (done.returncode, "AFORESAID_OFF is set" in done.stdout)
    assert "No problems found." in done.stdout
    assert 0 == shell("demo", env=off).returncode


def test_the_status_of_a_second_clone_counts_what_its_list_shows(shell, tmp_path):
    remote = "https://host.example/acme/harbor.git"
    first = make_repository(tmp_path / "harbor", remote=remote)
    ask(shell, "remember", "Deploys run from the main branch.", "--scope", "project", cwd=first)
    git(tmp_path, "clone", "-q", str(first), "second")
    git(tmp_path / "second", "remote", "set-url", "origin", remote)
    status = ask(shell, cwd=tmp_path / "second")
    assert 1 == status["memories"]["here"]
    assert "acme/harbor" == status["project"]["name"]
    assert 1 == len(ask(shell, "list", cwd=tmp_path / "second")["results"])
    assert 1 == ask(shell, cwd=tmp_path / "second")["memories"]["here"]
