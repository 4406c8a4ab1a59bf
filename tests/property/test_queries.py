"""Whatever is asked, recall answers: a question is never syntax, every answer is well formed."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import CallContext, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.services.recall.query import RecallQuery
from factories import Services, open_sqlite
from generated import examples

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = examples(400)
EACH = 5  #: questions in one example
GLOBAL = Visibility(projects=(0,))
STATEMENTS = (
    "The API listens on port 5433, not on 5432.",
    "`make ship` releases; it fails with E_LOCKED while another release runs.",
    "src/queue/consumer.py::drain() handles back-pressure (see ADR-0042).",
    "Die Prüfung läuft über Nacht; 夜間テストは毎日です。",
    "Use snake_case for columns and --no-verify never.",
)
#: What means something to a full-text engine, to SQL, to a shell or to a regular expression.
MARKS = ('"', "'", "*", "^", ":", "-", "+", "(", ")", "{", "}", "NEAR(", "AND", "OR", "NOT", ";--")
pieces = st.one_of(
    st.sampled_from(MARKS),
    st.sampled_from(" ".join(STATEMENTS).split()),
    st.text(max_size=12),
    st.text(alphabet=string.punctuation + "\x00\n\t", max_size=12),
    st.text(alphabet="夜間テスト日本語한국어العربيةไทย👩‍💻", max_size=8),
)
queries = st.lists(pieces, min_size=1, max_size=9).map(" ".join)


@pytest.fixture(scope="module")
def services(tmp_path_factory) -> Iterator[Services]:
    services = Services(open_sqlite(tmp_path_factory.mktemp("asked") / "m.db"))
    context = CallContext(project=services.projects.default())
    for text in STATEMENTS:
        services.remember.store(Statement(content=text), context)
    yield services
    services.store.close()


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(asked=st.lists(queries, min_size=EACH, max_size=EACH))
def test_any_text_is_answered_in_order_and_never_read_as_syntax(services, asked) -> None:
    for query in asked:
        if not clean_text(query).strip():
            with pytest.raises(InvalidInputError, match="empty query"):
                services.recall.recall(RecallQuery(query=query), GLOBAL)
            continue
        answer = services.recall.recall(RecallQuery(query=query, min_relevance=0.0), GLOBAL)

        contents = [result.memory.content for result in answer.results]
        assert sorted(set(contents)) == sorted(contents)
        assert set(contents) <= set(STATEMENTS)
        scores = [result.score for result in answer.results]
        assert all(0 <= score <= 1 for score in scores)
        assert all(0 <= result.relevance <= 1 for result in answer.results)


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_beside_a_word_does_not_keep_it_from_being_found(services, mark) -> None:
    glue = " " if mark[-1].isalpha() else ""
    for query in (f"{mark}{glue}consumer", f"consumer{glue}{mark}", f"back {mark} consumer"):
        answer = services.recall.recall(RecallQuery(query=query, min_relevance=0.0), GLOBAL)

        assert STATEMENTS[2] in [result.memory.content for result in answer.results]
