"""What docs/MAPPING.md says of our side is true."""

from __future__ import annotations

import os
import re

import pytest

from aforesaid.config import DEFAULTS
from aforesaid.entrypoints.api.tool_schemas import TOOLS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VARIABLES = {"AFORESAID_DB", "AFORESAID_PROJECT", "AFORESAID_CWD", "AFORESAID_HINT"}


def ours() -> list[str]:
    """Return what stands between backticks in the last columns."""
    with open(os.path.join(ROOT, "docs", "MAPPING.md"), encoding="utf-8") as file:
        rows = [line for line in file if line.startswith("|")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[2])]


def test_every_tool_of_ours_is_mapped():
    named = {name.partition("(")[0] for name in ours()}
    assert set() == set(TOOLS) - named - {"update_memory"}


@pytest.mark.parametrize("name", sorted(set(ours())))
def test_our_side_is_true(name):
    tool, call, rest = name.partition("(")
    if call:
        parameters = [line.strip() for line in rest.rstrip(")").split(",") if line.strip()]
        assert [] == [
            parameter
            for parameter in parameters
            if parameter not in TOOLS[tool]["inputSchema"]["properties"]
        ]
    else:
        assert name in VARIABLES | set(TOOLS) | {"score"} or name in DEFAULTS
