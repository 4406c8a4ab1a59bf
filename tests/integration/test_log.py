"""The log: levelled, private, rotated, never the text of a memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from aforesaid.adapters.system.log import LOG_BYTES, Log, last_lines, type_and_location, write_line
from interfaces import LAUNCHER, ROOT, read, run, write


def test_lines_have_a_time_and_a_level_and_lower_levels_are_left_out(tmp_path, capsys) -> None:
    log = Log(str(tmp_path), "warning")
    for level in ("debug", "info", "warning", "error"):
        log.write(level, f"something\nof {level}")
    lines = read(str(tmp_path / "aforesaid.log")).splitlines()
    assert ["warning something of warning", "error something of error"] == [
        line.split(" ", 1)[1] for line in lines
    ]
    assert "aforesaid warning: something of warning" in capsys.readouterr().err
    assert 0o600 == (tmp_path / "aforesaid.log").stat().st_mode & 0o777


def test_where_nobody_reads_standard_error_the_file_has_the_line(tmp_path) -> None:
    write_a_line = "from aforesaid.adapters.system.log import Log; import sys; Log(sys.argv[1])"
    write_a_line += ".write('info', 'said'); import os; os._exit(0)"
    reading, writing = os.pipe()
    os.close(reading)
    code = subprocess.run(
        [sys.executable, "-c", write_a_line, str(tmp_path)],
        env={"PYTHONPATH": os.path.join(ROOT, "server")}, stderr=writing, check=False,
    ).returncode  # fmt: skip
    os.close(writing)
    assert 0 == code
    assert read(str(tmp_path / "aforesaid.log")).endswith("info said\n")


def test_a_full_log_becomes_the_older_one_and_its_lines_are_still_found(tmp_path) -> None:
    for number in range(LOG_BYTES // 200 + 10):
        write_line(
            str(tmp_path), "error" if number % 100 == 0 else "info", f"{number} " + "x" * 180
        )
    assert ["aforesaid.log", "aforesaid.log.1"] == sorted(os.listdir(tmp_path))
    assert ["1100", "1200"] == [line.split()[2] for line in last_lines(str(tmp_path), "error", 2)]


def test_an_unforeseen_error_is_told_by_kind_and_place_alone() -> None:
    from aforesaid.domain.model.ids import next_uuid7

    with pytest.raises(Exception) as raised:  # noqa: PT011 - whichever it is
        next_uuid7("the text of a memory", 0)
    report = type_and_location(raised.value)
    assert "domain/model/ids.py:" in report
    assert "memory" not in report


def test_a_server_that_cannot_read_its_store_says_so_in_the_log(environment) -> None:
    database = os.path.join(environment["XDG_DATA_HOME"], "aforesaid", "memory.db")
    write(database, "rubbish " * 1_000)
    os.chmod(database, 0o600)
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "store_memory", "arguments": {"content": "the hidden plan"}}},
    ]  # fmt: skip
    with subprocess.Popen(
        [LAUNCHER, "serve"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
        while json.loads(server.stdout.readline())["id"] != 2:
            continue
        server.stdin.close()
        entries = server.stderr.read()
    folder = os.path.join(environment["XDG_STATE_HOME"], "aforesaid")
    (line,) = last_lines(folder, "error", 5)
    assert "store_memory: CorruptError" in line
    assert database in line
    assert line.split(" ", 2)[2] in entries
    assert "hidden plan" not in entries + read(os.path.join(folder, "aforesaid.log"))


def test_a_pipe_that_is_closed_early_is_no_failure(environment) -> None:
    done = run(["/bin/sh", "-c", f"{LAUNCHER} config --json | head -n 1"], environment)
    assert ("{\n", "") == (done.stdout, done.stderr)
