"""Who may look into the viewer, and what a stored text can do there: nothing (A5, A6)."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from aforesaid.entrypoints.api.operations import ToolCalls
from aforesaid.entrypoints.viewer.app import PAGES
from aforesaid.entrypoints.viewer.security import CONTENT_SECURITY_POLICY, MAX_BODY_BYTES
from aforesaid.entrypoints.viewer.views import FOLDER, own_path
from viewer import ORIGIN, Viewer

MARKUP = '<script>alert(1)</script><img src=x onerror="alert(2)"> is in the title'
VENDOR = os.path.join(FOLDER, "static", "vendor")


@pytest.fixture
def viewer(own_folders, tmp_path):
    return Viewer(own_folders, tmp_path)


def test_without_the_cookie_nothing_is_shown(viewer):
    stranger = viewer.new_browser()
    for path in ("/", "/search", "/static/app.css", "/nowhere", *(page.path for page in PAGES)):
        assert 403 == stranger.get(path).status_code, path


def test_the_token_works_once(viewer):
    second = viewer.new_browser()
    answer = second.get("/", params={"token": viewer.token})
    assert 403 == answer.status_code
    assert not answer.cookies
    assert "opens the viewer once" in answer.text


def test_a_wrong_token_opens_nothing_and_leaves_the_right_one(own_folders, tmp_path):
    viewer = Viewer(own_folders, tmp_path)
    viewer.access.one_time_token = "right"
    assert 403 == viewer.new_browser().get("/", params={"token": "wrong"}).status_code
    assert 200 == viewer.new_browser().get("/", params={"token": "right"}).status_code


def test_the_cookie_is_strict_and_hidden_from_scripts(viewer):
    viewer.access.one_time_token = "again"
    cookie = viewer.new_browser().get("/", params={"token": "again"}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


def test_another_host_is_refused(viewer):
    for host in ("evil.example", f"evil.example:{7411}", "127.0.0.1:80", "127.0.0.1", ""):
        answer = viewer.browser.get("/", headers={"Host": host})
        assert 403 == answer.status_code, host


def test_another_origin_is_refused_and_no_origin_is_allowed_in(viewer):
    for origin in ("http://evil.example", "null", "http://127.0.0.1:80", "https://127.0.0.1:7411"):
        for method in ("GET", "POST"):
            answer = viewer.browser.request(method, "/search", headers={"Origin": origin})
            assert 403 == answer.status_code, origin
            assert "access-control-allow-origin" not in answer.headers
    assert 403 == viewer.browser.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code
    assert 405 == viewer.browser.options("/").status_code


@pytest.mark.parametrize(
    ("fields", "headers", "status"),
    [
        ({}, {"Origin": ORIGIN}, 403),
        ({"csrf": "wrong"}, {"Origin": ORIGIN}, 403),
        ({"csrf": None}, {}, 403),
        ({"csrf": None}, {"Origin": ORIGIN}, 303),
    ],
    ids=["no token", "wrong token", "no origin", "all of it"],
)
def test_a_change_needs_the_origin_and_the_token_of_the_form(viewer, fields, headers, status):
    data = {name: value or viewer.access.csrf for name, value in fields.items()}
    answer = viewer.browser.post("/theme", data={**data, "theme": "dark"}, headers=headers)
    assert status == answer.status_code


def test_a_form_that_is_no_form_or_too_large_is_refused(viewer):
    for content, kind, status in (
        (b"{}", "application/json", 415),
        (b"a=%ff&csrf=x", "application/x-www-form-urlencoded", 400),
        (b"a" * (MAX_BODY_BYTES + 1), "application/x-www-form-urlencoded", 413),
    ):
        headers = {"Origin": ORIGIN, "Content-Type": kind}
        answer = viewer.browser.post("/theme", content=content, headers=headers)
        assert status == answer.status_code


def test_every_response_has_the_policy(viewer):
    stranger = viewer.new_browser()
    answers = [
        *(viewer.browser.get(page.path) for page in PAGES),
        viewer.browser.get("/nowhere"),
        viewer.browser.get("/static/app.css"),
        stranger.get("/"),
        stranger.get("/", params={"token": "wrong"}),
        viewer.browser.get("/", headers={"Host": "evil.example"}),
        viewer.browser.post("/theme"),
    ]
    for answer in answers:
        assert CONTENT_SECURITY_POLICY == answer.headers["content-security-policy"]
        assert "nosniff" == answer.headers["x-content-type-options"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        expected = "no-cache" if "/static/" in str(answer.url) else "no-store"
        assert expected == answer.headers["cache-control"]


def test_pages_contain_no_inline_script_or_style(viewer):
    for page in PAGES:
        text = viewer.browser.get(page.path).text
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick=" not in text
        assert text.count("<script") == text.count("<script src=")


def test_markup_in_a_memory_is_shown_as_text(viewer):
    calls = ToolCalls(viewer.services.connect())
    calls.call("store_memory", {"content": MARKUP, "tags": ["<b>tag</b>"]})
    for path in ("/", "/search?q=title"):
        text = viewer.browser.get(path).text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_a_form_leads_back_into_the_viewer_only():
    for address in ("//evil.example", "https://evil.example/", "/\\evil.example", "evil", "/a\nb"):
        assert "/" == own_path(address)
    assert "/search?q=a" == own_path("/search?q=a")


def test_vendored_libraries_are_what_their_list_says():
    with open(os.path.join(VENDOR, "vendor.json"), encoding="utf-8") as file:
        libraries = json.load(file)
    listed = {"vendor.json"}
    for library in libraries:
        for name, digest in library["files"].items():
            with open(os.path.join(VENDOR, name), "rb") as file:
                assert digest == hashlib.sha256(file.read()).hexdigest(), name
            listed |= {name, f"{os.path.dirname(name)}/LICENSE"}
    there = {
        os.path.relpath(os.path.join(folder, name), VENDOR)
        for folder, _folders, names in os.walk(VENDOR)
        for name in names
    }
    assert listed == there
