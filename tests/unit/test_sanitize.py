"""Private spans go, broken characters go, and hashes see two writings of a text as one."""

from __future__ import annotations

import pytest

from aforesaid.domain.text.sanitize import clean_text, normalise_for_hash, strip_private


@pytest.mark.parametrize(
    ("text", "kept", "count"),
    [
        ("nothing here", "nothing here", 0),
        ("a <private>x</private> b", "a  b", 1),
        ("a <private>x</private> b <private>y</private> c", "a  b  c", 2),
        ("a <private>x<private>y</private>z</private> b", "a  b", 1),
        ("a <private>x and no end", "a ", 1),
        ("a <private>x<private>y</private> z", "a ", 1),
        ("x</private> b", " b", 1),
        ("a <private>x</private> y</private> z", "a  z", 2),
        ("a <PRIVATE>x</Private> b", "a  b", 1),
        ('a < private class="k" >x</ private > b', "a  b", 1),
        ('a <private note="1>0">x</private> b', "a  b", 1),
        ("a <private\nx</private> b", "a  b", 1),
        ("a <private", "a ", 1),
        ("a <private/> x", "a ", 1),
        ("a &lt;private&gt;x&lt;/private&gt; b", "a  b", 1),
        ("a \\u003cprivate\\u003ex\\u003c/private\\u003e b", "a  b", 1),
        ("a \uff1c\uff50rivate\uff1ex</private> b", "a  b", 1),
        ("a <pri\u200bvate>x</private> b", "a  b", 1),
        ("\u00e9 <private>\u00e9</private> \u00fc", "\u00e9  \u00fc", 1),
        ("<privateer> and <private-key>", "<privateer> and <private-key>", 0),
    ],
)
def test_private_spans_are_cut(text, kept, count):
    assert strip_private(text) == (kept, count)


@pytest.mark.parametrize("tag", ["secret", "geheim", "Straße", "privé", "非公開"])
def test_the_tag_may_be_a_word_of_any_language(tag):
    assert ("a  b", 1) == strip_private(f"a <{tag}>x</{tag}> b", tag)


def test_a_tag_that_cutting_joins_together_is_cut_too():
    kept, count = strip_private("<pri<private>a</private>vate>hidden</private> b")
    assert "hidden" not in kept
    assert count >= 1


def test_tags_that_keep_appearing_take_the_rest_of_the_text_with_them():
    text = "<pri" * 30 + "<private>a</private>" + "vate>hidden</private>" * 30
    assert "vate>" not in strip_private(text)[0]


def test_another_tag_can_be_chosen():
    assert strip_private("a <secret>x</secret> <private>b</private>", "secret") == (
        "a  <private>b</private>",
        1,
    )


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain", "plain"),
        ("a\x00b", "ab"),
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("lone \ud800 half", "lone \ufffd half"),
        ("pair \ud83d\ude00", "pair \U0001f600"),
        ("e\u0301", "\u00e9"),
        ("\ufeffstart", "start"),
        ("abc\u202etxt.exe", "abctxt.exe"),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469"),
        ("\x80\x9f\x7f", ""),
    ],
)
def test_text_is_cleaned_so_that_it_can_be_stored(text, clean):
    assert clean_text(text) == clean
    clean_text(text).encode()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use tabs.", "use  TABS"),
        ("\u201cUse tabs\u201d", '"use tabs"'),
        ("\uff35se tabs\n", "Use tabs"),
        ("Stra\u00dfe", "STRASSE"),
        ("(use tabs)", "use tabs!"),
    ],
)
def test_two_writings_of_a_text_hash_as_one(a, b):
    assert normalise_for_hash(a) == normalise_for_hash(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [("port 1", "port -1"), ("x < 1", "x > 1"), ("1.5", "15"), (".env", "env"), ("tabs?", "tabs")],
)
def test_texts_that_differ_in_meaning_hash_apart(a, b):
    assert normalise_for_hash(a) != normalise_for_hash(b)


def test_a_text_of_marks_alone_keeps_them():
    assert normalise_for_hash("...") == "..."


@pytest.mark.parametrize(
    ("text", "hashed"),
    [
        ("Use tabs.", "use tabs"),
        ("a\u200eb\u061cc\ufe0f", "a\u200eb\u061cc\ufe0f"),
        ("\ufeffa\u200bb\x1b[31m\u202ec\u2066d", "abcd"),
        ("\U000e0041\ue000", "\U000e0041\ue000"),
    ],
)
def test_the_text_that_is_hashed_is_the_same_in_every_version(text, hashed):
    assert hashed == normalise_for_hash(text)
