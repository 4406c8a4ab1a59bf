"""How likely a memory answers: its signals, and where an answer is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Hit
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.retrieval.relevance import (
    INJECTION_FLOOR,
    SHARE_OF_BEST,
    WEIGHTS,
    RelevanceFeatures,
    relevance_cutoff,
    relevance_features,
    relevance_of,
)
from aforesaid.domain.retrieval.term_matching import synonyms_of
from aforesaid.domain.text.tokenize import is_edit_distance_one, stem
from aforesaid.services.recall.filters import rerank_by_relevance
from aforesaid.services.recall.query import RecallHit, RecallQuery
from factories import Services, make_memory, place_of


def hits(**cosines: float) -> list[Hit]:
    return [Hit(key=int(k[1:]), head=int(k[1:]), score=item) for k, item in cosines.items()]


def test_what_holds_more_of_the_question_is_likelier() -> None:
    texts = {1: "The queue is NATS JetStream", 2: "The cat sleeps", 3: "A queue of people"}
    features = relevance_features("which NATS queue?", texts, [])
    likely = {head: relevance_of(item, vectors=False) for head, item in features.items()}

    assert likely[1] > likely[3] > likely[2]


def test_what_is_nearer_in_meaning_is_likelier() -> None:
    features = relevance_features("zulu", {1: "alpha", 2: "beta"}, hits(k1=0.7, k2=0.3))

    assert relevance_of(features[1], vectors=True) > relevance_of(features[2], vectors=True)


def test_a_word_that_nothing_holds_weighs_most() -> None:
    texts = {number: f"queue number {number}" for number in range(1, 9)}
    known = relevance_features("queue number", texts, [])[1].coverage
    unknown = relevance_features("queue zanzibar", texts, [])[1].coverage

    assert 1.0 == pytest.approx(known)
    assert unknown < 0.1


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("which database", "It is all in Postgres 16"),
        ("the secret store", "credentials are renewed each May"),
        ("how are packages installed", "uv, never pip"),
        ("is there a k8s", "one Kubernetes cluster in Oslo"),
    ],
)
def test_a_word_of_the_same_matter_makes_an_answer_likelier(query, text) -> None:
    features = relevance_features(query, {1: text, 2: "The cat sleeps"}, [])

    assert features[1].akin > 0.0 == features[2].akin
    for vectors in (True, False):
        likely = {head: relevance_of(item, vectors=vectors) for head, item in features.items()}
        assert likely[1] > likely[2]


def test_a_word_that_is_said_itself_does_not_count_once_more_as_another_of_its_matter() -> None:
    features = relevance_features(
        "which database", {1: "The database is Postgres", 2: "Postgres"}, []
    )

    assert (0.0, 1.0) == (features[1].akin, features[1].coverage)
    assert features[2].akin > 0


def test_what_everybody_says_otherwise_counts_for_less() -> None:
    texts = dict(enumerate(["Postgres", "MySQL", "SQLite", "the cat", "a dog"]))
    many = relevance_features("database", texts, [])[0].akin
    akin = relevance_features("database", {**texts, 1: "sun", 2: "moon"}, [])[0].akin

    assert akin > many > 0


def test_words_of_one_matter_know_each_other_and_not_themselves() -> None:
    assert "postgr" in {word[:6] for word in synonyms_of("database")}
    assert stem("database") in synonyms_of("postgres")
    assert stem("database") not in synonyms_of("database")
    assert frozenset() == synonyms_of("zanzibar")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("deploying", "We deploy at noon"),
        ("watchdg", "the watchdog bites"),
        ("src/api/main.py", "see src/api/main.py for it"),
        ("数字", "三桁以上は漢数字にする"),
    ],
)
def test_words_are_held_whatever_their_form(query: str, text: str) -> None:
    assert 0 < relevance_features(query, {1: text, 2: "other"}, [])[1].coverage


def test_a_word_of_several_parts_counts_once() -> None:
    texts = {1: "call useClientDate after mount", 2: "the client has a date", 3: "nothing"}
    features = relevance_features("useClientDate", texts, [])

    assert 1.0 == pytest.approx(features[1].coverage)
    assert 0 < features[2].coverage < 0.5


def test_what_only_asks_weighs_less_than_what_is_asked_about() -> None:
    texts = {1: "the queue is NATS", 2: "many people run", 3: "the cat sleeps"}
    features = relevance_features("how many run the queue", texts, [])

    assert features[1].coverage > features[2].coverage


@pytest.mark.parametrize(
    ("query", "fit", "unfit"),
    [
        ("How many retries?", "There are 3 retries", "Retries use jitter"),
        ("When is the freeze?", "The freeze begins in December", "The freeze binds all"),
        ("Who owns billing?", "For billing ask Takoda", "billing is a service"),
        ("Which courier did we use before Postillon?", "Hermes was dropped", "Postillon is fast"),
    ],
)
def test_what_cannot_be_an_answer_of_the_kind_asked_for_is_told(query, fit, unfit) -> None:
    features = relevance_features(query, {1: fit, 2: unfit}, [])

    assert (0.0, 1.0) == (features[1].unfit, features[2].unfit)


def test_a_question_may_name_the_month_that_a_memory_is_from() -> None:
    texts, months = {1: "the database failed", 2: "the database failed"}, {1: "May 2026"}
    features = relevance_features("what failed in may 2026", texts, [], months)

    assert features[1].coverage > features[2].coverage


def test_codes_that_are_held_and_names_that_are_not_are_told() -> None:
    held, other = "E_4711 means retry", "nothing"
    features = relevance_features("what does E_4711 mean for Korea?", {1: held, 2: other}, [])

    assert (1.0, 1.0) == (features[1].exact, features[1].foreign)
    assert (0.0, 1.0) == (features[2].exact, features[2].missed)


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ("timout", "timeout", True),
        ("tiemout", "timeout", True),
        ("timeaut", "timeout", True),
        ("timeout", "timeouts", True),
        ("tmiotue", "timeout", False),
        ("stage", "store", False),
    ],
)
def test_one_slip_is_a_letter_wrong_missing_added_or_swapped(first, other, expected) -> None:
    assert expected == is_edit_distance_one(first, other) == is_edit_distance_one(other, first)


def test_every_weight_belongs_to_a_signal() -> None:
    known = set(RelevanceFeatures().as_dict())
    assert [] == [name for each in WEIGHTS.values() for name in each if name not in known]


def test_words_only_needs_no_signal_of_meaning() -> None:
    assert not {"cosine", "margin", "behind", "alone", "agreement"} & set(WEIGHTS["words only"])


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_relevance_is_a_share_whatever_is_asked(query: str, texts: list[str]) -> None:
    report = dict(enumerate(texts))
    features = relevance_features(
        query, report, [Hit(key=head, head=head, score=1.0) for head in report]
    )

    assert set(report) == set(features)
    for item in features.values():
        assert 0 <= relevance_of(item, vectors=True) <= 1
        assert 0 <= relevance_of(item, vectors=False) <= 1


def test_only_a_sure_result_cuts_those_far_behind_it() -> None:
    assert 0.0 == relevance_cutoff(0.5, None)
    assert SHARE_OF_BEST * 0.9 == relevance_cutoff(0.9, None)
    assert 0.3 == relevance_cutoff(0.9, 0.3)
    assert 0.5 < INJECTION_FLOOR < 1


def test_the_first_leads_by_what_the_next_lacks_and_the_rest_are_behind_it() -> None:
    texts = dict.fromkeys((1, 2, 3), "alpha")
    features = relevance_features("alpha", texts, [], scores={1: 0.5, 2: 0.9, 3: 0.7})

    assert [0.0, 1.0, 0.0] == [features[head].first for head in (1, 2, 3)]
    assert pytest.approx([-0.4, 0.2, -0.2]) == [features[head].lead for head in (1, 2, 3)]


def test_what_lacks_the_heaviest_word_lacks_more_than_what_lacks_another() -> None:
    texts = {1: "the zanzibar deploy", 2: "a deploy of the queue", 3: "queue, deploy"}
    features = relevance_features("zanzibar queue deploy", texts, [])

    assert 0.0 < features[1].lacking < features[2].lacking


# -- in recall


@pytest.fixture
def services(store) -> Services:
    return Services(store, words_only=True)


@pytest.fixture
def shop(services):
    place = place_of(services.project("git:example.org/shop"))
    for text in ("The queue is NATS JetStream", "The build runs at night", "A queue for lunch"):
        services.remember.store(Statement(content=text), place)
    return place


def ask(services, shop, query, **fields):
    return services.recall.recall(RecallQuery(query=query, **fields), shop.visible)


def test_each_result_says_how_likely_it_answers(services, shop) -> None:
    answer = ask(services, shop, "NATS JetStream queue", min_relevance=0.0)
    likely = [result.relevance for result in answer.results]

    assert 2 == len(likely)
    assert likely[0] > 0.5 > likely[1]


def test_results_below_the_least_relevance_are_left_out(services, shop) -> None:
    answer = ask(services, shop, "NATS JetStream queue", min_relevance=0.5)

    assert ["The queue is NATS JetStream"] == [result.memory.content for result in answer.results]
    assert 1 == answer.total_matched


def test_where_nothing_is_relevant_nothing_comes_and_the_answer_says_so(services, shop) -> None:
    answer = ask(services, shop, "does the night shift in Lisbon dance", min_relevance=0.9)

    assert ((), 0) == (answer.results, answer.total_matched)
    assert "no result reaches min_relevance 0.9" in answer.degradations


def test_an_old_version_that_matched_speaks_for_the_one_in_force(services, shop) -> None:
    old = services.remember.store(Statement(content="We deploy with fabric"), shop).memory
    services.remember.store(Statement(content="Now it is ansible", supersedes=(old.id,)), shop)
    answer = ask(services, shop, "deploy fabric", min_relevance=0.5)

    assert ["Now it is ansible"] == [result.memory.content for result in answer.results]


def test_a_least_relevance_is_a_share(services, shop) -> None:
    with pytest.raises(InvalidInputError, match=r"min_relevance 1\.5 is outside 0 to 1"):
        ask(services, shop, "queue", min_relevance=1.5)


def test_another_name_of_what_a_memory_is_about_counts_as_said(services, shop) -> None:
    about = Statement(
        content="Picks parcels up at noon",
        type="entity",
        entity="Kestrel Freight",
        metadata={"aliases": ["KFR"]},
    )
    services.remember.store(about, shop)
    answer = ask(services, shop, "When does KFR pick parcels up?")
    results = {result.memory.content: result.signals for result in answer.results}

    assert "kfr" in results["Picks parcels up at noon"].names


def test_what_says_it_comes_before_what_only_stands_beside_it():
    def result(key: int, score: float, relevance: float) -> RecallHit:
        return RecallHit(memory=make_memory(key).replace(key=key), score=score, relevance=relevance)

    def order(*results: RecallHit) -> list[int]:
        matches = rerank_by_relevance(results)
        scores = [item.score for item in matches]
        assert sorted(scores, reverse=True) == scores
        assert all(0 <= item <= 1 for item in scores)
        return [item.memory.key for item in matches]

    assert [2, 1] == order(result(1, 1.2, 0.02), result(2, 1.0, 0.6))
    assert [1, 2] == order(result(1, 1.2, 0.02), result(2, 1.0, 0.1))
    assert [1, 2] == order(result(1, 1.0, 0.3), result(2, 1.0, 0.3))
    assert [1] == order(result(1, 2.5, 1.0))
