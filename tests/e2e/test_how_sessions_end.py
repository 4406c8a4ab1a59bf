"""However the real client is ended, each session has its digest, and has it once."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter

import pytest

from aforesaid.domain.model.memory import Filters, Visibility
from e2e.plugin import call, settle
from factories import open_sqlite
from rig import Terminal, turn, wait_until
from rig.processes import supported

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not supported, reason="reads /proc: Linux only"),
]

SIGNALS = {
    "Termite": signal.SIGTERM,
    "Hangar": signal.SIGHUP,
    "Interlude": signal.SIGINT,
    "Killdeer": signal.SIGKILL,
}
TYPED = ("Windward", "Controlla", "Exitrope")


def ask(name: str) -> str:
    return f"Add a health check to the {name} importer, and test it."


def type_session(term: Terminal, name: str) -> None:
    term.wait_for_prompt()
    term.read(1)
    mark = len(term.raw)
    term.line(ask(name))
    term.enter_until(lambda: term.shows(f"DONE-{name}", since=mark), what=f"DONE-{name}")


def digests(box) -> list[str]:
    (path,) = box.home.rglob("memory.db")
    store = open_sqlite(path)
    try:
        seen = Visibility(projects=tuple(project.key for project in store.projects.list_all()))
        return [
            memory.content for memory in store.memories.select(seen, Filters(tags=("digest",)), 100)
        ]
    finally:
        store.close()


def test_each_end_leaves_one_digest(either_client, install):
    box = install(either_client)
    for name, number in SIGNALS.items():
        never = threading.Event()
        box.api.requests.clear()
        box.api.extend([turn(call("memory_stats")), turn("too late", hold=never)])
        child = box.start(*box.prompt_args(ask(name)))
        wait_until(lambda: len(box.api.main) == 2, f"the second request of {name}", timeout=60)
        child.send_signal(number)
        child.wait(30)
        never.set()
        settle(box)

    mode = ["--permission-mode", "acceptEdits"]
    with box.terminal(*mode, script=["DONE-Windward"]) as term:
        type_session(term, "Windward")
        os.close(term.fd)  # the window is closed
        term.fd = -1
        term.wait()
    with box.terminal(*mode, script=["DONE-Controlla"]) as term:
        type_session(term, "Controlla")
        term.read(1)
        for _ in range(2):
            term.send("\x03")
            term.read(0.4)
        assert term.wait() is not None
    with box.terminal(*mode, script=["DONE-Exitrope"]) as term:
        type_session(term, "Exitrope")
        term.read(1)
        term.line("/exit")
        term.enter_until(lambda: term.wait(0.5) is not None, what="the way out")

    parent = box.prompt(ask("Parentage"), script=["done"])
    settle(box)
    fork = box.prompt(ask("Forklift"), "--fork-session", script=["done"], resume=parent.session_id)
    assert parent.session_id != fork.session_id
    settle(box)
    box.prompt("hello", script=["ok"])  # the next start catches up with the rest
    settle(box)

    text = "\n".join(digests(box))
    names = [*SIGNALS, *TYPED, "Parentage", "Forklift"]
    report = Counter({name: sum(name in digest for digest in digests(box)) for name in names})
    assert dict.fromkeys(names, 1) == report, text
