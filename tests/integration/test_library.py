"""``from aforesaid import Memory``: every tool's work, from Python, with the tools' own rules."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from aforesaid import Memory
from aforesaid.domain.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.entrypoints import library
from aforesaid.entrypoints.api.program_arguments import PROGRAM_PARAMETERS
from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.entrypoints.library import RecallFields, StoreFields, UpdateFields
from git_folders import git, make_repository

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def user(environment, monkeypatch) -> None:
    """Be a user with empty folders."""
    for name in list(os.environ):
        if name.startswith("AFORESAID_"):
            monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def memory(user, tmp_path):
    with Memory(tmp_path / "m.db", project="acme/payments") as opened:
        yield opened


@pytest.mark.parametrize(
    ("fields", "tool", "beside"),
    [
        (StoreFields, "store_memory", {"content", "project"}),
        (RecallFields, "recall_memory", {"query", "project"}),
        (UpdateFields, "update_memory", {"id", "restore"}),
    ],
)
def test_the_typed_parameters_are_those_of_the_tool_and_of_programs(fields, tool, beside) -> None:
    in_schema = set(TOOLS[tool]["inputSchema"]["properties"]) - beside
    assert in_schema | set(PROGRAM_PARAMETERS.get(tool, ())) == set(get_type_hints(fields))


def test_the_examples_of_the_document_run(environment, tmp_path) -> None:
    text = (ROOT / "docs" / "PYTHON.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT / "server")},
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert "The queue is NATS JetStream, for replay.\n" in done.stdout
    assert "('depends_on', 'The broker runs on three machines.')" in done.stdout
    assert "idempotent-retries active Answer 409 on duplicate keys.\n" in done.stdout
    assert "acme/shop\n" in done.stdout


def test_every_tool_has_its_method() -> None:
    methods = {
        "store_memory": "store",
        "recall_memory": "recall",
        "update_memory": "update",
        "forget_memory": "forget",
        "link_memories": "link",
        "explore_memory": "explore",
        "get_context": "context",
        "set_project": "set_project",
        "search_entities": "entities",
        "memory_inspect": "inspect",
        "memory_stats": "stats",
    }
    assert set(TOOLS) == set(methods)
    assert [] == [name for name in methods.values() if not hasattr(Memory, name)]


def test_links_are_made_seen_from_both_ends_and_taken_back(memory) -> None:
    item = memory.store("Kilo runs on lima.").memory
    other = memory.store("Mike sells november.").memory

    assert memory.link(item.id, "depends_on", other.id).changed
    assert not memory.link(item.id, "depends_on", other.id).changed
    (seen,) = memory.inspect(other.id).relations
    assert ("depends_on", "in", item.id) == (
        seen.relation.kind,
        seen.relation.direction,
        seen.memory.id,
    )
    assert [item.id] == [
        node.memory.id for node in memory.explore(id=other.id, direction="associations").nodes
    ]
    assert memory.unlink(item.id, "depends_on", other.id).changed
    assert () == memory.inspect(item.id).relations


def test_what_is_forgotten_is_gone_until_it_is_restored(memory) -> None:
    kept = memory.store("Kilo runs on lima.").memory
    memory.forget(kept.id)
    assert () == memory.recall("kilo").results

    memory.restore(kept.id)
    assert [kept.id] == [result.memory.id for result in memory.recall("kilo").results]
    with pytest.raises(ConflictError, match="nothing to restore"):
        memory.restore(kept.id)

    assert memory.forget(kept.id, erase=True).erased
    with pytest.raises(NotFoundError):
        memory.inspect(kept.id)


def test_entities_are_listed_merged_renamed_and_put_back(memory) -> None:
    memory.store("Clarity is written in Rust.", entity="Clarity")
    memory.store("The clear thing starts in a second.", entity="clear thing")

    memory.merge_entities("clear thing", "Clarity")
    assert ["Clarity"] == [
        result.entity.name for result in memory.entities("the clear thing").results[:1]
    ]
    assert 2 == len(memory.recall(entity="Clarity").results)
    memory.undo_entity_change()
    assert {"Clarity", "clear thing", "user"} == {
        result.entity.name for result in memory.entities().results
    }
    memory.rename_entity("Clarity", "Clearness")
    (change,) = memory.entity_changes()
    assert "Clearness" == memory.entities("clarity").results[0].entity.name
    memory.undo_entity_change(change.key)
    assert "Clarity" == memory.entities("clarity").results[0].entity.name


def test_tasks_are_listed_by_state(memory) -> None:
    memory.store("Answer 409 on duplicates.", task_id="retries", due="2000-01-01")
    done = memory.store("Drop the old table.", task_id="drop", status="completed").memory

    assert ["retries"] == [task.task.task_id for task in memory.tasks()]
    assert ["drop"] == [task.task.task_id for task in memory.tasks("completed")]
    assert ["retries", "drop"] == [task.task.task_id for task in memory.tasks("all")]
    memory.update(done.id, status="active")
    assert ["retries", "drop"] == [task.task.task_id for task in memory.tasks(["active"])]
    with pytest.raises(InvalidInputError, match="use one of active"):
        memory.tasks("open")


def test_a_project_is_chosen_and_others_are_seen_only_when_named(memory) -> None:
    memory.store("Kilo runs on lima.")
    chosen = memory.set_project("acme/web-shop", description="where people buy", keywords=["buy"])

    assert ("acme/web-shop", "where people buy", ("buy",)) == (
        chosen.name,
        chosen.description,
        chosen.keywords,
    )
    assert "acme/web-shop" == memory.project.name
    assert () == memory.recall("kilo").results
    assert 1 == len(memory.recall("kilo", project="acme/payments").results)
    assert 1 == len(memory.recall("kilo", project="*").results)
    assert {"acme/payments", "acme/web-shop"} <= {project.name for project in memory.projects()}
    with pytest.raises(InvalidInputError, match="acme/web-shop"):
        memory.set_project("acme/web-shops")


def test_in_a_folder_it_is_that_repository_s_project_and_files_may_be_cited(user, tmp_path) -> None:
    folder = make_repository(tmp_path / "shop", remote="https://example.com/acme/shop.git")
    git(folder, "config", "user.name", "Grace Hopper")
    (folder / "Makefile").write_text("ship:\n\ttar --create ship.tar .\n")
    with Memory(tmp_path / "m.db", folder=folder) as memory:
        kept = memory.store("Ship with make ship.", anchors="Makefile").memory
        assert "acme/shop" == memory.project.name
        assert "Grace Hopper" in memory.entities("user").results[0].entity.aliases
        assert () == memory.recall("ship").results[0].stale

        (folder / "Makefile").write_text("ship:\n\tzip ship.zip .\n")
        assert ("Makefile changed",) == memory.recall("ship").results[0].stale
        assert ("Makefile changed",) == memory.inspect(kept.id).stale
        assert "Makefile changed" in memory.context()


def test_any_answer_becomes_what_the_tools_say(memory) -> None:
    stored = memory.store("Kilo runs on lima.", entity="Kilo", topic="servers/kilo")
    short = memory.plain(stored)["id"]
    answers = [
        stored,
        memory.recall("kilo"),
        memory.update(short, tags=["lima"]),
        memory.link(short, "part_of", memory.store("All servers are in one room.").memory.id),
        memory.explore("servers"),
        memory.inspect(short),
        memory.entities("kilo"),
        memory.forget(short),
    ]
    output = json.loads(json.dumps([memory.plain(answer) for answer in answers]))
    assert ("servers/kilo", "Kilo") == (output[0]["topic"], output[0]["entity"])
    assert short == output[1]["results"][0]["id"] == output[2]["id"] == output[3]["source"]
    assert "Kilo" == output[5]["entity"] == output[6]["results"][0]["entity"]
    assert output[7]["forgotten"]


def test_the_floor_of_the_settings_holds_where_the_call_says_nothing(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("AFORESAID_RETRIEVAL_FLOOR", "1")
    with Memory(tmp_path / "floor.db", project="acme/payments") as memory:
        memory.store("Kilo runs on lima.")
        assert () == memory.recall("kilo").results
        assert 1 == len(memory.recall("kilo", min_relevance=0).results)


def test_markdown_and_a_second_export_come_in_by_id(memory, tmp_path) -> None:
    stored = memory.store("The queue is NATS.")
    folder, everything = tmp_path / "notes", tmp_path / "all.jsonl"
    assert 1 == sum(memory.export_markdown(folder).values())
    everything.write_text("".join(memory.export()))
    memory.update(stored.memory.id, content="The queue is Kafka.")
    assert 1 == memory.import_file(folder).merged.known
    assert 1 == memory.import_file(everything, on_conflict="newer").merged.known
    with Memory(tmp_path / "other.db", project="acme/payments") as other:
        assert 1 == other.import_file(everything, on_conflict="skip").merged.stored
        assert 0 == other.import_file(folder).merged.stored


def test_what_is_exported_is_restored_and_lines_are_imported(memory, tmp_path) -> None:
    kept = memory.store("Kilo runs on lima.", tags=("servers",)).memory
    everything = tmp_path / "all.jsonl"
    everything.write_text("".join(memory.export()), encoding="utf-8")
    with Memory(tmp_path / "copy.db", project="acme/payments") as copy:
        assert {"memories": 1, "tags": 1}.items() <= copy.import_file(everything).restored.items()
        assert "".join(memory.export()) == "".join(copy.export())
        assert [kept] == [result.memory for result in copy.recall(ids=kept.id).results]
        with pytest.raises(ConflictError, match="is not empty"):
            copy.import_file(everything)

    with Memory(tmp_path / "other.db") as other:
        other.import_file(everything)
        assert () == other.recall("kilo").results
        assert other.store("Oscar.", scope="project").memory.project == other.project.key
        assert "default" == other.project.name

    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "Refunds take two days."}\r\n\r\n{"contents": "?"}\r\nno\r\n')
    done = memory.import_file(lines).imported
    assert (1, [3, 4]) == (done.stored, [number for number, _why in done.refused])
    assert "import" == memory.recall("refunds").results[0].memory.provenance


@pytest.mark.parametrize("broken", ["be\0fore", "half \ud83d pair", "\udd00"])
def test_text_that_nobody_could_read_back_is_refused(memory, broken) -> None:
    whole = memory.store("A whole pair: \ud83d\ude80.").memory
    assert "A whole pair: \U0001f680." == whole.content
    with pytest.raises(InvalidInputError, match=r"content contains .* near character"):
        memory.store(broken)
    with pytest.raises(InvalidInputError, match="remove it"):
        memory.update(whole.id, content=broken)
    assert 1 == memory.stats()["total"]


class Odd:
    def __repr__(self) -> str:
        return "<odd>"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"cues": {"which port"}}, "cues must be text or a list, not .*which port"),
        ({"cues": b"which port"}, "cues must be text or a list, not .*which port"),
        ({"cues": [b"which port"]}, "cues contains .*which port.*, not a string"),
        ({"tags": [{"a"}]}, "tags contains .*, not a string"),
        ({"summary": Odd()}, "summary must be text, not .*<odd>"),
        ({"metadata": {"at": Odd()}}, "metadata cannot be written as JSON"),
        ({"metadata": {("a", 1): "x", "b": {Odd()}}}, "metadata cannot be written as JSON"),
    ],
)
def test_a_value_that_no_call_could_hold_is_refused_in_words(memory, fields, says) -> None:
    with pytest.raises(InvalidInputError, match=says):
        memory.store("Kilo.", **fields)
    assert 0 == memory.stats()["total"]


def test_what_holds_itself_is_refused_in_words(memory) -> None:
    ring: dict[str, object] = {}
    ring["ring"] = ring
    with pytest.raises(InvalidInputError, match="nested too deep"):
        memory.store("Kilo.", metadata=ring)


@pytest.mark.parametrize(
    ("former", "current"),
    [
        ("Brought", library.BulkImportResult),
        ("Described", library.TaskView),
        ("Explored", library.ExploreResult),
        ("Forgotten", library.ForgetResult),
        ("Inspected", library.Inspection),
        ("Linked", library.LinkResult),
        ("Recalled", library.RecallResult),
        ("Stored", library.StoreResult),
        ("Updated", library.UpdateResult),
    ],
)
def test_a_former_class_name_still_works_with_a_warning(former, current) -> None:
    with pytest.warns(DeprecationWarning, match=f"{former} is now called {current.__name__}"):
        assert current is getattr(library, former)


def test_an_unknown_name_of_the_library_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Recollected"):
        library.Recollected  # noqa: B018


def test_a_secret_in_an_entity_s_new_name_is_removed(memory) -> None:
    memory.store("Nats server answers on port 4222.", entity="nats-server")
    renamed = memory.rename_entity("nats-server", "nats AKIAIOSFODNN7EXAMPLF")

    assert "AKIAIOSFODNN7EXAMPLF" not in renamed.name


def test_one_cue_may_be_given_as_text_and_several_in_a_tuple(memory) -> None:
    item = memory.store("Kilo is the queue.", cues="where do events go").memory
    two = memory.store("Lima is the cache.", cues=("stale pages", "evict")).memory

    assert (("where do events go",), ("stale pages", "evict")) == (item.cues, two.cues)


def test_what_is_wrong_is_said_and_stores_nothing(memory) -> None:
    with pytest.raises(InvalidInputError, match="did you mean importance"):
        memory.store("Kilo.", importanc=1)
    with pytest.raises(InvalidInputError, match="one project"):
        memory.store_many([{"content": "Kilo."}, {"content": "Lima.", "project": "other"}])
    with pytest.raises(NotFoundError, match="no project is called"):
        memory.recall("kilo", project="never")
    with pytest.raises(NotFoundError):
        memory.store_many([{"content": "Kilo."}, {"content": "Lima.", "supersedes": "zzzz"}])
    with pytest.raises(InvalidInputError, match="token_budget"):
        memory.context(token_budget=3)
    assert 0 == memory.stats()["total"]


def test_every_answer_has_a_plain_form(memory, tmp_path) -> None:
    memory.store("Move to Postgres.", task_id="move", entity="Postgres")
    memory.store("Postgresql is fast.", entity="Postgresql")
    lines = tmp_path / "more.jsonl"
    lines.write_text('{"content": "The port is 5432."}\n', encoding="utf-8")
    plain = memory.plain

    assert ["move"] == [task["task_id"] for task in plain(memory.tasks())]
    assert "acme/payments" in {project["project"] for project in plain(memory.projects())}
    assert "Postgres" == plain(memory.merge_entities("Postgresql", "Postgres"))["entity"]
    assert ["Postgresql merged into Postgres"] == [
        change["what"] for change in plain(memory.entity_changes())
    ]
    assert 1 == plain(memory.import_file(lines))["stored"]
    assert plain(memory.stats()) == memory.stats()
    assert memory.context() == plain(memory.context())


def test_errors_name_the_methods_of_the_library(tmp_path):
    with Memory(tmp_path / "a.db") as memory:
        with pytest.raises(InvalidInputError, match=r"^memory\.store\(\) .*session, created_at"):
            memory.store("A fact.", zzzz="red")
        with pytest.raises(NotFoundError, match=r"memory\.recall\(query=\.\.\.\) finds ids"):
            memory.update("zzzz", content="Another fact.")


def test_a_closed_memory_says_so(tmp_path):
    memory = Memory(tmp_path / "a.db")
    memory.close()
    memory.close()
    with pytest.raises(UnavailableError, match="this Memory was closed"):
        memory.recall("sky")


def test_results_have_a_short_representation(tmp_path):
    with Memory(tmp_path / "a.db") as memory:
        assert len(repr(memory.store("The sky is blue."))) < 300


def test_a_slip_in_a_program_is_refused_in_words(memory, tmp_path) -> None:
    other = tmp_path / "other.db"
    with pytest.raises(InvalidInputError, match="no parameter 'projct': did you mean project"):
        Memory(other, projct="acme/shop")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="no parameter 'x': it takes path, project, folder"):
        Memory(other, x=1)  # type: ignore[arg-type]
    assert not other.exists()
    with pytest.raises(InvalidInputError, match="content must be text, not int"):
        memory.store(123)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="content must be text, not bytes"):
        memory.store_many([{"content": b"abc"}])
    with pytest.raises(InvalidInputError, match="project must be text, not int"):
        memory.store("Kilo.", project=5)  # type: ignore[arg-type]
    assert 0 == memory.stats()["total"]


def test_nothing_is_stored_where_a_variable_switches_memory_off(memory, tmp_path, monkeypatch):
    monkeypatch.setenv("AFORESAID_OFF", "1")
    with (
        Memory(tmp_path / "other.db") as off,
        pytest.raises(InvalidInputError, match="memory is off here"),
    ):
        off.store("It is off.")
