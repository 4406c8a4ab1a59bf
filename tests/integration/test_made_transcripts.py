"""The transcripts that benches make are such as the real clients write, and digests bear them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from bench.transcripts.client_lines import lines_of, written
from bench.transcripts.corrections import read_cases
from bench.transcripts.scores import score
from bench.transcripts.scripts import CLIENTS, read_script_lines, read_scripts

from aforesaid.adapters.transcripts import read_conversation
from aforesaid.domain.digest.memory_candidates import candidate_of

REAL = Path(__file__).resolve().parents[1] / "data" / "transcripts"
SCRIPTS = read_scripts()
CORRECTIONS = read_cases()
#: Fields that a real line may lack or have whatever it is.
LOOSE = {"agentId", "session_id", "slug"}


def kind_of(line: dict) -> str:
    name = line["type"]
    if name == "attachment":
        return f"{name}/{line['attachment']['type']}"
    if name == "system":
        return f"{name}/{line['subtype']}"
    if name == "user":
        content = line["message"]["content"]
        return f"{name}/{'text' if isinstance(content, str) else content[0]['type']}"
    if name == "assistant":
        return f"{name}/{line['message']['content'][0]['type']}"
    return name


def real_fields(client: str) -> dict[str, list[set[str]]]:
    fields: dict[str, list[set[str]]] = {}
    for path in (REAL / client).glob("*.jsonl"):
        for row in path.read_text(encoding="utf-8").splitlines():
            line = json.loads(row)
            fields.setdefault(kind_of(line), []).append(set(line))
    return fields


@pytest.mark.parametrize("client", CLIENTS)
def test_made_lines_have_the_fields_that_the_real_client_writes(client):
    real = real_fields(client)
    strange = set()
    for script in SCRIPTS:
        if script.client != client:
            continue
        for line in lines_of(script):
            known = real[kind_of(line)]
            extra = set(line) - set().union(*known) - LOOSE
            missing = set.intersection(*known) - set(line) - LOOSE
            strange |= {(kind_of(line), *sorted(extra | missing))} if extra | missing else set()
    assert set() == strange


def test_there_are_at_least_sixty_of_many_projects_and_languages():
    assert len(SCRIPTS) >= 60
    assert len({script.project for script in SCRIPTS}) >= 20
    assert {"en", "de", "es", "fr", "pt", "zh", "ja"} == {script.lang for script in SCRIPTS}
    assert len({script.name for script in SCRIPTS}) == len(SCRIPTS)


def test_both_parts_are_large_enough_to_tell():
    parts = [script.part for script in SCRIPTS]
    assert min(parts.count("dev"), parts.count("test")) >= 30


def test_every_line_of_a_made_transcript_is_read(tmp_path):
    path = tmp_path / "s.jsonl"
    for script in SCRIPTS[::9]:
        data = written(lines_of(script))
        path.write_bytes(data)
        conversation = read_conversation(os.fspath(path))
        assert len(data) == conversation.bytes_read
        assert "unreadable" not in conversation.skipped


def test_a_digest_keeps_to_its_budget_whatever_was_said():
    assert [] == [item.script.name for item in map(score, SCRIPTS) if item.tokens > 350]


def test_no_sentence_that_was_seen_to_pass_is_taken_for_a_lasting_one():
    path = Path(__file__).resolve().parents[2] / "bench/transcripts/sentences_dev.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    once = [line[2:] for line in lines if line.startswith("- ")]
    assert [] == [sentence for sentence in once if candidate_of(sentence, 1) is not None]


def test_no_prompt_that_was_seen_to_be_about_the_work_at_hand_becomes_a_memory():
    seen = [case for case in CORRECTIONS if case.part == "dev" and not case.lasts]
    assert [] == [case.prompt for case in seen if case.kept]


def test_both_parts_of_the_corrections_are_large_enough_to_tell():
    for part in ("dev", "test"):
        lasting = [case.lasts for case in CORRECTIONS if case.part == part]
        assert (lasting.count(True) >= 30, lasting.count(False) >= 40) == (True, True)


def test_a_line_of_no_notation_is_refused():
    with pytest.raises(ValueError, match="unknown line"):
        read_script_lines(["=== a | project=p | lang=en", "? what"])
