"""Names and changes of entities: what holds for any text, and any order of merges and renames."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.entity import names_in, normalise_name, spaced_name
from aforesaid.domain.model.memory import Visibility
from aforesaid.services.graph.entities import Entities
from aforesaid.services.graph.entity_merge import EntityMerger
from factories import TickingClock, temporary_store
from generated import examples

GLOBAL = Visibility(projects=(0,))
NAMES = ("alpha", "bravo", "charlie", "delta")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(texts)
def test_normalising_twice_is_normalising_once(text):
    once = normalise_name(text)
    assert once == normalise_name(once)


@given(st.lists(st.sampled_from(["red", "blue", "Wine", "API"]), min_size=1, max_size=4))
def test_how_a_name_is_broken_and_cased_does_not_matter(words):
    joined = {normalise_name(mark.join(words)) for mark in (" ", "_", "-", "  ", "")}
    assert {normalise_name(" ".join(words).upper())} == joined


@given(texts)
def test_any_text_can_be_compared_and_searched_for_names(text):
    spaced_name(text)
    assert "" not in names_in(text)


changes = st.lists(
    st.one_of(
        st.tuples(st.just("merge"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
        st.tuples(
            st.just("rename"), st.sampled_from(NAMES), st.sampled_from(["echo", "Bravo", "f"])
        ),
    ),
    max_size=6,
)


@given(changes)
@settings(max_examples=examples(200))
def test_merges_and_renames_taken_back_in_turn_leave_no_mark(wanted):
    clock = TickingClock()
    with temporary_store() as store:
        entities = Entities(store, clock)
        mend = EntityMerger(store, clock, entities)
        with store.transaction():
            for name in NAMES:
                entities.resolve(name, 0, aliases=[f"the {name}"])
        known = store.entities.list_visible(GLOBAL)
        before = [known, [store.entities.row(memory.key) for memory in known]]
        for word, memory, other in wanted:
            try:
                (mend.merge if word == "merge" else mend.rename)(memory, other, GLOBAL)
            except AforesaidError:
                continue
            names = [
                name for e in store.entities.list_visible(GLOBAL) for name in (e.name, *e.aliases)
            ]
            assert len(names) == len({normalise_name(name) for name in names})
        while mend.changes(GLOBAL):
            mend.undo(None, GLOBAL)

        known = store.entities.list_visible(GLOBAL)
        assert before == [known, [store.entities.row(memory.key) for memory in known]]
