"""What every importer guarantees, each tested with a sample of its format."""

from __future__ import annotations

import json
import os
import time

import pytest

from aforesaid.adapters.importers import PROGRAMS, reader_of
from aforesaid.domain.errors import AforesaidError, InvalidInputError, NotFoundError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter
from aforesaid.domain.model.memory import TYPES
from aforesaid.domain.model.statement import check_statement
from foreign import SAMPLES, contents, copy_sample, make_database


def read(form: str, path: str) -> tuple[list[ImportItem], dict[str, int]]:
    left_out = SkipCounter()
    return list(reader_of(form)(path, left_out)), left_out.counts


def by_name(form: str, path: str) -> dict[str, ImportItem]:
    return {piece.name: piece for piece in read(form, path)[0]}


def says(pieces: list[ImportItem], text: str) -> ImportItem:
    results = [piece for piece in pieces if text in piece.statement.content]
    assert 1 == len(results), text
    return results[0]


def test_every_form_has_a_sample():
    assert set(PROGRAMS) == {form for form, _ in SAMPLES}


@pytest.mark.parametrize(("form", "sample"), SAMPLES)
def test_pieces_have_names_of_their_own_and_pass_every_limit(form, sample, tmp_path):
    pieces, _ = read(form, copy_sample(sample, tmp_path))
    assert pieces
    assert len(pieces) == len({piece.name for piece in pieces})
    for piece in pieces:
        assert piece.statement.type in TYPES
        assert form == piece.statement.metadata["source"]
        check_statement(piece.statement, lambda text: text)


@pytest.mark.parametrize(("form", "sample"), SAMPLES)
def test_the_same_source_gives_the_same_pieces_and_is_never_written(form, sample, tmp_path):
    path = copy_sample(sample, tmp_path)
    before = contents(path)
    first = read(form, path)
    assert first == read(form, path)
    assert before == contents(path)


@pytest.mark.parametrize("form", PROGRAMS)
def test_a_place_where_nothing_is_is_named(form, tmp_path):
    with pytest.raises((NotFoundError, InvalidInputError)):
        read(form, str(tmp_path / "gone"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1, 2]",
        b"plain text\n",
        b"\x00\xff\xfe" * 50,
        b"SQLite format 3\0" + b"\0" * 90,
    ],
    ids=["empty", "object", "list", "text", "bytes", "broken database"],
)
@pytest.mark.parametrize("form", sorted(set(PROGRAMS) - {"claude-md"}))
def test_what_is_of_no_form_is_refused_in_words_or_gives_nothing(form, content, tmp_path):
    path = tmp_path / "what is it"
    path.write_bytes(content)
    refused = ""
    pieces: list[ImportItem] = []
    try:
        pieces = read(form, str(path))[0]
    except AforesaidError as error:
        refused = str(error)
    assert ([], bool(refused)) == (pieces, str(path) in refused)


@pytest.mark.parametrize("form", ["mcp-memory", "claude-mem", "mcp-memory-service", "claude-md"])
def test_a_pipe_is_not_waited_for(form, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    started = time.perf_counter()
    with pytest.raises(AforesaidError):
        read(form, str(tmp_path / "pipe"))
    assert time.perf_counter() - started < 5


def test_json_without_end_in_depth_is_no_traceback(tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    (tmp_path / "memory.jsonl").write_text(deep + "\n")
    (tmp_path / "export.json").write_text(f'{{"memories": {deep}}}')
    assert ([], {"lines that are not JSON objects": 1}) == read(
        "mcp-memory", str(tmp_path / "memory.jsonl")
    )
    with pytest.raises(InvalidInputError):
        read("mcp-memory-service", str(tmp_path / "export.json"))


def test_what_is_larger_than_is_read_is_refused_or_counted(tmp_path):
    large = tmp_path / "export.json"
    with large.open("wb") as file:
        file.write(b'{"memories": [')
        file.truncate(33_000_000)
    with pytest.raises(InvalidInputError, match="bytes"):
        read("mcp-memory-service", str(large))
    lines = tmp_path / "memory.jsonl"
    kept = json.dumps({"type": "entity", "name": "kept", "observations": []})
    lines.write_text('{"type":"entity","name":"' + "x" * 1_100_000 + '"}\n' + kept + "\n")
    pieces, left_out = read("mcp-memory", str(lines))
    assert ["kept (thing)"] == [piece.statement.content for piece in pieces]
    assert 1 == sum(left_out.values())


# -- the formats


def test_an_entity_its_observations_and_relations_are_pieces(tmp_path):
    pieces, left_out = read("mcp-memory", copy_sample("memory.jsonl", tmp_path))
    ada = says(pieces, "Ada Lovelace (person)")
    assert ("entity", "Ada Lovelace") == (ada.statement.type, ada.statement.entity)
    assert ("is_responsible_for", "mcp-memory entity payments-api") in ada.links
    team = says(pieces, "Leads the payments team")
    assert "Ada Lovelace: Leads the payments team" == team.statement.content
    assert "blue" == says(pieces, "port 8443").statement.metadata["colour"]
    assert {"lines that are not JSON objects": 1} == left_out


def test_claude_mem_keeps_types_files_times_and_unknown_columns(tmp_path):
    pieces, left_out = read("claude-mem", copy_sample("claude-mem.sql", tmp_path))
    fixed = says(pieces, "Checkout retried twice")
    assert "- 409 means: already done" in fixed.statement.content
    assert ("episodic", "shop", 1_772_445_600_000) == (
        fixed.statement.type, fixed.project, fixed.statement.created_at,
    )  # fmt: skip
    assert ("src/pay.py", "src/api.py") == fixed.statement.anchors
    assert "glad" == fixed.statement.metadata["mood"]
    assert "semantic" == says(pieces, "NATS JetStream").statement.type
    in_worktree = says(pieces, "Migrations lock")
    assert ("procedural", "shop") == (in_worktree.statement.type, in_worktree.project)
    assert "Next: document the header" in says(pieces, "Asked:").statement.content
    assert {"user prompts": 1, "sessions of claude-mem's own observer": 1} == left_out


def test_claude_mem_before_it_grew_is_read_with_the_columns_it_has(tmp_path):
    path = tmp_path / "old.db"
    make_database(
        path,
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT,"
        " text TEXT, type TEXT, created_at TEXT);"
        "INSERT INTO observations VALUES (1, 's', 'shop', 'as it was', 'change',"
        " '2025-01-02T03:04:05.000Z')",
    )
    (piece,) = read("claude-mem", str(path))[0]
    assert ("as it was", 1_735_787_045_000) == (
        piece.statement.content, piece.statement.created_at,
    )  # fmt: skip


def test_mcp_memory_service_leaves_out_the_deleted_and_chains_versions(tmp_path):
    pieces, left_out = read("mcp-memory-service", copy_sample("mcp-memory-service.sql", tmp_path))
    contents_in_order = [piece.statement.content for piece in pieces]
    assert contents_in_order.index("The staging server runs in Frankfurt.") < (
        contents_in_order.index("The staging server runs in Dublin.")
    )
    newer = says(pieces, "Dublin")
    assert (("mcp-memory-service h1",), "shop", 0.9) == (
        newer.replaces, newer.project, newer.statement.confidence,
    )  # fmt: skip
    assert "chat" == says(pieces, "Frankfurt").statement.metadata["origin"]
    assert "procedural" == says(pieces, "make ship").statement.type
    assert {"deleted memories": 1} == left_out


def test_a_view_that_passes_for_a_table_is_not_read(tmp_path):
    path = tmp_path / "trap.db"
    make_database(
        path,
        "CREATE VIEW memories AS SELECT 'x' AS content_hash, 'text' AS content;",
    )
    with pytest.raises(InvalidInputError, match="memories"):
        read("mcp-memory-service", str(path))


def test_a_row_that_is_too_large_is_counted_and_stops_no_other(tmp_path):
    path = copy_sample("mcp-memory-service.sql", tmp_path)
    make_database(
        tmp_path / "mcp-memory-service.db",
        "INSERT INTO memories (content_hash, content, created_at) "
        "VALUES ('h5', hex(zeroblob(3000000)), 1)",
    )
    pieces, left_out = read("mcp-memory-service", path)
    assert 3 == len(pieces)
    assert 1 == left_out["rows that are too large or damaged"]


def test_a_database_that_is_being_written_is_read_with_its_log(tmp_path):
    import sqlite3

    path = copy_sample("mcp-memory-service.sql", tmp_path)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute(
        "INSERT INTO memories (content_hash, content, created_at) VALUES ('n', 'new', 2)"
    )
    writer.commit()
    assert os.path.exists(path + "-wal")
    assert says(read("mcp-memory-service", path)[0], "new")
    writer.close()


def test_a_note_its_observations_and_its_links_are_pieces(tmp_path):
    pieces, left_out = read("basic-memory", copy_sample("basic-memory", tmp_path))
    coffee = says(pieces, "Water just off the boil")
    assert {
        ("related_to", "basic-memory note things/kettle"),
        ("requires", "basic-memory note things/kettle"),
        ("owned_by", "basic-memory note people/ada"),
    } == set(coffee.links)
    assert ("calm", 1_767_312_000_000) == (
        coffee.statement.metadata["mood"], coffee.statement.created_at,
    )  # fmt: skip
    method = says(pieces, "three minutes")
    assert {"method", "brewing", "coffee", "kitchen"} <= set(method.statement.tags)
    grinder = says(pieces, "grinder")
    assert ("Coffee brewing: The grinder is set to twelve (after cleaning)", 1_769_904_000_000) == (
        grinder.statement.content, grinder.statement.valid_from,
    )  # fmt: skip
    assert "entity" == says(pieces, "coffee black").statement.type
    assert 5 == len(pieces)
    assert {"links to missing notes": 1} == left_out


def test_the_clients_own_memory_keeps_what_kind_of_fact_each_is(tmp_path):
    pieces, left_out = read("auto-memory", copy_sample("auto-memory", tmp_path))
    tests = says(pieces, "uv run pytest")
    assert ("procedural", "/home/ada/shop", "Run the tests with uv, never with pip") == (
        tests.statement.type, tests.folder, tests.statement.summary,
    )  # fmt: skip
    assert 1 == len(tests.links)
    style = says(pieces, "three sentences")
    assert ("semantic", "global") == (style.statement.type, style.statement.scope)
    assert says(pieces, "four cores")  # in the index, without a file
    assert not any("Babbage" in piece.statement.content for piece in pieces)
    assert 1 == sum(left_out.values())


def test_a_memory_folder_that_is_named_is_read_though_its_project_is_not_known(tmp_path):
    path = copy_sample("auto-memory", tmp_path)
    named = os.path.join(path, "projects", "-home-ada-lost", "memory")
    assert [(None, "The old server is called Babbage.")] == [
        (piece.folder, piece.statement.content) for piece in read("auto-memory", named)[0]
    ]


def test_a_memory_folder_that_was_moved_is_known_by_its_index(tmp_path):
    (tmp_path / "MEMORY.md").write_text("- The CI runner has four cores\n")
    assert ["The CI runner has four cores"] == [
        piece.statement.content for piece in read("auto-memory", str(tmp_path))[0]
    ]


def test_a_file_of_lines_without_end_is_refused_at_once(tmp_path):
    path = tmp_path / "memory.jsonl"
    with path.open("wb") as file:
        file.truncate(5_000_000_000)
    started = time.perf_counter()
    with pytest.raises(InvalidInputError, match="split it"):
        read("mcp-memory", str(path))
    assert time.perf_counter() - started < 1


def test_instructions_come_by_rule_without_comments_and_code_is_no_heading(tmp_path):
    path = copy_sample("claude-md", tmp_path)
    pieces, left_out = read("claude-md", path)
    assert [None, "Build", "Build", "Build > Release", "Style"] == [
        piece.statement.metadata.get("section") for piece in pieces
    ]
    assert "Build: Use `uv`, never pip." == says(pieces, "never pip").statement.content
    assert "Release: Tag after the freeze." == says(pieces, "freeze").statement.content
    assert "# not a heading" in says(pieces, "make ship").statement.content
    assert not any("note to editors" in piece.statement.content for piece in pieces)
    assert {path} == {piece.folder for piece in pieces}
    assert {"files imported with @ that do not exist": 1} == left_out
    assert not any("@docs" in piece.statement.content for piece in pieces)


def test_files_that_instructions_import_are_read_like_them_within_their_folder(tmp_path):
    top = tmp_path / "shop"
    (top / "docs").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("Of another folder.\n")
    (top / "link.md").symlink_to(tmp_path / "secret.md")
    (top / "CLAUDE.md").write_text(
        "# Ways\nUse uv. See @docs/release.md, and ask @anna.\n- @docs/style.md\n"
        "`@docs/span.md`\n```\n@docs/code.md\n```\n<!-- @docs/comment.md -->\n"
        "@../secret.md\n@link.md\n@/etc/hostname\n@docs/none.md\n@~/none.md\n"
    )
    (top / "docs" / "release.md").write_text("Freeze first.\n@deep1.md\n@../CLAUDE.md\n")
    for number in range(1, 6):
        (top / "docs" / f"deep{number}.md").write_text(f"Step {number}.\n@deep{number + 1}.md\n")
    for name in ("style", "span", "code", "comment"):
        (top / "docs" / f"{name}.md").write_text(f"# Of {name}\nKeep the {name} short.\n")
    pieces, left_out = read("claude-md", str(top))
    contents = [piece.statement.content for piece in pieces]
    assert contents[0].startswith("Ways: Use uv. See @docs/release.md, and ask @anna.\n`@docs")
    assert "docs/style.md" not in contents[0]
    assert [
        "Freeze first.",
        "Of style: Keep the style short.",
        "Step 1.",
        "Step 2.",
        "Step 3.",
    ] == (contents[1:])
    assert {str(top)} == {piece.folder for piece in pieces}
    assert "docs/deep3.md" == pieces[-1].statement.metadata["file"]
    assert {
        "files imported with @ from outside the folder": 4,
        "files imported with @ that do not exist": 1,
        "files imported with @ beyond 4 levels or 200 files": 1,
    } == left_out


def test_each_item_of_a_list_is_a_rule_and_steps_stay_together(tmp_path):
    file = tmp_path / "CLAUDE.md"
    text = (
        "- Answer in English\n- I use fish\n  and tmux\n\n# Shop\n## Rules\n* Never use `any`\n"
        "* Prefer composition\n\nAsk before a release.\n## Release\n1. make check\n2. tag\n"
        "## Names\nFor a module:\n- a noun\n- no plural\n"
    )
    file.write_text(text)
    pieces = read("claude-md", str(file))[0]
    assert [
        "Answer in English",
        "I use fish\n  and tmux",
        "Rules: Never use `any`",
        "Rules: Prefer composition",
        "Rules: Ask before a release.",
        "Release: 1. make check\n2. tag",
        "Names: For a module:\n- a noun\n- no plural",
    ] == [piece.statement.content for piece in pieces]
    # an edited rule keeps its name, and a new one before it changes no other name
    edited = text.replace("use `any`", "use `any` or casts")
    file.write_text(edited.replace("* Never", "* New\n* Never"))
    assert {piece.name for piece in pieces} <= {
        piece.name for piece in read("claude-md", str(file))[0]
    }


def test_the_clients_own_folder_speaks_for_the_user_everywhere(tmp_path):
    path = copy_sample("claude-md", tmp_path)
    os.mkdir(os.path.join(path, "projects"))
    assert {(None, "global")} == {
        (piece.folder, piece.statement.scope) for piece in read("claude-md", path)[0]
    }


def test_a_section_that_was_edited_keeps_its_name(tmp_path):
    path = copy_sample("claude-md", tmp_path)
    before = by_name("claude-md", path)
    file = os.path.join(path, "CLAUDE.md")
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    with open(file, "w", encoding="utf-8") as opened:
        opened.write(text.replace("Tag after the freeze.", "Tag before the freeze."))
    after = by_name("claude-md", path)
    assert before.keys() == after.keys()
    message = [(before[name].statement.content, after[name].statement.content) for name in before]
    assert 1 == sum(item != other for item, other in message)
