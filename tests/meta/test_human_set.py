"""The set of bench/human keeps what its README promises."""

from __future__ import annotations

import json
import os

from bench.human import MEMORIES, NOTICE, QUESTIONS
from bench.human.build import SOURCES
from bench.human.documents import MAX_PASSAGE, MIN_PASSAGE

MAX_BYTES = 2_000_000
PERMISSIVE = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT"}


def rows(path: str) -> list[dict]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


TOLD, ASKED = rows(MEMORIES), rows(QUESTIONS)


def test_every_row_names_its_source_and_a_permissive_licence():
    known = {(one.name, one.version, one.licence) for one in SOURCES}
    assert known == {(row["source"], row["version"], row["licence"]) for row in (*TOLD, *ASKED)}
    assert PERMISSIVE >= {one.licence for one in SOURCES}
    assert [] == [row for row in (*TOLD, *ASKED) if not row["file"]]
    with open(NOTICE, encoding="utf-8") as file:
        notice = file.read()
    titles = [f"\n{one.name} {one.version} ({one.licence})\n" for one in SOURCES]
    assert [] == [title for title in titles if title not in notice]


def test_each_question_has_its_answer_in_its_own_document():
    file_of = {row["id"]: (row["source"], row["file"]) for row in TOLD}
    assert len(TOLD) == len(file_of)
    for row in ASKED:
        assert {(row["source"], row["file"])} == {file_of[one] for one in row["gold"]}


def test_the_set_is_large_enough_and_small_enough():
    assert len(SOURCES) >= 6
    assert len(ASKED) >= 600
    assert len(TOLD) >= 1500
    assert MAX_BYTES > os.path.getsize(MEMORIES) + os.path.getsize(QUESTIONS)
    assert [] == [row for row in TOLD if not MIN_PASSAGE <= len(row["text"]) <= MAX_PASSAGE]
    assert len(TOLD) == len({(row["source"], row["text"]) for row in TOLD})
