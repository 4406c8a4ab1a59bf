"""Creates model folders with tiny networks for tests: each token has a random vector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = 2_000  #: rows of the table of vectors


def make_tokenizer(folder: Path) -> dict[str, int]:
    """Write a tokenizer whose tokens are letters; it adds ``[CLS]`` and ``[SEP]`` around a text.

    Returns the vocabulary: the id of each token.
    """
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {word: number for number, word in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    template = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.post_processor = template
    tokenizer.enable_truncation(128)  # as in published files; our reader must disable it
    tokenizer.save(str(folder / "tokenizer.json"))
    return vocabulary


def make_model(
    folder: Path, *, dimensions: int = 64, seed: int = 1, name: str = "model.onnx", **card: Any
) -> Path:
    """Write a model folder whose network gives each token a vector; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    make_tokenizer(folder)
    table = np.random.default_rng(seed).normal(size=(WORDS, dimensions)).astype("float32")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"], axis=0)],
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", dimensions]
            )
        ],
        [numpy_helper.from_array(table, "table")],
    )
    _save(graph, folder / name)
    if card:
        (folder / "card.json").write_text(json.dumps(card))
    return folder


def make_reranker(folder: Path, *, numbers: int = 1) -> Path:
    """Write a cross-encoder that scores a text by its number of letters z; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = make_tokenizer(folder)
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 512}')
    node = helper.make_node
    nodes = [
        node("Equal", ["input_ids", "first"], ["is_first"]),
        node("Equal", ["input_ids", "later"], ["is_later"]),
        node("Or", ["is_first", "is_later"], ["is_z"]),
        node("Cast", ["is_z"], ["counted"], to=TensorProto.INT64),
        node("Mul", ["counted", "token_type_ids"], ["in_text"]),
        node("ReduceSum", ["in_text", "axis"], ["count"], keepdims=1),
        node("Cast", ["count"], ["score"], to=TensorProto.FLOAT),
        node("Concat", ["zero"] * (numbers - 1) + ["score"], ["logits"], axis=1),
    ]
    constants = {
        "first": vocabulary["z"], "later": vocabulary["##z"], "axis": [1],
    }  # fmt: skip
    graph = helper.make_graph(
        nodes,
        "reranker",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", numbers])],
        [
            *(numpy_helper.from_array(np.array(value), name) for name, value in constants.items()),
            numpy_helper.from_array(np.zeros((1, 1), dtype="float32"), "zero"),
        ],
    )
    _save(graph, folder / "model.onnx")
    return folder


def _save(graph: onnx.GraphProto, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, str(path))
