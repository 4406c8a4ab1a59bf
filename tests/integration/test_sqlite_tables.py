"""The file itself: its rights, its pragmas, its tables, what erasing leaves, who may open it."""

from __future__ import annotations

import os
import re
import stat
import struct
import subprocess
import sys
import threading

import apsw
import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.sqlite.database import PRAGMAS, Database
from aforesaid.adapters.sqlite.engine import check_engine_version
from aforesaid.adapters.sqlite.extension import find_vec_extension
from aforesaid.adapters.sqlite.migration import migrate
from aforesaid.adapters.sqlite.schema import MIGRATIONS
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.errors import AforesaidError, CorruptError, UnavailableError
from aforesaid.domain.model.memory import CallContext, Filters, Visibility, text_to_embed
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.projects.detection import WorkspaceFacts
from aforesaid.services.projects.registry import Projects
from factories import (
    NOON,
    Services,
    TickingClock,
    make_context,
    make_memory,
    make_project,
    open_sqlite,
)
from interfaces import ROOT

GLOBAL = Visibility(projects=(0,))
EMBED = HashedEmbedder()


def mode(path) -> str:
    return oct(stat.S_IMODE(os.lstat(path).st_mode))


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that can import the package."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "server")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# -- rights


def test_folder_and_files_are_the_owners_alone_whatever_the_umask(tmp_path) -> None:
    before = os.umask(0)
    try:
        store = open_sqlite(tmp_path / "a" / "b" / "memory.db")
        with store.transaction():
            store.memories.add(make_memory(1))
        names = sorted(os.listdir(tmp_path / "a" / "b"))
        modes = {mode(tmp_path / "a" / "b" / name) for name in names}
        store.close()
    finally:
        os.umask(before)

    assert ["memory.db", "memory.db-ledger", "memory.db-shm", "memory.db-wal"] == names
    assert ({"0o600"}, "0o700") == (modes, mode(tmp_path / "a" / "b"))


def test_a_file_that_others_could_read_is_made_private_again(tmp_path) -> None:
    path = tmp_path / "m.db"
    open_sqlite(path).close()
    path.chmod(0o644)
    store = open_sqlite(path)

    assert {"0o600"} == {mode(tmp_path / name) for name in os.listdir(tmp_path)}
    store.close()


def test_a_link_in_the_place_of_the_file_is_refused(tmp_path) -> None:
    target = tmp_path / "target.db"
    open_sqlite(target).close()
    (tmp_path / "m.db").symlink_to(target)

    with pytest.raises(UnavailableError, match="link"):
        open_sqlite(tmp_path / "m.db")


def test_a_folder_may_stand_behind_a_link(tmp_path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    store = open_sqlite(tmp_path / "link" / "m.db")
    with store.transaction():
        store.set_meta("a", "1")
    store.close()

    assert ["m.db", "m.db-ledger"] == sorted(os.listdir(tmp_path / "disk"))


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_file_is_refused_without_waiting(tmp_path, kind) -> None:
    path = tmp_path / "m.db"
    os.mkfifo(path) if kind == "fifo" else path.mkdir()

    with pytest.raises(UnavailableError, match=re.escape(str(path))):
        open_sqlite(path)


@pytest.mark.parametrize("statements", [
    ["CREATE TABLE theirs (a)"],
    ["PRAGMA application_id = 7", "CREATE TABLE theirs (a)"],
    ["PRAGMA application_id = 7", "PRAGMA user_version = 1", "CREATE TABLE theirs (a)"],
    ["PRAGMA user_version = 99", "CREATE TABLE theirs (a)"],
])  # fmt: skip
def test_a_database_of_another_program_is_refused_and_left_as_it_was(tmp_path, statements) -> None:
    path = tmp_path / "theirs.db"
    theirs = apsw.Connection(str(path))
    for statement in statements:
        theirs.execute(statement)
    theirs.close()
    path.chmod(0o644)
    before = path.read_bytes()

    with pytest.raises(UnavailableError, match="another program"):
        open_sqlite(path)
    assert (before, "0o644", ["theirs.db"]) == (path.read_bytes(), mode(path), os.listdir(tmp_path))


def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(tmp_path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("shopping list\n" * 500)

    with pytest.raises(CorruptError, match="is not a database"):
        open_sqlite(path)
    assert "shopping list\n" * 500 == path.read_text()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path) -> None:
    path = tmp_path / "m.db"
    open_sqlite(path).close()
    os.chown(path, 12_345, 12_345)

    with pytest.raises(UnavailableError, match="another user"):
        open_sqlite(path)


def test_an_engine_that_can_lose_commits_is_refused() -> None:
    for version in ("3.51.2", "3.50.7", "3.7.0", "2.8.17"):
        with pytest.raises(UnavailableError, match=re.escape(version)):
            check_engine_version(version)
    for version in ("3.51.3", "3.52.0", "4.0", apsw.sqlite_lib_version()):
        check_engine_version(version)


# -- connections


def test_every_pragma_reads_back_on_every_connection(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    seen = []

    def read() -> None:
        seen.append([store.database.value(f"PRAGMA {name}") for name, _value in PRAGMAS])

    read()
    other = threading.Thread(target=read)
    other.start()
    other.join()
    store.close()

    assert [[value for _name, value in PRAGMAS]] * 2 == seen
    assert {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0,
        "cell_size_check": 1, "secure_delete": 1, "mmap_size": 0, "wal_autocheckpoint": 1000,
        "journal_size_limit": 64 << 20,
    }.items() <= dict(PRAGMAS).items()  # fmt: skip


@pytest.fixture
def refuse_pragma():
    """Return a function that has SQLite ignore a pragma on every new connection."""

    refused = []

    def authorize(operation, name, value, *_details):
        ignored = operation == apsw.SQLITE_PRAGMA and name in refused and value is not None
        return apsw.SQLITE_IGNORE if ignored else apsw.SQLITE_OK

    def hook(connection):
        connection.authorizer = authorize

    apsw.connection_hooks.append(hook)
    yield refused.append
    apsw.connection_hooks.remove(hook)


def test_a_pragma_that_does_not_hold_is_an_error_that_names_it(tmp_path, refuse_pragma) -> None:
    refuse_pragma("foreign_keys")
    with pytest.raises(UnavailableError, match="foreign_keys"):
        open_sqlite(tmp_path / "m.db")


def test_extensions_cannot_be_loaded_once_the_store_is_open(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")

    with pytest.raises(AforesaidError, match="not authorized"):
        store.database.rows("SELECT load_extension(?)", (find_vec_extension(),))
    store.close()


def test_a_second_thread_does_not_take_the_locks_of_the_first(tmp_path) -> None:
    """Opening and closing the file by hand would drop them: see make_private_file."""
    path = tmp_path / "m.db"
    store = open_sqlite(path)
    store.meta("name")
    before = locks_of(path)
    other = threading.Thread(target=lambda: store.meta("name"))
    other.start()
    other.join()

    assert before == locks_of(path)
    assert before
    store.close()


def locks_of(path) -> list[str]:
    """Return this machine's locks on a file, as Linux lists them."""
    if not os.path.exists("/proc/locks"):
        pytest.skip("this system does not list its locks")
    number = f":{os.stat(path).st_ino} "
    with open("/proc/locks") as file:
        return [line.partition(":")[2].split("->")[0] for line in file if number in line]


def test_threads_write_side_by_side_with_a_connection_each(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    errors: list[BaseException] = []

    def write(first: int) -> None:
        try:
            for number in range(first, first + 20):
                with store.transaction():
                    store.memories.add(make_memory(number))
        except AforesaidError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(100 * number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ([], 80) == (errors, store.memories.count(GLOBAL, Filters()))
    store.close()


def test_a_forked_child_opens_a_connection_of_its_own(tmp_path) -> None:
    done = run_python(
        """
import os, sys
from aforesaid.adapters.sqlite.store import SqliteStore
store = SqliteStore(sys.argv[1])
with store.transaction():
    store.set_meta("parent", "before")
mine = store.database.connection()
child = os.fork()
if child == 0:
    assert store.database.connection() is not mine
    with store.transaction():
        store.set_meta("child", "wrote")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
with store.transaction():
    store.set_meta("parent", "after")
assert store.meta("child") == "wrote" and store.database.connection() is mine
store.close()
""",
        str(tmp_path / "m.db"),
    )
    assert (0, "") == (done.returncode, done.stderr)

    store = open_sqlite(tmp_path / "m.db")
    assert ("after", "wrote") == (store.meta("parent"), store.meta("child"))
    store.close()


# -- tables


def test_every_table_is_strict_and_the_file_says_whose_it_is(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    tables = store.database.rows("SELECT name, strict FROM pragma_table_list WHERE type = 'table'")
    ours = {name: strict for name, strict in tables if not re.match("sqlite_|memories_fts", name)}

    assert {1} == set(ours.values())
    assert {
        "projects", "project_aliases", "project_commits", "sessions", "memories", "tasks",
        "topics", "entities",
        "entity_aliases", "tags", "erased", "chunks", "vectors", "unembedded", "relations",
        "anchors", "log", "runs", "steps", "expired_links",
        "suggestions", "topic_summaries", "meta", "extractions", "import_items", "vocabulary",
            "models",
    } == set(ours)  # fmt: skip
    assert (0x41464F52, len(MIGRATIONS)) == (
        store.database.value("PRAGMA application_id"), store.database.value("PRAGMA user_version")
    )  # fmt: skip
    assert [("ok",)] == store.database.rows("PRAGMA integrity_check")
    assert [] == store.database.rows("PRAGMA foreign_key_check")
    store.close()


def test_all_statements_of_a_migration_are_single(tmp_path) -> None:
    """The engine runs a string of several only up to its first row."""
    connection = apsw.Connection(":memory:")
    for statement in (statement for step in MIGRATIONS for statement in step):
        tail: list[str] = []
        connection.exec_trace = lambda _cursor, sql, _bindings, seen=tail: seen.append(sql) or True
        connection.execute(statement)
        assert [statement] == [sql for sql in tail if not sql.startswith("--")]


def test_opening_again_changes_nothing(tmp_path) -> None:
    open_sqlite(tmp_path / "m.db").close()
    before = (tmp_path / "m.db").read_bytes()
    open_sqlite(tmp_path / "m.db").close()

    assert before == (tmp_path / "m.db").read_bytes()


# -- migrations

KNOWN = len(MIGRATIONS)
SECOND = (
    "ALTER TABLE memories ADD COLUMN colour TEXT",
    "UPDATE memories SET colour = 'blue'",
    "INSERT INTO meta VALUES ('second', 'done')",
)


def migrated(path, *more, **options) -> Database:
    """Open a database and bring it to the first migration and these."""
    results = Database(str(path), **options)
    migrate(results, (*MIGRATIONS, *more))
    return results


def test_a_migration_keeps_what_was_stored_and_a_copy_of_before(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        stored = store.memories.add(make_memory(1, content="kilo lima"))
    store.close()
    database = migrated(tmp_path / "m.db", SECOND)

    assert (KNOWN + 1, "done") == (
        database.value("PRAGMA user_version"),
        database.value("SELECT value FROM meta WHERE name = 'second'"),
    )
    assert [("kilo lima", "blue")] == database.rows("SELECT content, colour FROM memories")
    database.close()
    copies = [name for name in os.listdir(tmp_path) if name.startswith("m.db.")]
    [copy] = copies
    assert re.fullmatch(rf"m\.db\.before-{KNOWN + 1}-\d{{8}}T\d{{6}}Z", copy)
    assert "0o600" == mode(tmp_path / copy)
    before = open_sqlite(tmp_path / copy)
    assert [stored] == before.memories.get([stored.key])
    before.close()


def test_a_copy_of_before_is_the_users_alone_from_its_first_byte(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    seen = []

    def look(_cursor: object, sql: str, bindings: tuple[str, ...]) -> bool:
        if sql.startswith("VACUUM INTO"):
            seen.append(mode(bindings[0]))
        return True

    store.database.connection().exec_trace = look
    store.keep_copy("trial")
    store.close()
    assert ["0o600"] == seen
    assert ["m.db", "m.db-ledger", "m.db.before-trial"] == sorted(os.listdir(tmp_path))


def test_a_new_file_is_migrated_without_a_copy(tmp_path) -> None:
    migrated(tmp_path / "m.db", SECOND).close()

    assert [] == [name for name in os.listdir(tmp_path) if ".before-" in name]


@pytest.mark.parametrize("broken", range(len(SECOND)))
def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path, broken) -> None:
    open_sqlite(tmp_path / "m.db").close()
    failing = [*SECOND]
    failing[broken] = "INSERT INTO nowhere VALUES (1)"

    with pytest.raises(AforesaidError):
        migrated(tmp_path / "m.db", failing)
    store = open_sqlite(tmp_path / "m.db")
    assert (KNOWN, None) == (store.database.value("PRAGMA user_version"), store.meta("second"))
    assert "colour" not in [row[1] for row in store.database.rows("PRAGMA table_info(memories)")]
    store.close()


def test_a_migration_killed_at_any_statement_leaves_old_or_new_never_between(tmp_path) -> None:
    code = """
import os, sys
from aforesaid.adapters.sqlite.database import Database
from aforesaid.adapters.sqlite.migration import migrate
from aforesaid.adapters.sqlite.schema import MIGRATIONS
database = Database(sys.argv[1])
left = int(sys.argv[2])
def count(_cursor, _sql, _bindings):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    return True
database.connection().exec_trace = count
migrate(database, (*MIGRATIONS, eval(sys.argv[3])))
"""
    outcomes = set()
    for point in range(1, 14):
        path = tmp_path / f"{point}.db"
        open_sqlite(path).close()
        done = run_python(code, str(path), str(point), repr(SECOND))
        database = Database(str(path))
        version = database.value("PRAGMA user_version")
        columns = [row[1] for row in database.rows("PRAGMA table_info(memories)")]
        second = database.value("SELECT value FROM meta WHERE name = 'second'")
        done_now = version == KNOWN + 1
        assert (done_now, done_now) == ("colour" in columns, second == "done")
        assert "ok" == database.value("PRAGMA integrity_check")
        database.close()
        outcomes.add((done.returncode == -9, version))

    assert {(True, KNOWN), (False, KNOWN + 1)} <= outcomes  # killed before, and not reached


def test_code_that_may_not_write_a_newer_file_reads_it_and_names_both_versions(tmp_path) -> None:
    path = tmp_path / "m.db"
    store = open_sqlite(path)
    with store.transaction():
        stored = store.memories.add(make_memory(1, content="kilo"))
        store.database.rows("UPDATE meta SET value = '99' WHERE name = 'min_code_schema'")
        store.database.rows("PRAGMA user_version = 99")
    store.close()
    older = open_sqlite(path)

    assert older.read_only
    assert [stored] == older.memories.get([stored.key])
    assert [stored.key] == [
        by_word.key for by_word in older.search.by_words(["kilo"], GLOBAL, Filters(), 5)
    ]
    with (
        pytest.raises(UnavailableError, match=rf"version 99.*supports version {KNOWN}"),
        older.transaction(),
    ):
        older.set_meta("a", "1")
    older.close()


def test_older_code_still_writes_a_newer_file_that_allows_it(tmp_path) -> None:
    path = tmp_path / "m.db"
    migrated(path, ("ALTER TABLE memories ADD COLUMN colour TEXT",)).close()
    older = open_sqlite(path)
    with older.transaction():
        stored = older.memories.add(make_memory(1))

    assert (False, [stored]) == (older.read_only, older.memories.get([stored.key]))
    assert KNOWN + 1 == older.database.value("PRAGMA user_version")
    older.close()


# -- vectors come and go


def test_without_sqlite_vec_a_store_has_words_and_says_so(tmp_path) -> None:
    store = SqliteStore(str(tmp_path / "m.db"))
    with store.transaction():
        memory = store.memories.add(make_memory(1, content="kilo"))
        store.search.set_vectors(memory.key, EMBED.embed_document("kilo"), EMBED.model)

    assert (False, [], []) == (
        store.search.has_vectors,
        store.search.by_vector(EMBED.embed_query("kilo"), GLOBAL, Filters(), 5),
        store.search.without_vectors(EMBED.model, 5),
    )
    assert [memory.key] == [
        by_word.key for by_word in store.search.by_words(["kilo"], GLOBAL, Filters(), 5)
    ]
    store.close()


def test_what_is_erased_without_sqlite_vec_takes_its_vectors_along(tmp_path) -> None:
    path = tmp_path / "m.db"
    store = open_sqlite(path)
    with store.transaction():
        for number, text in enumerate(("kilo", "lima", "mike"), start=1):
            memory = store.memories.add(make_memory(number, content=text))
            store.search.set_vectors(memory.key, EMBED.embed_document(text), EMBED.model)
        dense = [(number * 7 % 13 - 6.1) / 80 for number in range(384)]
        store.search.set_vectors(1, [struct.pack("<384f", *dense)], EMBED.model)
    piece = struct.pack("<6f", *dense[60:66])
    store.close()
    assert piece in bytes_on_disk(path)
    words_only = SqliteStore(str(path))
    with words_only.transaction():
        words_only.memories.erase(1, "hash", NOON)
        words_only.memories.change(2, forgotten_at=NOON)
        words_only.memories.add(make_memory(4, content="november"))
    assert words_only.clean_file()
    words_only.close()
    assert piece not in bytes_on_disk(path)
    store = open_sqlite(path)

    hits = store.search.by_vector(EMBED.embed_query("kilo"), GLOBAL, Filters(), 5)
    assert [3] == [hit.key for hit in hits]
    assert [4] == store.search.without_vectors(EMBED.model, 5)
    store.close()


def test_a_vector_of_another_length_is_near_to_nothing(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        for number, vector in enumerate((EMBED.embed_query("kilo"), b"\0" * 64), start=1):
            memory = store.memories.add(make_memory(number))
            store.search.set_vectors(memory.key, [vector], EMBED.model)

    hits = store.search.by_vector(EMBED.embed_query("kilo"), GLOBAL, Filters(), 5)
    assert [1] == [hit.key for hit in hits]
    store.close()


def test_a_vector_without_direction_is_near_to_nothing(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        for number, vector in enumerate((bytes(1536), EMBED.embed_query("kilo")), start=1):
            memory = store.memories.add(make_memory(number))
            store.search.set_vectors(memory.key, [vector], EMBED.model)

    query = EMBED.embed_query("kilo")
    assert [2] == [hit.key for hit in store.search.by_vector(query, GLOBAL, Filters(), 5)]
    assert [] == store.search.by_vector(bytes(1536), GLOBAL, Filters(), 5)
    store.close()


def test_projects_that_share_a_task_can_be_merged(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        kept = store.projects.add(make_project("git:example.org/a"))
        gone = store.projects.add(make_project("git:example.org/b"))
        tasks = [
            store.database.insert(
                "INSERT INTO tasks (project, task_id, created_at, updated_at) VALUES (?, ?, 1, 1)",
                (project, name),
            )
            for project, name in ((kept.key, "T-1"), (gone.key, "T-1"), (gone.key, "T-2"))
        ]
        for number, task in enumerate(tasks, start=1):
            project = kept.key if number == 1 else gone.key
            store.memories.add(make_memory(number, scope="task", project=project, task=task))
        assert 2 == store.projects.merge(gone.key, kept.key)

    assert [tasks[0], tasks[0], tasks[2]] == [
        memory.task for memory in store.memories.get([1, 2, 3])
    ]
    assert [(kept.key, "T-1"), (kept.key, "T-2")] == store.database.rows(
        "SELECT project, task_id FROM tasks ORDER BY task_id"
    )
    store.close()


# -- erasing

SECRET = "Wolpertinger Schnackselhuber verschlüsselt Quarkstrudel xylophonisch um Mitternacht"
OTHERS = [f"ordinary sentence number {number} about deployment and tests" for number in range(60)]


def bytes_on_disk(path) -> bytes:
    """Return all that the file and its companions hold."""
    names = [name for name in os.listdir(path.parent) if name.startswith(path.name)]
    return b"".join((path.parent / name).read_bytes() for name in sorted(names))


@pytest.mark.parametrize("way", ["at once", "after a tombstone", "as an old version"])
def test_erasing_leaves_no_byte_of_text_words_or_vector(tmp_path, way) -> None:
    path = tmp_path / "m.db"
    services = Services(open_sqlite(path))
    context = CallContext(project=services.projects.default())
    for text in OTHERS[:30]:
        services.remember.store(Statement(content=text), context)
    statement = Statement(content=SECRET, summary=SECRET[:50], tags=("quarkstrudelgeheimnis",),
                      metadata={"subject": "Schnackselhuber",
                                "cues": ["Zwirbelnuss finden"]})  # fmt: skip
    secret = services.remember.store(statement, context).memory
    for text in OTHERS[30:]:
        services.remember.store(Statement(content=text), context)
    vector = EMBED.embed_query(text_to_embed(SECRET, secret.metadata))
    pieces = [SECRET.encode()[at : at + 24] for at in range(len(SECRET.encode()) - 24)]
    pieces += [
        vector[at : at + 24] for at in range(0, len(vector) - 24, 4) if any(vector[at : at + 24])
    ]
    stems = [b"wolperting", b"schnackselhub", b"quarkstrudel", b"xylophonisch", b"zwirbelnuss"]
    services.store.clean_file()
    assert all(piece in bytes_on_disk(path) for piece in pieces[:20])  # the search works
    assert all(stem in bytes_on_disk(path) for stem in stems[:1])

    if way == "after a tombstone":
        services.forgetter.forget(secret.id, context, reason=f"it says {SECRET}")
    elif way == "as an old version":
        changes = {"content": "something else altogether", "tags": [], "metadata": {}, "cues": []}
        services.curate.update(secret.id, changes, context)
    done = services.forgetter.forget(secret.id, context, erase=True)

    left = bytes_on_disk(path)
    assert not done.clean_pending
    assert [] == [piece for piece in pieces if piece in left]
    assert [] == [stem for stem in stems if stem in left.lower()]
    assert secret.id.encode() in left  # id and date stay
    services.store.close()
    left = bytes_on_disk(path)
    assert [] == [piece for piece in pieces if piece in left]


def test_erasing_while_another_process_reads_says_so_and_is_finished_later(tmp_path) -> None:
    path = tmp_path / "m.db"
    services = Services(open_sqlite(path))
    context = CallContext(project=services.projects.default())
    secret = services.remember.store(Statement(content=SECRET), context).memory
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchall()
    services.store.database.connection().set_busy_timeout(50)

    assert services.forgetter.forget(secret.id, context, erase=True).clean_pending
    assert SECRET.encode() in bytes_on_disk(path)
    reader.execute("ROLLBACK")
    reader.close()
    services.remember.store(Statement(content="the next one that is written"), context)
    services.store.finish_cleaning()
    assert SECRET.encode() not in bytes_on_disk(path)
    services.store.close()


def test_words_agree_with_rows_after_every_kind_of_change(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        for number in range(1, 9):
            store.memories.add(
                make_memory(number, content=f"kilo {number}", tags=(f"tag{number}",))
            )
        store.memories.change(1, content="lima", summary="mike")
        store.memories.change(2, forgotten_at=NOON)
        store.memories.change(2, content="changed while forgotten", tags=("x",))
        store.memories.change(3, forgotten_at=NOON)
        store.memories.change(3, forgotten_at=None)
        store.memories.supersede(4, 5, NOON)
        store.memories.erase(5, "a", NOON)
        store.memories.erase(2, "b", NOON)
        store.memories.change(6, tags=())

    store.database.rows(
        "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
    )
    assert [] == store.database.rows("PRAGMA foreign_key_check")
    assert [("ok",)] == store.database.rows("PRAGMA integrity_check")
    store.close()


def test_other_programs_can_read_the_file_without_our_code(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        store.memories.add(make_memory(1, content="plain text in a plain table"))
    store.close()
    rows = apsw.Connection(str(tmp_path / "m.db")).execute(
        "SELECT content, json(metadata), datetime(created_at / 1000, 'unixepoch') FROM memories"
    )

    assert [("plain text in a plain table", "{}", "2023-11-14 22:13:21")] == rows.fetchall()


# -- a file that is not at its place any more


def put_new_store(path) -> None:
    made = path.with_name("new.db")
    open_sqlite(made).close()
    made.rename(path)


@pytest.mark.parametrize("what", ["renamed", "removed", "replaced"])
def test_nothing_is_acknowledged_once_the_file_is_gone_from_its_place(tmp_path, what) -> None:
    path = tmp_path / "m.db"
    store = open_sqlite(path)
    with store.transaction():
        store.memories.add(make_memory(1))
    if what == "removed":
        path.unlink()
    else:
        path.rename(tmp_path / "elsewhere.db")
    if what == "replaced":
        put_new_store(path)

    with pytest.raises(UnavailableError, match="moved or replaced"), store.transaction():
        store.memories.add(make_memory(2))
    store.close()


def test_a_replaced_file_is_noticed_by_threads_that_opened_the_old_one(tmp_path) -> None:
    path = tmp_path / "m.db"
    store = open_sqlite(path)
    with store.transaction():
        store.memories.add(make_memory(1))
    path.rename(tmp_path / "elsewhere.db")
    put_new_store(path)
    other = threading.Thread(target=lambda: store.meta("name"))  # opens the new file
    other.start()
    other.join()

    with pytest.raises(UnavailableError, match="moved or replaced"), store.transaction():
        store.memories.add(make_memory(2))
    store.close()


def test_a_place_that_was_named_relative_to_a_folder_stays_there(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteStore("m.db")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    with store.transaction():
        store.memories.add(make_memory(1))

    assert str(tmp_path / "m.db") == store.path
    store.close()


def test_the_first_number_of_a_vector_is_where_it_was_put(tmp_path) -> None:
    """Little-endian float32, as every embedder gives them."""
    store = open_sqlite(tmp_path / "m.db")
    vector = EMBED.embed_query("kilo lima")
    with store.transaction():
        memory = store.memories.add(make_memory(1))
        store.search.set_vectors(memory.key, [vector], EMBED.model)
    kept = store.database.value("SELECT vec_to_json(embedding) FROM vectors")

    assert pytest.approx(struct.unpack("<384f", vector)[:5], abs=1e-6) == [
        float(number) for number in kept.strip("[]").split(",")[:5]
    ]
    store.close()


def test_a_scope_rule_of_the_table_holds_against_any_writer(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a"))
        store.memories.add(make_memory(1, scope="project", project=project.key))
    assert make_context(project).has_project

    with pytest.raises(AforesaidError), store.transaction():
        store.memories.change(1, project=0)
    with pytest.raises(AforesaidError), store.transaction():
        store.memories.change(1, type="opinion")
    store.close()


def test_sessions_that_meet_a_new_folder_at_once_agree_on_one_project(tmp_path) -> None:
    """A session's start and its server do so at every first session."""
    store = open_sqlite(tmp_path / "m.db")
    gate = threading.Barrier(6)
    errors: list[BaseException] = []
    keys: list[tuple[int, int]] = []

    def meet() -> None:
        projects = Projects(store, TickingClock())
        try:
            for number in range(8):
                folder = f"/w/folder{number}"
                gate.wait(30)
                project = projects.resolve(WorkspaceFacts(folder=folder)).project
                keys.append((number, project.key))
                gate.wait(30)
                keys.append((100 + number, projects.named(f"name {number}").key))
        except (AforesaidError, threading.BrokenBarrierError) as error:
            errors.append(error)
            gate.abort()

    threads = [threading.Thread(target=meet) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == errors
    assert 16 == len(set(keys)) == len(store.projects.list_all())
    store.close()


def test_relations_of_a_few_are_looked_up_by_their_heads_however_large_the_store(tmp_path) -> None:
    """The planner, without statistics, would read all that two projects hold."""
    store = open_sqlite(tmp_path / "m.db")
    asked = []
    store.database.connection().exec_trace = lambda _cursor, sql, bindings: (
        asked.append((sql, bindings)) or True
    )
    store.relations.of(list(range(1, 13)), Visibility(projects=(0, 1)))
    store.database.connection().exec_trace = None
    (sql, bindings) = asked[-1]
    plan = [row[3] for row in store.database.rows(f"EXPLAIN QUERY PLAN {sql}", bindings)]

    first = [line for line in plan if line.startswith(("SEARCH m ", "SCAN m "))]
    assert ["SEARCH m USING INDEX memories_head (head=?)"] * 2 == first
    store.close()
