"""Sessions of Codex, Gemini CLI and OpenCode: read as what they say, digested once."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from aforesaid.adapters.transcripts import read_conversation
from aforesaid.adapters.transcripts.discovery import (
    find_transcript,
    folder_of,
    list_transcripts,
    transcript_folders,
)
from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.transcript import (
    DENIED,
    EDIT,
    FAILED,
    MEMORY,
    OK,
    RUN,
    AssistantTurn,
    CompactionMarker,
    Interruption,
    Prompt,
    Todos,
    ToolUse,
)
from agent_sessions import FOLDER, GEMINI_SESSION, WRITERS
from interfaces import LAUNCHER

TURNS = (
    ("shown", "<aforesaid-1 note>\n- The queue is NATS. [k3f9]\n</aforesaid-1>"),
    ("user", "Run the tests, then fix the importer."),
    ("run", "pytest -q", "1 failed", 1),
    ("edit", f"{FOLDER}/importer.py", True),
    ("steps", [("completed", "fix"), ("pending", "release")]),
    ("run", "pytest -q", "3 passed", 0),
    ("store", "The importer reads CSV only.", "a1b2"),
    ("rejected", "git push --force"),
    ("agent", "Fixed: the importer reads CSV."),
    ("user", "My key is <private>hunter2</private>, thanks."),
)


@pytest.fixture(params=sorted(WRITERS))
def client(request):
    return request.param


def test_every_turn_is_read(client, tmp_path):
    conversation = read_conversation(WRITERS[client](tmp_path, TURNS))
    turns = conversation.turns
    prompts = [turn.text for turn in turns if isinstance(turn, Prompt)]
    assert ["Run the tests, then fix the importer.", "My key is , thanks."] == [
        " ".join(text.split()) for text in prompts
    ]
    uses = [turn for turn in turns if isinstance(turn, ToolUse)]
    assert [
        (RUN, "pytest -q", FAILED, 1),
        (EDIT, "", OK, None),
        (RUN, "pytest -q", OK, 0),
        (MEMORY, "The importer reads CSV only.", OK, None),
        (RUN, "git push --force", DENIED, None),
    ] == [(use.kind, use.command, use.status, use.exit_code) for use in uses]
    assert (f"{FOLDER}/importer.py", True) == (uses[1].path, uses[1].is_new_file)
    assert "1 failed" == uses[0].result
    (steps,) = [turn for turn in turns if isinstance(turn, Todos)]
    assert ["completed", "pending"] == [state for _, state, _ in steps.items]
    assert ["Fixed: the importer reads CSV."] == [
        turn.text for turn in turns if isinstance(turn, AssistantTurn)
    ]
    assert sorted(turn.at_ms for turn in turns) == [turn.at_ms for turn in turns]
    assert FOLDER == conversation.cwd
    # what was shown or stored is no finding of the session
    assert any("The queue is NATS." in text for text in conversation.recalled)
    assert any("The importer reads CSV only." in text for text in conversation.recalled)


def test_interruptions_and_compactions_are_read(client, tmp_path):
    turns = (("user", "Start."), ("interrupted",), ("user", "Stop that."), ("compacted",))
    read = read_conversation(WRITERS[client](tmp_path, turns)).turns
    kinds = [type(turn) for turn in read]
    assert [Prompt, Interruption, Prompt] == kinds[:3]
    if client != "gemini":  # its chat does not tell
        assert [CompactionMarker] == kinds[3:]


def test_a_later_pass_continues_where_the_earlier_one_ended(client, tmp_path):
    first = read_conversation(WRITERS[client](tmp_path, TURNS[:5]))
    path = WRITERS[client](tmp_path, TURNS)
    second = read_conversation(path, seen_bytes=first.bytes_read)
    assert second.bytes_read > first.bytes_read
    assert first.ended_ms == second.seen_ms
    again = read_conversation(path, seen_bytes=second.bytes_read)
    assert second.ended_ms == again.seen_ms


def test_a_subagents_session_has_no_turns(client, tmp_path):
    conversation = read_conversation(WRITERS[client](tmp_path, TURNS, subagent=True))
    assert () == conversation.turns
    assert conversation.subagent


def test_the_sessions_of_a_user_are_found(client, tmp_path):
    path = WRITERS[client](tmp_path, TURNS)
    environment = {"HOME": str(tmp_path)}
    (found,) = list_transcripts(transcript_folders(environment))
    assert path == found.path
    assert path == find_transcript(environment, found.session)
    assert FOLDER == folder_of(path)
    assert "" == find_transcript(environment, "../other")
    assert found.size == read_conversation(path).bytes_read


def test_what_is_missing_or_damaged_is_an_error(client, tmp_path):
    path = WRITERS[client](tmp_path, TURNS)
    file = Path(path.partition("#")[0])
    link = file.with_name("away")
    file.rename(link)
    with pytest.raises(NotFoundError, match="does not exist"):
        read_conversation(path)
    file.symlink_to(link)
    with pytest.raises(InvalidInputError):
        read_conversation(path)
    file.unlink()
    file.write_bytes(b"\xff\x00 no transcript\n" * 50)
    if client == "opencode":
        with pytest.raises(InvalidInputError, match="not a database of OpenCode"):
            read_conversation(path)
    else:
        assert () == read_conversation(path).turns


def test_a_chat_of_gemini_is_read_as_it_was_changed(tmp_path):
    path = Path(WRITERS["gemini"](tmp_path, (("user", "Use tabs."), ("agent", "Yes."))))
    changed = {"id": "m2", "timestamp": "2026-11-24T03:44:00Z", "type": "gemini", "content": "No."}
    typed = {"id": "m3", "timestamp": "2026-11-24T03:45:00Z", "type": "user", "content": "Why?"}
    with path.open("a") as file:
        for record in (changed, typed, {"$rewindTo": "m3"}):
            file.write(json.dumps(record) + "\n")
    assert ["Use tabs.", "No."] == [turn.text for turn in read_conversation(str(path)).turns]
    # a resumed session leaves an empty file, which the client reports
    empty = path.with_name(f"session-2026-11-24T09-00-{GEMINI_SESSION[:8]}.jsonl")
    empty.write_text(json.dumps({"sessionId": GEMINI_SESSION, "kind": "main"}) + "\n")
    assert ["Use tabs.", "No."] == [turn.text for turn in read_conversation(str(empty)).turns]


def test_what_opencode_reverted_is_not_read(tmp_path):

    path = WRITERS["opencode"](tmp_path, (("user", "Use tabs."), ("user", "No, spaces.")))
    connection = sqlite3.connect(path.partition("#")[0])
    connection.execute("UPDATE session SET revert = ?", (json.dumps({"messageID": "msg_001"}),))
    connection.commit()
    connection.close()
    assert ["Use tabs."] == [turn.text for turn in read_conversation(path).turns]


def test_ingest_digests_the_sessions_of_all_clients_once(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    turns = (
        ("user", "We never deploy on Fridays. Fix the importer."),
        *TURNS[2:4],
        ("agent", "Fixed."),
    )
    for client, write in WRITERS.items():
        file = Path(write(tmp_path, turns).partition("#")[0])
        if client != "opencode":
            file.write_text(file.read_text().replace(FOLDER, str(folder)))
            os.utime(file, (1, 1))
    database = tmp_path / ".local/share/opencode/opencode.db"

    connection = sqlite3.connect(database)
    connection.execute("UPDATE session SET directory = ?", (str(folder),))
    connection.execute("UPDATE part SET time_updated = 1000")
    connection.commit()
    connection.close()

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [LAUNCHER, *arguments],
            env={**os.environ, "AFORESAID_ENV": sys.prefix, "HOME": str(tmp_path)},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return done.stdout

    run("ingest")
    digests = json.loads(run("list", "--type", "episodic", "--json"))["results"]
    assert {"codex", "gemini", "opencode"} == {memory.get("client") for memory in digests}
    run("ingest")
    assert len(digests) == len(json.loads(run("list", "--type", "episodic", "--json"))["results"])
    (rule,) = json.loads(run("list", "--type", "procedural", "--json"))["results"]
    assert "We never deploy on Fridays" == rule["preview"].rstrip(".")
    usage = json.loads(run("stats", "--sessions", "--json"))["sessions"]
    assert {"codex", "gemini", "opencode"} == {session["client"] for session in usage}
