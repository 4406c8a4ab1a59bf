"""Every address of the viewer, from its route table: nobody but its own pages gets in (A5, T24)."""

from __future__ import annotations

import re
import sqlite3

import pytest
from starlette.routing import Mount, Route

from aforesaid.entrypoints.api.operations import ToolCalls
from viewer import ORIGIN, Viewer

#: How headers begin that would let a page of another site read an answer.
CROSS_ORIGIN = "access-control-"
FOREIGN_HOSTS = ("evil.example:7411", "evil.example", "127.0.0.1.evil.example:7411", "0.0.0.0:7411")


@pytest.fixture
def viewer(own_folders, tmp_path):
    opened = Viewer(own_folders, tmp_path)
    yield opened
    opened.core.close()


@pytest.fixture
def memory(viewer):
    calls = ToolCalls(viewer.services.connect())
    short = calls.call("store_memory", {"content": "The vault opens at nine.", "tags": ["vault"]})
    return viewer.core.store.memories.find(short["id"])[0]


@pytest.fixture
def addresses(viewer, memory):
    """Return each method and path of the route table, with a memory that exists filled in."""
    listed = []
    for route in viewer.app._app.routes:
        if isinstance(route, Mount):
            listed.append(("GET", f"{route.path}/app.css"))
            continue
        assert isinstance(route, Route)
        path = route.path.replace("{id}", memory.id)
        path = re.sub(r"{(?:\w+:int|key)}", "1", path)
        path = path.replace("{name}", "retrieval.max_results")
        assert "{" not in path, "a new kind of parameter: fill it in here"
        listed += [(method, path) for method in sorted(route.methods)]
    assert {"GET", "HEAD", "POST"} == {method for method, _path in listed}
    assert ("POST", f"/memory/{memory.id}/erase") in listed
    return listed


def rows(viewer):
    """Return everything in the store's tables, as text."""
    with sqlite3.connect(f"file:{viewer.core.store.path}?mode=ro", uri=True) as connection:
        lines = [line for line in connection.iterdump() if not line.startswith("CREATE")]
    connection.close()
    return lines


def ask(browser, method, path, **options):
    answer = browser.request(method, path, **options)
    assert [] == [name for name in answer.headers if name.startswith(CROSS_ORIGIN)], path
    return answer


def test_no_address_answers_without_the_cookie(viewer, addresses):
    stranger = viewer.new_browser()
    before = rows(viewer)
    for method, path in addresses:
        for headers in (
            {"Origin": ORIGIN},
            {"Origin": ORIGIN, "Cookie": f"{viewer.access.cookie}=guessed"},
            {"Origin": ORIGIN, "Cookie": f"{viewer.access.cookie}="},
            {"Origin": ORIGIN, "Cookie": f"session={viewer.access.session}"},
            {"Origin": ORIGIN, "Authorization": f"Bearer {viewer.access.session}"},
        ):
            form = (
                {"data": {"csrf": viewer.access.csrf, "agreed": "yes"}} if method == "POST" else {}
            )
            answer = ask(stranger, method, path, headers=headers, **form)
            assert 403 == answer.status_code, (method, path, headers)
            assert "vault" not in answer.text
    assert before == rows(viewer)


def test_no_address_takes_the_one_time_token_again(viewer, addresses):
    for method, path in addresses:
        answer = ask(
            viewer.new_browser(), method, path, params={"token": viewer.token},
            headers={"Origin": ORIGIN},
        )  # fmt: skip
        assert 403 == answer.status_code, path
        assert not answer.cookies


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_no_address_answers_to_a_name_that_was_bound_to_loopback(viewer, addresses, host):
    """The page of another site whose name now resolves to 127.0.0.1 sends that name as Host."""
    for method, path in addresses:
        for headers in ({"Host": host}, {"Host": host, "Origin": f"http://{host}"}):
            answer = ask(viewer.browser, method, path, headers=headers)
            assert 403 == answer.status_code, (method, path)
            assert "vault" not in answer.text


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:7412", "http://localhost", "file://"],
)
def test_no_address_answers_to_a_page_of_another_origin(viewer, addresses, origin):
    before = rows(viewer)
    for method, path in addresses:
        form = {"data": {"csrf": viewer.access.csrf, "agreed": "yes"}} if method == "POST" else {}
        answer = ask(viewer.browser, method, path, headers={"Origin": origin}, **form)
        assert 403 == answer.status_code, (method, path)
        assert 405 == ask(viewer.browser, "OPTIONS", path, headers={"Origin": origin}).status_code
    assert before == rows(viewer)


@pytest.mark.parametrize("csrf", [None, "", "guessed"], ids=["none", "empty", "wrong"])
def test_no_change_is_made_without_the_token_of_its_form(viewer, addresses, csrf):
    changes = [path for method, path in addresses if method == "POST"]
    fields = {"agreed": "yes", "content": "Changed.", "keep": "both"}
    if csrf is not None:
        fields["csrf"] = csrf
    before = rows(viewer)
    for path in changes:
        answer = ask(viewer.browser, "POST", path, data=fields, headers={"Origin": ORIGIN})
        assert 403 == answer.status_code, path
        in_query = ask(
            viewer.browser, "POST", path, params={"csrf": viewer.access.csrf}, data=fields,
            headers={"Origin": ORIGIN},
        )  # fmt: skip
        assert 403 == in_query.status_code, path
    assert before == rows(viewer)


def test_looking_changes_nothing(viewer, addresses, memory):
    changes = {path for method, path in addresses if method == "POST"}
    viewer.get("/")  # the project of the folder is registered with the first page
    before = rows(viewer)
    query = {"csrf": viewer.access.csrf, "agreed": "yes", "ids": memory.id, "action": "forget"}
    for method, path in addresses:
        if method != "POST":
            # 303: a merge without the other project leads back to its form
            answer = ask(viewer.browser, method, path, params=query)
            assert answer.status_code in {200, 303, 400, 404}, path
    only_changes = changes - {path for method, path in addresses if method == "GET"}
    for path in only_changes:
        assert 405 == ask(viewer.browser, "GET", path, params=query).status_code, path
    assert before == rows(viewer)
    assert viewer.services.changes == []
    viewer.post(f"/memory/{memory.id}/pin")
    assert before != rows(viewer)
