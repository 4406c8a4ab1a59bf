"""Whatever a model answers, a batch is done in the end, and the store stays whole."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.extraction import Batch, read_answer
from aforesaid.domain.memory import TYPES, Filters, Visibility
from aforesaid.services.extracted import Items
from making import Services, open_sqlite, place_of

SAID = "the importer listens on port 5433 and restarts by replay from the queue"
BATCH = Batch(text=f"USER: {SAID}", user=SAID, assistant="", until_ms=1_777_881_600_000, spoken=1)

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


@settings(max_examples=60, deadline=None)
@given(st.lists(item, max_size=4), st.booleans())
def test_any_answer_is_stored_as_far_as_it_goes_and_a_second_time_adds_nothing(items, pinned):
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder) / "m.db")
        services = Services(store)
        project = services.project("git:host/acme/shop")
        place = place_of(project, "s1")
        seen = Visibility(projects=(0, project.key))
        from aforesaid.domain.statement import Statement

        known = services.remember.store(
            Statement(content="The port is 5432.", pinned=pinned), place
        ).memory
        made = Items(store, services.remember, "test", lambda _: None)
        shorts = dict(made.shown([known]))
        (short,) = shorts
        text = json.dumps({"title": "t", "digest": "d", "items": items}).replace("known", short)

        def keep():
            ready = made.ready(read_answer(text), BATCH, lambda _: True)
            while True:
                try:
                    with store.transaction():
                        return made.store(ready, place)
                except InvalidInputError:
                    assert ready.failed is not None
                    ready.drop(ready.failed)

        keep()
        before = [one.content for one in store.select(seen, Filters(), 99)]
        keep()
        after = [one.content for one in store.select(seen, Filters(), 99)]
        assert sorted(before) == sorted(after)
        held = store.get([known.key])[0]
        assert held.in_force or not pinned
        for one in store.select(seen, Filters(), 99):
            assert one.key == known.key or one.provenance in {"derived", "tool"}
        store.close()
