"""The network of all-MiniLM-L6-v2 as an ONNX graph, pooled and normalised inside.

Here: weights by name to a graph. Not here: where weights come from, nor the quantiser
(build_model.py). Next: docs/adr/0004-embedding-model.md.

Tensor names, node names and their order are part of the file's bytes, and so of its sha256, which
is stamped on every stored vector: change one and every store is embedded anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]
Weights = Mapping[str, Array]

HEAD_SIZE = 32
LAYER_NORM_EPSILON = 1e-12
#: Added to the scores of padding before the softmax.
MASKED_SCORE = -1e9
#: From opset 20 on Gelu is one operator; it is also the newest the quantiser was tried with.
OPSET = 20
IR_VERSION = 10


class Graph:
    """Collects nodes and constants, and names what the nodes return after their count."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> str:
        """Store the value under the name unless it is there already; return the name."""
        if name not in self.constants:
            array = np.array(value, dtype=dtype, order="C", copy=True)
            self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def nodes_out(
        self, operator: str, *inputs: str, count: int = 1, **attributes: Any
    ) -> list[str]:
        """Add one node; return the names of its ``count`` outputs."""
        name = f"{operator}_{len(self.nodes) + 1}"
        outputs = [f"{name}_o{i}" for i in range(count)]
        node = helper.make_node(operator, inputs, outputs, name=name, domain="", **attributes)
        self.nodes.append(node)
        return outputs

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add one node with one output; return that output's name."""
        return self.nodes_out(operator, *inputs, **attributes)[0]


def sentence_graph(weights: Weights, *, int8_words: bool) -> onnx.ModelProto:
    """Return the encoder as ``input_ids, attention_mask -> embedding (batch, size) float32``.

    The embedding is the mean over the tokens that the mask keeps, L2-normalised. With
    ``int8_words`` the word table is int8 with one scale per row; all else is float32.
    """
    graph = Graph()
    size = weights["embeddings.word_embeddings.weight"].shape[1]
    hidden = _embed(graph, weights, int8_words=int8_words)
    mask = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    spread = graph.node("Unsqueeze", mask, graph.constant("ax12", [1, 2], np.int64))
    dropped = graph.node("Sub", graph.constant("onef", 1), spread)
    penalty = graph.node("Mul", dropped, graph.constant("neg", MASKED_SCORE))
    layers = 1 + max(int(n.split(".")[2]) for n in weights if n.startswith("encoder.layer."))
    for layer in range(layers):
        hidden = _encode(graph, weights, layer, hidden, penalty)
    _pool(graph, hidden, mask)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "seq"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", size])
    constants = list(graph.constants.values())
    return helper.make_model(
        helper.make_graph(graph.nodes, "minilm", inputs, [output], constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="build_model",
        ir_version=IR_VERSION,
    )


def int8_rows(table: Array) -> tuple[Array, Array]:
    """Return the table as int8 and one float32 scale per row: ``table ~ int8 * scale``."""
    scales = (np.abs(table).max(axis=1, keepdims=True) / 127).astype(np.float32)
    scales[scales == 0] = 1
    return np.clip(np.round(table / scales), -127, 127).astype(np.int8), scales


def _embed(graph: Graph, weights: Weights, *, int8_words: bool) -> str:
    """Add word, position and (always the first) type embeddings; return their normalised sum."""
    graph.constant("ax1", [1], np.int64)
    graph.constant("axl", [-1], np.int64)
    shape = graph.node("Shape", "input_ids")
    length = graph.node("Gather", shape, graph.constant("i1", 1, np.int64))
    length = graph.node("Unsqueeze", length, graph.constant("ax0", [0], np.int64))
    place = (
        weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0:1]
    )
    start = graph.constant("pos", place), graph.constant("s0", [0], np.int64)
    places = graph.node("Slice", *start, length, "ax0")
    table = weights["embeddings.word_embeddings.weight"]
    if int8_words:
        rows, scales = int8_rows(table)
        words = graph.node("Gather", graph.constant("wq", rows, np.int8), "input_ids")
        words = graph.node("Cast", words, to=TensorProto.FLOAT)
        scale = graph.node("Gather", graph.constant("wscale", scales), "input_ids")
        words = graph.node("Mul", words, scale)
    else:
        words = graph.node("Gather", graph.constant("word", table), "input_ids")
    gain = graph.constant("eg", weights["embeddings.LayerNorm.weight"])
    bias = graph.constant("eb", weights["embeddings.LayerNorm.bias"])
    return _normalise(graph, graph.node("Add", words, places), gain, bias)


def _encode(graph: Graph, weights: Weights, layer: int, hidden: str, penalty: str) -> str:
    """Add one encoder layer: self-attention, then the feed-forward part, each with a residual."""
    prefix = f"encoder.layer.{layer}."
    for name, source in (
        ("o", "attention.output.dense"),
        ("n1", "attention.output.LayerNorm"),
        ("i", "intermediate.dense"),
        ("d", "output.dense"),
        ("n2", "output.LayerNorm"),
    ):
        # A dense layer has weights (out, in); a normalisation has a gain. Both have a bias.
        matrix, suffix = weights[prefix + source + ".weight"].T, "g" if "n" in name else "w"
        graph.constant(f"{name}{suffix}{layer}", matrix)
        graph.constant(f"{name}b{layer}", weights[prefix + source + ".bias"])
    context = _attend(graph, weights, layer, hidden, penalty)
    attended = graph.node("Add", graph.node("MatMul", context, f"ow{layer}"), f"ob{layer}")
    hidden = graph.node("Add", attended, hidden)
    hidden = _normalise(graph, hidden, f"n1g{layer}", f"n1b{layer}")
    inner = graph.node("Add", graph.node("MatMul", hidden, f"iw{layer}"), f"ib{layer}")
    inner = graph.node("MatMul", graph.node("Gelu", inner), f"dw{layer}")
    outer = graph.node("Add", graph.node("Add", inner, f"db{layer}"), hidden)
    return _normalise(graph, outer, f"n2g{layer}", f"n2b{layer}")


def _attend(graph: Graph, weights: Weights, layer: int, hidden: str, penalty: str) -> str:
    """Add multi-head attention; return its context ``(batch, seq, size)``.

    Query, key and value are one matrix product, so that its input is quantised once; the
    division by the root of the head size is folded into the query's weights.
    """
    prefix = f"encoder.layer.{layer}.attention.self."
    names = [prefix + part for part in ("query", "key", "value")]
    matrix = np.concatenate([weights[n + ".weight"].T for n in names], axis=1)
    bias = np.concatenate([weights[n + ".bias"] for n in names])
    size = matrix.shape[0]
    matrix[:, :size] /= np.sqrt(np.float32(HEAD_SIZE))
    bias[:size] /= np.sqrt(np.float32(HEAD_SIZE))
    product = graph.node("MatMul", hidden, graph.constant(f"wqkv{layer}", matrix))
    product = graph.node("Add", product, graph.constant(f"bqkv{layer}", bias))
    parts = graph.nodes_out("Split", product, count=3, axis=2, num_outputs=3)
    by_head = graph.constant("hs", [0, 0, size // HEAD_SIZE, HEAD_SIZE], np.int64)
    merged = graph.constant("hm", [0, 0, size], np.int64)
    query, key, value = (
        graph.node("Transpose", graph.node("Reshape", part, by_head), perm=order)
        for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
    )
    scores = graph.node("Add", graph.node("MatMul", query, key), penalty)
    context = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    return graph.node("Reshape", graph.node("Transpose", context, perm=[0, 2, 1, 3]), merged)


def _pool(graph: Graph, hidden: str, mask: str) -> None:
    """Add the mean over unmasked tokens and its L2 normalisation, as output ``embedding``."""
    kept = graph.node("Mul", hidden, graph.node("Unsqueeze", mask, "axl"))
    total = graph.node("ReduceSum", kept, "ax1", keepdims=0)
    count = graph.node("ReduceSum", mask, "ax1", keepdims=1)
    mean = graph.node("Div", total, count)
    length = graph.node("ReduceL2", mean, "ax1", keepdims=1)
    graph.nodes.append(helper.make_node("Div", [mean, length], ["embedding"], name="out"))


def _normalise(graph: Graph, hidden: str, gain: str, bias: str) -> str:
    return graph.node("LayerNormalization", hidden, gain, bias, epsilon=LAYER_NORM_EPSILON, axis=-1)
