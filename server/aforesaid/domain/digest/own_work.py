"""Signs that a command failed because of the session's own work, which is not kept: failures.py."""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.lexicon import shell_commands

_QUOTATION = r"\"[^\"]*\s[^\"]*\"|'[^']*\s[^']*'"  #: of several words


def without_quotations(command: str) -> str:
    """Return a command without its quoted texts, such as a query: correcting these helps nobody."""
    return " ".join(re.sub(_QUOTATION, "", command).split())


def is_test_or_check(command: str) -> bool:
    """Tell whether a command tests or checks, by its tool or by its name."""
    if commands.purpose_of(command)[0] in {commands.TESTS, commands.CHECK}:
        return True
    names = f"{shell_commands.NAMED_TEST}|{shell_commands.NAMED_CHECK}"
    return re.search(names, command) is not None


def is_source(name: str) -> bool:
    """Tell whether a file is program code, not a configuration that is written as code."""
    return (
        re.search(shell_commands.SOURCE_FILES, name) is not None
        and re.search(shell_commands.CONFIGURATION_FILES, name) is None
    )
