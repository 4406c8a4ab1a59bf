"""Which failures are kept: not those of the session's own work, and not those that it expected.

A logistic model judges each; ``python -m bench.failures.train`` makes its weights. Following the
commands of a session: failures.py.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.expected_failures import is_expected
from aforesaid.domain.digest.failed_calls import without_routine
from aforesaid.domain.digest.own_work_weights import BIAS, FEATURES
from aforesaid.domain.digest.retries import arguments_of, is_variant_of, tool_of, without_prefixes
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.failed_attempt import Failure

CHANGING = "changing "  #: prefix of a changed file in a list of commands
_OWN_WORK = (commands.CHECK, commands.COMMIT)  #: what they refuse is the session's own work
_SOON = 2  #: calls after which an error is gone that was hardly an obstacle
_SPELLING = 0.8  #: likeness of an argument to a misspelt one
_MAX_COUNTED = 4  #: arguments
#: A quoted text of several words, or of code, unless it is a setting (``name=value``).
_QUOTATION = r"\"(?!\w+=)[^\"]*[\s(;{][^\"]*\"|'(?!\w+=)[^']*[\s(;{][^']*'"


def is_reusable(failure: Failure) -> bool:
    """Tell whether what fixed an error, or did not help, may be useful another time."""
    features = failure_features(failure)
    return BIAS + sum(FEATURES[name] * value for name, value in features.items()) > 0


def failure_features(failure: Failure) -> dict[str, float]:
    """Return what the model knows about a failure."""
    ran = [step for step in failure.steps if not step.startswith(CHANGING)]
    command = without_prefixes(failure.command)
    forms = [step for step in ran if is_variant_of(command, without_prefixes(step))]
    others = [step for step in ran if step not in forms]
    passed = without_prefixes(forms[-1]) if forms else command
    acts = without_routine(others) if tool_of(command) == "git" else others
    if failure.changed_code:  # the code was at fault, unless its environment changed
        acts = [
            step
            for step in acts
            if re.search(shell_commands.REMEDIES, step) or re.match(shell_commands.ASSIGNMENT, step)
        ]
    left_out = arguments_of(command) - arguments_of(passed)
    added = arguments_of(passed) - arguments_of(command)
    is_mistyped = re.search(shell_commands.USAGE_ERRORS, failure.error.partition(" / ")[0])
    differs = {without_quotations(form) for form in forms} - {without_quotations(command)}
    is_cured = acts or failure.changed or (differs and not is_mistyped)
    is_check = is_test_or_check(command)
    is_own = (
        commands.purpose_of(command)[0] in _OWN_WORK
        or failure.corrects_code
        or (
            failure.changed_code
            and (is_check or failure.is_log or _runs_any(command, failure.changed))
        )
        or (failure.changed_code and re.search(shell_commands.ASSERTIONS, failure.error))
    )
    return {
        "soon": failure.calls <= _SOON,
        "expected": is_expected(failure, ran) or (failure.is_fixed and not is_cured),
        "own": bool(is_own) and not acts,
        "rewrites": failure.rewrites and not acts,
        "formats": is_check and any(re.search(shell_commands.FORMATS, step) for step in ran),
        "left out": min(len(left_out), _MAX_COUNTED),
        "misspelt": any(
            SequenceMatcher(None, word, other).ratio() > _SPELLING
            for word in left_out
            for other in added
        ),
    }


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
