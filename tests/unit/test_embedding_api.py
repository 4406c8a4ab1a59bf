"""Models behind an API, against stand-ins that follow the providers' published schemas."""

from __future__ import annotations

import struct

import pytest

from aforesaid.adapters.embedding.api import ApiEmbedder, ApiOptions, batches
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from rig.embedding_api import EmbeddingApi

NO_VECTORS = ("x", [], [0.0, 0.0], [float("nan"), 1.0], None)
KEYS = {"VOYAGE_API_KEY": "secret-key", "OPENAI_API_KEY": "secret-key"}


@pytest.fixture(params=["voyage", "openai"])
def api(request):
    with EmbeddingApi(request.param) as opened:
        yield opened


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def connect(api, pauses):
    made = []

    def opened(
        environment=KEYS, *, known_dimensions: int = 0, clean=str, patient: bool = True, **access
    ) -> ApiEmbedder:
        embedder = ApiEmbedder(
            api.provider,
            "some-model",
            ApiOptions(url=api.base, **access),
            environment,
            clean,
            known_dimensions=known_dimensions,
            patient=patient,
            wait=pauses.append,
        )
        made.append(embedder)
        return embedder

    yield opened
    for embedder in made:
        embedder.close()


def values(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def test_vectors_come_in_the_order_of_the_texts_and_are_made_one_long(api, connect) -> None:
    texts = [f"text number {number}" for number in range(5)]
    results = connect().embed_documents(texts)

    expected = [[value / 3 for value in api.vector(text, 64)] for text in texts]
    assert expected == [pytest.approx(values(windows[0]), abs=1e-6) for windows in results]


def test_what_is_asked_is_what_the_provider_takes(api, connect) -> None:
    embedder = connect(dimensions=32)
    embedder.embed_query("which port")
    embedder.embed_document("port 5432")

    fields = {"voyage": "output_dimension", "openai": "dimensions"}[api.provider]
    assert [32, 32] == [request[fields] for request in api.requests]
    assert [["which port"], ["port 5432"]] == [request["input"] for request in api.requests]
    kinds = [request.get("input_type") for request in api.requests]
    assert (["query", "document"] if api.provider == "voyage" else [None, None]) == kinds


def test_the_stamp_tells_provider_model_length_and_another_server(api, connect) -> None:
    name = connect().model

    assert f"{api.provider}:some-model@64-{api.base.split('/')[2]}" == name
    assert 1 == len(api.requests)  # asked for its length, once
    assert name == connect(known_dimensions=64).model
    assert 1 == len(api.requests)


def test_many_texts_go_in_several_requests(api, connect) -> None:
    texts = [f"text number {number}" for number in range(200)]

    assert 200 == len(connect().embed_documents(texts))
    assert [96, 96, 8] == [len(request["input"]) for request in api.requests]


def test_a_request_holds_no_more_characters_than_providers_take() -> None:
    results = list(batches(["x" * 40_000] * 5))

    assert [2, 2, 1] == [len(batch) for batch in results]


def test_a_long_text_has_windows_and_an_empty_one_is_not_sent_empty(api, connect) -> None:
    long, empty = connect().embed_documents(["word " * 4_000, ""])

    assert (3, 1) == (len(long), len(empty))
    assert all(text.strip() for request in api.requests for text in request["input"])


def test_secrets_leave_before_the_text_does(api, connect) -> None:
    connect(clean=lambda text: text.replace("hunter2", "[redacted]")).embed_query("pw hunter2")

    assert ["pw [redacted]"] == api.requests[0]["input"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_asked_again_after_longer_pauses(api, connect, pauses, status) -> None:
    api.next = [(status, api.error("slow down"))] * 3

    assert 64 * 4 == len(connect().embed_document("kilo")[0])
    assert [0.5, 1.0, 2.0] == pauses
    assert 4 == len(api.requests)


def test_a_pause_that_the_api_names_is_kept(api, connect, pauses) -> None:
    api.next = [(429, api.error("slow down"))]
    api.retry_after = "7"

    connect().embed_document("kilo")
    assert [7.0] == pauses


def test_what_stays_down_is_given_up_and_says_why(api, connect, pauses) -> None:
    api.next = [(503, api.error("overloaded"))] * 99

    with pytest.raises(UnavailableError, match=r"does not answer \(503: overloaded\)"):
        connect().embed_document("kilo")
    assert 6 == len(api.requests)
    assert 15 < sum(pauses) < 120


def test_whoever_waits_is_told_at_once_and_not_every_time(api, connect, pauses) -> None:
    api.next = [(503, api.error("overloaded"))] * 99
    embedder = connect(patient=False)

    with pytest.raises(UnavailableError, match="does not answer"):
        embedder.embed_query("kilo")
    assert (2, [0.5]) == (len(api.requests), pauses)
    with pytest.raises(UnavailableError, match=r"30 s ago \(503: overloaded\)"):
        embedder.embed_query("kilo")
    assert 2 == len(api.requests)


def test_a_server_that_is_not_there_is_said_so(connect, api) -> None:
    embedder = connect()
    api.__exit__()

    with pytest.raises(UnavailableError, match="does not answer"):
        embedder.embed_query("kilo")


def test_a_missing_key_names_the_variable_to_set(api) -> None:
    with pytest.raises(UnavailableError, match=f"{api.provider.upper()}_API_KEY is not set"):
        ApiEmbedder(api.provider, "m", ApiOptions(), {}, str)
    with pytest.raises(UnavailableError, match="MY_KEY is not set"):
        ApiEmbedder(api.provider, "m", ApiOptions(api_key_env="MY_KEY"), KEYS, str)


def test_a_wrong_key_names_the_variable_and_is_not_tried_again(api, connect) -> None:
    with pytest.raises(UnavailableError, match=r"rejected the key in MINE \(401: Incorrect"):
        connect({"MINE": "wrong"}, api_key_env="MINE").embed_query("kilo")
    assert 1 == len(api.requests)


def test_a_request_that_is_refused_is_not_tried_again(api, connect) -> None:
    api.next = [(400, api.error("no such model"))]

    with pytest.raises(UnavailableError, match=r"rejected some-model .*no such model"):
        connect().embed_query("kilo")
    assert 1 == len(api.requests)


def test_an_answer_that_lacks_vectors_is_not_used(api, connect) -> None:
    api.drop = 1

    with pytest.raises(UnavailableError, match="returned 2 rows for 3 texts"):
        connect().embed_documents(["kilo", "lima", "mike"])


@pytest.mark.parametrize(
    "rows",
    [None, "x", [], [1], *([{"index": 0, "embedding": no_vector}] for no_vector in NO_VECTORS)],
)
def test_an_answer_of_another_shape_is_not_used(api, connect, rows) -> None:
    api.next = [(200, {"data": rows})]

    with pytest.raises(UnavailableError, match="none was used"):
        connect().embed_query("kilo")


def test_vectors_of_another_length_are_not_used(api, connect) -> None:
    embedder = connect(known_dimensions=64)
    api.dimensions = 32

    with pytest.raises(UnavailableError, match="vectors of 32 dimensions instead of 64"):
        embedder.embed_query("kilo")


def test_the_key_goes_by_tls_or_to_this_machine_alone() -> None:
    with pytest.raises(InvalidInputError, match="would send the key unencrypted"):
        ApiEmbedder("openai", "m", ApiOptions(url="http://api.example/v1"), KEYS, str)


def test_a_server_on_this_machine_needs_no_key(api, connect) -> None:
    api.key = ""
    api.next = [(200, {"data": [{"index": 0, "embedding": [3.0, 4.0]}]})]

    assert pytest.approx((0.6, 0.8)) == values(connect({}).embed_query("kilo"))
