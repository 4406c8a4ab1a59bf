"""`aforesaid doctor`: what does not work, and secrets in a store that is older than the filter."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.model.text_fields import StoredText, redacted

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")
SECRET = "ghp_" + "Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zA4bC"
OTHER = "glpat-" + "xK3mP9qR2sT5vW8yZ1aB"


class Shell:
    """A user whose filter is off until it is asked."""

    def __init__(self, environment, folder: Path) -> None:
        self.environment = environment
        self.folder = folder / "code" / "shop"
        self.folder.mkdir(parents=True)
        self.database = Path(environment["XDG_DATA_HOME"]) / "aforesaid" / "memory.db"

    def run(self, *arguments: str, code: int = 0, text: bool = False, **more: str):
        done = subprocess.run(
            [DOOR, *arguments, *(() if text else ("--json",))],
            cwd=self.folder, env={**self.environment, **more}, capture_output=True, input="",
            encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        assert code == done.returncode, done.stderr
        assert SECRET not in done.stdout + done.stderr or arguments[0] != "doctor"
        return done.stdout + done.stderr if text or code not in {0, 1} else json.loads(done.stdout)

    def store_unfiltered(self, *arguments: str):
        return self.run("remember", *arguments, AFORESAID_PRIVACY_REDACT="0")

    def raw(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.database.parent.glob("memory.db*"))


@pytest.fixture
def shell(environment, tmp_path) -> Shell:
    return Shell(environment, tmp_path)


def fill(shell: Shell) -> list[str]:
    """Put secrets wherever words may stand; return the ids of the memories."""
    old = shell.store_unfiltered(f"The deploy token is {SECRET} for now.")
    new = shell.store_unfiltered(
        f"The deploy token is {OTHER} since May.", "--supersedes", old["id"]
    )
    full = shell.store_unfiltered(
        "Deploy with the pipeline.", "--summary", f"with {SECRET}", "--tag", SECRET,
        "--metadata", json.dumps({"a": {"b": [f"x {SECRET}", 1]}}), "--topic", f"deploy/{SECRET}",
        "--entity", f"runner {SECRET}",
    )  # fmt: skip
    gone = shell.store_unfiltered(f"Forgotten: {SECRET}")
    shell.run("forget", gone["id"], "--reason", f"it held {SECRET}", AFORESAID_PRIVACY_REDACT="0")
    return [row["id"] for row in (old, new, full, gone)]


def test_what_is_stored_in_clear_is_listed_masked_and_taken_out_of_every_byte(shell):
    old, new, full, _gone = fill(shell)
    assert SECRET.encode() in shell.raw()
    result = shell.run("doctor", "--secrets", code=1)
    places = {row["where"] for row in result["found"]}
    assert {
        "memories.content", "memories.summary", "memories.metadata", "tags.tag", "topics.name",
        "entities.name", "log.details",
    } <= places  # fmt: skip
    assert {old, new, full} <= {row["memory"] for row in result["found"]}
    assert all("[redacted: " in row["shown"] for row in result["found"])
    assert 0 == result["taken_out"]

    fixed = shell.run("doctor", "--secrets", "--fix", "--yes")
    assert len(fixed["found"]) == fixed["taken_out"]
    lowered = shell.raw().lower()
    for secret in (SECRET, OTHER):
        assert secret.lower().encode() not in lowered
        assert secret.rpartition("_")[2].lower().encode() not in lowered
    assert [] == shell.run("doctor", "--secrets")["found"]


def test_what_is_left_is_whole_and_found(shell):
    _old, new, full, _gone = fill(shell)
    shell.run("doctor", "--secrets", "--fix", "--yes")
    seen = shell.run("search", "deploy token since May")["results"][0]
    assert new == seen["id"]
    assert "The deploy token is [redacted: gitlab-token] since May." == seen["content"]
    deployed = shell.run("inspect", full)
    assert {"b": ["x [redacted: github-token]", 1]} == deployed["metadata"]["a"]
    store = SqliteStore(str(shell.database))
    assert [] == [row for row in store.database.rows("PRAGMA integrity_check") if row != ("ok",)]
    store.database.rows(
        "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
    )
    store.close()
    assert 0 == shell.run("stats").get("unembedded", 0)


def test_taking_out_asks_first(shell):
    fill(shell)
    assert "--yes" in shell.run("doctor", "--secrets", "--fix", code=2)
    assert SECRET.encode() in shell.raw()


def test_a_person_is_shown_a_table_without_the_secret(shell):
    fill(shell)
    result = shell.run("doctor", "--secrets", code=1, text=True)
    assert "memories.content" in result
    assert "github-token" in result


def test_a_clean_store_has_nothing_to_show(shell):
    shell.run("remember", f"The token was {SECRET} once.")
    assert {"found": [], "taken_out": 0, "copies": []} == shell.run("doctor", "--secrets")


def test_json_stays_json_and_keys_are_looked_at(shell):
    item = StoredText(
        table="memories", column="metadata", key=(1,), is_json=True,
        text=json.dumps({f"k {SECRET}": ["plain", {"deep": f"a\n{SECRET}"}]}),
    )  # fmt: skip
    text, kinds = redacted(item, SecretRedactor().redact)
    assert {"k [redacted: github-token]": ["plain", {"deep": "a\n[redacted: github-token]"}]} == (
        json.loads(text)
    )
    assert ["github-token", "github-token"] == kinds


# -- what works and what does not


def test_a_memory_is_written_recalled_and_erased_and_leaves_no_trace(shell):
    shell.run("remember", "The queue is NATS.")
    before = shell.run("export", text=True)
    result = shell.run("doctor", "--deep")
    assert [] == result["wrong"]
    results = {finding["area"]: finding for finding in result["findings"]}
    assert {
        "versions", "settings", "permissions", "disk", "log", "store", "recall", "full text",
        "vectors", "texts", "backups", "sessions", "round trip", "hooks", "server", "client",
    } == set(results)  # fmt: skip
    assert {"ok"} == {row["state"] for row in results.values() if row["area"] != "client"}
    assert "written, recalled and erased" in results["round trip"]["says"]
    assert "answered a call" in results["server"]["says"]
    assert before == shell.run("export", text=True)


def test_a_person_reads_a_line_each_and_the_way_out(shell):
    folder = Path(shell.environment["XDG_STATE_HOME"]) / "aforesaid"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    result = shell.run("doctor", text=True, code=1)
    assert f"\n                chmod 700 {folder}\n" in result
    assert "ok round trip " in result
    assert result.endswith("1 problem found.\n")


def test_where_a_backup_would_not_help_none_is_advised(shell):
    shell.run("remember", "The queue is NATS.")
    with closing(sqlite3.connect(shell.database)) as other:
        other.execute("PRAGMA application_id = 7")
    results = {finding["area"]: finding for finding in shell.run("doctor", code=1)["findings"]}
    assert ("wrong", False) == (results["store"]["state"], "fix" in results["store"])
    assert "did not handle a call" in results["server"]["says"]


def test_a_folder_in_the_place_of_the_file_is_not_to_be_opened_to_others(shell):
    shell.database.mkdir(parents=True)
    result = shell.run("doctor", code=1)
    assert [] == [
        finding for finding in result["findings"] if finding.get("fix", "").endswith("memory.db")
    ]
