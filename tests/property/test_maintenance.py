"""Whatever stands in a store: a run of any phase, undone, leaves the same bytes and shows nobody
another project's memory."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from aforesaid.domain.maintenance.run import PHASES
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.operations.maintenance import make_phases
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.transfer.export import export_lines
from factories import DAY, TickingClock
from generated import examples
from property.planted_secrets import Planted, steps

STORES = examples(40)
#: Low enough that everything happens in a store of a few memories.
EAGER = Thresholds(
    topic_merge=0.1, filing=0.2, new_topic=2, topic_link=0.0, link=0.05, entity_pair=2,
    compact_days=1, compact_least=2, promote=0.3, promote_least=2,
    archive_activation=1.0, archive_days=1, archive_subject=0.0,
)  # fmt: skip


def tend_of(world: Planted, clock: TickingClock) -> MaintenanceRunner:
    values = {**world.core.settings.values}
    values.update({f"maintenance.{name}": value for name, value in EAGER.as_dict().items()})
    eager = world.core.settings.replace(values=values)
    phases = make_phases(world.core.store, eager, world.environment, world.core.embedder.get)
    return MaintenanceRunner(world.core.store, clock, phases)


@settings(
    max_examples=STORES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(
    plan=steps,
    chosen=st.one_of(st.just(PHASES), st.sampled_from([(name,) for name in PHASES])),
    days=st.sampled_from((3, 60, 200, 900)),
)
def test_a_run_undone_leaves_the_same_bytes(environment, folders, plan, chosen, days) -> None:
    world = Planted({**environment, "AFORESAID_PRIVACY_REDACT": "0"}, folders)
    try:
        world.grow(plan)
        clock = TickingClock(world.core.clock.now() + days * DAY)
        exports, runs = ["".join(export_lines(world.core.store))], []
        for _ in range(2):  # the second runs on what the first left
            runs.append(tend_of(world, clock).run(chosen).run.key)
            exports.append("".join(export_lines(world.core.store)))
            clock.at += 40 * DAY
        for key in reversed(runs):
            assert exports.pop() == "".join(export_lines(world.core.store))
            if world.core.store.runs.steps(key):
                done = tend_of(world, clock).undo(key)
                assert () == done.left
        assert exports.pop() == "".join(export_lines(world.core.store))
    finally:
        world.close()


@settings(
    max_examples=STORES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(plan=steps, days=st.sampled_from((60, 900)))
def test_what_a_run_makes_stays_in_its_project(environment, folders, plan, days) -> None:
    world = Planted({**environment, "AFORESAID_PRIVACY_REDACT": "0"}, folders)
    try:
        world.grow(plan)
        store = world.core.store
        marks = {}  # of each project, what it may not say
        for memory in store.memories.get(range(1, store.maintenance.newest_key() + 1)):
            for mark in world.marks:
                if mark in f"{memory.content} {memory.summary}":
                    marks.setdefault(mark, set()).add(memory.project)
        before = store.maintenance.newest_key()
        tend_of(world, TickingClock(world.core.clock.now() + days * DAY)).run()
        made = store.memories.get(range(before + 1, store.maintenance.newest_key() + 1))
        report = [(memory.project, f"{memory.content} {memory.summary}") for memory in made]
        for project in range(store.database.value("SELECT max(key) FROM projects") + 1):
            report += [
                (project, text) for text in store.maintenance.topic_summaries((project,)).values()
            ]
            report += [
                (project, f"{offer.name} {offer.commands}")
                for offer in store.suggestions.list_open((project,), 99)
            ]
            for offer in store.suggestions.list_open((project,), 99):
                assert {project} == {
                    memory.project for memory in store.memories.get(offer.memories)
                }
        for project, text in report:
            for mark, homes in marks.items():
                assert mark not in text or project in homes
    finally:
        world.close()
