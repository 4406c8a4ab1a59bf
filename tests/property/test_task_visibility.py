"""What is inside a task is seen from there alone, whatever is asked and however it is linked."""

from __future__ import annotations

from bench.hashed_embedder import HashedEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.domain.model.memory import COMPLETED, STATUSES, Filters, Visibility
from aforesaid.domain.model.task import Task
from factories import NOON, make_memory, make_project, temporary_store
from generated import examples
from property.reference_store import ReferenceStore

EMBED = HashedEmbedder(16)
PROJECTS = (1, 2)
TASKS = (1, 2, 3)  #: the first two are of project 1
#: (task or 0, whether it is of scope task, project of what has no task, links to earlier ones)
rows = st.lists(
    st.tuples(
        st.sampled_from((0, *TASKS)),
        st.booleans(),
        st.sampled_from((0, *PROJECTS)),
        st.lists(st.integers(0, 9), max_size=2),
        st.sampled_from(("nothing", "replace", "forget")),
    ),
    min_size=1,
    max_size=10,
)
callers = st.builds(
    Visibility,
    projects=st.sampled_from([(0,), (0, 1), (0, 2), (0, 1, 2)]),
    tasks=st.sampled_from([(), (1,), (2,), (3,), (1, 3)]),
)
wanted = st.builds(
    Filters,
    scopes=st.sampled_from([(), ("task",), ("project", "global")]),
    tasks=st.sampled_from([(), (1,), (2, 3)]),
    statuses=st.sampled_from([(), ("active",), STATUSES]),
    include_history=st.booleans(),
    as_of=st.none() | st.integers(0, 12).map(lambda seconds: NOON + seconds * 1_000),
)


def fill(store, rows) -> None:
    with store.transaction():
        for name in "ab":
            store.projects.add(make_project(f"git:example.org/{name}"))
        for key in TASKS:
            project = PROJECTS[key == TASKS[-1]]
            store.tasks.put(
                Task(
                    project=project, task_id=f"t{key}", status=STATUSES[key - 1],
                    created_at=NOON, updated_at=NOON,
                )
            )  # fmt: skip
        for number, (task, inside, project, links, end) in enumerate(rows, start=1):
            home = PROJECTS[task == TASKS[-1]] if task else project
            scope = "task" if task and inside else "project" if home else "global"
            memory = store.memories.add(
                make_memory(
                    number, content="kilo", project=home, scope=scope, task=task or None
                )
            )  # fmt: skip
            store.search.set_vectors(memory.key, [EMBED.embed_query("kilo")], EMBED.model)
            for stated in store.tasks.get([task]):
                if scope == "task" and stated.objective is None:
                    store.tasks.put(stated.replace(objective=memory.key))
            for other in links:
                if 0 < other < memory.key:
                    store.relations.link(memory.key, "related_to", other, NOON)
            previous = store.memories.get([memory.key - 1])
            if end == "replace" and previous and previous[0].in_force:
                store.memories.supersede(memory.key - 1, memory.key, memory.created_at)
            elif end == "forget":
                store.memories.change(memory.key, forgotten_at=NOON + number * 1_000)


def may_see(store, memory, caller: Visibility) -> bool:
    """The rule itself: a task sees its project and global, a project sees what its tasks are."""
    if memory.project not in caller.projects:
        return False
    if memory.scope != "task" or memory.task in caller.tasks:
        return True
    tasks = store.tasks.get([memory.task])
    if any(task.status == COMPLETED for task in tasks):
        return True
    stated = [task.objective for task in tasks]
    return any(
        item.head == memory.head for item in store.memories.get([key for key in stated if key])
    )


@settings(max_examples=examples(120))
@given(rows=rows, asked=st.lists(st.tuples(callers, wanted), min_size=1, max_size=12))
def test_no_reader_returns_what_is_inside_another_task(rows, asked) -> None:
    model = ReferenceStore()
    with temporary_store() as real:
        fill(real, rows)
        fill(model, rows)
        vector = EMBED.embed_query("kilo")
        every = range(1, len(rows) + 1)
        for caller, filters in asked:
            answers = []
            for store in (real, model):
                words = store.search.by_words(["kilo"], caller, filters, 99)
                near = store.search.by_vector(vector, caller, filters, 99)
                listed = store.memories.select(caller, filters, 99)
                related = store.relations.of(every, caller)
                same = store.memories.same_text(make_memory(content="kilo").content_hash, caller)
                keys = {
                    *(hit.head for hit in (*words, *near)),
                    *(hit.key for hit in (*words, *near)),
                    *(memory.key for memory in (*listed, *same)),
                    *(relation.other for relation in related),
                    *(relation.head for relation in related),
                }
                assert all(
                    may_see(store, memory, caller) for memory in store.memories.get(list(keys))
                )
                assert len(listed) == store.memories.count(caller, filters)
                answers.append((
                    {hit.head for hit in words}, {hit.head for hit in near}, listed,
                    {(relation.head, relation.other) for relation in related}, same,
                ))  # fmt: skip
            assert answers[0] == answers[1]
