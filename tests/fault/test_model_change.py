"""Changing the model under load: no client fails, nothing is lost, every vector is new."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from aforesaid.adapters.embedding.onnx import open_folder
from aforesaid.services.memories.embed_missing import embed_missing
from factories import open_sqlite
from interfaces import LAUNCHER, ROOT
from model_folders import make_model

CLIENTS = 8
#: Only a hang exceeds it, even with eight clients on a busy machine.
DEADLINE_SECONDS = 400


def read_ledgers(ledgers: list[Path]) -> list[dict]:
    """Return what clients noted, a row for each of their calls."""
    return [
        json.loads(line)
        for ledger in ledgers
        if ledger.exists()
        for line in ledger.read_text().splitlines()
    ]


def test_eight_clients_recall_and_store_while_the_model_changes(tmp_path, environment) -> None:
    path = str(tmp_path / "m.db")
    first, second = (
        str(make_model(tmp_path / name, dimensions=dimensions, seed=dimensions))
        for name, dimensions in (("first", 64), ("second", 128))
    )
    environment |= {"AFORESAID_EMBEDDING_MODEL": first, "AFORESAID_DB": path}
    stop = tmp_path / "stop"
    ledgers = [tmp_path / f"ledger{number}" for number in range(CLIENTS)]
    client = [sys.executable, "-m", "bench.models.client", path]
    clients = [
        subprocess.Popen(
            [*client, str(ledger), chr(ord("a") + number), str(stop)],
            env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True,
        )
        for number, ledger in enumerate(ledgers)
    ]  # fmt: skip

    def until(condition) -> None:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, [process.poll() for process in clients]
            time.sleep(0.1)

    try:
        until(lambda: all(len(read_ledgers([item])) >= 6 for item in ledgers))
        switched = subprocess.run(
            [LAUNCHER, "model", "use", second, "--yes", "--wait", "--json"],
            env=environment, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False,
        )  # fmt: skip
        assert 0 == switched.returncode, switched.stderr
        before = {item: len(read_ledgers([item])) for item in ledgers}
        until(lambda: all(len(read_ledgers([item])) >= before[item] + 12 for item in ledgers))
    finally:
        stop.touch()
        errors = [process.communicate(timeout=DEADLINE_SECONDS)[1] for process in clients]

    assert [0] * CLIENTS == [process.returncode for process in clients], errors
    rows = read_ledgers(ledgers)
    assert [] == [row["wrong"] for row in rows if row.get("wrong")]
    assert_same_as_a_fresh_store(path, second, {row["content"] for row in rows if "content" in row})


def assert_same_as_a_fresh_store(path: str, folder: str, stored: set[str]) -> None:
    """Every memory is there once, with the vectors that a fresh store would give it."""
    model = open_folder(folder)
    store = open_sqlite(path)
    (serving, *others) = store.models.list_all()
    missing = store.search.without_vectors(model.model, 10_000)
    assert len(missing) <= 3 * CLIENTS  # stored just as the model changed, and not embedded yet
    embed_missing(store, model, len(missing))  # as every server does within half a minute
    rows = store.database.rows(
        "SELECT m.content, v.embedding, c.bits = vec_quantize_binary(v.embedding) FROM chunks c "
        "JOIN memories m ON m.key = c.memory JOIN vectors v ON v.chunk = c.key "
        "JOIN models t ON t.key = c.model WHERE t.state = 'serving'"
    )
    store.close()

    assert (model.model, ["kept"]) == (serving.name, [other.state for other in others])
    assert sorted(stored) == sorted(content for content, _vector, _bits in rows)
    assert [] == [
        content
        for content, vector, bits in rows
        if vector != model.embed_document(content)[0] or not bits
    ]
