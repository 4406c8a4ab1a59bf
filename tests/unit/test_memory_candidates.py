"""What a user said that outlives the session. Tables: a sentence a line."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.memory_candidates import candidate_of


def table(text: str):
    rows = [row.strip() for row in text.strip().splitlines()]
    return pytest.mark.parametrize("sentence", rows)


@table(
    """
    always use uv here
    we deploy on Fridays
    from now on write the changelog first
    our staging database is on postgres 14
    Anna owns the billing service
    by the way, the build host is bld3 now
    v1 is frozen
    releases are tagged by the bot, don't tag by hand
    we decided last week to drop Python 3.9
    ab jetzt immer mit Semikolon als Trennzeichen
    wir bleiben auf Godot 3.5 wegen der alten Tablets
    a partir de ahora siempre UTC en la base
    désormais pas de dates en dur dans le code
    以后时间统一存 UTC
    今後、ログは必ずJSONで出してください
    """
)
def test_what_outlives_the_session_is_a_candidate(sentence):
    assert candidate_of(sentence, 1) is not None


@table(
    """
    run the tests now
    add a test for the parser
    please commit
    use the other branch for now
    don't push yet
    the page is slow
    the build fails again
    the tooltip is behind the dialog
    can we always use uv?
    is the port always 5432?
    what is our release day?
    let's use a dict instead of a list
    we look at it on a daily basis
    it always returns None
    we need an importer for bank statements
    put it in a commit
    starte mal den server
    ejecuta el monitor
    lance l'émulateur
    跑一下 lint
    ok, next
    """
)
def test_what_holds_for_the_moment_is_no_candidate(sentence):
    assert candidate_of(sentence, 1) is None


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("no, the port is 5433", "the port is 5433"),
        ("wait, it's PostgreSQL 16, not 14", "it's PostgreSQL 16, not 14"),
        ("falsch, der Broker steht auf Port 8883", "der Broker steht auf Port 8883"),
        ("不对,超时是 30 分钟", "超时是 30 分钟"),
    ],
)
def test_a_correction_that_says_how_things_are_is_one(sentence, text):
    candidate = candidate_of(sentence, 1, corrects=True)
    assert candidate is not None
    assert ("correction", text) == (candidate.kind, candidate.text)


@table(
    """
    no, not that file
    you forgot the index
    revert that
    that's wrong
    don't hardcode 8.1 there
    """
)
def test_a_correction_of_the_work_alone_is_none(sentence):
    assert candidate_of(sentence, 1, corrects=True) is None


@table(
    """
    no, use port 5433 for the importer's database
    use pnpm, not npm
    don't upload exports to acme-prod, use acme-exports
    use the staging registry for test images, not the public one
    nimm Port 5433 für die Datenbank des Importers
    utilise pnpm, pas npm
    usa acme-exports para las exportaciones
    用 pnpm,不要用 npm
    """
)
def test_an_order_to_use_something_of_the_surroundings_is_a_correction_that_lasts(sentence):
    candidate = candidate_of(sentence, 1, corrects=True)
    assert candidate is not None
    assert "correction" == candidate.kind


@table(
    """
    no, use a for loop
    use a comprehension, not map
    don't use a lambda, use a named function
    no, use red
    no, rename it to read_rows2
    no, return a tuple instead of a list
    nicht map, sondern eine Schleife
    用循环,不要用 map
    """
)
def test_an_order_about_parts_of_the_work_is_none(sentence):
    assert candidate_of(sentence, 1, corrects=True) is None


@pytest.mark.parametrize(
    ("sentence", "instead_of", "lasts"),
    [
        ("no, 30 days", "The backups on this host are kept for 7 days", True),
        ("no, 30 seconds", "I added a cache with a ttl of 60 seconds", False),
        ("no, 800 health", "The boss has 500 health now", False),
        ("no, 8081", "The API listens on 8080", True),
        ("no, pnpm", "The package is installed with npm", True),
        ("no, green", "The header is blue", False),
        ("no, not Redis", "The keys are kept in Redis", False),
    ],
)
def test_a_value_alone_lasts_by_what_it_puts_right(sentence, instead_of, lasts):
    candidate = candidate_of(sentence, 1, corrects=True, instead_of=instead_of)
    assert lasts == (candidate is not None)


@pytest.mark.parametrize(
    ("sentence", "content"),
    [
        ("no, it's 5433", "Exports go to prod on 5433"),
        (
            "use the staging bucket for that, not prod",
            'use the staging bucket for that, not prod (instead of "Exports go to prod on 5432")',
        ),
    ],
)
def test_what_cannot_be_understood_alone_lasts_only_beside_what_it_puts_right(sentence, content):
    assert candidate_of(sentence, 1, corrects=True) is None
    beside = candidate_of(sentence, 1, corrects=True, instead_of="Exports go to prod on 5432")
    assert beside is not None
    assert content == beside.content


@pytest.mark.parametrize(
    ("sentence", "content"),
    [
        ("The billing service listens on port 8080, remember that.", "listens on port 8080"),
        ("Please remember: the office closes at six", "office closes at six"),
    ],
)
def test_what_the_user_asks_to_remember_lasts(sentence, content):
    candidate = candidate_of(sentence, 1)
    assert candidate is not None
    assert candidate.content.endswith(content)


@pytest.mark.parametrize(
    ("sentence", "scope"),
    [
        ("I prefer short commit messages", "global"),
        ("I prefer dark themes on my screens", "global"),
        ("ich mag keine langen Antworten", "global"),
        ("prefiero respuestas cortas, siempre", "global"),
        ("always use uv here", "project"),
        ("I always want Decimal for money in this repo", "project"),
        ("we deploy on Fridays", "project"),
    ],
)
def test_it_applies_where_what_it_is_about_is(sentence, scope):
    candidate = candidate_of(sentence, 1)
    assert candidate is not None
    assert scope == candidate.scope


@pytest.mark.parametrize(
    "sentence",
    ["no generics in this project, we build with tinygo", "no uses los colores aquí, nunca"],
)
def test_the_no_of_a_rule_is_part_of_it(sentence):
    candidate = candidate_of(sentence, 1)
    assert candidate is not None
    assert candidate.text.startswith("no ")


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("oh btw, always use uv here pls", "always use uv here"),
        ("thx. and we deploy on Fridays, keep that in mind", "we deploy on Fridays"),
    ],
)
def test_words_that_only_lead_to_it_are_left_out(sentence, text):
    candidate = candidate_of(sentence, 1)
    assert candidate is not None
    assert text == candidate.text


@pytest.mark.parametrize(
    ("sentence", "content"),
    [
        ("Also from now on sign it as 'The Club'.", "From now on sign it as 'The Club'."),
        ("And npm is never used here.", "npm is never used here."),
        ("also never use tabs here", "never use tabs here"),
    ],
)
def test_a_sentence_begins_with_a_capital_if_it_did(sentence, content):
    candidate = candidate_of(sentence, 1)
    assert candidate is not None
    assert content.rstrip(".") == candidate.content.rstrip(".")


@pytest.mark.parametrize(
    "sentence",
    [
        "That's the rule going forward, yes",
        "That's the policy the report has to implement from now on",
        "Amendment to the overage policy we settled before launch",
        "Two updates to the retry policy we always use",
        "Those three are the ones our schema uses",
        "That blanket no-op is exactly what we can't do",
    ],
)
def test_what_says_nothing_without_what_was_said_before_is_no_candidate(sentence):
    assert candidate_of(sentence, 1) is None
