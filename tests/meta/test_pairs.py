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
    assert [] == [item.text for item in (*QUESTIONS, *PROMPTS) if is_near(item.text, tested)]
    known = {memory.content for memory in load()[0]} | {item.text for item in load()[1]}
    known |= {prompt.text for prompt in load_prompts()}
    assert known.isdisjoint(memory.content for memory in MEMORIES)
    assert known.isdisjoint(item.text for item in (*QUESTIONS, *PROMPTS))


def test_only_near_misses_have_no_answer_and_every_memory_is_asked_for():
    by_id = {memory.id: memory for memory in MEMORIES}
    for question in QUESTIONS:
        assert (question.category == PAIR) == bool(question.gold)
        assert question.category in {PAIR, NEAR}
    asked = [item for item in (*QUESTIONS, *PROMPTS) if item.gold]
    assert [] == [
        question for question in asked if by_id[question.gold[0]].project != question.project
    ]
    assert by_id.keys() == {question.gold[0] for question in asked}


def test_texts_are_unique_and_a_share_of_them_is_taken():
    texts = [item.text for item in (*QUESTIONS, *PROMPTS)] + [memory.content for memory in MEMORIES]
    assert len(texts) == len(set(texts))
    assert 0.2 < len(sampled(QUESTIONS)) / len(QUESTIONS) < 0.3


def test_the_readme_tells_how_many_there_are():
    with open(README, encoding="utf-8") as file:
        report = [
            int(item.replace(",", "")) for item in re.findall(r"\*\*([\d,]+)\*\*", file.read())
        ]
    near = [question for question in QUESTIONS if question.category == NEAR]
    projects = {memory.project for memory in MEMORIES}
    counts = (MEMORIES, projects, [*(set(QUESTIONS) - set(near))], PROMPTS, near)
    assert [len(each) for each in counts] == report
