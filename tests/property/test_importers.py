"""Whatever stands in a file of another program: pieces within every limit, or an error in words."""

from __future__ import annotations

import json
from contextlib import suppress
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.adapters.importers import reader_of
from aforesaid.adapters.importers.parsing import frontmatter, predicate, sections, to_ms
from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.import_item import SkipCounter
from aforesaid.domain.model.relation import read_kind
from aforesaid.domain.model.statement import check_statement
from generated import examples

FIELDS = st.sampled_from(
    [
        "id",
        "type",
        "name",
        "entityType",
        "observations",
        "from",
        "to",
        "relationType",
        "title",
        "narrative",
        "facts",
        "concepts",
        "files_modified",
        "project",
        "merged_into_project",
        "created_at",
        "created_at_epoch",
        "content",
        "content_hash",
        "tags",
        "memory_type",
        "metadata",
        "parent_id",
        "superseded_by",
        "confidence",
        "deleted_at",
        "version",
        "summary",
        "steps",
        "request",
        "completed",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40)
    | st.sampled_from(["entity", "relation", "0001-01-01", "9999-12-31T23:59:59Z", "[]", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
ROWS = st.lists(st.dictionaries(FIELDS, VALUES, max_size=8), max_size=5)


def check(form: str, text: str) -> None:
    with TemporaryDirectory() as folder:
        path = f"{folder}/source"
        with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        with suppress(AforesaidError):
            for piece in reader_of(form)(path, SkipCounter()):
                with suppress(InvalidInputError):
                    check_statement(piece.statement, lambda text: text)


@settings(max_examples=examples(150))
@given(ROWS)
def test_rows_of_any_shape_are_no_traceback(rows):
    check("mcp-memory", "\n".join(json.dumps(row) for row in rows))
    check("claude-mem", json.dumps({"observations": rows, "summaries": rows, "prompts": rows}))
    check("mcp-memory-service", json.dumps({"memories": rows}))


@settings(max_examples=examples(200))
@given(st.text(st.sampled_from("-#: \n[]@`~>*ab\"'|"), max_size=200))
def test_notes_of_any_shape_are_no_traceback_and_lose_no_word(text):
    check("claude-md", text)
    fields, body = frontmatter(f"---\na: b\n---\n{text}")
    assert ({"a": "b"}, text) == (fields, body)
    plain = text.replace("#", "")
    report = "".join(part for _heading, part in sections(plain))
    assert sorted("".join(plain.split())) == sorted("".join(report.split()))


@given(st.text(max_size=80))
def test_any_kind_of_relation_is_one_here(text):
    assert predicate(text) == read_kind(predicate(text))


@given(VALUES)
def test_any_time_is_plausible_or_none(value):
    read = to_ms(value)
    assert read is None or 0 <= read < 4_102_444_800_000
