"""What is stored is what is read, whatever it is made of; and no answer outgrows its budget."""

from __future__ import annotations

import tempfile
from contextlib import closing
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.domain.text.token_budget import CUT_MARK, count_tokens
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.transfer.export import export_lines, import_export
from factories import Services, make_context, make_memory, open_sqlite, temporary_store
from generated import examples

#: Any character but half of a pair, and NUL, which the store refuses by name.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.text(characters, min_size=1, max_size=60)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
GLOBAL = Visibility(projects=(0,))


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.tuples(
            texts, st.none() | texts, st.frozensets(texts, max_size=3),
            st.dictionaries(texts, plain, max_size=3),
        ),
        min_size=1, max_size=12,
    )
)  # fmt: skip
def test_a_store_and_its_export_hold_every_character(given) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_sqlite(f"{folder}/m.db")) as store,
        closing(SqliteStore(f"{folder}/copy.db")) as copy,
    ):
        wanted = []
        with store.transaction():
            for number, (content, summary, tags, metadata) in enumerate(given, start=1):
                memory = make_memory(
                    number, content=content, summary=summary, tags=tuple(sorted(tags)),
                    metadata=metadata,
                )  # fmt: skip
                wanted.append(store.memories.add(memory))
        keys = [item.key for item in wanted]

        assert wanted == store.memories.get(keys)
        assert len(wanted) == len(store.memories.select(GLOBAL, Filters(), 99))
        lines = list(export_lines(store))
        import_export(copy, lines)
        assert wanted == copy.memories.get(keys)
        assert lines == list(export_lines(copy))


@settings(max_examples=examples(300))
@given(st.text(st.characters(), max_size=80), st.text(st.characters(), max_size=40))
def test_a_statement_is_kept_as_it_is_but_for_what_is_no_text(content, note) -> None:
    with temporary_store() as store:
        services = Services(store, words_only=True)
        context = make_context(services.project("git:example.org/shop"))
        statement = Statement(content=content, metadata={"note": note})
        try:
            kept = services.remember.store(statement, context).memory
        except InvalidInputError:
            assert "" == clean_text(content).strip() or "<private>" in content
            return
        assert (clean_text(content).strip(), clean_text(note)) == (
            kept.content, kept.metadata["note"],
        )  # fmt: skip
        again = services.remember.store(Statement(content=kept.content), context)
        assert (kept.key, kept.content) == (again.memory.key, again.memory.content)


@settings(max_examples=examples(150))
@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=8),
    st.integers(1, 2_000),
    st.booleans(),
    st.sampled_from(["query", "ids", "filters"]),
    st.sampled_from([None, 0, 1, 3]),
)
def test_no_answer_outgrows_its_budget(sizes, budget, summary_only, by, related) -> None:
    with temporary_store() as store:
        services = Services(store, words_only=True)
        context = make_context(services.project("git:example.org/shop"))
        stored = [
            services.remember.store(
                Statement(
                    content=f"kilo number {number} " + "lima " * size,
                    type="episodic",
                    summary="golf " * min(size, 200) if number % 2 else None,
                ),
                context,
            ).memory
            for number, size in enumerate(sizes)
        ]
        for memory, other in pairwise(stored):
            services.relate.link(memory.id, "supports", other.id, context.visible)
        asked = {
            "query": {"query": "kilo lima"}, "ids": {"ids": tuple(memory.id for memory in stored)},
            "filters": {"filters": Filters(types=("episodic",))},
        }[by]  # fmt: skip
        answer = services.recall.recall(
            RecallQuery(
                **asked, token_budget=budget, summary_only=summary_only, max_results=50,
                include_related=related,
            ),
            context.visible,
        )  # fmt: skip
        shown = [memory.preview if summary_only else memory.content for memory in answer.results]
        beside = [item for result in answer.results for item in result.related if item.shown]
        shown += [item.memory.preview for item in beside]
        spent = sum(count_tokens(text) for text in shown)

        assert answer.results
        assert spent <= answer.token_estimate
        assert spent <= max(budget, count_tokens(CUT_MARK) + 1)  # the mark says that there is more
