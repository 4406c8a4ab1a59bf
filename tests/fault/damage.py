"""Overwrites bytes of a store and uses it; run by test_damage.py, so that a crash is seen.

``python damage.py SOURCE FOLDER SEED TIMES`` prints a line of JSON for each damage: what was
answered that nobody stored, what failed outside our errors, whether the checks see it, and whether
any row of any table differs.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from typing import Any

import apsw

from aforesaid.domain.errors import AforesaidError
from aforesaid.services.recall.query import DAMAGED, RecallQuery
from factories import Services, open_sqlite
from fault.oracle import GLOBAL

LENGTH = 64  #: bytes overwritten
HEADER = 100  #: bytes of a file's header, which every engine checks
ASKED = 6  #: questions


def rows_of(path: str) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table, as bytes."""
    connection = apsw.Connection(path)
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
    results = {}
    for (table,) in connection.execute(tables).fetchall():
        columns = [item[1] for item in connection.execute(f"PRAGMA table_info({table})")]
        text = ", ".join(f"quote(CAST({column} AS BLOB))" for column in columns)
        results[table] = connection.execute(f"SELECT {text} FROM {table}").fetchall()
    connection.close()
    return results


def use(services: Services, texts: list[str], chance: random.Random) -> tuple[list[str], list[str]]:
    """Return what was answered that nobody stored, and what failed outside our errors."""
    wrong = []
    failed = []
    for query in chance.sample(texts, ASKED):
        try:
            question = RecallQuery(query=query, min_relevance=0.0, max_results=50)
            for memory in services.recall.recall(question, GLOBAL).results:
                passage = memory.content.removeprefix("… ").partition("… [truncated")[0].strip()
                is_stored = passage and any(passage in text for text in texts)
                if not is_stored and memory.content != DAMAGED:
                    wrong.append(memory.content)
        except AforesaidError:
            continue
        except Exception as error:  # noqa: BLE001 - whatever it is, is the finding
            failed.append(repr(error))
    return wrong, failed


def detected(services: Services) -> bool:
    """Return whether the deep checks see that anything is wrong."""
    checks = services.store.checks()
    return bool(
        checks.check_fully()
        or checks.full_text_problem()
        or checks.damaged_vectors()
        or checks.altered_texts()
    )


def once(source: str, path: str, chance: random.Random) -> dict[str, Any]:
    """Damage a copy, use it, check it."""
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.remove(path + end)
    shutil.copy(source, path)
    with open(path, "r+b") as file:
        file.seek(chance.randrange(HEADER, os.path.getsize(source) - LENGTH))
        file.write(chance.randbytes(LENGTH))
    report: dict[str, Any] = {"wrong": [], "failed": [], "seen": False, "harmed": True}
    try:
        report["harmed"] = rows_of(path) != rows_of(source)
    except apsw.Error:
        pass
    try:
        services = Services(open_sqlite(path))
        report["wrong"], report["failed"] = use(services, texts_of(source), chance)
        report["seen"] = detected(services)
        services.store.close()
    except AforesaidError:
        report["seen"] = True
    return report


def texts_of(path: str) -> list[str]:
    connection = apsw.Connection(path)
    texts = [text for (text,) in connection.execute("SELECT content FROM memories")]
    connection.close()
    return texts


def main(source: str, folder: str, seed: str, times: str) -> None:
    chance = random.Random(int(seed))
    for _turn in range(int(times)):
        print(json.dumps(once(source, os.path.join(folder, "harmed.db"), chance)))


if __name__ == "__main__":
    main(*sys.argv[1:])
