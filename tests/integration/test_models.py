"""Changing the embedding model at a shell, with models of a folder and behind an API."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from aforesaid.adapters.embedding.onnx import open_folder
from aforesaid.config import load_settings
from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.embedding_model import (
    COMING,
    SERVING,
    SHIPPED_HIGH,
    SHIPPED_LOW,
    Model,
)
from aforesaid.operations.client_connection import run_deferred_work
from aforesaid.operations.maintenance import run_if_due
from aforesaid.operations.reembed import is_changing, resume_change, run_change
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from factories import make_memory, open_sqlite
from model_folders import make_model
from rig.embedding_api import EmbeddingApi

SHIPPED = "aforesaid-minilm-int8@078a9807"
TOLD = ("The queue is NATS JetStream.", "Deploys happen on Fridays.", "Logs live thirty days.")


@pytest.fixture
def store(shell, environment, tmp_path):
    """The path of a store with three memories by a tiny model."""
    environment["AFORESAID_DB"] = str(tmp_path / "m.db")
    environment["AFORESAID_EMBEDDING_MODEL"] = str(make_model(tmp_path / "first", seed=1))
    for text in TOLD:
        assert 0 == shell("remember", text).returncode
    return environment["AFORESAID_DB"]


@pytest.fixture
def second(tmp_path):
    return str(make_model(tmp_path / "second", dimensions=128, seed=2, pooling="max"))


@pytest.fixture
def api(environment):
    with EmbeddingApi("openai") as opened:
        environment["AFORESAID_EMBEDDING_BASE_URL"] = opened.base
        environment["OPENAI_API_KEY"] = opened.key
        yield opened


@pytest.fixture
def here(environment, monkeypatch):
    """Return the variables of a user, in force in this process."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


def ask(shell, *arguments) -> dict:
    done = shell("model", *arguments, "--json")
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def vectors_in(path: str) -> dict[str, bytes]:
    """Return the vector of each memory by the model that serves."""
    store = open_sqlite(path)
    rows = store.database.rows(
        "SELECT m.content, v.embedding FROM chunks c JOIN memories m ON m.key = c.memory "
        "JOIN vectors v ON v.chunk = c.key JOIN models t ON t.key = c.model "
        "WHERE t.state = 'serving'"
    )
    store.close()
    return dict(rows)


def until(condition, seconds: float = 60) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.1)


def test_a_new_store_begins_with_the_model_that_the_settings_name(shell, store) -> None:
    (row,) = ask(shell, "list")["models"][:1]

    assert ("serving", 3, 64) == (row["state"], row["memories"], row["dimensions"])
    assert row["vectors_of"].startswith("first@")


def test_another_model_embeds_every_memory_and_then_serves(shell, store, second) -> None:
    answer = ask(shell, "use", second, "--yes", "--wait")
    model = open_folder(second)

    assert (model.model, 3, None) == (answer["serving"], answer["memories"], answer["coming"])
    assert {text: model.embed_document(text)[0] for text in TOLD} == vectors_in(store)
    output = json.loads(shell("search", "which queue", "--json").stdout)
    assert TOLD[0] == output["results"][0]["content"]
    assert [] == output.get("degradations", [])
    findings = json.loads(shell("doctor", "--json").stdout)["findings"]
    assert f"{model.model}: {answer['note']}" in [finding["says"] for finding in findings]


def test_it_is_done_in_the_background(shell, store, second) -> None:
    ask(shell, "use", second, "--yes")

    until(lambda: ask(shell, "status")["coming"] is None)
    assert open_folder(second).model == ask(shell, "status")["serving"]


def test_going_back_takes_no_time_and_what_is_removed_is_gone(shell, store, second) -> None:
    first = ask(shell, "status")["serving"]
    ask(shell, "use", second, "--yes", "--wait")
    assert [first] == ask(shell, "status")["kept"]
    back = shell("model", "use", shell.environment["AFORESAID_EMBEDDING_MODEL"], "--wait")
    assert 0 == back.returncode  # nothing to embed: nothing to ask

    assert first == ask(shell, "status")["serving"]
    assert 4 == shell("model", "remove", first, "--yes").returncode  # it serves
    assert 3 == ask(shell, "remove", second, "--yes")["vectors"]
    assert [] == ask(shell, "status")["kept"]
    assert 3 == shell("model", "remove", second, "--yes").returncode


def test_a_change_is_not_begun_unasked_and_says_what_it_takes(shell, store, api) -> None:
    shell.environment["AFORESAID_EMBEDDING_PRICE_PER_MILLION"] = "20"
    done = shell("model", "use", "openai:small")

    assert 2 == done.returncode
    assert "openai:small@64" in done.stderr
    assert "3 memories, about 19 tokens, in at least 1 request" in done.stderr
    assert "about 0.00 at 20 per million tokens" in done.stderr
    assert "add --yes" in done.stderr
    assert None is ask(shell, "status")["coming"]
    assert all(text not in str(api.requests) for text in TOLD)


def test_a_missing_key_is_named_and_nothing_is_begun(shell, store, api) -> None:
    del shell.environment["AFORESAID_EMBEDDING_BASE_URL"], shell.environment["OPENAI_API_KEY"]
    done = shell("model", "use", "openai:small", "--yes")

    assert 5 == done.returncode
    assert "OPENAI_API_KEY is not set" in done.stderr
    assert None is ask(shell, "status")["coming"]


def test_an_api_embeds_what_is_stored_and_asked(shell, store, api) -> None:
    ask(shell, "use", "openai:small", "--yes", "--wait")
    shell("remember", "Backups run at midnight.")
    output = json.loads(shell("search", "when do backups run", "--json").stdout)

    assert "Backups run at midnight." == output["results"][0]["content"]
    assert {*TOLD, "Backups run at midnight."} == set(vectors_in(store))
    sent = [text for request in api.requests for text in request["input"]]
    assert sent.count(TOLD[0]) == 1


def test_while_the_api_is_down_words_answer_and_nothing_is_lost(shell, store, api) -> None:
    ask(shell, "use", "openai:small", "--yes", "--wait")
    api.next = [(400, api.error("out of order"))] * 99
    stored = shell("remember", "Backups run at midnight.")
    output = json.loads(shell("search", "backups", "--json").stdout)

    assert 0 == stored.returncode
    assert "Backups run at midnight." == output["results"][0]["content"]
    assert "words only" in output["degradations"][0]
    assert "out of order" in output["degradations"][0]
    assert "out of order" in str(json.loads(shell("stats", "--json").stdout)["health"])
    api.next = []
    assert ["ok"] == json.loads(shell("stats", "--json").stdout)["health"]
    assert 1 == ask(shell, "status")["missing"]


def test_in_a_new_store_words_answer_until_the_api_does(shell, environment, tmp_path, api) -> None:
    environment["AFORESAID_DB"] = str(tmp_path / "new.db")
    environment["AFORESAID_EMBEDDING_PROVIDER"] = "openai"
    api.next = [(400, api.error("out of order"))] * 99
    stored = shell("remember", "Backups run at midnight.")
    output = json.loads(shell("search", "backups", "--json").stdout)

    assert 0 == stored.returncode, stored.stderr
    assert "Backups run at midnight." == output["results"][0]["content"]
    assert output["degradations"][0].startswith("words only")
    assert "out of order" in json.dumps(json.loads(shell("doctor", "--json").stdout)["wrong"])
    api.next = []
    assert 0 == shell("remember", "Logs live thirty days.").returncode
    assert ask(shell, "status")["serving"].startswith("openai:text-embedding-3-small@64")


def test_tending_lets_the_chosen_model_serve_in_a_new_store(here, monkeypatch, tmp_path):
    chosen = str(make_model(tmp_path / "first", seed=1))
    monkeypatch.setenv("AFORESAID_EMBEDDING_MODEL", chosen)
    monkeypatch.setenv("AFORESAID_MAINTENANCE_INTERVAL_HOURS", "0")
    settings = load_settings(os.environ)
    store = factories.open_store(settings)
    with store.transaction():  # as hooks store: no process embedded anything yet
        store.memories.add(make_memory(1, content=TOLD[0]))
        store.memories.record("create", 1, 1)
    run_if_due(store, settings, os.environ)
    serving = store.models.in_state(SERVING)
    store.close()
    core = ServiceContainer(os.environ)
    assert chosen == serving.source
    assert (serving.name, []) == (core.get_embedder().model, core.health())
    core.close()


def test_the_doctor_holds_nobody_up_while_an_api_is_asked(shell, store, api) -> None:
    ask(shell, "use", "openai:small", "--yes", "--wait")
    before = len(api.requests)
    results = json.loads(shell("doctor", "--json").stdout)["findings"]

    assert "ok" == next(row["state"] for row in results if row["area"] == "round trip")
    assert before == len(api.requests)


def test_another_choice_takes_the_place_of_a_change_that_runs(shell, store, api, second) -> None:
    let_go = threading.Event()
    begun = threading.Event()

    def hold(body) -> None:
        if TOLD[0] in body["input"]:
            begun.set()
            let_go.wait(60)

    api.before = hold
    ask(shell, "use", "openai:small", "--yes")
    assert begun.wait(60)
    ask(shell, "use", second, "--yes")
    let_go.set()

    until(lambda: ask(shell, "status")["coming"] is None)
    assert open_folder(second).model == ask(shell, "status")["serving"]


def test_a_change_that_is_killed_goes_on_where_it_was(shell, store, api) -> None:
    lines = "".join(json.dumps({"content": f"fact number {item}"}) + "\n" for item in range(200))
    listed = shell.folder / "facts.jsonl"
    listed.write_text(lines)
    assert 0 == shell("import", str(listed)).returncode
    let_go = threading.Event()
    begun = threading.Event()

    def hold(body) -> None:
        if "fact number 150" in body["input"]:  # of the second batch of documents
            begun.set()
            let_go.wait(60)

    api.before = hold
    ask(shell, "use", "openai:small", "--yes")
    assert begun.wait(60)
    os.kill(running(shell), signal.SIGKILL)
    let_go.set()
    until(lambda: not ask(shell, "status")["running"])
    stopped = ask(shell, "status")
    assert (96, 107) == (stopped["embedded"], stopped["left"])
    assert stopped["serving"].startswith("first@")

    answer = ask(shell, "use", "openai:small", "--yes", "--wait")
    assert ("openai:small", 203) == (answer["serving"].partition("@")[0], answer["memories"])
    sent = [text for request in api.requests for text in request["input"]]
    assert 1 == sent.count("fact number 1")  # of the first batch: not again


def running(shell) -> int:
    """Return the pid of the process that embeds anew."""
    folder = Path(shell.environment["XDG_STATE_HOME"], "aforesaid")
    (lock,) = folder.glob("model-*.lock")
    return json.loads(lock.read_text())["pid"]


def test_a_model_whose_files_changed_is_not_mixed_with_its_old_vectors(shell, store, tmp_path):
    make_model(tmp_path / "first", seed=9)  # other weights, same place
    output = json.loads(shell("search", "which queue", "--json").stdout)
    assert TOLD[0] == output["results"][0]["content"]  # by its words

    wrong = shell("doctor").stdout
    assert "vectors were computed by first@" in wrong
    ask(shell, "use", "--yes", "--wait")
    assert open_folder(str(tmp_path / "first")).model == ask(shell, "status")["serving"]


@pytest.mark.parametrize(
    "older", ["aforesaid-minilm-int8@00000000", "all-minilm-l6-v2-int8@3dfa25b5"]
)
def test_a_later_shipped_model_takes_over_by_itself(here, older) -> None:
    core = ServiceContainer(os.environ)
    with core.store.transaction():
        memory = core.store.memories.add(make_memory(1, content=TOLD[0]))
        core.store.search.set_vectors(memory.key, [b"\0\0\x80\x3f" * 384], older)
    core.embedder.load()
    assert ["words only: the embedding model that ships has changed"] == [
        line.partition(",")[0] for line in core.health()
    ]
    run_deferred_work(core)  # as a server does after each call

    until(lambda: core.store.models.in_state(COMING) is None)
    serving = core.store.models.in_state(SERVING)
    assert (SHIPPED, SHIPPED_LOW, SHIPPED_HIGH) == (serving.name, serving.low, serving.high)
    core.get_embedder()
    assert [] == core.health()
    core.close()


def test_a_search_says_that_the_shipped_model_changed_and_starts_the_change(shell, here) -> None:
    core = ServiceContainer(os.environ)
    with core.store.transaction():
        memory = core.store.memories.add(make_memory(1, content="Release: tag it, make ship."))
        core.store.search.set_vectors(
            memory.key, [b"\0\0\x80\x3f" * 384], "all-minilm-l6-v2-int8@3dfa25b5"
        )
    question = ("search", "how do I get this version out?", "--json")
    first = shell(*question)
    assert "words only: the embedding model that ships has changed" in first.stderr
    assert [] == json.loads(first.stdout)["results"]

    until(lambda: core.store.models.in_state(SERVING).name == SHIPPED)
    core.close()
    again = shell(*question)
    assert "" == again.stderr
    assert ["Release: tag it, make ship."] == [
        result["content"] for result in json.loads(again.stdout)["results"]
    ]


def test_without_the_engines_vectors_a_change_waits_and_does_not_run_on_and_on(tmp_path, here):
    store = open_sqlite(tmp_path / "m.db", vec_extension=None)
    with store.transaction():
        store.memories.add(make_memory(1, content=TOLD[0]))
    store.models.announce(Model(name="first@1"))
    store.models.announce(Model(name="second@2"))
    with pytest.raises(UnavailableError, match="no vector search"):
        run_change(store, load_settings(here), here, lambda _done: None)
    resume_change(store, load_settings(here))
    assert not is_changing(load_settings(here))
    assert "second@2" == store.models.in_state(COMING).name
    store.close()


def test_removing_what_is_called_by_dots_removes_no_downloads(shell, environment, tmp_path) -> None:
    environment["AFORESAID_EMBEDDING_CACHE_DIR"] = str(tmp_path / "models")
    kept = make_model(tmp_path / "models" / "owner--name")

    assert 3 == shell("model", "remove", "..", "--files", "--yes").returncode
    assert (kept / "model.onnx").exists()


def test_what_has_no_name_is_not_found(shell, store) -> None:
    done = shell("model", "use", "nothing")

    assert 3 == done.returncode
    assert "no model is called 'nothing'" in done.stderr


def test_the_shipped_model_is_there_by_name(shell, environment, tmp_path) -> None:
    environment["AFORESAID_DB"] = str(tmp_path / "m.db")
    shell("remember", TOLD[0])

    assert SHIPPED == ask(shell, "status")["serving"]
    assert [("shipped", "serving"), ("multilingual", "available")] == [
        (model["model"], model["state"]) for model in ask(shell, "list")["models"]
    ]
