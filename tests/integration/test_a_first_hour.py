"""What a newcomer meets in the first hour at a shell."""

import json
import sqlite3

import pytest


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
