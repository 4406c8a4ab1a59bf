"""What light commands import, pinned: each pays for what it uses (figures: bench/startup)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the launcher's start is POSIX's")

START = Path(__file__).resolve().parents[2] / "server" / "start.py"
#: What only questions, models, maintenance and other doors need.
HEAVY = {
    "aforesaid.domain.digest",
    "aforesaid.domain.retrieval.fusion",
    "aforesaid.domain.retrieval.ranking",
    "aforesaid.domain.retrieval.term_matching",
    "aforesaid.domain.retrieval.relevance",
    "aforesaid.domain.dedup",
    "aforesaid.services.recall.filters",
    "aforesaid.services.recall.hybrid_search",
    "aforesaid.services.memories.writer",
    "aforesaid.services.maintenance",
    "asyncio",
    "dateparser",
    "difflib",
    "hashlib",
    "logging",
    "mcp",
    "numpy",
    "onnxruntime",
    "subprocess",
    "tomllib",
}
STORE = {"apsw", "aforesaid.adapters.sqlite.store"}


def imported(environment: dict[str, str], *command: str) -> set[str]:
    """Return what a command imports, started as bin/aforesaid starts it."""
    start = [sys.executable, "-I", "-S", "-X", "utf8", "-X", "importtime", str(START)]
    done = subprocess.run(
        [*start, *command], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-500:]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("command", [("--version",), ("completion", "bash")])
def test_what_every_shell_asks_for_is_answered_without_the_shell_library(environment, command):
    modules = imported(environment, *command)
    assert set() == modules & (HEAVY | STORE | {"click", "json", "re", "typing"})


@pytest.mark.parametrize(
    ("command", "never"),
    [
        (("config",), HEAVY | STORE),
        (("--help",), HEAVY | STORE),
        (("list",), HEAVY),
        (("stats",), HEAVY),
        (("--json",), HEAVY),
    ],
)
def test_a_light_command_imports_what_it_uses_alone(environment, command, never):
    imported(environment, "--json")  # what is kept for next time is there
    modules = imported(environment, *command)
    assert "click" in modules
    assert set() == modules & never
