"""Whatever is done that can be undone, and undone in turn: the export has the same bytes again."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from aforesaid.domain.errors import AforesaidError
from aforesaid.services.transfer.export import export_lines
from generated import examples
from property.planted_secrets import CALLERS, KINDS, Planted, small, steps

STORES = examples(120)

changes = st.lists(
    st.tuples(
        st.sampled_from(
            ("forget", "replace", "replace", "link", "merge entities", "rename entity")
        ),
        st.integers(0, 3),
        small,
        small,
        small,
    ),
    min_size=1,
    max_size=12,
)


@settings(
    max_examples=STORES,
    phases=[Phase.explicit, Phase.generate],  # what fails says all: shrinking takes long
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(plan=steps, wanted=changes)
def test_what_is_undone_in_turn_leaves_no_mark(environment, folders, plan, wanted) -> None:
    world = Planted({**environment, "AFORESAID_PRIVACY_REDACT": "0"}, folders)
    try:
        world.grow(plan)
        exports = ["".join(export_lines(world.core.store))]
        with world.core.store.transaction():
            backs = []
            for what, where, item, other, more in wanted:
                try:
                    back = change(world, what, CALLERS[where], item, other, more)
                except AforesaidError:
                    continue
                if back is not None:
                    backs.append(back)
                    exports.append("".join(export_lines(world.core.store)))
            for back in reversed(backs):
                assert exports.pop() == "".join(export_lines(world.core.store))
                back()
            assert exports.pop() == "".join(export_lines(world.core.store))
    finally:
        world.close()


def change(world: Planted, what: str, caller: str, item: int, other: int, more: int):
    """Change something that can be undone; return what undoes it, None if nothing changed."""
    first, second = world.id(item), world.id(other)
    context = world.here[caller].call_context()
    visible, core = context.visible, world.core
    if what == "forget":
        before = core.forgetter.forget(first, context).memory
        return None if before.forgotten_at else lambda: core.editor.update(first, RESTORE, context)
    if what in ("link", "replace"):
        kind = KINDS[more % len(KINDS)] if what == "link" else "supersedes"
        done = core.relations.link(first, kind, second, visible)
        if not done.changed:
            return None
        return lambda: core.relations.link(first, kind, second, visible, remove=True)
    if what == "merge entities":
        core.entity_merger.merge(world.known(visible, item), world.known(visible, other), visible)
    else:
        core.entity_merger.rename(world.known(visible, item), world.mark(), visible)
    return lambda: core.entity_merger.undo(None, visible)


RESTORE = {"restore": True}
