"""``aforesaid stats`` tells what sessions were shown, in how many tokens, and what was used."""

from __future__ import annotations

import json
import os

from aforesaid.domain.budget import count_tokens


def hook(shell, event: str, **told: str) -> str:
    """Return what a hook shows the model."""
    given = {"session_id": "one", "cwd": str(shell.folder), "source": "startup", **told}
    environment = {**shell.environment, "CLAUDE_PID": str(os.getpid())}
    done = shell("hook", event, input=json.dumps(given), env=environment)
    answer = json.loads(done.stdout) if done.stdout else {}
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def use_of(shell) -> dict[str, dict]:
    return {one["project"]: one for one in json.loads(shell("stats", "--json").stdout)["use"]}


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
    assert use["shown_tokens"] // 2 == use["tokens_per_session"]
    assert "tokens per session" in shell("stats").stdout
