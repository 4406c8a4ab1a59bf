"""The read path: by question, by ids, by filters; within its budget, and with why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.token_budget import CUT_MARK
from aforesaid.services.recall.hybrid_search import NO_MODEL
from aforesaid.services.recall.query import RecallHit, RecallQuery, fit_to_budget
from aforesaid.services.recall.recall import ARCHIVED_ONLY, IN_FUTURE
from factories import DAY, Services, make_context, open_sqlite
from generated import examples


@pytest.fixture
def services(store) -> Services:
    return Services(store)


@pytest.fixture
def shop(services):
    return make_context(services.project("git:example.org/shop"), session="s1")


def store(services, context, content, **fields):
    return services.remember.store(Statement(content=content, **fields), context).memory


def ask(services, context, query=None, **fields):
    return services.recall.recall(RecallQuery(query=query, **fields), context.visible)


def keys(answer) -> list[int]:
    return [result.memory.key for result in answer.results]


def test_a_question_is_answered_by_words_and_meaning_and_says_why(services, shop) -> None:
    wanted = store(services, shop, "The queue is NATS JetStream")
    store(services, shop, "Lunch is at noon")
    answer = ask(services, shop, "which queue?")

    assert wanted.key == keys(answer)[0]
    assert answer.results[0].why.startswith("says queue, words best (1.00)")
    assert 0 < answer.results[0].score <= 1
    assert () == answer.degradations


def test_a_search_from_a_future_time_on_says_why_it_finds_nothing(services, shop) -> None:
    store(services, shop, "The queue is NATS JetStream")
    later = Filters(since=services.clock.now() + DAY)

    for query in ("which queue?", None):
        answer = ask(services, shop, query, filters=later)
        assert ((), True) == (answer.results, IN_FUTURE in answer.degradations)


def test_a_long_memory_is_answered_with_its_matching_sentence_and_a_weak_one_with_less(
    services, shop
) -> None:
    filler = " ".join(f"Crane {number} was painted on a dry day." for number in range(300))
    text = f"{filler} The signal for a free berth is a green lantern. {filler}"
    memory = store(services, shop, text)
    query = RecallQuery(query="which signal for a free berth?")
    for relevance, chars in ((0.9, 2_000), (0.05, 240)):
        (hit,) = fit_to_budget(query, [RecallHit(memory=memory, relevance=relevance)]).results

        assert "The signal for a free berth is a green lantern." in hit.content
        assert chars / 2 < len(hit.content) <= chars


def test_without_a_model_words_answer_and_the_answer_says_so(services, shop) -> None:
    wanted = store(services, shop, "The queue is NATS JetStream")
    services.embedder = None
    answer = ask(services, shop, "which queue?")

    assert ([wanted.key], (NO_MODEL,)) == (keys(answer), answer.degradations)


def test_a_question_that_matches_an_old_version_returns_the_head(services, shop) -> None:
    old = store(services, shop, "We deploy with fabric")
    new = store(services, shop, "We deploy with ansible", supersedes=(old.id,))
    answer = ask(services, shop, "fabric")

    assert [new.key] == keys(answer)
    assert answer.results[0].superseded_query_hit
    assert "an older version matched" in answer.results[0].why


def test_with_history_every_version_answers_for_itself(services, shop) -> None:
    old = store(services, shop, "We deploy with fabric")
    new = store(services, shop, "We deploy with ansible", supersedes=(old.id,))
    answer = ask(services, shop, "deploy with what", filters=Filters(include_history=True))

    assert {old.key, new.key} == set(keys(answer))
    assert not any(result.superseded_query_hit for result in answer.results)
    by_filter = ask(services, shop, filters=Filters(include_history=True, types=("semantic",)))
    assert {old.key, new.key} == set(keys(by_filter))


def test_nothing_of_a_forgotten_chain_is_recalled(services, shop) -> None:
    old = store(services, shop, "We deploy with fabric")
    new = store(services, shop, "We deploy with ansible", supersedes=(old.id,))
    services.forgetter.forget(new.id, shop)

    assert [] == keys(ask(services, shop, "deploy fabric ansible"))


def test_ids_give_memories_as_they_are_and_name_those_that_are_not_there(services, shop) -> None:
    old = store(services, shop, "kilo one")
    new = store(services, shop, "kilo two", supersedes=(old.id,))
    hidden = store(services, make_context(services.project("git:example.org/b")), "other project")
    answer = ask(services, shop, ids=(old.id, "zzzz", hidden.id, "no id!", new.id))

    assert [old.key, new.key] == keys(answer)
    assert ["zzzz", hidden.id, "no id!"] == [item.split(": ")[0] for item in answer.not_found]
    assert "other project" not in repr(answer)


def test_a_forgotten_memory_is_a_fact_and_a_date_without_its_text(services, shop) -> None:
    memory = store(services, shop, "a secret plan", summary="plan", tags=("plan",))
    services.forgetter.forget(memory.id, shop)
    answer = ask(services, shop, ids=(memory.id,))

    assert answer.results[0].memory.forgotten_at is not None
    assert "plan" not in repr(answer)


def test_filters_alone_list_pages_that_join_without_gap_or_repeat(services, shop) -> None:
    stored = {store(services, shop, f"fact number {n}", type="procedural").key for n in range(7)}
    store(services, shop, "another kind")
    seen: list[int] = []
    cursor = None
    while True:
        answer = ask(
            services, shop, filters=Filters(types=("procedural",)), max_results=3, cursor=cursor
        )
        seen += keys(answer)
        assert 7 == answer.total_matched
        cursor = answer.next_cursor
        if cursor is None:
            break

    assert sorted(stored) == sorted(seen)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "after-",
        "after-x",
        "after-²",
        "after--1",
        "before-1",
        "7",
        "after-1e3",
        "after-" + "9" * 40,
    ],
)
def test_a_cursor_that_is_none_of_ours_is_refused(services, shop, cursor) -> None:
    with pytest.raises(InvalidInputError, match="next_cursor"):
        ask(services, shop, filters=Filters(types=("semantic",)), cursor=cursor)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({}, "empty query"),
        ({"query": "  \n"}, "empty query"),
        ({"filters": Filters(min_confidence=0.5)}, "empty query"),
        ({"query": "x" * 8_001}, "8000 at most"),
        ({"query": "x", "max_results": 0}, "use 1 to 50"),
        ({"query": "x", "max_results": 51}, "use 1 to 50"),
        ({"query": "x", "token_budget": 0}, "use 1 to 10000"),
        ({"query": "x", "token_budget": 10_001}, "use 1 to 10000"),
        ({"ids": ("aaaa",) * 51}, "50 at most"),
    ],
)
def test_a_question_outside_its_limits_is_refused(services, shop, question, words) -> None:
    with pytest.raises(InvalidInputError, match=words):
        ask(services, shop, **question)


@pytest.mark.parametrize("summary_only", [False, True])
def test_answers_stay_within_their_budget_best_first(services, shop, summary_only) -> None:
    for number in range(20):
        store(services, shop, f"kilo {number} " + f"word{number} " * 60)
    answer = ask(
        services, shop, "kilo", max_results=20, token_budget=700, summary_only=summary_only
    )

    assert 0 < len(answer.results) < 20
    assert answer.token_estimate <= 700
    assert 20 == answer.total_matched
    assert summary_only == all(result.content is None for result in answer.results)


def test_one_answer_that_alone_exceeds_the_budget_is_cut_with_a_mark(services, shop) -> None:
    store(services, shop, "kilo " * 2_000)
    answer = ask(services, shop, "kilo", token_budget=200)

    assert answer.results[0].content.endswith(CUT_MARK)
    assert answer.token_estimate <= 200


def test_of_a_long_text_a_query_shows_the_passage_it_matches_and_the_id_all_of_it(
    services, shop
) -> None:
    text = "\n".join(f"Line {number} is about nothing in particular." for number in range(600))
    text = text.replace("Line 450 is", "Marlene approves the rotation. Line 450 is")
    memory = store(services, shop, text)
    store(services, shop, "The rotation is monthly.")
    question = "who approves the rotation?"
    shown = {hit.memory.key: hit.content for hit in ask(services, shop, question).results}
    previews = ask(services, shop, question, summary_only=True).results
    whole = ask(services, shop, ids=(memory.id,)).results[0]

    assert len(shown) == 2  # the long one leaves room
    assert shown[memory.key].startswith("… ")
    assert "Marlene approves the rotation." in shown[memory.key]
    assert shown[memory.key].endswith(CUT_MARK)
    assert any("Marlene approves" in hit.preview for hit in previews)
    assert text == whole.content
    cut = ask(services, shop, ids=(memory.id,), token_budget=300).results[0]
    assert cut.content.endswith("leave out token_budget]")


def test_ids_that_do_not_fit_are_named(services, shop) -> None:
    texts = [f"{name} " * 5_000 for name in ("kilo", "lima", "mike")]
    ids = tuple(store(services, shop, text).id for text in texts)
    answer = ask(services, shop, ids=ids)

    assert [texts[0].strip()] == [hit.content.strip() for hit in answer.results]
    assert f"the answer is full: ask again for {ids[1]}, {ids[2]}" in answer.degradations


def test_max_results_and_total_are_counted_apart(services, shop) -> None:
    for number in range(9):
        store(services, shop, f"kilo number {number} is word{number}")
    answer = ask(services, shop, "kilo", max_results=4)

    assert (4, 9) == (len(answer.results), answer.total_matched)


@settings(max_examples=examples(150))
@given(
    query=st.text(min_size=1, max_size=300)
    | st.text("\"'()*:^-+{}[] ANDORNEAR\0\ud800", min_size=1)
)
def test_no_question_is_an_error(tmp_path_factory, query: str) -> None:
    """T28: whatever is typed, nothing of it is syntax."""
    services = _shared(tmp_path_factory)
    context = services.context
    for filters in (
        Filters(tags=(query[:50],)),
        Filters(include_history=True, types=("semantic",)),
    ):
        answer = services.recall.recall(RecallQuery(query=query, filters=filters), context.visible)

        assert len(answer.results) <= 5


_SHARED: list[Services] = []


def _shared(factory) -> Services:
    """Return services over one SQLite store for all examples."""
    if not _SHARED:
        services = Services(open_sqlite(factory.mktemp("recall") / "m.db"))
        services.context = make_context(services.project("git:example.org/shop"))
        for text in ("alpha AND beta", "数据库 port 5432", "NEAR(x) * 'quoted'"):
            store(services, services.context, text)
        _SHARED.append(services)
    return _SHARED[0]


def test_a_query_has_one_page_and_who_asks_for_the_next_is_told(services, shop) -> None:
    store(services, shop, "The queue is NATS JetStream")
    assert ask(services, shop, "which queue?", cursor="").results
    with pytest.raises(InvalidInputError, match="cursor works only without a query"):
        ask(services, shop, "which queue?", cursor="0_2_0.5_x")


def test_a_word_with_a_slip_is_read_as_the_one_that_is_there_and_the_answer_says_so(
    services, shop
) -> None:
    wanted = store(services, shop, "The watchdog bites after nine seconds")
    store(services, shop, "Lunch is at noon")
    services.embedder = None
    answer = ask(services, shop, "watchdg")

    assert wanted.key == keys(answer)[0]
    assert 'also read "watchdg" as "watchdog"' in answer.degradations


def test_the_best_window_of_a_long_memory_wins_and_length_alone_does_not(services) -> None:
    shop = make_context(services.project("git:example.org/shop"))
    filler = " ".join(f"Note {number} tells of lunch, weather and shoes." for number in range(250))
    long = store(services, shop, f"{filler} The lighthouse lamp is a fresnel lens. {filler}")
    short = store(services, shop, "The harbour crane lifts nine tons")
    for number in range(5):
        store(services, shop, f"{filler} Chapter {number}.")

    assert long.key == keys(ask(services, shop, "which lens has the lighthouse lamp?"))[0]
    assert short.key == keys(ask(services, shop, "how much does the harbour crane lift?"))[0]


# -- what was set aside


@pytest.fixture
def aside(services, shop):
    """Return a memory that maintenance set aside, and one that it did not."""
    old = store(services, shop, "The old printer stood in the cellar")
    new = store(services, shop, "The queue is NATS JetStream")
    with services.store.transaction():
        services.store.memories.change(old.key, archived_at=services.clock.now())
    return old, new


def test_what_was_set_aside_answers_when_nothing_else_does_and_says_so(services, shop, aside):
    assert [aside[1].key] == keys(ask(services, shop, "queue"))
    with services.store.transaction():
        services.store.memories.change(aside[1].key, archived_at=services.clock.now())
    answer = ask(services, shop, "printer in the cellar")
    assert aside[0].key == keys(answer)[0]
    assert ARCHIVED_ONLY in answer.degradations


def test_what_was_set_aside_is_found_by_id_and_on_request_and_listed_only_then(
    services, shop, aside
):
    old, new = aside
    asked = Filters(include_archived=True)
    assert old.key in keys(ask(services, shop, "printer in the cellar", filters=asked))
    assert [old.key] == keys(ask(services, shop, ids=(old.id,)))
    everything = Filters(types=("semantic",))
    assert [new.key] == keys(ask(services, shop, filters=everything))
    assert {old.key, new.key} == set(
        keys(ask(services, shop, filters=everything.replace(include_archived=True)))
    )


def test_what_was_set_aside_and_recalled_is_in_force_again(services, shop, aside):
    old, _ = aside
    services.recall.uses.collect(ask(services, shop, ids=(old.id,)))
    assert services.recall.uses.write()
    assert services.store.memories.get([old.key])[0].archived_at is None
