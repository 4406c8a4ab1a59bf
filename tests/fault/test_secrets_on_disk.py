"""Secrets and private spans that come in by any way are on the disk in no byte (T21)."""

from __future__ import annotations

import os

import pytest
from bench.secrets.on_disk import PRIVATE, WAYS, Lines, User, leaks, measure


@pytest.mark.timeout(600)
def test_what_comes_in_by_any_way_is_in_no_byte_of_the_users_folders(tmp_path, capsys):
    user, lines, results = measure(str(tmp_path), "dev", 1, short=True)
    assert [] == results
    names = {name for _top, _folders, files in os.walk(user.home) for name in files}
    user.leave()
    assert {"memory.db", "memory.db-wal", "export.jsonl"} <= names
    assert len(WAYS) == len(capsys.readouterr().out.splitlines())
    assert lines.secrets + len(PRIVATE) < len(lines.needles)


def test_the_search_is_live_a_needle_is_found_wherever_it_lies(tmp_path):
    user, lines = User(str(tmp_path)), Lines("dev", 1)
    needle = next(iter(lines.needles))
    folder = os.path.join(user.home, "state", "aforesaid", "notes")
    os.makedirs(folder)
    with open(os.path.join(folder, "1.json"), "w", encoding="utf-8") as file:
        file.write(f"x{needle.upper()}y")
    assert ["state/aforesaid/notes/1.json"] == [path for path, _kind, _needle in leaks(user, lines)]
