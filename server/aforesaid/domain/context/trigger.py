"""Whether an action matches the trigger of a memory.

A trigger says when a memory applies, in words: "when running terraform apply in infra/prod",
"before editing migrations/*.sql". Lines that give a command as it is typed: command_line.py. What
an action is: action_context.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.model.anchor import matches_pattern, split_state
from aforesaid.domain.model.memory import COMMAND_LINE
from aforesaid.lexicon.stop_words import STOP_WORDS

from .command_line import matches_command_line
from .command_trigger import FILE_PATTERN, GERUND, has_command
from .file_state import stated_state
from .prompt_context import count_contained, trigger_parts
from .simple_command import EDGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .file_state import TargetFile
    from .simple_command import SimpleCommand

_RUNNERS = frozenset(("run", "exec"))  #: subcommands after which the name of a script follows
_EXTENSION = r"\.[a-z]\w{0,4}"
#: Verbs of changing files, and what may stand between such a verb and a folder.
_EDITS = r"(?i)^(?:edit|chang|touch|modif|writ|creat|updat|renam|delet|remov|mov)"
_CHANGES = rf"{_EDITS}|^add"
_OBJECTS = frozenset(
    """file files code anything something any a an the all new existing in under below of or
    and""".split()  # noqa: SIM905
)
#: A setting of a command: a long option, or a variable.
_SETTING = r"(?<![\w-])(?:--[a-z][\w-]{1,60}|[A-Z][A-Z_]{3,60}=)"
_MAX_CONTENT_CHARS = 2_000  #: of a procedure, read for settings
_NEGATION = r"(?i)\b(?:never|not|don't|no|without|avoid)\b"


def matches_trigger(
    trigger: str,
    commands: Sequence[SimpleCommand],
    files: Sequence[TargetFile],
    content: str = "",
) -> bool:
    """Return whether an action matches a line of the trigger of a memory.

    A command as it is typed matches as command_line.py says. In words: a file matches a pattern in
    the trigger, or contains two or more words, all of one part, unless the line or the content is
    about files in another state (file_state.py). A command is of a tool that the
    trigger names, with one of the subcommands and in the folder that it names; or it contains all
    words of a part, two or more.

    Args:
        trigger: as it was stored.
        commands: those of the action.
        files: that the action changes.
        content: of the memory; empty if it is not known yet.
    """
    return any(_line_matches(line, commands, files, content) for line in trigger.splitlines())


def _line_matches(
    line: str, commands: Sequence[SimpleCommand], files: Sequence[TargetFile], content: str
) -> bool:
    if line.startswith(COMMAND_LINE):
        return any(matches_command_line(line, command) for command in commands)
    if any(
        matches_pattern(file.path, pattern) and file.is_in(_state_of(line, content, file, pattern))
        for pattern in _patterns(line)
        for file in files
    ):
        return True
    parts = trigger_parts(_without_paths(line))
    if not is_about_commands(line) and any(
        count_contained(file.path, part) > 1 and file.is_in(_state_of(line, content, file, line))
        for file in files
        for part in parts
    ):
        return True
    return any(_command_matches(command, line, parts) for command in commands)


def _state_of(line: str, content: str, file: TargetFile, pattern: str) -> str:
    """Return the state of the files that a line of a trigger is about; empty for any."""
    return (
        split_state(pattern)[0]
        or stated_state(line, file.path, pattern)
        or stated_state(content, file.path, pattern)
    )


def is_about_commands(trigger: str) -> bool:
    """Tell whether a trigger begins with doing something other than changing files."""
    words = [word for word in trigger.split() if word.lower() not in STOP_WORDS]
    return bool(words and re.fullmatch(GERUND, words[0]) and not re.match(_CHANGES, words[0]))


def already_has_setting(command: str, content: str, trigger: str) -> bool:
    """Tell whether a command already has a setting that a procedure asks for.

    A setting that the procedure forbids, or that its trigger names, does not count. A trigger that
    says what makes a command right (``without``) has been compared with it already.
    """
    if trigger.startswith(COMMAND_LINE) and " without " in trigger:
        return False
    for sentence in re.split(r"(?<=[.;:])\s", content[:_MAX_CONTENT_CHARS]):
        for setting in re.finditer(_SETTING, sentence):
            is_asked = not re.search(_NEGATION, sentence[: setting.start()])
            if is_asked and setting[0] in command and setting[0] not in trigger:
                return True
    return False


def _patterns(line: str) -> list[str]:
    """Return the patterns of files in a line of a trigger.

    A folder counts only if its files are to be edited; any file, if the line is about commands.
    """
    words = [text.strip(EDGES) for text in line.split()]
    for_commands = is_about_commands(line)
    patterns = []
    for index, word in enumerate(words):
        if "://" in word or re.fullmatch(r"\./[\w-]+", word):  # a program
            continue
        if for_commands and not any(re.match(_CHANGES, each) for each in words[:index]):
            continue
        if re.fullmatch(_EXTENSION, word):
            patterns.append(f"*{word}")
        elif re.fullmatch(FILE_PATTERN, word) and (
            _names_files(word) or _edits_files(words[:index])
        ):
            patterns.append(word)
    return patterns


def _names_files(word: str) -> bool:
    """Tell whether a pattern is not just a folder: its last part has wildcards or an extension."""
    return not word.endswith("/") and bool(set(word.rpartition("/")[2]) & set("*?."))


def _edits_files(before: Sequence[str]) -> bool:
    """Tell whether the words before a folder say that files in it are edited."""
    for word in reversed(before):
        if re.match(_EDITS, word):
            return True
        if word.lower() not in _OBJECTS:
            return False
    return not before


def _without_paths(trigger: str) -> str:
    return " ".join(
        word
        for word in trigger.split()
        if not re.fullmatch(FILE_PATTERN, word.strip(EDGES)) and word not in _OBJECTS
    )


def _command_matches(command: SimpleCommand, line: str, parts: Sequence[str]) -> bool:
    matches = has_command(line, command)
    if matches is not None:
        return matches
    return any(_contains_part(command.text, part, alone=len(parts) == 1) for part in parts)


def _contains_part(command: str, part: str, *, alone: bool) -> bool:
    """Tell whether a command has all words of a part; a single word only if it stands alone."""
    count = count_contained(command, part)
    return count > 1 or (alone and count == 1 and count_contained(_head(command), part) == 1)


def _head(command: str) -> str:
    """Return the tool and subcommand of a simple command, with the script that it runs."""
    tool, *words = command.split()
    words = words[: 2 if words[:1] and words[0] in _RUNNERS else 1]
    return " ".join([tool, *(word for word in words if "." not in word and "/" not in word)])
