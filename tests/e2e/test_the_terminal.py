"""The interactive client: the whole context after ``/clear``, only the news after a resume."""

from __future__ import annotations

import pytest

from e2e.plugin import (
    DECISION,
    KEPT,
    PREFERENCE,
    call,
    contexts_of,
    digests_in,
    ids_of,
    remember_three,
    settle,
    shown,
    tokens,
)
from factories import open_sqlite
from rig import Terminal, turn

pytestmark = pytest.mark.client

NEWS = "Staging moved to Frankfurt on 3 November."


def say(term: Terminal, line: str, answer: str) -> None:
    """Type a prompt when the client waits for one, and wait for the answer."""
    term.read(1)
    mark = len(term.raw)
    term.line(line)
    term.enter_until(lambda: term.shows(answer, since=mark), what=answer)


def leave(term: Terminal) -> None:
    """Type the way out and wait for the end."""
    term.read(1)
    term.line("/exit")
    term.enter_until(lambda: term.wait(0.5) is not None, what="the way out")
    assert 0 == term.code


def test_after_clear_the_whole_context_is_shown_again(box):
    remember_three(box)
    box.api.requests.clear()
    mode = ["--permission-mode", "acceptEdits"]
    with box.terminal(*mode, script=["FIRST-ANSWER", "SECOND-ANSWER"]) as term:
        term.wait_for_prompt()
        say(term, "hello there", "FIRST-ANSWER")
        term.read(1)
        term.line("/clear")
        term.read(2)
        say(term, "hello again", "SECOND-ANSWER")
        leave(term)
    before, after = box.api.main
    assert [] == [text for text in KEPT if text not in shown(before)]
    assert [] == [text for text in KEPT if text not in shown(after)]
    assert "hello there" not in after.user_text


def test_a_person_is_asked_before_something_is_forgotten_and_never_else(box):
    stored = box.prompt("note it", script=[turn(call("store_memory", content=DECISION)), "ok"])
    (memory,) = ids_of(stored.main[-1].tool_results)
    script = [
        turn(call("store_memory", content=PREFERENCE, scope="global")),
        turn(call("forget_memory", id=memory)),
        "FORGOTTEN-ANSWER",
    ]
    box.api.requests.clear()
    with box.terminal("--permission-mode", "acceptEdits", script=script) as term:
        term.wait_for_prompt()
        term.read(1)
        term.line("forget it")
        term.enter_until(lambda: bool(box.api.main), what="the first request")
        term.wait_for(r"Do\s*you\s*want\s*to\s*proceed")
        asked = len(box.api.main)
        term.enter_until(lambda: term.shows("FORGOTTEN-ANSWER"), what="FORGOTTEN-ANSWER")
        leave(term)
    assert 2 == asked
    assert "forgotten" in box.api.main[-1].last_tool_result


def test_a_resumed_session_is_shown_only_what_is_new(box):
    remember_three(box)
    long_ago = box.prompt("first part", script=["ok"])
    store = call("store_memory", content=NEWS, scope="project", provenance="user")
    box.prompt("something else", script=[turn(store), "noted"])
    settle(box)
    box.api.requests.clear()
    mode = ["--permission-mode", "acceptEdits", "--resume", long_ago.session_id]
    with box.terminal(*mode, script=["RESUMED-ANSWER"]) as term:
        term.wait_for_prompt()
        say(term, "second part", "RESUMED-ANSWER")
        leave(term)
    (request,) = box.api.main
    then, news = contexts_of(request)
    assert PREFERENCE in then
    assert NEWS in news
    assert [] == [text for text in (PREFERENCE, DECISION) if text in news]
    assert tokens(news) <= 500


def test_a_fork_knows_what_its_conversation_was_shown(box):
    remember_three(box)
    item = box.prompt("first part", script=["ok"])
    settle(box)
    box.prompt("something else", script=["ok"])  # shown the same context, and later
    settle(box)
    fork = box.prompt("second part", "--fork-session", script=["ok"], resume=item.session_id)
    then, news = contexts_of(fork.main[0])
    assert PREFERENCE in then
    asked = ("first part", "something else")
    assert ["something else"] == [ask for ask in asked if ask in digests_in(news).lower()]
    assert [] == [text for text in KEPT if text in news]
    (path,) = box.home.rglob("memory.db")
    store = open_sqlite(path)
    parent, own = store.sessions.get(item.session_id), store.sessions.get(fork.session_id)
    store.close()
    assert parent.shown
    assert set(parent.shown) < set(own.shown)


def test_a_session_resumed_without_news_is_shown_nothing_twice(box):
    remember_three(box)
    item = box.prompt("first part", script=["ok"])
    settle(box)
    again = box.prompt("second part", script=["ok"], resume=item.session_id)
    assert 1 == len(contexts_of(again.main[0]))
