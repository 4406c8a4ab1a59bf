"""Models from a hub: what is fetched, how it is checked, how it goes on after a stop."""

from __future__ import annotations

import json

import pytest

from aforesaid.adapters.embedding.download import Hub
from aforesaid.adapters.embedding.model_card import describe_folder
from aforesaid.adapters.embedding.onnx import open_folder
from aforesaid.domain.errors import (
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from model_folders import make_model
from rig.hub import COMMIT, ModelHub


@pytest.fixture
def origin(tmp_path):
    folder = make_model(tmp_path / "origin", name="onnx/model.onnx")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (folder / "pytorch_model.bin").write_bytes(b"not asked for")
    return folder


@pytest.fixture
def hub(origin):
    with ModelHub(origin) as opened:
        yield opened


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def fetch(hub, tmp_path, pauses):
    def fetched(**wanted):
        client = Hub(hub.url, pauses.append)
        moved: list[int] = []
        model = client.look_up("owner/tiny", **wanted)
        client.fetch(model, str(tmp_path / "here" / "tiny"), moved.append)
        return model, sum(moved)

    (tmp_path / "here").mkdir()
    return fetched


def test_what_a_model_needs_is_fetched_and_no_more(fetch, hub, origin, tmp_path) -> None:
    model, moved = fetch()
    here = tmp_path / "here" / "tiny"

    assert {"onnx/model.onnx", "tokenizer.json", "1_Pooling/config.json"} == {
        file.name for file in model.files
    }
    assert model.size == moved
    for file in model.files:
        assert (origin / file.name).read_bytes() == (here / file.name).read_bytes()
    card = json.loads((here / "card.json").read_text())
    assert {"name": "owner/tiny", "commit": COMMIT, "hub": hub.url} == card["from"]
    assert open_folder(str(origin)).embed_query("kilo") == open_folder(str(here)).embed_query(
        "kilo"
    )
    assert "cls" == describe_folder(str(here)).pooling


def test_one_of_several_files_is_taken_by_name(fetch, hub, tmp_path) -> None:
    hub.files["onnx/model_int8.onnx"] = hub.files["onnx/model.onnx"]
    fetch(model_file="onnx/model_int8.onnx")
    here = tmp_path / "here" / "tiny"

    assert not (here / "onnx" / "model.onnx").exists()
    assert 64 == open_folder(str(here)).dimensions


def test_what_breaks_off_goes_on_where_it_was(fetch, hub, pauses) -> None:
    hub.cut_after = [100_000, 200_000]
    model, moved = fetch()

    asked = [wanted for name, wanted in hub.asked if name == "onnx/model.onnx"]
    assert [None, "bytes=100000-", "bytes=300000-"] == asked
    assert model.size == moved
    assert 2 == len(pauses)


def test_a_later_command_goes_on_and_fetches_nothing_twice(fetch, hub, tmp_path) -> None:
    hub.cut_after = [100_000] + [0] * 4
    with pytest.raises(UnavailableError, match="run the same command again"):
        fetch()
    assert not (tmp_path / "here" / "tiny").exists()
    hub.asked.clear()
    fetch()

    assert ("onnx/model.onnx", "bytes=100000-") == hub.asked[0]
    assert 3 == len(hub.asked)


def test_a_hub_without_parts_is_asked_for_the_whole(fetch, hub) -> None:
    hub.cut_after, hub.ranges = [100_000], False
    model, moved = fetch()

    assert model.size == moved


def test_what_is_of_an_older_commit_is_not_gone_on_with(fetch, hub) -> None:
    hub.cut_after = [100_000] + [0] * 4
    with pytest.raises(UnavailableError):
        fetch()
    hub.commit = "f" * 40
    hub.asked.clear()
    fetch()

    assert ("onnx/model.onnx", None) == hub.asked[0]


@pytest.mark.parametrize("body", [b"x" * 512_000, b"shorter"])
def test_a_file_that_is_not_what_was_announced_is_refused(fetch, hub, tmp_path, body) -> None:
    real = len(hub.files["onnx/model.onnx"])
    hub.announced["onnx/model.onnx"] = body[:real].ljust(min(real, len(body)))

    with pytest.raises((CorruptError, UnavailableError)):
        fetch()
    assert not (tmp_path / "here" / "tiny").exists()


def test_a_file_that_is_altered_afterwards_is_not_used(fetch, tmp_path) -> None:
    fetch()
    with (tmp_path / "here" / "tiny" / "onnx" / "model.onnx").open("ab") as file:
        file.write(b".")

    with pytest.raises(CorruptError, match="the card says"):
        open_folder(str(tmp_path / "here" / "tiny"))


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "a\\evil", ""])
def test_no_file_is_written_outside(fetch, hub, tmp_path, name) -> None:
    hub.more = [{"rfilename": name, "size": 4}, {"rfilename": None}, "x", {}]
    fetch()

    assert [] == list(tmp_path.rglob("*evil*"))


def test_what_there_is_already_is_left_alone(fetch) -> None:
    fetch()

    with pytest.raises(ConflictError, match="exists: run"):
        fetch()


def test_what_cannot_be_had_is_said_with_what_there_is(hub, pauses) -> None:
    client = Hub(hub.url, pauses.append)
    with pytest.raises(NotFoundError, match=r"its ONNX files: onnx/model.onnx\. Name one"):
        client.look_up("owner/tiny", model_file="onnx/other.onnx")
    with pytest.raises(NotFoundError, match="has no public model owner/stranger"):
        client.look_up("owner/stranger")
    with pytest.raises(InvalidInputError, match="is not a valid model"):
        client.look_up("../../etc")
    assert [] == pauses


def test_only_protected_hubs_are_asked() -> None:
    with pytest.raises(InvalidInputError, match="use https"):
        Hub("http://hub.example")


def test_at_a_shell_a_download_is_listed_used_and_removed(shell, environment, hub) -> None:
    environment["AFORESAID_EMBEDDING_HUB"] = hub.url
    shell("remember", "The queue is NATS JetStream.")
    done = shell("model", "download", "owner/tiny")
    assert 0 == done.returncode, done.stderr
    assert "onnx/model.onnx (0.5 MB)" in done.stderr
    assert "aforesaid model use owner/tiny" in done.stdout

    listed = json.loads(shell("model", "list", "--json").stdout)["models"]
    assert ["serving", "here", "available"] == [memory["state"] for memory in listed]
    used = shell("model", "use", "owner/tiny", "--yes", "--wait", "--json")
    assert json.loads(used.stdout)["serving"].startswith("tiny@")
    shell("model", "use", "shipped", "--wait")
    removed = json.loads(
        shell("model", "remove", "owner/tiny", "--files", "--yes", "--json").stdout
    )
    assert {"model": "owner/tiny", "vectors": 1, "files": True} == removed
