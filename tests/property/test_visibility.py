"""Whatever is called, unless it names another project: nothing of another project is shown.

Generated calls through the server's own worker, so that rendering, errors and
whatever is injected are part of it. The rule itself is read from plain rows (planted_secrets.py).
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from aforesaid.domain.model.memory import STATUSES
from aforesaid.domain.model.relation import KINDS
from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.entrypoints.mcp import prompts
from aforesaid.entrypoints.mcp.server import ToolRunner
from aforesaid.operations.prompt_hook import recall_for_prompt
from aforesaid.operations.session_start import start_session, subagent_context
from aforesaid.services.graph.explore import DIRECTIONS
from generated import examples
from property.planted_secrets import (
    CALLERS,
    ENTITIES,
    NO_PROCESS,
    TASKS,
    TOPICS,
    TYPES,
    WORDS,
    Planted,
    Sight,
    small,
    steps,
    strange,
)

STORES, CALLS = examples(200), 50  #: 10,000 calls in full
CHANGES = ("store_memory", "update_memory", "forget_memory", "link_memories", "set_project")
TIMES = ("1970", "yesterday", "last week", "in 3 days", "2020-01-01")

calls = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(
            ("recall_memory",) * 6
            + ("explore_memory",) * 4
            + ("memory_inspect",) * 3
            + ("search_entities",) * 3
            + ("memory_stats", "get_context", "resource", "prompt")
            + ("hook start", "hook prompt", "hook subagent")
            + CHANGES
        ),
        small,
        small,
        st.integers(0, (1 << 16) - 1),
    ),
    min_size=CALLS,
    max_size=CALLS,
)


@settings(
    max_examples=STORES,
    phases=[Phase.explicit, Phase.generate],  # the call that fails says all: shrinking takes long
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(plan=steps, asked=calls)
def test_no_call_shows_what_another_project_keeps(environment, folders, plan, asked) -> None:
    world = Planted({**environment, "AFORESAID_PRIVACY_REDACT": "0"}, folders)
    try:
        world.grow(plan)
        workers = {name: ToolRunner(here) for name, here in world.here.items()}
        before = world.sight()
        for where, what, item, other, flags in asked:
            caller = CALLERS[where]
            projects = world.visible(caller)
            message, reply = ask(world, workers[caller], caller, what, item, other, flags)
            after = world.sight() if what in CHANGES else before

            assert "internal error in" not in reply, message
            results = strange(reply, (before, after), projects, message)
            assert set() == results, f"{caller} {what} {message} -> {reply}"
            assert [] == before.changed_outside(after, projects), message
            if reply.startswith("{"):
                check_answer(what, json.loads(reply), after, projects)
            assert [] == after.strangers(), message
            before = after
    finally:
        world.close()


def check_answer(
    what: str, answer: dict[str, Any], sight: Sight, projects: tuple[int, ...]
) -> None:
    """Fail if an answer counts, names or rests on what is out of sight though it shows no text."""
    if what == "memory_stats":
        expected = counted(sight, projects)
        assert expected == {name: answer[name] for name in expected}
    if what == "explore_memory":
        assert nodes_in(answer["nodes"]) <= sight.topic_names(projects), answer
    if what == "recall_memory":
        for row in answer["results"]:
            old = row.get("superseded_query_hit", False)
            assert not old or sight.versions(row["id"], projects) > 1, answer


def ask(
    world: Planted, worker: ToolRunner, caller: str, what: str, first: int, other: int, flags: int
) -> tuple[str, str]:
    """Make one call; return what was said in it, and the whole reply."""
    if what.startswith("hook"):
        return injected(world, caller, what, first, other, flags)
    if what == "prompt":
        report = world.marks[flags % len(world.marks)]
        message = prompts.write_prompt(
            *(("recall", {"topic": report}), ("remember", {"statement": report}))[flags % 2]
        )
        return report, message.model_dump_json()
    if what == "resource":
        reference = named(world, first, flags)
        uri = prompts.CONTEXT_URI if flags & 512 else f"memory://{reference}"
        tool, values = prompts.read_resource(uri)
    else:
        tool, values = what, arguments(world, what, caller, first, other, flags)
    after: list[Any] = []
    text, _failed = worker._answer(tool, values, after)
    for work in after:
        work()
    return json.dumps(values), text


def injected(
    world: Planted, caller: str, what: str, first: int, other: int, flags: int
) -> tuple[str, str]:
    """Return what a prompt says, and what a hook puts into the conversation unasked."""
    client = str(NO_PROCESS + CALLERS.index(caller))
    environment = {**world.environment, "CLAUDE_PID": client}
    where = {"session_id": f"session-{caller}", "folder": world.here[caller].folder()}
    if what == "hook prompt":
        mark = world.marks[(first * 16 + other) % len(world.marks)]
        prompt = f"how do we {WORDS[first % 6]} the {WORDS[other % 6]} on the build server {mark}"
        return prompt, recall_for_prompt(environment, **where, prompt=prompt)
    if what == "hook subagent":
        return "", subagent_context(environment, **where)
    source = ("startup", "resume", "clear", "fork")[flags % 4]
    begun = start_session(environment, **where, transcript_path="", source=source)
    assert begun is not None
    return "", f"{begun.context}\n{begun.line}"


def named(world: Planted, number: int, flags: int) -> str:
    """Return a memory's id: whole, its last characters, or too few of them to be one memory's."""
    identity = world.id(number)
    code = world.core.store.memories.short_ids(
        [memory.key for memory in world.core.store.memories.find(identity)]
    )
    short = next(iter(code.values()), "zzzz")
    return (identity, short, short[-4:])[flags % 3]


def arguments(
    world: Planted, tool: str, caller: str, item: int, other: int, flags: int
) -> dict[str, Any]:
    """Return arguments for a tool; no project is named but the caller's own."""
    mark = world.marks[(item * 16 + other) % len(world.marks)]
    words = " ".join((WORDS[item % 6], WORDS[other % 6], *((mark,) if flags & 1 else ())))
    entity = mark if flags & 2 else ENTITIES[item % 3]
    topic = mark if flags & 2 else TOPICS[item % 4]
    first, second = named(world, item, flags >> 4), named(world, other, flags >> 6)
    if tool == "recall_memory":
        return recall_arguments(world, item, other, flags, words, entity)
    if tool == "explore_memory":
        if flags & 4:
            by = topic if flags & 8 else first
            return {"id": by, "direction": DIRECTIONS[other % len(DIRECTIONS)]}
        return {"max_depth": other % 5, **({"topic": topic} if flags & 8 else {})}
    if tool == "memory_inspect":
        return {"id": first, "include_log": bool(flags & 1)}
    if tool == "search_entities":
        values: dict[str, Any] = {"limit": 1 + other}
        if flags & 4:
            values["query"] = entity
        if flags & 8:
            values["scope"] = ["project", "global"][flags & 1]
        return values
    if tool == "get_context":
        hint = f"{words} of the {entity}" if flags & 4 else None
        return {"token_budget": 100 + item * 200, **({"hint": hint} if hint else {})}
    if tool == "set_project":
        if caller == "nowhere":
            return {"project": "default"}
        return {"project": f"{caller}/shop", "keywords": [WORDS[item % 6]]}
    if tool == "store_memory":
        return store_arguments(flags, words, entity, topic, first, second)
    if tool == "update_memory":
        return update_arguments(world, flags, words, entity, topic, first)
    if tool == "forget_memory":
        return {"id": first, "erase": flags % 4 == 0}
    if tool == "link_memories":
        kinds = (*KINDS, "supersedes", "works_at")
        kind = kinds[flags % len(kinds)]
        return {"source_id": first, "target_id": second, "kind": kind, "remove": bool(flags & 512)}
    return {}


def recall_arguments(
    world: Planted, first: int, other: int, flags: int, words: str, entity: str
) -> dict[str, Any]:
    """Return a question, ids or filters, with anything that may be asked beside them."""
    values: dict[str, Any] = {"max_results": 1 + flags % 50, "include_related": other % 4}
    if flags & 4:
        values["query"] = f"{words} {entity}" if flags & 8 else words
    elif flags & 8:
        values["ids"] = [named(world, first, flags >> 4), named(world, other, flags >> 6)]
    chosen = flags >> 8
    more: dict[str, Any] = {
        "type": list(TYPES[: 1 + first % 4]), "scope": ["project", "task"], "entity": entity,
        "tags": ["shared"], "status": list(STATUSES[: 1 + first % 4]), "depth": first % 5,
        "task_id": TASKS[other % 2], "as_of": TIMES[other % 5],
    }  # fmt: skip
    values |= {name: more[name] for number, name in enumerate(more) if chosen >> number & 1}
    if first % 3 == 0:
        values["include_history"] = True
    if other % 5 == 0:
        values["summary_only"] = True
    if first % 5 == 0:
        values["min_relevance"] = 0
    if first % 7 == 0:
        values["since"] = "1970"
    return values


def store_arguments(
    flags: int, words: str, entity: str, topic: str, first: str, second: str
) -> dict[str, Any]:
    values: dict[str, Any] = {"content": words if flags & 4 else f"{words} again"}
    more: dict[str, Any] = {
        "entity": entity, "topic": topic, "supersedes": first, "parent_id": second,
        "relations": [{"kind": "supports", "target_id": second}], "task_id": TASKS[flags % 2],
        "scope": "global", "type": "entity", "metadata": {"name": entity, "aliases": [words]},
    }  # fmt: skip
    return values | {name: more[name] for number, name in enumerate(more) if flags >> number & 128}


def update_arguments(
    world: Planted, flags: int, words: str, entity: str, topic: str, first: str
) -> dict[str, Any]:
    more: dict[str, Any] = {
        "content": words, "entity": entity, "topic": topic, "task_id": TASKS[flags % 2],
        "scope": ("global", "project")[flags & 1], "restore": True, "tags": [WORDS[flags % 6]],
        "status": "completed",
    }  # fmt: skip
    chosen = {name: more[name] for number, name in enumerate(more) if flags >> number & 128}
    return {"id": first, **(chosen or {"pinned": True})}


def nodes_in(shown: list[dict[str, Any]]) -> set[str]:
    """Return the names of the topics and concepts among nodes, at any depth."""
    below = [nodes_in(node.get("children", [])) for node in shown]
    return {node["name"] for node in shown if "name" in node}.union(*below)


def counted(sight: Sight, projects: tuple[int, ...]) -> dict[str, int]:
    """Return how many memories these projects hold, in the states that statistics tell."""
    rows = [row for row in sight.rows.get("memories", ()) if row["project"] in projects]
    standing = [row for row in rows if row["forgotten_at"] is None]
    return {
        "total": len(rows),
        "forgotten": len(rows) - len(standing),
        "superseded": sum(row["superseded_by"] is not None for row in standing),
        "active": sum(row["superseded_by"] is None for row in standing),
    }


def test_every_tool_is_among_the_calls() -> None:
    drawn = {"recall_memory", "explore_memory", "memory_inspect", "search_entities", *CHANGES}
    assert set(TOOLS) == drawn | {"memory_stats", "get_context"}
