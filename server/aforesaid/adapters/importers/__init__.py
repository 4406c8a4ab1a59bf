"""Readers of other programs' memories: one module per program, each yields import items.

Sources are never written to. Sizes, rows and depth are bounded, and skipped items are counted by
reason. Not here: storing items (services/transfer/import_items.py).
"""

from __future__ import annotations

from aforesaid.ports import ImportItemReader

#: The programs, each with a description for users.
PROGRAMS = {
    "claude-md": "CLAUDE.md, AGENTS.md, rules of any client, notes in Markdown",
    "auto-memory": "the memory files that Claude Code itself keeps",
    "mcp-memory": "the MCP reference memory server's memory.jsonl",
    "claude-mem": "claude-mem's database, or its export",
    "mcp-memory-service": "mcp-memory-service's database, or its export",
    "basic-memory": "a folder of basic-memory's notes",
}


def reader_of(program: str) -> ImportItemReader:
    """Return the reader of a program's memories; only that reader's module is imported."""
    from importlib import import_module

    read: ImportItemReader = import_module(f"{__name__}.{program.replace('-', '_')}").read
    return read
