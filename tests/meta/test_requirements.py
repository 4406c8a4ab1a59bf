"""The manifest of what must hold: each requirement names its tests, each contract test and
property its requirement, each tool and table has one, and what is not there yet is a gap."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from fnmatch import fnmatchcase
from functools import cache

from aforesaid.adapters.sqlite.schema import FIRST
from aforesaid.entrypoints.api.tool_schemas import TOOLS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MANIFEST = os.path.join(ROOT, "tests", "meta", "requirements.toml")


@cache
def requirements() -> tuple[dict, ...]:
    with open(MANIFEST, "rb") as file:
        return tuple(tomllib.load(file)["requirement"])


@cache
def known_tests() -> frozenset[str]:
    """Return every test as ``folder/file.py::name``, from the tests' folder on."""
    results = set()
    for folder, _folders, files in os.walk(os.path.join(ROOT, "tests")):
        for name in files:
            if name.startswith("test_") and name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    tree = ast.parse(file.read())
                inside = os.path.relpath(path, os.path.join(ROOT, "tests")).replace(os.sep, "/")
                for node in tree.body:
                    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                        results.add(f"{inside}::{node.name}")
                    elif isinstance(node, ast.Assign) and ast.unparse(node.value).endswith(
                        ".TestCase"
                    ):
                        results.add(f"{inside}::{ast.unparse(node.targets[0])}")  # a state machine
    return frozenset(results)


def test_every_id_is_given_once():
    ids = [requirement["id"] for requirement in requirements()]
    assert sorted(set(ids)) == sorted(ids)


def test_every_requirement_has_a_test_that_is_there_or_is_a_known_gap():
    wrong = []
    for requirement in requirements():
        named = requirement.get("tests", [])
        if bool(named) == bool(requirement.get("gap")):
            wrong.append(f"{requirement['id']}: tests or a gap, not both and not neither")
        wrong += [
            f"{requirement['id']}: no test is called {name}"
            for name in named
            if not any(fnmatchcase(test, name) for test in known_tests())
        ]
    assert [] == wrong


def test_every_tool_and_table_is_covered_by_a_requirement_and_nothing_else_is():
    tables = re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", " ".join(FIRST))
    covered = [name for requirement in requirements() for name in requirement.get("covers", [])]
    assert sorted({*TOOLS, *tables}) == sorted(covered)


def test_every_contract_test_and_property_belongs_to_a_requirement():
    patterns = [name for requirement in requirements() for name in requirement.get("tests", [])]
    assert [] == [
        test
        for test in sorted(known_tests())
        if test.startswith(("contract/", "property/"))
        and not any(fnmatchcase(test, name) for name in patterns)
    ]
