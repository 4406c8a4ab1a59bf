"""Reads what other programs remember: one module a form, each yielding pieces.

Here: the forms. Not here: what becomes of a piece (services/transfer/import_items.py). Nothing is
ever written at a source; sizes, rows and depth are bounded, and what is left out is counted by why.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import ImportItemReader

#: Each form with what it is, for people.
FORMS = {
    "claude-md": "CLAUDE.md and rules, by section",
    "auto-memory": "the memory files that Claude Code itself keeps",
    "mcp-memory": "the MCP reference memory server's memory.jsonl",
    "claude-mem": "claude-mem's database, or its export",
    "mcp-memory-service": "mcp-memory-service's database, or its export",
    "basic-memory": "a folder of basic-memory's notes",
}


def reader_of(form: str) -> ImportItemReader:
    """Return what reads a form; only its own module is imported."""
    from importlib import import_module

    read: ImportItemReader = import_module(f"{__name__}.{form.replace('-', '_')}").read
    return read
