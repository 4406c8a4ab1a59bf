"""What weights are learned from beside our own sets keeps the rules of bench/paraphrases."""

from __future__ import annotations

import os
import re

from bench.agent_memories import load
from bench.paraphrases import NEAR, PAIR, load_pairs, sampled
from bench.paraphrases.__main__ import is_near, measured_stems
from bench.prompts import load_prompts

MEMORIES, QUESTIONS, PROMPTS = load_pairs()
README = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "paraphrases", "README.md")


def test_nothing_that_a_test_part_asks_is_learned_from():
    tested = measured_stems()
    assert [] == [one.text for one in (*QUESTIONS, *PROMPTS) if is_near(one.text, tested)]
    known = {one.content for one in load()[0]} | {one.text for one in load()[1]}
    known |= {one.text for one in load_prompts()}
    assert known.isdisjoint(one.content for one in MEMORIES)
    assert known.isdisjoint(one.text for one in (*QUESTIONS, *PROMPTS))


def test_only_near_misses_have_no_answer_and_every_memory_is_asked_for():
    by_id = {one.id: one for one in MEMORIES}
    for one in QUESTIONS:
        assert (one.category == PAIR) == bool(one.gold)
        assert one.category in {PAIR, NEAR}
    asked = [one for one in (*QUESTIONS, *PROMPTS) if one.gold]
    assert [] == [one for one in asked if by_id[one.gold[0]].project != one.project]
    assert by_id.keys() == {one.gold[0] for one in asked}


def test_texts_are_unique_and_a_share_of_them_is_taken():
    texts = [one.text for one in (*QUESTIONS, *PROMPTS)] + [one.content for one in MEMORIES]
    assert len(texts) == len(set(texts))
    assert 0.2 < len(sampled(QUESTIONS)) / len(QUESTIONS) < 0.3


def test_the_readme_tells_how_many_there_are():
    with open(README, encoding="utf-8") as file:
        told = [int(one.replace(",", "")) for one in re.findall(r"\*\*([\d,]+)\*\*", file.read())]
    near = [one for one in QUESTIONS if one.category == NEAR]
    projects = {one.project for one in MEMORIES}
    counts = (MEMORIES, projects, [*(set(QUESTIONS) - set(near))], PROMPTS, near)
    assert [len(each) for each in counts] == told
