"""What changed: the later memory stands for the earlier one, said or unsaid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.conflict.supersession import (
    OUTDATES,
    OUTRANKS,
    WEIGHTS,
    ParsedStatement,
    SupersessionFeatures,
    asks_for_past,
    changes_subject,
    supersession_probability,
)
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.relation import Link
from aforesaid.domain.model.statement import Statement
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.recall.supersede_filter import CONTRADICTED, NEWER, OLDER
from factories import DAY, NOON, Services, make_context

LIKELY = 0.75  #: cosine of two statements about one thing


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The build cache lies on host A7.", "The build cache was moved from host A7 to S3."),
        ("Invoices are mailed on day 3.", "Invoices are mailed on day 5 now, no longer on day 3."),
        ("The linter is Flake8.", "Ruff replaced Flake8 as the linter."),
        ("The release branch is cut on Fridays.", "The release branch is now cut on Mondays."),
    ],
)
def test_a_later_text_that_says_what_changed_outdates_the_earlier(older, newer) -> None:
    assert (
        supersession_probability(ParsedStatement(older), ParsedStatement(newer), LIKELY) >= OUTDATES
    )


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The limit of the upload page is 5 MB.", "The limit of the export page is 50 MB."),
        ("Error K17 means a full disk.", "Error K18 means a broken cable."),
        ("Fees outside Norway are 3 %.", "From May the fees in Norway are 2 %."),
        ("The cat sleeps in the box.", "The deploy runs at noon now."),
    ],
)
def test_mere_likeness_outdates_nothing(older, newer) -> None:
    assert (
        supersession_probability(ParsedStatement(older), ParsedStatement(newer), LIKELY) < OUTRANKS
    )


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The GeoIP service reads geo.toml.", "The GeoIP service moved from Redis to Valkey."),
        ("The API gateway lies in rack 4.", "The API gateway now takes 90 calls instead of 50."),
        (
            "The PDF printer is filled on Mondays.",
            "The PDF printer stays off today, since Olga is away.",
        ),
        ("The ledger closes at 18:00.", "The ledger no longer speaks XML but JSON."),
    ],
)
def test_a_change_of_one_thing_leaves_what_else_is_known_of_the_same_subject(older, newer) -> None:
    assert (
        supersession_probability(ParsedStatement(older), ParsedStatement(newer), LIKELY) < OUTRANKS
    )


def test_a_change_that_names_another_value_outdates_what_is_said_in_the_same_words() -> None:
    """In between the value changed once more, and nobody stored it."""
    older, newer = "The ledger listens on port 80.", "The ledger now listens on port 82, not 81."
    assert (
        supersession_probability(ParsedStatement(older), ParsedStatement(newer), LIKELY) >= OUTRANKS
    )


def test_a_text_that_says_much_more_is_never_surely_outdated() -> None:
    long = "Tern is a payments service in Go. Orders are booked twice, refunds wait for a person."
    assert (
        supersession_probability(
            ParsedStatement(long), ParsedStatement("Tern runs on Go 1.24 now."), 0.9
        )
        < OUTDATES
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Which courier did we use before Postillon?", True),
        ("Why did we move away from Redis?", True),
        ("What did we reject for the queue?", True),
        ("What was the old limit?", True),
        ("Which courier do we use?", False),
        ("current limit of uploads", False),
    ],
)
def test_a_question_for_the_past_is_recognised(query, expected) -> None:
    assert expected == asks_for_past(query)


@given(st.text(max_size=80), st.text(max_size=80), st.floats(-1, 1) | st.none())
def test_any_two_texts_give_a_share(older: str, newer: str, cosine: float | None) -> None:
    assert (
        0 <= supersession_probability(ParsedStatement(older), ParsedStatement(newer), cosine) <= 1
    )


def test_every_weight_belongs_to_a_sign() -> None:
    known = set(SupersessionFeatures().as_dict())
    assert [] == [name for each in WEIGHTS.values() for name in each if name not in known]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "The tide gauge reports every 5 minutes.",
            "Correction: it reports every 9 minutes.",
        ),
        ("The harbour office opens at 8.", "Actually the harbour office opens at 7."),
    ],
)
def test_a_correction_outdates_what_it_corrects(older, newer) -> None:
    assert supersession_probability(ParsedStatement(older), ParsedStatement(newer), 0.8) >= OUTDATES


def test_two_things_that_a_number_tells_apart_outdate_each_other_never() -> None:
    older, newer = "Pier 2 has 64 berths.", "Pier 3 has 128 berths."
    assert 0 == supersession_probability(ParsedStatement(older), ParsedStatement(newer), 0.95)


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("The dashboard is written in Elm", "We rewrote the dashboard in Svelte", True),
        ("Our tracker is Jira", "We moved the tracker to Linear yesterday", True),
        ("We picked Flask since the team knows it", "We no longer use Flask", True),
        ("We use yarn", "We switched from npm to pnpm", False),
        ("Our tracker is Jira", "The wiki moved to Notion", False),
        ("Crane 2 lifts 40 tons", "Crane 3 was upgraded to 60 tons", False),
        ("Our tracker is Jira", "The tracker is slow", False),
    ],
)
def test_a_change_is_about_what_it_names(older, newer, expected) -> None:
    assert expected == changes_subject(ParsedStatement(older), ParsedStatement(newer))


# -- in recall


@pytest.fixture
def services(store) -> Services:
    return Services(store, words_only=True)


@pytest.fixture
def context(services):
    return make_context(services.project("git:example.org/shop"))


def store(services, context, content, **fields):
    return services.remember.store(Statement(content=content, **fields), context).memory


def ask(services, context, query, **fields):
    return services.recall.recall(RecallQuery(query=query, **fields), context.visible)


def texts(answer) -> list[str]:
    return [result.memory.content for result in answer.results]


OLD = "The linter is Flake8 with line length 90."
NEW = "Ruff replaced Flake8 as the linter; line length stays 90."


def test_the_earlier_one_is_left_out_of_an_answer_and_the_later_one_says_why(
    services, context
) -> None:
    store(services, context, OLD)
    store(services, context, NEW)
    answer = ask(services, context, "Which linter and line length?")

    assert [NEW] == texts(answer)
    assert NEWER in answer.results[0].why


def test_the_earlier_one_is_reached_by_its_time_by_history_and_by_asking_for_it(
    services, context
) -> None:
    old = store(services, context, OLD)
    store(services, context, NEW)
    query = "Which linter and line length?"
    then = Filters(as_of=old.created_at + 1)

    assert [OLD] == texts(ask(services, context, query, filters=then))
    for fields in ({"filters": Filters(include_history=True)}, {"min_relevance": 0.0}):
        both = ask(services, context, query, **fields)
        assert [NEW, OLD] == texts(both)
        assert OLDER in both.results[1].why
    assert OLD in texts(ask(services, context, "Which linter and line length was it before?"))


def test_a_short_fact_gives_way_though_the_later_one_words_it_otherwise(services, context) -> None:
    store(services, context, "We use Jest for unit tests of the shop.")
    store(services, context, "Unit tests of the shop moved from Jest to Vitest.")
    answer = ask(services, context, "What do we use for unit tests of the shop?")

    assert "Unit tests of the shop moved from Jest to Vitest." == texts(answer)[0]


@pytest.mark.parametrize(
    ("older", "newer", "query"),
    [
        (
            "The dashboard is written in Elm",
            "We rewrote the dashboard in Svelte",
            "what is the dashboard written in",
        ),
        (
            "Our tracker is Jira",
            "We moved the tracker to Linear yesterday",
            "which tracker do we use",
        ),
        ("We host on AWS", "We moved the hosting to Hetzner", "where is the hosting"),
    ],
)
def test_a_stated_change_of_the_subject_is_first_and_the_older_one_names_it(
    services, context, older, newer, query
) -> None:
    store(services, context, older)
    change = store(services, context, newer)
    answer = ask(services, context, query)

    assert [newer, older] == texts(answer)
    assert change.key == answer.results[1].outdated_by
    assert OLDER in answer.results[1].why


def test_a_change_of_another_fact_of_the_subject_is_beside_what_the_query_asks_for(
    services, context
) -> None:
    store(services, context, "The mail sender listens on port 2525.")
    store(services, context, "The mail sender moved to Oslo.")
    answer = ask(services, context, "which port does the mail sender listen on?")

    assert ["The mail sender listens on port 2525.", "The mail sender moved to Oslo."] == texts(
        answer
    )


def test_who_says_something_is_not_what_it_is_about(services, context) -> None:
    for text in ("[2 May] Ada: the gauge reports to pier 4", "[3 May] Ada: the boat moved to Oslo"):
        store(services, context, text)

    answer = ask(services, context, "where does the gauge report?")
    assert "[2 May] Ada: the gauge reports to pier 4" == texts(answer)[0]
    assert answer.results[0].outdated_by is None


def test_the_number_that_the_query_says_is_first(services, context) -> None:
    for number, berths in ((2, 64), (3, 128), (12, 7)):
        store(services, context, f"Pier {number} has {berths} berths.")

    for number in (2, 3, 12):
        assert f"Pier {number} " in texts(ask(services, context, f"berths of pier {number}"))[0]


def test_a_number_counts_with_the_word_before_it(services, context) -> None:
    for crane in range(6):
        for pier in range(6):
            store(services, context, f"Crane {crane} serves pier {pier} only.")

    assert "Crane 4 serves pier 5 only." == texts(ask(services, context, "crane 4 pier 5"))[0]
    assert "Crane 2 serves pier 2 only." == texts(ask(services, context, "crane 2 pier 2"))[0]


def test_a_newer_statement_in_the_project_is_first_though_the_older_one_holds_everywhere(
    services, context
) -> None:
    store(services, context, "The editor theme is dark.", scope="global")
    store(services, context, "The editor theme is light now.")
    answer = ask(services, context, "which editor theme?")

    assert "The editor theme is light now." == texts(answer)[0]
    assert 2 == len(answer.results)


def test_another_project_or_entity_outdates_nothing(services, context) -> None:
    store(services, context, OLD, entity="gull")
    store(services, context, NEW, entity="tern")

    assert {OLD, NEW} == set(texts(ask(services, context, "Which linter and line length?")))


def test_of_two_that_contradict_each_other_the_later_is_first_and_both_say_so(
    services, context
) -> None:
    stored = store(services, context, "Backups of the ledger run at noon and midnight.")
    store(
        services,
        context,
        "Backups of the ledger happen only at midnight.",
        relations=(Link(kind="contradicts", target=stored.id),),
    )
    answer = ask(services, context, "When do backups of the ledger run?")

    assert "Backups of the ledger happen only at midnight." == texts(answer)[0]
    assert [True, True] == [CONTRADICTED in result.why for result in answer.results]


DATA = "The billing worker keeps its data in MySQL."
MOVED = "Ours was migrated to DynamoDB over Easter."
AGAIN = "Since June all of it lies with the provider."


def contradicted(services, context, **fields) -> None:
    """Store a fact, what contradicts it later, and what contradicts that: no words are shared."""
    (item, two, three) = [DATA, MOVED, AGAIN]
    known = store(services, context, item)
    for text in (two, three):
        links = (Link(kind="contradicts", target=known.id),)
        known = store(services, context, text, relations=links, **fields)


def test_what_contradicts_a_result_later_is_shown_in_its_place_though_not_found(services, context):
    contradicted(services, context)
    answer = ask(services, context, "Where does the billing worker keep its data?")

    assert [AGAIN, DATA] == texts(answer)
    assert NEWER in answer.results[0].why
    assert OLDER in answer.results[1].why


def test_of_two_that_contradict_each_other_and_hold_alike_long_neither_goes_first(
    services, context
):
    stored = store(services, context, "Backups of the ledger run at noon.", valid_from=NOON)
    store(
        services,
        context,
        "Backups of the ledger run at midnight.",
        valid_from=NOON,
        relations=(Link(kind="contradicts", target=stored.id),),
    )
    answer = ask(services, context, "When do backups of the ledger run?")

    assert [True, True] == [CONTRADICTED in result.why for result in answer.results]
    assert [] == [result for result in answer.results if OLDER in result.why]


@pytest.mark.parametrize("fields", [{"valid_to": NOON}, {"valid_from": NOON + DAY}])
def test_what_is_over_or_is_yet_to_come_takes_the_place_of_nothing(services, context, fields):
    known = store(services, context, "Backups of the ledger run at noon.")
    links = (Link(kind="contradicts", target=known.id),)
    store(services, context, "Ours lie in Oslo for a month.", relations=links, **fields)
    text = "Backups of the ledger run at midnight now, no longer at noon."
    store(services, context, text, **fields)
    answer = ask(services, context, "When do backups of the ledger run?")

    assert {known.content, text} == set(texts(answer))
    assert [] == [result for result in answer.results if OLDER in result.why]


@pytest.mark.parametrize(
    ("fields", "filters"),
    [({}, Filters(types=("semantic",))), ({"provenance": "import"}, Filters())],
)
def test_nothing_is_put_beside_what_was_filtered_or_by_what_came_from_outside(
    services, context, fields, filters
):
    contradicted(services, context, **fields)
    answer = ask(services, context, "Where does the billing worker keep its data?", filters=filters)

    assert [DATA] == texts(answer)


@pytest.mark.parametrize("outside", ["tool", "import"])
@pytest.mark.parametrize("linked", [True, False])
def test_nothing_from_outside_outdates_what_was_said_here(services, context, outside, linked):
    ours = "The deploy key of the ledger is K-1."
    theirs = "The deploy key of the ledger is K-2 now, no longer K-1."
    stored = store(services, context, ours)
    links = (Link(kind="contradicts", target=stored.id),) if linked else ()
    store(services, context, theirs, provenance=outside, relations=links)
    answer = ask(services, context, "What is the deploy key of the ledger?")

    assert {ours, theirs} == set(texts(answer))
    assert [] == [
        result.why for result in answer.results if NEWER in result.why or OLDER in result.why
    ]
