"""Whatever a model answers, a batch is done in the end, and the store stays whole."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.adapters.system.cited_files import CitedFiles
from aforesaid.adapters.transcripts import read_conversation
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.extraction import TurnBatch, read_answer
from aforesaid.domain.model.memory import TYPES, Filters, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.token_budget import SummaryLimits
from aforesaid.services.guards import Guards
from aforesaid.services.sessions.digester import SessionDigester
from aforesaid.services.sessions.extraction_writer import ExtractionWriter
from aforesaid.services.sessions.llm_extraction import ExtractionLimits, LlmExtractor
from aforesaid.services.sessions.session_event import SessionEvent
from factories import Services, TickingClock, make_context, open_sqlite
from generated import examples
from transcripts import Script

SAID = "the importer listens on port 5433 and restarts by replay from the queue"
BATCH = TurnBatch(
    text=f"USER: {SAID}", user=SAID, assistant="", until_ms=1_777_881_600_000, spoken=1
)

word = st.sampled_from(
    ["importer", "queue/replay", "///", "", "a" * 90, "()", "user", "I", "#", "\u0000", "\ud800",
     "日本語", "auth > jwt", "<private>x</private>", "port 5433", " ", "../..", "'; DROP TABLE"]
)  # fmt: skip
said = st.sampled_from([SAID, "The importer restarts by replay.", "The port is 5433.", "so"]) | word
target = st.sampled_from(["#1", "#2", "#3", "#0", "#-1", "#x", "#٣", "known", "k3f9", ""])
item = st.fixed_dictionaries(
    {"text": said, "type": st.sampled_from([*TYPES, "opinion", ""])},
    optional={
        "topic": word,
        "concept": word,
        "details": st.lists(said, max_size=3),
        "importance": st.sampled_from(["high", "low", "huge", ""]),
        "quote": said,
        "preference": st.booleans(),
        "entity": word,
        "entity_type": word,
        "corrects": target,
        "relations": st.lists(
            st.fixed_dictionaries({"kind": st.sampled_from(["depends_on", "Follows", "", "x y"]),
                                   "target": target}),
            max_size=3,
        ),
    },
)  # fmt: skip


@settings(max_examples=examples(60))
@given(st.lists(item, max_size=4), st.booleans())
def test_any_answer_is_stored_as_far_as_it_goes_and_a_second_time_adds_nothing(items, pinned):
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder) / "m.db")
        services = Services(store)
        project = services.project("git:host/acme/shop")
        context = make_context(project, "s1")
        seen = Visibility(projects=(0, project.key))
        known = services.remember.store(
            Statement(content="The port is 5432.", pinned=pinned), context
        ).memory
        made = ExtractionWriter(store, services.remember, "test", lambda _: None)
        shorts = dict(made.shown([known]))
        (short,) = shorts
        text = json.dumps({"title": "t", "digest": "d", "items": items}).replace("known", short)

        def keep():
            ready = made.prepare(read_answer(text), BATCH, lambda _: True)
            while True:
                try:
                    with store.transaction():
                        return made.store(ready, context)
                except InvalidInputError:
                    assert ready.failed is not None
                    del ready.items[ready.failed]

        keep()
        before = [memory.content for memory in store.memories.select(seen, Filters(), 99)]
        keep()
        after = [memory.content for memory in store.memories.select(seen, Filters(), 99)]
        assert sorted(before) == sorted(after)
        held = store.memories.get([known.key])[0]
        assert held.in_force or not pinned
        for memory in store.memories.select(seen, Filters(), 99):
            assert memory.key == known.key or memory.provenance in {"derived", "tool"}
        store.close()


# --- once, whatever is killed --------------------------------------------------------------------


class KilledError(BaseException):
    """The process is gone: nothing catches it, what was not committed is lost."""


class Dying:
    """A store and a summariser of a process that dies at the n-th step that it takes."""

    name = "dying"

    def __init__(self, store, die_at):
        self.left = die_at
        self.store = store
        self.questions = []
        for repository, method in (
            (store.extractions, "put"),
            (store.sessions, "put"),
            (store.memories, "record"),
            (store.search, "set_vectors"),
            (store.memories, "add"),
        ):
            setattr(repository, method, self._counted(getattr(repository, method)))

    def _counted(self, method):
        def call(*arguments, **named):
            self.step()
            result = method(*arguments, **named)
            self.step()
            return result

        return call

    def step(self):
        self.left -= 1
        if self.left == 0:
            raise KilledError

    def check(self):
        return None

    def summarise(self, text, instruction, limits):
        self.step()
        report = text.partition("<session-")[2]
        numbers = re.findall(r"part(\d+) ", report)
        self.questions.append(numbers)
        message = f"Tell part{numbers[0]} and part{numbers[-1]} to the team."
        item = {"text": message, "quote": f"Tell part{numbers[0]} to the team", "topic": "parts"}
        answer = {"title": "Told parts", "digest": "Tell parts to the team.", "items": [item]}
        self.step()
        return json.dumps(answer)


class Session:
    """One session that ended, its transcript, and processes that extract it."""

    def __init__(self, folder, turns):
        script = Script()
        for number in range(turns):
            script.user(f"Tell part{number:02d} to the team, now and ever.")
            script.say("Told.")
        self.path = script.write(Path(folder))
        self.database = Path(folder) / "m.db"
        self.clock = TickingClock(1_777_900_000_000)
        store = open_sqlite(self.database)
        services = Services(store)
        self.context = make_context(services.project("git:host/acme/shop"), "s-1")
        ingest = self.ingest(store, services)
        ingest.end_session(
            SessionEvent(session_id="s-1", transcript_path=self.path, folder="/home/dev/shop")
        )
        store.close()

    def ingest(self, store, services):
        class Transcripts:
            def read(self, path, *_):
                return read_conversation(path)

        class Commits:
            def commits(self, folder, since, until):
                return ()

        return SessionDigester(
            store,
            self.clock,
            services.remember,
            Transcripts(),
            Commits(),
            lambda *_: self.context,
            stores_candidates=False,
            guards=Guards(store, self.clock, CitedFiles()),
        )

    def process(self, die_at):
        """Extract in a process that dies at a step; return what it asked."""
        store = open_sqlite(self.database)
        services = Services(store)
        services.clock = self.clock
        dying = Dying(store, die_at)
        limits = ExtractionLimits(call=SummaryLimits(), batch_turns=6)
        made = LlmExtractor(
            store, self.clock, services.remember, self.ingest(store, services), dying, str, limits
        )
        try:
            made.run()
        except KilledError:
            pass
        finally:
            store.close()
        self.clock.at += 3 * 86_400_000  # the next one comes when it may
        return dying.questions


@settings(max_examples=examples(25))
@given(st.lists(st.integers(1, 60), max_size=5))
def test_each_batch_is_stored_exactly_once_wherever_processes_die(deaths):
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder, 10)
        for steps in deaths:
            session.process(steps)
        session.process(10**9)
        assert [] == session.process(10**9)
        store = open_sqlite(session.database)
        seen = Visibility(projects=(0, session.context.project.key))
        results = [
            memory
            for memory in store.memories.select(seen, Filters(), 99)
            if "extracted" in memory.tags
        ]
        batches = [(0, 2), (3, 5), (6, 8), (9, 9)]
        assert [
            f"Tell part{element:02d} and part{two:02d} to the team." for element, two in batches
        ] == [one.content for one in sorted(results, key=lambda value: value.key)]
        assert {0} == {element.access_count for element in results}
        (digest,) = [
            memory
            for memory in store.memories.select(seen, Filters(), 99)
            if "digest" in memory.tags
        ]
        assert "Tell parts to the team." in digest.content
        assert digest.key == store.sessions.get("s-1").digest
        store.close()
