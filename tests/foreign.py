"""Made samples of what other programs keep, in places where they may be changed."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data" / "foreign"
#: Form and sample, once for each shape that is read.
SAMPLES = [
    ("mcp-memory", "memory.jsonl"),
    ("claude-mem", "claude-mem.sql"),
    ("claude-mem", "claude-mem-export.json"),
    ("mcp-memory-service", "mcp-memory-service.sql"),
    ("mcp-memory-service", "mcp-memory-service-export.json"),
    ("basic-memory", "basic-memory"),
    ("auto-memory", "auto-memory"),
    ("claude-md", "claude-md"),
]


def lay_out(sample: str, folder: Path) -> str:
    """Return the path of a copy of a sample; a .sql one becomes a database."""
    source = DATA / sample
    if source.is_dir():
        return str(shutil.copytree(source, folder / sample))
    if source.suffix != ".sql":
        return str(shutil.copy(source, folder / sample))
    path = folder / f"{source.stem}.db"
    make_database(path, source.read_text())
    return str(path)


def make_database(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


def contents(path: str) -> dict[str, bytes]:
    """Return every file at or below a path with its bytes."""
    top = Path(path)
    files = [top] if top.is_file() else sorted(one for one in top.rglob("*") if one.is_file())
    beside = sorted(top.parent.glob(f"{top.name}-*")) if top.is_file() else []
    return {str(one): one.read_bytes() for one in [*files, *beside]}
