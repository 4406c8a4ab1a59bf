"""Whether a command is one that a trigger gives as it is typed.

``$ terraform apply in envs/prod``, ``$ psql *@db-live*``, ``$ helm upgrade without --atomic or
--wait``: the tool and the words that must all occur, in any order, with ``*`` as a wildcard; the
folder; and what makes the command right. Triggers in words: trigger.py.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from aforesaid.domain.digest.shell_line import steps_of
from aforesaid.domain.model.memory import COMMAND_LINE
from aforesaid.lexicon.shell_commands import PREFIX

from .simple_command import SimpleCommand, as_pattern, has_word, is_at, last_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WITHOUT = r" (?:without|unless) "
_IN = r" in (\S+)"
_ALTERNATIVES = r"\s*(?: or |,| and )\s*"
#: A quotation that is a text, not a command: a message or a title.
_MESSAGE = r"((?:\s-\w*m|--message|--title|--body)[ =])(?:\"[^\"]*\"|'[^']*')"
_SCRIPT = r"(['\"])((?:(?!\1).)*\s(?:(?!\1).)*)\1"
#: The command that a tool runs in another place: ``fly ssh console -- ls``.
_RUNS = r"\s-- (\S.*)$"


def matches_command_line(trigger: str, command: SimpleCommand) -> bool:
    """Return whether a command is one that a line of a trigger gives.

    Args:
        trigger: the line, with the mark before it.
        command: to compare.
    """
    line = trigger.removeprefix(COMMAND_LINE)
    wanted, *exceptions = re.split(_WITHOUT, f"{re.sub(_IN, '', line)} ")
    words = re.sub(PREFIX, "", wanted).split() or wanted.split()
    if not words or not _occurs(words[0], command.line):
        return False  # most triggers: the rest costs more
    phrases = [phrase for each in exceptions for phrase in re.split(_ALTERNATIVES, each.strip())]
    return (
        all(is_at(folder, command) for folder in re.findall(_IN, line))
        and not any(_has_phrase(command.line, phrase) for phrase in phrases if phrase)
        and any(
            _is_tool(words[0], tools) and all(has_word(text, word) for word in words[1:])
            for tools, text in _runs_of(command)
        )
    )


def _occurs(tool: str, line: str) -> bool:
    """Tell whether the longest part of a tool's name without wildcards is in a shell command."""
    part = max(last_name(tool).split("*"), key=len)
    return part.removesuffix("w").casefold() in line.casefold()


def _runs_of(command: SimpleCommand) -> Iterator[tuple[set[str], str]]:
    """Yield the names of the tools that a command runs, each with the text that follows it."""
    written = re.sub(_MESSAGE, r"\1", command.written)
    yield command.tools, re.sub(_MESSAGE, r"\1", command.words)
    for name in command.wrapper.split()[:1]:
        yield {last_name(name)}, written
    for script in _scripts_in(written):
        for step in steps_of(script, remote=True):
            inner = command.replace(text=step.text)
            yield inner.tools, step.text


def _scripts_in(written: str) -> Iterator[str]:
    """Yield the commands that a command runs: quoted scripts, and what follows ``--``."""
    for match in re.finditer(_SCRIPT, written):
        yield match[2]
    run = re.search(_RUNS, written)
    if run:
        yield run[1]


def _is_tool(wanted: str, tools: set[str]) -> bool:
    name = last_name(wanted).casefold()
    return any(fnmatchcase(tool.casefold(), name) for tool in tools) or (
        "*" in wanted and any(fnmatchcase(tool, wanted) for tool in tools)
    )


def _has_phrase(line: str, phrase: str) -> bool:
    """Tell whether a shell command has what makes it right: a flag, or a text."""
    if phrase.startswith("-") and " " not in phrase:
        return has_word(line, phrase)
    pattern = r"\s+".join(map(as_pattern, phrase.strip("*").split()))
    return re.search(pattern, line, re.IGNORECASE) is not None
