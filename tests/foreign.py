"""Sample files of other memory programs, copied to where a test may change them."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data" / "foreign"
#: Program and sample: at least one for each format that an importer reads.
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


def copy_sample(sample: str, folder: Path) -> str:
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
    """Return the bytes of every file at or below a path, including a database's log, by path."""
    top = Path(path)
    files = [top] if top.is_file() else sorted(file for file in top.rglob("*") if file.is_file())
    beside = sorted(top.parent.glob(f"{top.name}-*")) if top.is_file() else []
    return {str(file): file.read_bytes() for file in [*files, *beside]}
