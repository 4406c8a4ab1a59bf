"""The hook path's JSON reads and writes as the json package does."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.text import lean_json
from aforesaid.domain.text.lean_json import read_json, write_json

texts = st.text(st.characters(exclude_categories=()), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
answers = st.recursive(
    st.none() | texts, lambda inner: st.dictionaries(texts, inner, max_size=4), max_leaves=10
)


def outcome(read, text):
    """Return the value, or that the text was refused."""
    try:
        return repr(read(text))
    except ValueError:
        return "refused"


@given(values, st.sampled_from([None, 2]), st.booleans())
def test_what_json_wrote_is_read(value, indent, plain):
    assert value == read_json(json.dumps(value, indent=indent, ensure_ascii=plain))


@given(st.text('{}[]":,.-+eE0123456789 \n\t\\utrefalsnNIi', max_size=12))
def test_what_json_refuses_is_refused_and_else_read_the_same(text):
    assert outcome(json.loads, text) == outcome(read_json, text)


@given(answers)
def test_what_a_hook_says_is_written_as_json_does(value):
    assert json.dumps(value) == write_json(value)


def test_a_text_nested_without_end_is_refused_by_name():
    with pytest.raises(RecursionError):
        read_json("[" * 200_000)


def test_an_interpreter_without_the_scanner_reads_the_same(monkeypatch):
    monkeypatch.setitem(sys.modules, "_json", None)
    spec = importlib.util.spec_from_file_location("lean_json_elsewhere", lean_json.__file__)
    elsewhere = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(elsewhere)
    assert {"a": [1, None, "é"]} == elsewhere.read_json(' {"a": [1, null, "\\u00e9"]}\n')
    assert '{"a": "\\u00e9"}' == elsewhere.write_json({"a": "é"})
    with pytest.raises(ValueError, match="not a JSON value"):
        elsewhere.read_json("")
