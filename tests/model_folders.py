"""Model folders with tiny networks that know no language: each word has a vector by chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = 2_000  #: other words share a place with one of these


def make_tokenizer(folder: Path, *, pairs: bool = False) -> None:
    """Write a tokenizer that knows some words, ``[CLS]`` before and ``[SEP]`` after a text."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{one}" for one in letters)]
    vocabulary = {word: number for number, word in enumerate(known)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    template = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.post_processor = template
    tokenizer.enable_truncation(128)  # as published files do: whoever reads them undoes it
    tokenizer.save(str(folder / "tokenizer.json"))


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
            helper.make_tensor_value_info(one, TensorProto.INT64, ["batch", "tokens"])
            for one in ("input_ids", "attention_mask", "token_type_ids")
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


def _save(graph: onnx.GraphProto, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, str(path))
