"""Which failures are kept: not those of the session's own work, and not those that it expected.

Following the commands of a session: failures.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.expected_failures import is_expected
from aforesaid.domain.digest.failed_calls import without_routine
from aforesaid.domain.digest.retries import is_variant_of, tool_of, without_prefixes
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.failed_attempt import Failure

CHANGING = "changing "  #: prefix of a changed file in a list of commands
_OWN_WORK = (commands.CHECK, commands.COMMIT)  #: what they refuse is the session's own work
#: A quoted text of several words, or of code, unless it is a setting (``name=value``).
_QUOTATION = r"\"(?!\w+=)[^\"]*[\s(;{][^\"]*\"|'(?!\w+=)[^']*[\s(;{][^']*'"


def is_reusable(failure: Failure) -> bool:
    """Tell whether what fixed an error, or did not help, may be useful another time.

    Code that was corrected where the error pointed to is work in progress.
    """
    ran = [step for step in failure.steps if not step.startswith(CHANGING)]
    if is_expected(failure, ran) or (failure.is_log and failure.changed_code):
        return False
    command = without_prefixes(failure.command)
    kind, _ = commands.purpose_of(command)
    others = [step for step in ran if not is_variant_of(command, without_prefixes(step))]
    tried = (step.removeprefix(CHANGING) for step in failure.steps if step not in ran)
    edits_source = any(map(is_source, (*failure.changed, *tried)))
    if edits_source and re.search(shell_commands.ASSERTIONS, failure.error):
        return False
    if tool_of(command) == "git":
        ran = without_routine(ran)
    is_mistyped = re.search(shell_commands.USAGE_ERRORS, failure.error.partition(" / ")[0])
    differs = {without_quotations(step) for step in ran} - {without_quotations(command)}
    if kind == commands.CHECK or is_mistyped or (ran and not differs):
        ran = others  # another form of the command helps nobody
    if failure.changed_code:  # the code was at fault, unless its environment changed
        ran = [
            step
            for step in ran
            if re.search(shell_commands.REMEDIES, step) or re.match(shell_commands.ASSIGNMENT, step)
        ]
    if is_test_or_check(command):
        ran = [step for step in ran if not re.search(shell_commands.FORMATS, step)]
    if ran or failure.corrects_own:
        return bool(ran)
    is_own_work = (
        kind in _OWN_WORK
        or (is_test_or_check(command) and edits_source)
        or (failure.changed_code and _runs_any(command, failure.changed))
    )
    return not is_own_work and (not failure.is_fixed or bool(failure.changed))


def without_quotations(command: str) -> str:
    """Return a command without its quoted texts, such as a query: correcting these helps nobody."""
    return " ".join(re.sub(_QUOTATION, "", command).split())


def is_test_or_check(command: str) -> bool:
    """Tell whether a command tests or checks, by its tool or by its name."""
    if commands.purpose_of(command)[0] in {commands.TESTS, commands.CHECK}:
        return True
    names = f"{shell_commands.NAMED_TEST}|{shell_commands.NAMED_CHECK}"
    return re.search(names, command) is not None


def _runs_any(command: str, changed: Sequence[str]) -> bool:
    """Tell whether a command runs a program whose code was changed, and nothing else was."""
    words = [word.removeprefix("./").rstrip("/") for word in command.split()]
    if " -m " in command:
        words = [word.replace(".", "/") for word in words]
    is_run = command.startswith("./") or any(
        f"{name}/".startswith((f"{word}/", f"{word}.")) for name in changed for word in words
    )
    return is_run and all(map(is_source, changed))


def is_source(name: str) -> bool:
    """Tell whether a file is program code, not a configuration that is written as code."""
    return (
        re.search(shell_commands.SOURCE_FILES, name) is not None
        and re.search(shell_commands.CONFIGURATION_FILES, name) is None
    )
