"""The labelled set of agent memories keeps what its README promises."""

from __future__ import annotations

import collections
import json
import os
import re

import pytest
from bench.agent_memories import (
    ASKED_AT,
    MEMORIES,
    QUESTIONS,
    UNANSWERABLE,
    load,
    out_of_force,
    part_of,
)
from bench.agent_memories.filler import PREFIXES, make_filler
from bench.agent_memories.words import content_stems

from aforesaid.adapters.secrets.filter import SecretRedactor

README = os.path.join(os.path.dirname(MEMORIES), "README.md")
MEMORY_LIST, QUESTION_LIST = load()
BY_ID = {memory.id: memory for memory in MEMORY_LIST}
ANSWERABLE = [one for one in QUESTION_LIST if one.category not in UNANSWERABLE]


def repeated(values):
    return [value for value, count in collections.Counter(values).items() if count > 1]


def test_ids_are_unique():
    assert [] == repeated(memory.id for memory in MEMORY_LIST)
    assert [] == repeated(question.id for question in QUESTION_LIST)


def test_nothing_is_said_or_asked_twice():
    message = ((item.project, " ".join(item.content.lower().split())) for item in MEMORY_LIST)
    assert [] == repeated(message)
    asked = (
        (question.project, " ".join(question.text.lower().split())) for question in QUESTION_LIST
    )
    assert [] == repeated(asked)


def test_it_is_as_large_as_it_claims_and_no_larger_than_a_megabyte():
    per_project = collections.Counter(memory.project for memory in MEMORY_LIST)
    projects = set(per_project) - {None}
    assert len(projects) >= 6
    assert [] == [project for project in projects if per_project[project] < 100]
    assert len(QUESTION_LIST) >= 450
    assert len(QUESTION_LIST) - len(ANSWERABLE) >= 100
    assert os.path.getsize(MEMORIES) + os.path.getsize(QUESTIONS) < 1_000_000


def test_every_gold_memory_is_visible_from_the_asking_project_and_in_force():
    gone = out_of_force(MEMORY_LIST)
    wrong = [
        (question.id, gold)
        for question in QUESTION_LIST
        for gold in question.gold
        if gold not in BY_ID or gold in gone or BY_ID[gold].project not in {None, question.project}
    ]
    assert [] == wrong


def test_exactly_the_unanswerable_questions_have_no_gold():
    without = [question.id for question in QUESTION_LIST if not question.gold]
    assert [
        question.id for question in QUESTION_LIST if question.category in UNANSWERABLE
    ] == without
    assert [] == [question.id for question in QUESTION_LIST if repeated(question.gold)]


def test_what_replaces_a_memory_is_newer_and_of_the_same_project():
    wrong = [
        (memory.id, old)
        for memory in MEMORY_LIST
        for old in memory.supersedes + memory.replaces_silently
        if BY_ID[old].time >= memory.time or BY_ID[old].project != memory.project
    ]
    assert [] == wrong
    assert any(memory.replaces_silently for memory in MEMORY_LIST)


def test_memories_stand_in_order_of_time_before_the_moment_of_asking():
    times = [memory.time for memory in MEMORY_LIST]
    assert sorted(times) == times
    assert times[-1] < ASKED_AT


def test_parts_follow_the_hash_and_are_balanced_in_each_category():
    assert [] == [
        question.id for question in QUESTION_LIST if question.part != part_of(question.id)
    ]
    tests = collections.Counter(
        question.category for question in QUESTION_LIST if question.part == "test"
    )
    every = collections.Counter(question.category for question in QUESTION_LIST)
    shares = {category: tests[category] / count for category, count in every.items()}
    assert {} == {name: share for name, share in shares.items() if not 0.3 <= share <= 0.7}
    assert 0.45 <= sum(tests.values()) / len(QUESTION_LIST) <= 0.55


def test_paraphrases_share_no_content_word_with_what_answers_them():
    paraphrases = [item for item in ANSWERABLE if item.category == "paraphrase"]
    shared = {
        paraphrase.id: words
        for paraphrase in paraphrases
        for gold in paraphrase.gold
        if (words := set(content_stems(paraphrase.text)) & set(content_stems(BY_ID[gold].content)))
    }
    assert {} == shared
    assert len(paraphrases) / len(ANSWERABLE) >= 0.3


@pytest.mark.parametrize("name", PREFIXES)
def test_the_filler_is_what_its_script_makes(name):
    made = {raw["id"]: raw for raw in make_filler(name)}
    project = None if name == "global" else name
    stored = {
        item.id: {key: getattr(item, key) for key in ("id", "project", "type", "content", "time")}
        for item in MEMORY_LIST
        if item.project == project and int(item.id.rpartition("-")[2]) > 100
    }
    assert made == stored


def test_no_question_has_filler_as_its_gold():
    numbers = (int(gold.rpartition("-")[2]) for question in QUESTION_LIST for gold in question.gold)
    assert max(numbers) <= 100


def test_it_holds_no_secret_and_no_address_of_anybody():
    texts = [item.content for item in MEMORY_LIST] + [question.text for question in QUESTION_LIST]
    redact = SecretRedactor().redact
    assert [] == [text for text in texts if redact(text)[1]]
    hosts = (
        host for text in texts for host in re.findall(r"(?:https?://|@)([\w.<>-]+\.\w+)", text)
    )
    assert [] == [host for host in hosts if not re.search(r"example\.(com|net|org)$", host)]


def test_the_readme_gives_the_present_counts():
    with open(README, encoding="utf-8") as file:
        rows = re.findall(r"^\| `([\w-]+)` \| (\d+) \| (\d+) \|", file.read(), re.MULTILINE)
    report = {name: (int(dev), int(test)) for name, dev, test in rows}
    counts = collections.Counter((question.category, question.part) for question in QUESTION_LIST)
    categories = {question.category for question in QUESTION_LIST}
    assert report == {name: (counts[name, "dev"], counts[name, "test"]) for name in categories}


@pytest.mark.parametrize("path", [MEMORIES, QUESTIONS])
def test_lines_hold_only_the_fields_of_the_format(path):
    known = {
        MEMORIES: "id project type content tags time supersedes replaces_silently",
        QUESTIONS: "id project text gold category part",
    }
    with open(path, encoding="utf-8") as lines:
        fields = {field for line in lines for field in json.loads(line)}
    assert fields <= set(known[path].split())
