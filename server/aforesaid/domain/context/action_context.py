"""An action of the agent: which files it concerns, and which triggers it matches.

An action is an edit of a file or a shell command. Searching: services/sessions/action_recall.py.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from aforesaid.domain.digest.commands import is_quiet
from aforesaid.domain.digest.shell_line import steps_of
from aforesaid.domain.value import Value

from .prompt_context import count_contained, trigger_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ACTION_TOKENS = 150  #: budget for everything shown with one action, fence included
FAILURE_HEADER = "This error occurred before. What is stored about it may be out of date."
GUARD_HEADER = "This action breaks a rule of the user."
ACTION_HEADER = "Stored memories related to this action. Some of them may be out of date."
MAX_PATHS = 20  #: words of a command that are looked up as files
_RUNNERS = frozenset(("run", "exec"))  #: subcommands after which the name of a script follows
_EDGES = "\"'`()[]<>,;:!"
#: A quotation of several words is data, such as a commit message.
_QUOTATION = r""" (?:"[^"]*\s[^"]*"|'[^']*\s[^']*')"""
#: A word of a trigger that stands for files: a folder, a name with an extension, or wildcards.
_FILE_PATTERN = r"(?=.*\w)(?:.*[*/].*|\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5})"


class Action(Value):
    """What the agent is about to do."""

    folder: str  #: where it is done
    path: str = ""  #: the file that is edited
    added: str = ""  #: the lines that the edit adds
    command: str = ""  #: the shell command that is run
    error: str = ""  #: what it printed, if it failed


def list_steps(command: str) -> list[str]:
    """Return the simple commands of a shell command that may change something."""
    texts = [re.sub(_QUOTATION, "", step.text) for step in steps_of(command)]
    return [text for text in texts if not is_quiet(text)]


def list_paths(steps: Sequence[str]) -> list[str]:
    """Return the words of simple commands that may be paths of files."""
    words = [word.strip(_EDGES) for step in steps for word in step.split()[1:]]
    paths = [word for word in words if ("/" in word or "." in word) and "://" not in word]
    return [path for path in dict.fromkeys(paths) if not path.startswith(("-", "~"))][:MAX_PATHS]


def matches_trigger(trigger: str, steps: Sequence[str], files: Sequence[str]) -> bool:
    """Return whether an action matches the trigger of a procedure.

    A file matches a pattern in the trigger, or contains two or more words, all of one part. A
    command contains all words of a part; a single word must name the tool or its subcommand.

    Args:
        trigger: as it was stored.
        steps: simple commands.
        files: relative to the project's root.
    """
    patterns = [
        word
        for word in (text.strip(_EDGES) for text in trigger.split())
        if re.fullmatch(_FILE_PATTERN, word) and "://" not in word
    ]
    if any(matches_pattern(file, pattern) for file in files for pattern in patterns):
        return True
    parts = trigger_parts(trigger)
    return any(count_contained(file, part) > 1 for file in files for part in parts) or any(
        _step_has(step, part) for step in steps for part in parts
    )


def matches_pattern(file: str, pattern: str) -> bool:
    """Return whether a path matches a pattern (``*.sql``, ``src/api/``), at its root or below."""
    pattern = pattern.removeprefix("./")
    if pattern.endswith("/"):
        pattern += "*"
    return fnmatchcase(file, pattern) or fnmatchcase(file, f"*/{pattern.removeprefix('/')}")


def _step_has(step: str, part: str) -> bool:
    count = count_contained(step, part)
    return count > 1 or (count == 1 and count_contained(_head(step), part) == 1)


def _head(step: str) -> str:
    """Return the tool and subcommand of a simple command, with the script that it runs."""
    tool, *words = step.split()
    words = words[: 2 if words[:1] and words[0] in _RUNNERS else 1]
    return " ".join([tool, *(word for word in words if "." not in word and "/" not in word)])
