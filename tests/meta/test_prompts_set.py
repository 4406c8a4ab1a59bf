"""The labelled prompts keep their own rules (bench/prompts/README.md)."""

from __future__ import annotations

import hashlib
from collections import Counter

from bench.agent_memories import load, out_of_force
from bench.paraphrases.__main__ import is_near, measured_stems
from bench.prompts import KINDS, RELATED, load_prompts
from bench.prompts.everyday import load_everyday


def test_there_are_enough_prompts_of_each_kind_in_both_parts():
    counts = Counter((prompt.kind, prompt.part) for prompt in load_prompts())
    assert set(KINDS) == {kind for kind, _ in counts}
    assert sum(counts.values()) >= 200
    assert [] == [each for each, count in counts.items() if count < 7]


def test_the_part_of_a_prompt_follows_from_its_id():
    for prompt in load_prompts():
        odd = hashlib.sha256(prompt.id.encode()).digest()[0] % 2
        assert ("test" if odd else "dev") == prompt.part


def test_ids_and_texts_are_unique():
    prompts = load_prompts()
    assert (
        len(prompts)
        == len({prompt.id for prompt in prompts})
        == len({prompt.text for prompt in prompts})
    )


def test_what_is_called_for_is_in_force_and_seen_and_only_related_prompts_call():
    memories, _ = load()
    by_id = {memory.id: memory for memory in memories}
    old = out_of_force(memories)
    for prompt in load_prompts():
        assert (prompt.kind in RELATED) == bool(prompt.gold), prompt.id
        for gold in prompt.gold:
            assert by_id[gold].project in {None, prompt.project}, prompt.id
            assert gold not in old, prompt.id


def test_everyday_prompts_are_unique_and_none_is_near_one_that_is_measured():
    everyday = load_everyday()
    assert len(everyday) == len({item.lower() for item in everyday}) > 700
    assert {prompt.text for prompt in load_prompts()}.isdisjoint(everyday)
    tested = measured_stems()
    assert [] == [item for item in everyday if is_near(item, tested)]
