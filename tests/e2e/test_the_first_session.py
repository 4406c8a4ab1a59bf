"""The very first session after the install: no environment yet, and nothing of it is forgotten."""

from __future__ import annotations

import os

import pytest

from e2e.plugin import DECISION, SUBJECT, call, digests_in, settle, shown
from rig import turn, wait_until

pytestmark = [pytest.mark.client, pytest.mark.setup]

#: how the caller reaches a package index: proxies and the clients' own settings
_INDEX = ("PIP_", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


def test_the_session_that_starts_the_set_up_is_remembered_by_the_next(client, install):
    reach = {key: value for key, value in os.environ.items() if key.startswith(_INDEX)}
    proxies = {"HTTP_PROXY": None, "HTTPS_PROXY": None}
    box = install(client, ready=False, **{**proxies, **reach})

    prompt = f"Settle the queue of the {SUBJECT} importer."
    store = call("store_memory", content=DECISION, scope="project")
    first = box.prompt(prompt, script=[turn(store), "Settled: NATS JetStream."])
    text = " ".join(first.main[0].all_text.split())
    assert "setting up" in text.lower()
    servers = [(server["name"], server["status"]) for server in first.init["mcp_servers"]]
    assert [("plugin:aforesaid:memory", "connected")] == servers
    assert "setting up" in first.main[-1].last_tool_result.lower()

    pointers = box.home / ".local/state/aforesaid"
    wait_until(lambda: list(pointers.glob("env-*")), "the environment", timeout=500)
    settle(box)  # what set-up started at its end, too

    second = box.prompt("what else?", script=[turn(store), "ok"])
    assert SUBJECT in digests_in(shown(second.main[0]))
    settle(box)
    after = shown(box.prompt("go on", script=["ok"]).main[0])
    assert DECISION in after
    assert SUBJECT in digests_in(after)
