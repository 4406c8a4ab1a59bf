"""Writes ONNX files: the few messages of onnx.proto that a graph of ours needs.

The ``onnx`` package is no dependency of ours: it is 18 MB, and this is all we would use of it.
Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (field numbers, data types).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

IR_VERSION = 10
OPSET = 20
FLOAT, INT64 = 1, 7  #: data types of tensors
_TYPES = {"float32": FLOAT, "uint8": 2, "int8": 3, "int64": INT64, "float16": 10}
_CONTRIBUTED = "com.microsoft"  #: domain of onnxruntime's own operators
_VARINT, _FIXED32, _BYTES = 0, 5, 2  #: wire types


class OnnxGraph:
    """A graph that is being written: nodes and constants, in order."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, array: Any) -> str:
        """Add a constant, a numpy array; return its name."""
        name = f"c{len(self._constants)}"
        fields = [_number(1, size) for size in array.shape]
        fields += [_number(2, _TYPES[str(array.dtype)]), _text(8, name), _field(9, array.tobytes())]
        self._constants.append(_field(5, b"".join(fields)))
        return name

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator with one output; return the output's name, see ``nodes``."""
        return self.nodes(operator, *inputs, **attributes)[0]

    def nodes(
        self,
        operator: str,
        *inputs: str,
        count: int = 1,
        output: str = "",
        is_contributed: bool = False,
        **attributes: Any,
    ) -> list[str]:
        """Add an operator; return the names of its outputs.

        Args:
            operator: its name.
            inputs: names of its inputs.
            count: the number of its outputs.
            output: name of its first output; default: a new one.
            is_contributed: whether it is an operator of onnxruntime instead of ONNX.
            attributes: numbers, texts or lists of integers.
        """
        outputs = [f"n{len(self._nodes)}_{index}" for index in range(count)]
        outputs[0] = output or outputs[0]
        fields = [_text(1, name) for name in inputs] + [_text(2, name) for name in outputs]
        fields.append(_text(4, operator))
        fields += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        if is_contributed:
            fields.append(_text(7, _CONTRIBUTED))
        self._nodes.append(_field(1, b"".join(fields)))
        return outputs

    def to_bytes(self, input_name: str, output_name: str, size: int) -> bytes:
        """Return the file: ``(1, tokens)`` int64 in, ``(1, size)`` float32 out."""
        graph = [
            *self._nodes,
            _text(2, "encoder"),
            *self._constants,
            _field(11, _value(input_name, INT64, [1, "tokens"])),
            _field(12, _value(output_name, FLOAT, [1, size])),
        ]
        return b"".join(
            [
                _number(1, IR_VERSION),
                _text(2, "aforesaid"),
                _field(7, b"".join(graph)),
                _field(8, _text(1, "") + _number(2, OPSET)),
                _field(8, _text(1, _CONTRIBUTED) + _number(2, 1)),
            ]
        )


def _value(name: str, data_type: int, shape: Iterable[int | str]) -> bytes:
    sizes = [_text(2, size) if isinstance(size, str) else _number(1, size) for size in shape]
    dimensions = b"".join(_field(1, size) for size in sizes)
    tensor = _number(1, data_type) + _field(2, dimensions)
    return _text(1, name) + _field(2, _field(1, tensor))


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        kind, content = 1, _key(2, _FIXED32) + struct.pack("<f", value)
    elif isinstance(value, int):
        kind, content = 2, _number(3, value)
    elif isinstance(value, str):
        kind, content = 3, _text(4, value)
    else:
        kind, content = 7, b"".join(_number(8, number) for number in value)
    return _text(1, name) + content + _number(20, kind)


def _text(number: int, value: str) -> bytes:
    return _field(number, value.encode())


def _field(number: int, content: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + _varint(value)


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers take ten bytes
    digits = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits in a byte
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)
