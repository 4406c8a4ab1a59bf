"""Each check of the doctor: what it finds, what it says mends it, and that this mends it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from aforesaid import Memory
from aforesaid.adapters.sqlite.extension import find_vec_extension
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.log import write_line
from aforesaid.config import load_settings
from aforesaid.operations.backups import back_up
from aforesaid.operations.doctor import WRONG, CheckResult, check_up, client, machine, store
from aforesaid.operations.doctor.check_result import CheckContext
from interfaces import ROOT

#: Whatever is asked, the model finds one of these near.
NEAR_ANYTHING = tuple(f"The check of the zq{n:012x} goes by its name." for n in range(40))
TEXTS = ("The queue is NATS.", "We deploy on Fridays.", "The port is 5433.")


@pytest.fixture
def user(environment, monkeypatch):
    """Be a user whose store holds three memories."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Memory(load_settings(environment).db_path, project="acme/payments") as memory:
        for text in TEXTS:
            memory.store(text)
    return environment


def scene(user, *, deep: bool = False) -> CheckContext:
    settings = load_settings(user, lenient=True)
    return CheckContext(environment=user, settings=settings, deep=deep, progress=lambda _what: None)


def look(check, user, *, deep: bool = False, mend: bool = False) -> dict[str, list[CheckResult]]:
    """Return what one check finds by area, mended as it is found where that is asked for."""
    results: dict[str, list[CheckResult]] = {}
    for item in check(scene(user, deep=deep)):
        results.setdefault(item.area, []).append(item)
        if mend and item.repair is not None:
            item.repair()
    return results


def damage(user, *statements: str) -> None:
    opened = SqliteStore(load_settings(user).db_path, vec_extension=find_vec_extension())
    with opened.transaction():
        for sql in statements:
            opened.database.rows(sql)
    opened.close()


def wrong_areas(report) -> list[str]:
    return [
        area for area, listed in report.items() if any(memory.state == WRONG for memory in listed)
    ]


def test_what_can_be_made_again_is_found_missing_and_made_again(user) -> None:
    damage(
        user,
        "DELETE FROM chunks WHERE memory = 1",
        "UPDATE vectors SET embedding = zeroblob(length(embedding)) WHERE chunk = 2",
        "INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')",
        "DELETE FROM unembedded",
    )
    quick = look(store.check, user)
    assert ["full text", "vectors"] == wrong_areas(quick)
    assert "aforesaid doctor --fix" == quick["full text"][0].fix
    deep = look(store.check, user, deep=True, mend=True)
    assert "1 memory has a damaged vector" == deep["vectors"][0].says
    assert [] == wrong_areas(look(store.check, user, deep=True))
    with Memory(load_settings(user).db_path, project="acme/payments") as memory:
        assert TEXTS[2] == memory.recall("port 5433").results[0].memory.content


@pytest.mark.parametrize("at", range(0, 1536, 192))
def test_a_damaged_vector_is_seen_wherever_it_is(user, at) -> None:
    damage(
        user,
        "UPDATE vectors SET embedding = CAST(substr(embedding, 1, "
        f"{at}) || x'{'f9' * 64}' || substr(embedding, {at + 65}) AS BLOB) WHERE chunk = 2",
    )
    opened = SqliteStore(load_settings(user).db_path, vec_extension=find_vec_extension())
    assert [2] == opened.checks().damaged_vectors()
    opened.close()


def test_every_altered_text_is_named(user) -> None:
    backup = back_up(load_settings(user))["backup"]
    damage(user, "UPDATE memories SET content = content || ' Or not.' WHERE key != 2")
    opened = SqliteStore(load_settings(user).db_path)
    named = ", ".join(memory.id for memory in opened.memories.get([1, 3]))
    opened.close()
    (finding,) = look(store.check, user, deep=True)["texts"]
    assert f"texts were altered after they were stored: {named}" == finding.says
    assert f"aforesaid restore {backup}" == finding.fix


@pytest.mark.parametrize(
    "change",
    [
        "content = upper(content)",
        "content = replace(content, ' ', '  ')",
        "content = content || '.'",
        "summary = 'Nobody said so.'",
        """metadata = '{"category": "preference"}'""",
    ],
)
def test_another_byte_is_seen_wherever_it_stands(user, change) -> None:
    damage(user, f"UPDATE memories SET {change} WHERE key = 2")
    opened = SqliteStore(load_settings(user).db_path)
    (damaged,) = opened.memories.get([2])
    assert [damaged.id] == opened.checks().altered_texts()
    opened.close()


def test_what_was_changed_in_place_is_not_altered(user) -> None:
    with Memory(load_settings(user).db_path, project="acme/payments") as memory:
        [result] = memory.recall("port 5433", max_results=1).results
        memory.update(result.memory.id, summary="the port", metadata={"subject": "Port"})
    opened = SqliteStore(load_settings(user).db_path)
    assert [] == opened.checks().altered_texts()
    opened.close()


def test_rows_that_lead_nowhere_are_told(user) -> None:
    damage(user, "PRAGMA defer_foreign_keys = ON", "SELECT 1")
    opened = SqliteStore(load_settings(user).db_path)
    opened.database.rows("PRAGMA foreign_keys = OFF")
    opened.database.rows("UPDATE memories SET topic = 77 WHERE key = 1")
    assert ["row 1 of memories refers to a missing row of topics"] == opened.checks().check_fully()
    opened.close()


def test_notes_that_no_sweep_took_are_digested(user) -> None:
    notes = Path(load_settings(user).notes_folder)
    notes.mkdir(parents=True, mode=0o700)
    note = notes / "1700000000000-999999-session-end.json"
    note.write_text(json.dumps({"session_id": "gone", "transcript_path": "/nowhere"}))
    assert "aforesaid digest" == look(store.check, user)["sessions"][0].fix
    os.utime(note, (1_700_000_000, 1_700_000_000))
    assert ["sessions"] == wrong_areas(look(store.check, user, mend=True))
    assert [] == list(notes.iterdir())


def test_a_store_that_cannot_be_read_is_a_finding_with_the_way_out(user) -> None:
    settings = load_settings(user)
    sound = back_up(settings)["backup"]
    Path(back_up(settings)["backup"]).write_bytes(b"rubbish")
    Path(settings.db_path).write_bytes(b"rubbish " * 1_000)
    (finding,) = look(store.check, user)["store"]
    assert (WRONG, f"aforesaid restore {sound}") == (finding.state, finding.fix)
    os.unlink(sound)
    inspection = look(store.check, user)
    assert "" == inspection["store"][0].fix
    assert "no intact backup" in inspection["backups"][0].says


def test_rights_that_others_have_are_taken(user) -> None:
    settings = load_settings(user)
    paths = [settings.state_folder, settings.db_path]
    for path in paths:
        os.chmod(path, 0o755)
    inspection = look(machine.check, user, mend=True)
    assert [f"chmod 600 {settings.db_path}", f"chmod 700 {settings.state_folder}"] == sorted(
        permission.fix for permission in inspection["permissions"]
    )
    assert [0o700, 0o600] == [os.stat(path).st_mode & 0o777 for path in paths]


def test_a_state_folder_that_cannot_be_written_is_told(user, tmp_path, monkeypatch) -> None:
    assert "state" not in look(machine.check, user)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    (results,) = look(machine.check, user)["state"]
    assert (WRONG, True) == (results.state, str(tmp_path / "file") in results.fix)


@pytest.mark.parametrize("setting", ["AFORESAID_DB", "AFORESAID_STORAGE_DB_PATH"])
def test_a_folder_of_the_users_choice_is_theirs_to_share(user, tmp_path, setting) -> None:
    shared = tmp_path / "our notes"
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "m.db").touch(0o644)
    user = {**user, setting: str(shared / "m.db")}
    (finding,) = look(machine.check, user, mend=True)["permissions"]
    assert f"chmod 600 '{shared / 'm.db'}'" == finding.fix
    assert [0o755, 0o600] == [item.stat().st_mode & 0o777 for item in (shared, shared / "m.db")]


def test_wrong_settings_and_the_last_errors_are_told(user) -> None:
    path = Path(load_settings(user).config_file)
    path.parent.mkdir(parents=True)
    path.write_text("[hooks]\nenabled = 3\n")
    folder = load_settings(user, lenient=True).state_folder
    write_line(folder, "info", "not this one")
    write_line(folder, "error", "store_memory: UnavailableError: the disk is full")
    inspection = look(machine.check, user)
    assert "aforesaid config" == inspection["settings"][0].fix
    assert inspection["log"][0].says.endswith("store_memory: UnavailableError: the disk is full")
    assert "ok" == look(store.check, user)["round trip"][0].state


def test_what_is_near_any_word_is_not_taken_for_what_was_erased(user):
    with Memory(load_settings(user).db_path, project="acme/payments") as memory:
        for text in NEAR_ANYTHING:
            memory.store(text, scope="global")
    assert ["ok"] * 3 == [look(store.check, user)["round trip"][0].state for _ in range(3)]


def test_the_client_s_own_files_say_whether_the_plugin_is_on(user) -> None:
    folder = Path(user["HOME"]) / ".claude"
    (folder / "plugins").mkdir(parents=True)

    def plugin() -> list[tuple[str, str]]:
        return [(item.state, item.fix or item.says) for item in client._check_plugin(scene(user))]

    assert [("note", f"claude plugin install aforesaid --marketplace {ROOT}")] == plugin()
    listed = {"version": 2, "plugins": {"aforesaid@market": [{"version": "0.1.0"}]}}
    (folder / "plugins" / "installed_plugins.json").write_text(json.dumps(listed))
    assert [("ok", "the plugin aforesaid@market is installed")] == plugin()
    settings = {"enabledPlugins": {"aforesaid@market": False}, "disableAllHooks": True}
    (folder / "settings.json").write_text(json.dumps(settings))
    assert ["wrong", "note"] == [state for state, _says in plugin()]
    assert ("note", "claude plugin enable aforesaid@market") == plugin()[1]


def test_what_was_mended_is_said(user) -> None:
    os.chmod(load_settings(user).state_folder, 0o755)
    results = [item for item in check_up(user, fix=True) if item.area == "permissions"]
    assert [("ok", True)] == [(item.state, item.says.endswith(": repaired")) for item in results]
