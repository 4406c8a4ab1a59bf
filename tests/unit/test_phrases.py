"""The phrase files: every kind that the code asks for exists, and every pattern compiles."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from aforesaid.domain import digest
from aforesaid.domain.digest.sentence_classifier import phrase_pattern
from aforesaid.lexicon import phrases
from aforesaid.services import sessions

MODULES = sorted(
    [
        *Path(digest.__file__).parent.glob("*.py"),
        *Path(sessions.__file__).parent.glob("*.py"),
    ]
)
#: Functions with the kinds among their arguments, and where those begin.
FIRST_KIND = {"phrase_pattern": 0, "matches": 1, "_decides": 0}


def kinds_asked_for() -> set[str]:
    kinds = set()
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                first = FIRST_KIND.get(node.func.id, len(node.args))
                kinds |= {
                    argument.value
                    for argument in node.args[first:]
                    if isinstance(argument, ast.Constant)
                }
    return kinds


@pytest.mark.parametrize("kind", sorted(phrases.PATTERNS))
def test_the_pattern_of_each_kind_compiles(kind):
    assert phrase_pattern(kind).pattern


def test_the_code_asks_for_exactly_the_kinds_that_exist():
    assert set(phrases.PATTERNS) == kinds_asked_for()


def test_no_line_ends_in_a_space_that_an_editor_would_remove():
    for path in sorted(Path(phrases.__file__).parent.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [] == [line for line in lines if line != line.rstrip()]
