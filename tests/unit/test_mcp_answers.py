"""What the server sends is JSON that a client takes whole."""

from __future__ import annotations

import json

from aforesaid.domain.model.memory import REPLY_CHARS
from aforesaid.entrypoints.mcp.server import _truncate_reply


def test_an_answer_that_is_too_long_loses_its_last_results_and_stays_json():
    results = {"results": [{"id": str(number), "content": "x" * 900} for number in range(100)]}
    text = _truncate_reply(results)
    assert len(text) <= REPLY_CHARS
    kept = [result["id"] for result in json.loads(text)["results"]]
    assert [str(number) for number in range(len(kept))] == kept
    assert len(kept) > 30


def test_an_answer_that_fits_is_sent_as_it_is():
    assert '{"results":[{"id":"é"}]}' == _truncate_reply({"results": [{"id": "é"}]})


def test_one_result_alone_is_sent_whole():
    whole = {"results": [{"id": "a", "content": '"' * 32_000}]}
    assert whole == json.loads(_truncate_reply(whole))
