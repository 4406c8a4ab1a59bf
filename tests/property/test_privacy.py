"""What holds for every text: nothing private stays, hashing settles, sameness is an equivalence."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.domain.dedup import same_statement
from aforesaid.domain.text.sanitize import clean_text, normalise_for_hash, strip_private

ANY = st.text(st.characters(), max_size=80)
OPENINGS = st.sampled_from(["<private>", "<PRIVATE>", "< private a='1'>", "&lt;private&gt;"])
CLOSINGS = st.sampled_from(["</private>", "</PRIVATE >", "</ private>", "&lt;/private&gt;"])
PUBLIC = st.text("abc .\n\u00e9", max_size=8)
WORDS = st.sampled_from(
    [
        *("use", "run", "the", "tests", "before", "deploy", "on", "port", "5432", "never", "must"),
        *("not", "redis", "for", "Alice", "in", "CI", ",", ".", "v1.2", "30s", "/etc/app.conf"),
        *("`make test`", "prefers", "we", "should", "2pm", "it's", "don't", "is", "handled", "by"),
        *("Postgres", "March", "5,", "2026", "have", "to", "1,000", "9:30", "a", "A", "please"),
    ]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)


@st.composite
def texts_with_private_spans(draw):
    """Return a text and what of it is public; every private part holds ``SECRET``."""
    parts, public = [], []
    for _ in range(draw(st.integers(1, 5))):
        message = draw(PUBLIC)
        parts.append(message)
        public.append(message)
        depth = draw(st.integers(0, 3))
        parts += [draw(OPENINGS) + "SECRET" for _ in range(depth)]
        parts += ["SECRET" + draw(CLOSINGS) for _ in range(depth)]
    if draw(st.booleans()):
        parts += [draw(OPENINGS), "SECRET"]
    return "".join(parts), "".join(public)


@given(texts_with_private_spans())
def test_private_parts_go_and_public_parts_stay(made):
    text, public = made
    assert strip_private(text)[0] == public


@given(st.lists(st.one_of(OPENINGS, CLOSINGS, PUBLIC, st.sampled_from(["<pri", "vate>", "</pri"]))))
def test_no_tag_survives_in_any_mixture(parts):
    kept, _ = strip_private("".join(parts))
    assert strip_private(kept) == (kept, 0)
    assert not re.search(r"</?\s*private\s*>", kept, re.IGNORECASE)


@given(ANY)
def test_any_text_is_stripped_without_error_and_only_loses(text):
    kept, count = strip_private(text)
    assert len(kept) <= len(text)
    assert (kept == text) == (count == 0)


@given(ANY)
def test_clean_text_can_be_encoded_and_is_clean_already(text):
    clean = clean_text(text)
    clean.encode()
    assert clean_text(clean) == clean
    assert "\x00" not in clean


@given(ANY)
def test_normalising_twice_is_normalising_once(text):
    once = normalise_for_hash(text)
    assert normalise_for_hash(once) == once


@given(ANY)
def test_case_and_blanks_do_not_change_the_normal_form(text):
    cleaned = clean_text(text)
    assert normalise_for_hash("  ".join(cleaned.split())) == normalise_for_hash(cleaned)


@given(ANY)
def test_redacting_any_text_ends_and_settles(text):
    once, _ = SecretRedactor().redact(text)
    assert SecretRedactor().redact(once) == (once, [])


@given(st.one_of(ANY, SENTENCES))
def test_every_text_states_what_it_states(text):
    assert same_statement(text, text)


@given(st.one_of(ANY, SENTENCES), st.one_of(ANY, SENTENCES))
def test_sameness_does_not_depend_on_the_order_of_two_texts(a, b):
    assert same_statement(a, b) == same_statement(b, a)


@given(SENTENCES, st.data())
def test_another_digit_makes_another_statement(text, data):
    places = [place for place, char in enumerate(text) if char.isdigit()]
    if places:
        place = data.draw(st.sampled_from(places))
        digit = data.draw(st.sampled_from([d for d in "0123456789" if d != text[place]]))
        assert not same_statement(text, text[:place] + digit + text[place + 1 :])


@given(st.one_of(ANY, SENTENCES), st.data())
def test_an_inserted_not_makes_another_statement(text, data):
    words = text.split(" ")
    place = data.draw(st.integers(0, len(words)))
    changed = " ".join([*words[:place], "not", *words[place:]])
    assert not same_statement(text, changed)


@given(SENTENCES, st.data())
def test_a_dropped_name_makes_another_statement(text, data):
    name = data.draw(st.sampled_from(["Alice", "Bob", "Redis", "src/app.py", "MAX_RETRIES"]))
    words = text.split(" ")
    place = data.draw(st.integers(0, len(words)))
    assert not same_statement(text, " ".join([*words[:place], name, *words[place:]]))
