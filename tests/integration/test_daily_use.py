"""``aforesaid stats`` tells what sessions were shown, in how many tokens, and what was used."""

from __future__ import annotations

import json
import os
from pathlib import Path

from aforesaid.domain.text.token_budget import count_tokens
from transcripts import Script


def hook(shell, event: str, **options: str) -> str:
    """Return what a hook shows the model."""
    fields = {"session_id": "one", "cwd": str(shell.folder), "source": "startup", **options}
    environment = {**shell.environment, "CLAUDE_PID": str(os.getpid())}
    done = shell("hook", event, input=json.dumps(fields), env=environment)
    answer = json.loads(done.stdout) if done.stdout else {}
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def use_of(shell) -> dict[str, dict]:
    return {row["project"]: row for row in json.loads(shell("stats", "--json").stdout)["use"]}


def test_what_subagents_were_shown_and_what_was_recalled_is_counted_by_session(shell) -> None:
    shell("remember", "The queue is NATS JetStream, for replay.")
    first = hook(shell, "session-start")
    below = [hook(shell, "subagent-start", agent_type="Explore") for _ in range(2)]
    hook(shell, "session-start", session_id="two")
    # this process is the client of both, so what it starts recalls in the later one
    answer = json.loads(shell("search", "which queue do we use", "--json").stdout)
    two, row = json.loads(shell("stats", "--sessions", "--json").stdout)["sessions"]

    spent = sum(map(count_tokens, below))
    assert spent > 0
    assert ("one", "acme/payments", count_tokens(first), 2, spent, 0, 1) == tuple(
        row[name] for name in ("session", "project", "shown_tokens", "subagents",
                               "subagent_tokens", "asked_tokens", "shown")
    )  # fmt: skip
    assert count_tokens(first) + spent == row["tokens"]
    assert answer["token_estimate"] == two["asked_tokens"] > 0
    assert two["shown_tokens"] + two["asked_tokens"] == two["tokens"]
    use = use_of(shell)["acme/payments"]
    assert (spent, (row["tokens"] + two["tokens"]) // 2) == (
        use["subagent_tokens"], use["tokens_per_session"],
    )  # fmt: skip
    table = shell("stats", "--sessions", "-n", "1").stdout.splitlines()
    assert (2, "started") == (len(table), table[0].split()[0])


def test_what_is_shown_unasked_is_counted_in_memories_and_tokens_and_what_is_recalled_as_used(
    shell,
) -> None:
    shell("remember", "The queue is NATS JetStream, for replay.")
    shell("remember", "The user likes tabs.", "--scope", "global")
    assert {} == use_of(shell)

    shown = hook(shell, "session-start")
    assert "NATS" in shown
    use = use_of(shell)
    assert (1, count_tokens(shown), 1, 0) == tuple(
        use["acme/payments"][name] for name in ("sessions", "shown_tokens", "shown", "used")
    )
    assert (0, 1, 0) == tuple(use["global"][name] for name in ("sessions", "shown", "used"))

    shell("search", "which queue do we use")
    again = hook(shell, "session-start", session_id="two")
    use = use_of(shell)["acme/payments"]
    assert (2, count_tokens(shown) + count_tokens(again), 1) == tuple(
        use[name] for name in ("sessions", "shown_tokens", "used")
    )
    assert use["recalls"] == use["recalled"] == 1
    assert (use["shown_tokens"] + use["asked_tokens"]) // 2 == use["tokens_per_session"]
    assert "tokens per session" in shell("stats").stdout


def test_two_starts_with_the_same_state_are_shown_the_same_bytes(shell) -> None:
    for number in range(5):
        shell("remember", f"The service number {number} listens on port 80{number}.")
    shell("remember", "The user likes tabs.", "--scope", "global")
    first, second = (hook(shell, "session-start", session_id=name) for name in ("one", "two"))
    assert "port 803" in first
    assert first == second


def test_what_ten_sessions_were_shown_and_none_used_makes_room_and_is_listed(shell) -> None:
    """More facts than a start has room for; one is used."""
    reason = "because its members know the protocol and the customers best, as agreed in spring"
    names = [f"The module number {number} belongs to team {number}" for number in range(100)]
    facts = [{"content": f"{name}, {reason}.", "provenance": "user"} for name in names]
    shell("import", "-", input="\n".join(map(json.dumps, facts)))
    first = hook(shell, "session-start")
    shown = [name for name in names if name in first]
    assert 10 < len(shown) < 90
    shell("search", shown[-1], "-n", "1")
    for number in range(10):
        hook(shell, "session-start", session_id=f"s{number}")
    last = hook(shell, "session-start", session_id="last")
    new = [name for name in names if name in last and name not in shown]
    assert len(new) > 5
    assert shown[-1] in last
    findings = json.loads(shell("stats", "--quality", "--json").stdout)["findings"]
    (found,) = [finding for finding in findings if finding["what"] == "shown often, never used"]
    assert len(shown) - 1 == found["count"]


def test_a_session_s_receipt_is_in_the_log_and_in_its_row(shell, tmp_path) -> None:
    shell("remember", "The queue is NATS JetStream, for replay.")
    context = hook(shell, "session-start")
    script = Script(str(shell.folder))
    script.user("We always deploy on Tuesdays, never on Fridays.", sessionId="one")
    script.say("Noted.", sessionId="one")
    hook(shell, "session-end", transcript_path=script.write(tmp_path, "one.jsonl"))
    shell("hook", "sweep")
    (row,) = json.loads(shell("stats", "--sessions", "--json").stdout)["sessions"]
    state = Path(shell.environment["HOME"])
    lines = [
        line
        for path in state.rglob("aforesaid.log")
        for line in path.read_text().splitlines()
        if "session one" in line
    ]
    expected = f"1 shown, 0 used, {count_tokens(context)} tokens, {row['kept']} kept"
    assert row["kept"] > 0
    assert [expected] == [line.partition("session one: ")[2] for line in lines]
