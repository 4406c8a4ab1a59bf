"""An extraction that fails, is killed or has a rival loses nothing and stores nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.system.log import last_lines
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.extraction_progress import CALLS, FAILURE
from aforesaid.operations.llm_extraction import extract_in_background, make_llm_extractor
from aforesaid.operations.session_sweep import sweep
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from extraction_world import ITEM, ROOT, Scripted, World, a_session, told


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


def notes():
    """Return what the store's health says of its digests."""
    core = ServiceContainer(os.environ)
    try:
        return [line for line in core.health() if "digests by rules only" in line]
    finally:
        core.close()


@pytest.mark.parametrize(
    "failure",
    [
        UnavailableError("the client did not answer within 120 s"),
        InvalidInputError("the model stopped with refusal"),
        "I would rather talk about the weather.",
        '{"title": "cut o',
    ],
    ids=["no answer in time", "refusal", "no JSON", "cut JSON"],
)
def test_a_failure_leaves_the_digest_by_rules_and_a_note_and_is_tried_again_later(world, failure):
    world.digest(a_session())
    before = world.digests()
    summariser = Scripted(failure, told(ITEM))
    assert 0 == world.extract(summariser)
    assert before == world.digests()
    assert [] == world.facts()
    core = ServiceContainer(os.environ)
    log = core.store.inspection.log_of(before[0].id, 9)
    core.close()
    assert ["extract"] == [line.operation for line in log if "failed" in line.details]
    assert [] == notes()
    world.patch.setenv("AFORESAID_DIGEST_SUMMARISER", "claude-cli")
    assert 1 == len(notes())

    assert 0 == world.extract(summariser)  # not so soon
    world.wait()
    assert 1 == world.extract(summariser)
    assert "" == world.meta(FAILURE)
    assert 2 == len(world.facts())


class Api(HashedEmbedder):
    """Stands for a model behind an API: what is asked while somebody writes is told."""

    def __init__(self, store, *, down):
        super().__init__()
        self.store = store
        self.down = down
        self.asked_while_writing = 0

    def embed_documents(self, texts):
        self.asked_while_writing += bool(self.store.database.writing)
        if self.down:
            raise UnavailableError("out of order")
        return super().embed_documents(texts)


@pytest.mark.parametrize("down", [False, True])
def test_no_answer_waits_for_an_api_that_embeds_nor_is_lost_with_it(world, down):
    world.digest(a_session())
    store = factories.open_store(world.settings)
    try:
        api = Api(store, down=down)
        made = make_llm_extractor(
            store, world.settings, os.environ, Scripted(told(ITEM)), lambda: api
        )
        assert 1 == made.run()
        assert 0 == api.asked_while_writing
    finally:
        store.close()
    assert "" == world.meta(FAILURE)
    assert [ITEM["text"], *ITEM["details"]] == [fact.content for fact in world.facts()]


def test_a_batch_that_always_fails_is_given_up_and_what_follows_is_read(world):
    world.digest(a_session())
    summariser = Scripted(*["no JSON"] * 6)
    for _ in range(6):
        world.extract(summariser)
        world.wait()
    assert 6 == len(summariser.asked)
    assert 0 == world.extract(summariser)
    assert 6 == len(summariser.asked)
    world.digest(a_session("We deploy on Fridays from now on."))
    assert 1 == world.extract(summariser)


def test_one_item_that_cannot_be_stored_does_not_cost_the_others(world):
    world.digest(a_session())
    bad = {"text": "It is everywhere.", "topic": "///", "entity": "()"}
    assert 1 == world.extract(Scripted(told(bad, ITEM)))
    assert ITEM["text"] in [fact.content for fact in world.facts()]


def test_no_more_is_asked_in_a_day_than_allowed(world):
    world.patch.setenv("AFORESAID_DIGEST_DAILY_CALLS", "2")
    for session in ("one", "two", "three", "four"):
        world.digest(a_session(f"This is session {session}."), session=session)
    summariser = Scripted()
    assert 2 == world.extract(summariser)
    assert 0 == world.extract(summariser)
    assert 2 == len(summariser.asked)
    assert world.meta(CALLS).endswith(" 2")
    assert "daily_calls" in world.meta(FAILURE)


def test_a_process_killed_between_answer_and_commit_stores_nothing_and_the_next_stores_once(world):
    world.digest(a_session())
    program = f"""
import os, signal, sys
sys.path[:0] = {[str(ROOT / "server"), str(ROOT / "tests")]!r}
from aforesaid.config import load_settings
from aforesaid.services.sessions.llm_extraction import LlmExtractor
from aforesaid.wiring import factories
from aforesaid.operations.llm_extraction import extract_in_background, make_llm_extractor

class Killed:
    name = "killed"
    def check(self): pass
    def summarise(self, text, instruction, limits):
        return {told(ITEM)!r}

settings = load_settings(os.environ)
store = factories.open_store(settings)
written = store.extractions.put
def kill_before_commit(row):
    written(row)
    if row.until_ms:
        os.kill(os.getpid(), signal.SIGKILL)
store.extractions.put = kill_before_commit
make_llm_extractor(store, settings, os.environ, Killed(), lambda: None).run()
"""
    done = subprocess.run([sys.executable, "-c", program], env=dict(os.environ), check=False)
    assert -signal.SIGKILL == done.returncode
    assert [] == world.facts()
    row = world.do(lambda store: store.extractions.get("one"))
    assert (0, 1) == (row.until_ms, row.attempts)

    summariser = Scripted(told(ITEM))
    assert 0 == world.extract(summariser)  # whoever asked may still be asking
    world.wait()
    assert [1, 0] == [world.extract(summariser) for _ in range(2)]
    assert 2 == len(world.facts())


def test_two_sweeps_at_once_ask_once(world):
    world.digest(a_session())
    second = Scripted(told(ITEM))

    def meanwhile(_question):
        assert 0 == world.extract(second)
        return told(ITEM)

    assert 1 == world.extract(Scripted(meanwhile))
    assert [] == second.asked
    assert 2 == len(world.facts())


def test_a_failure_is_told_until_nothing_waits_for_it(world):
    world.digest(a_session())
    world.extract(Scripted("no JSON"))
    row = world.do(lambda store: store.extractions.get("one"))
    world.do(lambda store: store.extractions.put(row.replace(bytes_extracted=10**9)))
    world.patch.setenv("AFORESAID_DIGEST_SUMMARISER", "claude-cli")
    world.patch.setenv("AFORESAID_DIGEST_CLIENT", "no-such-client")
    assert 1 == len(notes())
    sweep(os.environ)
    assert [] == notes()


def test_a_summariser_without_a_folder_to_run_in_costs_whoever_has_it_read_nothing_else(world):
    world.digest(a_session())
    world.patch.setenv("AFORESAID_DIGEST_SUMMARISER", "claude-cli")
    world.patch.setenv("AFORESAID_DIGEST_CLIENT", sys.executable)
    state = Path(world.settings.state_folder)
    (state / "summariser").write_text("no folder")
    store = factories.open_store(world.settings)
    extract_in_background(store, world.settings, os.environ, HashedEmbedder)
    store.close()
    (line,) = last_lines(str(state), "error", 2)
    assert "extraction failed: FileExistsError" in line


def test_an_answer_that_comes_after_another_process_took_the_batch_is_not_stored(world):
    world.digest(a_session())
    second = Scripted(told(ITEM))

    def late(_question):
        world.wait()
        assert 1 == world.extract(second)
        return told({**ITEM, "text": "Something else altogether was said."})

    assert 0 == world.extract(Scripted(late))
    assert ITEM["text"] == world.facts()[0].content
    assert 2 == len(world.facts())
