"""What may be stored: limits, defaults, typed metadata, the choice of scope."""

from __future__ import annotations

import pytest

from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import (
    CONTENT_CHARS,
    MAX_METADATA_LEVELS,
    MAX_TAGS,
    METADATA_BYTES,
    SUMMARY_CHARS,
    TAG_CHARS,
)
from aforesaid.domain.model.statement import (
    Statement,
    check_metadata,
    check_statement,
    check_tags,
    choose_scope,
    clean_metadata,
    default_importance,
    read_importance,
)
from aforesaid.services.memories.sanitizer import Sanitizer


def same(text: str) -> str:
    return text


def nested(levels: int) -> dict[str, object]:
    """Return an object with so many levels inside it."""
    return {} if levels == 0 else {"a": nested(levels - 1)}


def test_content_at_its_limit_is_taken_and_beyond_it_refused_with_a_way_out() -> None:
    assert check_statement(Statement(content="x" * CONTENT_CHARS), same)
    for length in (CONTENT_CHARS + 1, CONTENT_CHARS * 4 + 1):
        with pytest.raises(InvalidInputError, match=f"{length} characters, 32000 at most.*split"):
            check_statement(Statement(content="x" * length), same)


@pytest.mark.parametrize("content", ["", "  \n\t "])
def test_nothing_is_not_stored(content: str) -> None:
    with pytest.raises(InvalidInputError, match="content is empty"):
        check_statement(Statement(content=content), same)


def test_what_is_huge_is_refused_before_any_work_on_it() -> None:
    def fail(_text: str) -> str:
        raise AssertionError("was cleaned")

    with pytest.raises(InvalidInputError):
        check_statement(Statement(content="x" * 10_000_000), fail)


def test_every_text_is_cleaned_keys_of_metadata_too() -> None:
    statement = Statement(
        content="a-content",
        summary="a-summary",
        tags=("a-tag",),
        metadata={"a-key": ["a-list", {"a-deep": "a-value", "n": 1}]},
    )
    checked = check_statement(statement, lambda text: text.replace("a-", "b-"))

    assert ("b-content", "b-summary", ("b-tag",)) == (
        checked.content, checked.summary, checked.tags
    )  # fmt: skip
    assert {"b-key": ["b-list", {"b-deep": "b-value", "n": 1}]} == checked.metadata


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("type", "fact", "type 'fact' is unknown: use one of episodic, semantic"),
        ("scope", "team", "scope 'team' is unknown"),
        ("scope", "everywhere", "use one of global, project"),
        ("provenance", "god", "provenance 'god'"),
        ("importance", 1.5, "importance 1.5 is outside 0 to 1"),
        ("confidence", -0.1, "confidence -0.1 is outside 0 to 1"),
        ("confidence", float("nan"), "confidence nan"),
        ("confidence", 10**400, "confidence must be a number"),
        ("summary", "x" * (SUMMARY_CHARS + 1), "summary has 1001 characters"),
        ("tags", tuple(f"t{n}" for n in range(MAX_TAGS + 1)), "51 tags, 50 at most"),
        ("tags", ("x" * (TAG_CHARS + 1),), "over 100 characters"),
        ("metadata", nested(MAX_METADATA_LEVELS), "deeper than 8 levels"),
        ("metadata", nested(500), "deeper than 8 levels"),
        ("metadata", {"a": "x" * METADATA_BYTES}, "16384 at most"),
        ("metadata", {"a": float("nan")}, "cannot be written as JSON"),
        ("metadata", {"a": float("inf")}, "cannot be written as JSON"),
        ("metadata", {"a": {1, 2}}, "cannot be written as JSON"),
    ],
)
def test_what_is_outside_its_limits_is_refused_by_name(field, value, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        check_statement(Statement(content="x", **{field: value}), same)


def test_metadata_at_its_limits_is_taken() -> None:
    deep = nested(MAX_METADATA_LEVELS - 1)

    assert deep == check_metadata(deep, "semantic")


@pytest.mark.parametrize(
    ("kind", "metadata"),
    [
        ("episodic", {"event_date": 20261122}),
        ("episodic", {"summary": "yes"}),
        ("semantic", {"category": ["a"]}),
        ("procedural", {"steps": "one"}),
        ("procedural", {"steps": ["one", 2]}),
        ("procedural", {"version": True}),
        ("entity", {"aliases": "a"}),
        ("entity", {"properties": []}),
    ],
)
def test_known_metadata_has_its_type(kind: str, metadata) -> None:
    key = next(iter(metadata))
    with pytest.raises(InvalidInputError, match=f"metadata.{key} is .*: use .* for type {kind}"):
        check_metadata(metadata, kind)


def test_unknown_metadata_is_kept_and_other_kinds_know_other_keys() -> None:
    assert {"steps": 7, "x": None} == check_metadata({"steps": 7, "x": None}, "semantic")
    assert {"steps": None} == check_metadata({"steps": None}, "procedural")


def test_tags_are_folded_and_each_kept_once() -> None:
    assert ("ci", "two-words") == check_tags(["CI", " two  words ", "ci", "", "  "])
    assert ("ci", "two-words") == check_tags(["ci, two words,"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("high", 0.9),
        (" Medium ", 0.5),
        ("low", 0.2),
        (0, 0.0),
        ("0.75", 0.75),
        (1, 1),
    ],
)
def test_importance_is_read_from_words_and_numbers(value, expected) -> None:
    assert expected == read_importance(value)


@pytest.mark.parametrize("value", ["urgent", 1.01, [], "nan", 10**400, "1e999"])
def test_importance_that_is_neither_is_refused(value) -> None:
    with pytest.raises(InvalidInputError, match="importance"):
        read_importance(value)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"provenance": "user"}, 0.9),
        ({}, 0.5),
        ({"provenance": "tool"}, 0.2),
        ({"provenance": "import"}, 0.2),
        ({"metadata": {"category": "observation"}}, 0.2),
        ({"provenance": "user", "importance": 0.0}, 0.0),
    ],
)
def test_importance_that_is_not_said_follows_who_said_it(fields, expected: float) -> None:
    assert expected == default_importance(Statement(content="x", **fields))


@pytest.mark.parametrize(
    ("fields", "known", "expected"),
    [
        ({"scope": "project", "metadata": {"category": "preference"}}, True, "project"),
        ({"scope": "global", "type": "episodic"}, True, "global"),
        ({"metadata": {"category": "Preference"}}, True, "global"),
        ({"metadata": {"category": "preference"}, "type": "episodic"}, True, "project"),
        ({"metadata": {"category": "preference"}, "type": "episodic"}, False, "project"),
        ({"type": "entity", "metadata": {"entity_type": "person"}}, True, "project"),
        ({"type": "entity", "metadata": {"entity_type": "User"}}, True, "global"),
        ({"type": "entity", "metadata": {"entity_type": "service"}}, True, "project"),
        ({"type": "episodic"}, True, "project"),
        ({"type": "episodic"}, False, "project"),
        ({}, True, "project"),
        ({}, False, "global"),
        ({"type": "procedural"}, False, "global"),
    ],
)
def test_scope_follows_the_first_rule_that_applies(fields, known: bool, expected: str) -> None:
    assert expected == choose_scope(Statement(content="x", **fields), project_known=known)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I prefer tabs.", "global"),
        ("The user really likes short answers.", "global"),
        ("My time zone is CET.", "global"),
        ("I'm a data engineer.", "global"),
        ("I prefer tabs in this repo.", "project"),
        ("I am debugging the build.", "project"),
        ("Marlene likes short reports.", "project"),
        ("We prefer tabs.", "project"),
    ],
)
def test_what_the_user_likes_or_is_holds_everywhere(text: str, expected: str) -> None:
    assert expected == choose_scope(Statement(content=text), project_known=True)


def test_what_only_its_name_tells_to_be_a_secret_leaves_the_metadata_too():
    cleaner = Sanitizer(SecretRedactor(), "private")
    fields = {
        "password": "hunter2",
        "db": {"api_key": ["a1B2c3D4e5F6"], "port": 5432},
        "pin2": True,
    }
    assert {
        "password": "[redacted: password]",
        "db": {"api_key": ["[redacted: api-key]"], "port": 5432},
        "pin2": True,
    } == clean_metadata(fields, cleaner.clean)
    assert ["api-key", "password"] == sorted(cleaner.kinds)
