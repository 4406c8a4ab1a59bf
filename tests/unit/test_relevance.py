"""How likely a memory answers: its signals, and where an answer is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Hit
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.retrieval.relevance import (
    ANSWERED_WEIGHTS,
    NO_MATCH,
    SHARE_OF_BEST,
    SURE,
    WEIGHTS,
    QueryFeatures,
    RelevanceFeatures,
    answer_probability,
    relevance_cutoff,
    relevance_features,
    relevance_of,
)
from aforesaid.domain.retrieval.term_matching import TermMatcher
from aforesaid.domain.text.synonyms import synonyms_of
from aforesaid.domain.text.tokenize import is_edit_distance_one, stem
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.recall.recall import NO_WORDS
from factories import Services, make_context


def hits(**cosines: float) -> list[Hit]:
    return [Hit(key=int(k[1:]), head=int(k[1:]), score=item) for k, item in cosines.items()]


def features_of(query, texts, vectors=(), months=None, scores=None):
    return relevance_features(query, texts, vectors, months, scores)[1]


def query_features(query, texts, vectors=()) -> QueryFeatures:
    return relevance_features(query, texts, vectors)[0]


def test_what_holds_more_of_the_question_is_likelier() -> None:
    texts = {1: "The queue is NATS JetStream", 2: "The cat sleeps", 3: "A queue of people"}
    features = features_of("which NATS queue?", texts)
    likely = {head: relevance_of(item, 1.0, vectors=False) for head, item in features.items()}

    assert likely[1] > likely[3] > likely[2]


def test_what_is_nearer_in_meaning_is_likelier() -> None:
    features = features_of("zulu", {1: "alpha", 2: "beta"}, hits(k1=0.7, k2=0.3))

    nearer, farther = (relevance_of(features[head], 1.0, vectors=True) for head in (1, 2))
    assert nearer > farther


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("which port does Bergen use?", "the port is 80"),  # another name
        ("what does E_4711 mean?", "an error means retry"),  # another code
        ("how do whales sleep?", "the port is 80"),  # no word of it
    ],
)
def test_an_answer_is_less_likely_where_the_query_names_what_nothing_holds(query, text) -> None:
    known = query_features("which port?", {1: "the port is 80"}, hits(k1=0.5))
    unknown = query_features(query, {1: text}, hits(k1=0.5))

    for vectors in (True, False):
        probabilities = [answer_probability(one, vectors=vectors) for one in (known, unknown)]
        assert probabilities[0] > probabilities[1]


def test_an_answer_is_likelier_where_a_memory_is_nearer() -> None:
    near, far = (query_features("zulu", {1: "alpha"}, hits(k1=score)) for score in (0.8, 0.3))

    assert answer_probability(near, vectors=True) > answer_probability(far, vectors=True)


def test_relevance_never_exceeds_the_probability_of_any_answer() -> None:
    features = features_of("kilo", {1: "kilo"}, hits(k1=0.9))

    assert relevance_of(features[1], 0.3, vectors=True) <= 0.3


def test_a_word_that_nothing_holds_weighs_most() -> None:
    texts = {number: f"queue number {number}" for number in range(1, 9)}
    known = features_of("queue number", texts)[1].coverage
    unknown = features_of("queue zanzibar", texts)[1].coverage

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
def test_a_synonym_covers_part_of_the_query(query, text) -> None:
    covered = TermMatcher(query, {1: text, 2: "The cat sleeps"}).synonym_coverage([1, 2])

    assert covered[1] > 0.0 == covered[2]


def test_a_word_that_is_said_itself_does_not_count_once_more_as_its_synonym() -> None:
    matcher = TermMatcher("which database", {1: "The database is Postgres", 2: "Postgres"})

    covered = matcher.synonym_coverage([1, 2])

    assert (0.0, 1.0) == (covered[1], matcher.coverage[1])
    assert covered[2] > 0


def test_a_synonym_that_many_texts_contain_counts_for_less() -> None:
    texts = dict(enumerate(["Postgres", "MySQL", "SQLite", "the cat", "a dog"]))
    fewer = {**texts, 1: "sun", 2: "moon"}
    many, few = (
        TermMatcher("database", each).synonym_coverage(list(each)) for each in (texts, fewer)
    )

    assert few[0] > many[0] > 0


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
    assert 0 < features_of(query, {1: text, 2: "other"})[1].coverage


def test_a_word_of_several_parts_counts_once() -> None:
    texts = {1: "call useClientDate after mount", 2: "the client has a date", 3: "nothing"}
    features = features_of("useClientDate", texts)

    assert 1.0 == pytest.approx(features[1].coverage)
    assert 0 < features[2].coverage < 0.5


def test_what_only_asks_weighs_less_than_what_is_asked_about() -> None:
    texts = {1: "the queue is NATS", 2: "many people run", 3: "the cat sleeps"}
    features = features_of("how many run the queue", texts)

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
    features = features_of(query, {1: fit, 2: unfit})

    assert (0.0, 1.0) == (features[1].unfit, features[2].unfit)


def test_a_question_may_name_the_month_that_a_memory_is_from() -> None:
    texts, months = {1: "the database failed", 2: "the database failed"}, {1: "May 2026"}
    features = features_of("what failed in may 2026", texts, [], months)

    assert features[1].coverage > features[2].coverage


def test_codes_and_names_of_the_query_that_no_memory_holds_are_counted() -> None:
    held, other = "E_4711 means retry", "nothing"
    query = "what does E_4711 mean for Korea?"

    assert (0.0, 1.0) == (query_features(query, {1: held, 2: other}).missed, 1.0)
    assert 1.0 == query_features(query, {1: held, 2: other}).foreign
    assert 1.0 == query_features(query, {2: other}).missed


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


def test_every_weight_belongs_to_a_feature() -> None:
    for weights, known in ((WEIGHTS, RelevanceFeatures()), (ANSWERED_WEIGHTS, QueryFeatures())):
        names = {name for each in weights.values() for name in each}
        assert set() == names - set(known.as_dict())


def test_words_only_needs_no_cosine() -> None:
    assert not {"top", "margin"} & {*WEIGHTS["words only"], *ANSWERED_WEIGHTS["words only"]}


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_relevance_is_a_share_whatever_is_asked(query: str, texts: list[str]) -> None:
    report = dict(enumerate(texts))
    of_query, features = relevance_features(
        query, report, [Hit(key=head, head=head, score=1.0) for head in report]
    )

    assert set(report) == set(features)
    for vectors in (True, False):
        answered = answer_probability(of_query, vectors=vectors)
        assert 0 <= answered <= 1
        for item in features.values():
            assert 0 <= relevance_of(item, answered, vectors=vectors) <= answered


def test_only_a_sure_result_cuts_those_far_behind_it() -> None:
    assert 0.0 == relevance_cutoff(SURE - 0.01, None)
    assert SHARE_OF_BEST * 0.9 == relevance_cutoff(0.9, None)
    assert 0.3 == relevance_cutoff(0.9, 0.3)


def test_the_first_leads_by_what_the_next_lacks_and_the_rest_are_behind_it() -> None:
    texts = dict.fromkeys((1, 2, 3), "alpha")
    features = features_of("alpha", texts, scores={1: 0.5, 2: 0.9, 3: 0.7})

    assert pytest.approx([-0.4, 0.2, -0.2]) == [features[head].lead for head in (1, 2, 3)]


# -- in recall


@pytest.fixture
def services(store) -> Services:
    return Services(store, words_only=True)


@pytest.fixture
def shop(services):
    context = make_context(services.project("git:example.org/shop"))
    for text in ("The queue is NATS JetStream", "The build runs at night", "A queue for lunch"):
        services.remember.store(Statement(content=text), context)
    return context


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


def test_the_line_without_a_good_match_follows_the_relevance_shown(services, shop) -> None:
    for query in (
        "NATS JetStream queue",
        "does the night shift in Lisbon dance",
        "queue of Lisbon",
    ):
        answer = ask(services, shop, query)
        best = max(result.relevance for result in answer.results)

        assert answer.no_good_match == (best < NO_MATCH)


def test_results_are_in_the_order_of_their_relevance(services, shop) -> None:
    for number in range(6):
        text = f"Queue {number} of the night shift holds {number} parcels"
        services.remember.store(Statement(content=text), shop)
    answer = ask(services, shop, "how many parcels are in the night shift queue?", max_results=10)
    likely = [result.relevance for result in answer.results]

    assert sorted(likely, reverse=True) == likely


@pytest.mark.parametrize("query", ['"', "*", "\U0001f6a2", "?!", "…"])
def test_a_query_without_letters_and_digits_matches_nothing(services, shop, query) -> None:
    answer = ask(services, shop, query)

    assert ((), (NO_WORDS,)) == (answer.results, answer.degradations)


def test_a_store_with_few_memories_shows_the_nearest_if_nothing_matches(store) -> None:
    services = Services(store)
    place = make_context(services.project("git:example.org/berth"))
    services.remember.store(Statement(content="Kestrel"), place)
    answer = ask(services, place, "zzz yyy xxx")

    assert ["Kestrel"] == [result.memory.content for result in answer.results]
    assert answer.no_good_match


def test_fewer_candidates_make_no_answer_likelier() -> None:
    (few, _), (more, _) = (
        relevance_features("kubernetes", {}, [Hit(key=1, head=n, score=0.2) for n in range(count)])
        for count in (2, 30)
    )

    assert few.candidates == more.candidates


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
