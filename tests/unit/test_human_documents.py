"""How the set of bench/human is read from documents, and its scores."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from bench.human import load_corpora
from bench.human.build import Source, choose, is_question, read_source, stands_alone
from bench.human.documents import MAX_PASSAGE, join_passages, read_sections, strip_markup
from bench.human.scores import area, expected_error, reliability

ANSWER = (
    "Call :func:`~shop.cart.close` once the ``order`` is paid; the `guide <http://a.b>`_ shows it."
)
PLAIN = "Call close once the order is paid; the guide shows it."
DOCUMENT = f"""
====
Shop
====

How do I close an order?
------------------------

{ANSWER} It is safe to call it twice, since
the second call does nothing.

.. code-block:: python

    close(order)

* It keeps the receipt for a year.

Short one
---------

Too short.
"""


def test_a_section_has_its_paragraphs_without_code_and_markup():
    shop, question, short = read_sections(DOCUMENT)
    assert ("Shop", ()) == (shop.heading, shop.passages)
    assert "How do I close an order?" == question.heading
    told = (
        f"{PLAIN} It is safe to call it twice, since the second call does nothing.\n"
        "* It keeps the receipt for a year."
    )
    assert (told,) == question.passages
    assert () == short.passages


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (":class:`.Session` and :func:`_orm.relationship`", "Session and relationship"),
        (":ref:`the cache <cache-label>`", "the cache"),
        ("**Never** call __exit__ yourself", "Never call __exit__ yourself"),
        ("as follows::", "as follows:"),
    ],
)
def test_markup_becomes_what_a_reader_sees(written, shown):
    assert shown == strip_markup(written)


def test_passages_are_whole_paragraphs_up_to_a_length():
    paragraphs = ["a" * 600, "b" * 300, "c" * 200, "d" * (MAX_PASSAGE + 1)]
    assert [f"{paragraphs[0]}\n{paragraphs[1]}", paragraphs[2]] == join_passages(paragraphs)


def test_headings_that_need_their_context_are_no_questions():
    asked = ["How do I close an order?", "Running several shops in one process"]
    assert asked == [one for one in asked if stands_alone(one)]
    unclear = ["Options", "Changes in the shop module", "Why does this happen at all?"]
    assert [] == [one for one in unclear if stands_alone(one)]
    assert (True, False) == (is_question(asked[0]), is_question(asked[1]))


def test_rows_name_their_source_and_are_read_back(tmp_path: Path):
    source = Source("shop", "1.0", "MIT", ("docs/",))
    with tarfile.open(tmp_path / "shop-1.0.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("shop-1.0/docs/faq.rst")
        member.size = len(DOCUMENT.encode())
        archive.addfile(member, io.BytesIO(DOCUMENT.encode()))
    memories, questions = choose(source, read_source(source, str(tmp_path)))
    assert ["shop", "1.0", "MIT", "docs/faq.rst"] == list(questions[0].values())[1:5]
    paths = [tmp_path / "memories.jsonl", tmp_path / "questions.jsonl"]
    for path, rows in zip(paths, (memories, questions), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (corpus,) = load_corpora(*map(str, paths))
    assert (frozenset({"shop-0"}), "question") == (
        corpus.queries[0].gold,
        corpus.queries[0].category,
    )
    assert ["shop-0"] == [item.id for item in corpus.items]


def test_the_expected_error_weighs_bins_by_their_results():
    pairs = [(0.9, True), (0.9, True), (0.1, True), (0.1, False)]
    assert [2, 2] == [one["results"] for one in reliability(pairs)]
    assert pytest.approx((2 * 0.1 + 2 * 0.4) / 4) == expected_error(pairs)


def test_the_area_counts_ties_half():
    assert 0.75 == area([0.5, 0.9], [0.5, 0.5])
