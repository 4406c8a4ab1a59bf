"""Words that are indexed and asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.text.tokenize import QUERY_TERMS, TERMS_CHARS, index_terms, query_terms


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Which port does the database use?", ["port", "database", "use"]),
        ("parseHttpHeader", ["parsehttpheader", "parse", "http", "header"]),
        ("HTTPServer2", ["httpserver2", "http", "server"]),
        ("max_results", ["max_results", "max", "results"]),
        ("src/auth/jwt.py", ["src/auth/jwt.py", "src", "auth", "jwt", "py"]),
        ("--no-cache", ["no-cache", "cache"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("数据库端口", ["数据", "据库", "库端", "端口"]),
        ("the and of", []),
        ("", []),
        ("?! ... \"'", []),
        ("Kafka kafka KAFKA", ["kafka"]),
        ("why don't we use the user's shell", ["use", "user", "shell"]),
        ("Reactの状態", ["react", "の状", "状態"]),
    ],
)
def test_a_question_becomes_the_terms_that_say_something(query: str, expected: list[str]) -> None:
    assert expected == query_terms(query)


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("plain words only", (), ""),
        ("call parseHttpHeader first", (), "parse http header"),
        ("数据库", ("Deploy",), "deploy 数据 据库"),
        (
            "slow",
            ("支払いが遅い", "where is useClientDate"),
            "支払いが遅い where is useclientdate use client date 支払 払い いが が遅 遅い",
        ),
        ("日", (), "日"),
        ("Reactの状態", (), "react の状 状態"),
    ],
)
def test_the_index_gets_what_the_tokenizer_cannot_see(text, labels, expected: str) -> None:
    assert expected == index_terms(text, None, labels)


def test_labels_stand_in_the_index_however_long_the_text_is() -> None:
    runs = "".join(map(chr, range(0x4E00, 0x9FFF)))

    assert index_terms(runs, None, ("which port",)).startswith("which port ")


@given(st.text(max_size=500))
def test_any_question_gives_a_bounded_list_without_repeats(query: str) -> None:
    terms = query_terms(query)

    assert len(terms) <= QUERY_TERMS
    assert len(set(terms)) == len(terms)
    assert all(term for term in terms)


@given(st.text(max_size=500), st.none() | st.text(max_size=50))
def test_terms_of_the_index_are_bounded(text: str, summary: str | None) -> None:
    assert len(index_terms(text * 40, summary, ())) <= TERMS_CHARS
    assert index_terms(text, summary, ()) == index_terms(text, summary, ())
