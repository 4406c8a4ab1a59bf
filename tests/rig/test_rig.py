"""The rig keeps its own promises; that the client works with it is what tests/e2e shows."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from rig import MockAPI, turn


@pytest.fixture
def api() -> Iterator[MockAPI]:
    api = MockAPI()
    yield api
    api.close()


def ask(api: MockAPI, **body: object) -> dict[str, object]:
    connection = http.client.HTTPConnection(urlsplit(api.url).netloc, timeout=10)
    connection.request("POST", "/v1/messages", json.dumps(body))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def test_what_is_asked_of_the_proxy_is_refused_and_recorded(api):
    connection = http.client.HTTPConnection(urlsplit(api.url).netloc, timeout=10)
    connection.set_tunnel("example.com", 443)
    with pytest.raises(OSError, match="403"):
        connection.request("GET", "/")
    connection.close()
    assert ["example.com:443"] == api.refused


def test_only_requests_with_tools_take_turns_of_the_script(api):
    api.extend([turn("first"), lambda request: request.user_text.upper()])
    tools = [{"name": "t"}]
    title = ask(api, messages=[{"role": "user", "content": "a title, please"}])
    first = ask(api, tools=tools, messages=[{"role": "user", "content": "one"}])
    second = ask(api, tools=tools, messages=[{"role": "user", "content": "two"}])
    assert "Scripted session" in json.dumps(title["content"])
    assert [{"type": "text", "text": "first"}] == first["content"]
    assert [{"type": "text", "text": "TWO"}] == second["content"]
    assert 0 == api.left
