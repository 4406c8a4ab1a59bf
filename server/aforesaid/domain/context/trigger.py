"""Whether an action matches the trigger of a procedure.

A trigger says when a procedure applies, in words: "when running terraform apply in infra/prod",
"before editing migrations/*.sql". What an action is: action_context.py.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from aforesaid.domain.model.anchor import matches_pattern
from aforesaid.domain.value import Value
from aforesaid.lexicon.stop_words import STOP_WORDS

from .prompt_context import count_contained, trigger_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_RUNNERS = frozenset(("run", "exec"))  #: subcommands after which the name of a script follows
_EDGES = "\"'`()[]<>,;:!"
#: A word of a trigger that stands for files: a folder, a name with an extension, or wildcards.
_FILE_PATTERN = r"(?=.*\w)(?:.*[*/].*|\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5})"
_EXTENSION = r"\.[a-z]\w{0,4}"
#: What ends the words about a command in a trigger.
_BREAKS = frozenset(
    ("in", "on", "for", "under", "at", "with", "without", "before", "after", "to", "from", "of")
)
_GERUND = r"\w{3,}ing"
_SEPARATORS = frozenset((",", "or", "and", "/"))
#: Verbs of changing files, and what may stand between such a verb and a folder.
_EDITS = r"(?i)^(?:edit|chang|touch|modif|writ|creat|updat|renam|delet|remov|mov)"
_ADDS = r"(?i)^add"
_OBJECTS = frozenset(
    """file files code anything something any a an the all new existing in under below of or
    and""".split()  # noqa: SIM905
)
_GENERIC = frozenset(
    """host hosts machine machines server branch repository project package environment target
    command commands file files anything something change changes changed""".split()  # noqa: SIM905
)
_MAX_SUBCOMMAND = 3  #: words
#: A setting of a command: a long option, or a variable.
_SETTING = r"(?<![\w-])(?:--[a-z][\w-]{1,60}|[A-Z][A-Z_]{3,60}=)"
_MAX_CONTENT_CHARS = 2_000  #: of a procedure, read for settings
_NEGATION = r"(?i)\b(?:never|not|don't|no|without|avoid)\b"


class SimpleCommand(Value):
    """A simple command that may change something."""

    text: str
    folder: str  #: absolute path of the folder in which it runs


def matches_trigger(trigger: str, commands: Sequence[SimpleCommand], files: Sequence[str]) -> bool:
    """Return whether an action matches the trigger of a procedure.

    A file matches a pattern in the trigger, or contains two or more words, all of one part. A
    command is of a tool that the trigger names, with one of the subcommands and in the folder that
    it names; or it contains all words of a part, two or more.

    Args:
        trigger: as it was stored.
        commands: those of the action.
        files: that the action changes, relative to the project's root.
    """
    if any(matches_pattern(file, pattern) for file in files for pattern in _patterns(trigger)):
        return True
    parts = trigger_parts(_without_paths(trigger))
    return any(count_contained(file, part) > 1 for file in files for part in parts) or any(
        _command_matches(command, trigger, parts) for command in commands
    )


def is_about_commands(trigger: str) -> bool:
    """Tell whether a trigger begins with doing something other than changing files."""
    words = [word for word in trigger.split() if word.lower() not in STOP_WORDS]
    return bool(
        words
        and re.fullmatch(_GERUND, words[0])
        and not re.match(_EDITS, words[0])
        and not re.match(_ADDS, words[0])
    )


def already_has_setting(command: str, content: str, trigger: str) -> bool:
    """Tell whether a command already has a setting that a procedure asks for.

    A setting that the procedure forbids, or that its trigger names, does not count.
    """
    for sentence in re.split(r"(?<=[.;:])\s", content[:_MAX_CONTENT_CHARS]):
        for setting in re.finditer(_SETTING, sentence):
            is_asked = not re.search(_NEGATION, sentence[: setting.start()])
            if is_asked and setting[0] in command and setting[0] not in trigger:
                return True
    return False


def _patterns(trigger: str) -> list[str]:
    """Return the patterns of files in a trigger; a folder only if its files are to be edited."""
    words = [text.strip(_EDGES) for text in trigger.split()]
    patterns = []
    for index, word in enumerate(words):
        if "://" in word or re.fullmatch(r"\./[\w-]+", word):  # a program
            continue
        if re.fullmatch(_EXTENSION, word):
            patterns.append(f"*{word}")
        elif re.fullmatch(_FILE_PATTERN, word) and (
            not word.endswith("/") or _edits_files(words[:index])
        ):
            patterns.append(word)
    return patterns


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
        if not re.fullmatch(_FILE_PATTERN, word.strip(_EDGES)) and word not in _OBJECTS
    )


def _command_matches(command: SimpleCommand, trigger: str, parts: Sequence[str]) -> bool:
    words = command.text.split()
    tool = _last_name(words[0])
    tokens = re.findall(r",|[^\s,]+", trigger)
    named = [index for index, token in enumerate(tokens) if _last_name(token) == tool]
    if named:
        return any(_clause_matches(words[1:], command, tokens[index + 1 :]) for index in named)
    return any(_contains_part(command.text, part, alone=len(parts) == 1) for part in parts)


def _last_name(path: str) -> str:
    return re.split(r"[/\\]", path.strip(_EDGES))[-1]


def _clause_matches(words: Sequence[str], command: SimpleCommand, clause: Sequence[str]) -> bool:
    """Tell whether a command has what a trigger requires after the name of its tool."""
    subcommands, rest = _split_clause(clause)
    names = [word.lower() for word in words]
    if subcommands and not any(_has_subcommand(names, each) for each in subcommands):
        return False
    if not _is_about(rest, f"{command.text} {command.folder}".casefold()):
        return False
    for index, token in enumerate(rest):
        text = token.strip(_EDGES)
        if text.startswith("-") and index and rest[index - 1] == "without":
            if text in words:
                return False
        elif re.fullmatch(_FILE_PATTERN, text) and not _is_at(text, words, command.folder):
            return False
    return True


def _is_about(rest: Sequence[str], text: str) -> bool:
    """Tell whether a command has one of the names that a trigger gives after its subcommands."""
    first = next((index for index, token in enumerate(rest) if token in _BREAKS), len(rest))
    names = [
        token.strip(_EDGES).casefold()
        for token in rest[first:]
        if token not in _BREAKS and not re.fullmatch(_FILE_PATTERN, token.strip(_EDGES))
    ]
    names = [
        name
        for name in names
        if name and name not in _GENERIC and name not in STOP_WORDS and not name.startswith("-")
    ]
    return not names or any(name in text for name in names)


def _split_clause(clause: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """Return the subcommands that the words after a tool list, and the words after those."""
    subcommands: list[list[str]] = [[]]
    for index, token in enumerate(clause):
        if re.fullmatch(_GERUND, token) and not subcommands[-1]:
            return [each for each in subcommands if each], []  # something other than a command
        if token in _BREAKS:
            return [each for each in subcommands if each], list(clause[index:])
        if token in _SEPARATORS:
            if not subcommands[0]:
                return [], list(clause[index:])  # another tool follows
            subcommands.append([])
        else:
            subcommands[-1].append(token.strip(_EDGES).lower())
    return [each for each in subcommands if each], []


def _has_subcommand(names: Sequence[str], subcommand: Sequence[str]) -> bool:
    wanted = subcommand if len(subcommand) <= _MAX_SUBCOMMAND else subcommand[:1]
    return all(
        any(name == word or name.startswith(f"{word}=") for name in names) for word in wanted
    )


def _is_at(pattern: str, words: Sequence[str], folder: str) -> bool:
    """Tell whether a command names a path of this pattern, or runs in that folder."""
    bare = pattern.rstrip(".*/").lstrip("./")
    paths = [f"/{folder.strip('/')}/", *(f"/{word.strip(_EDGES).lstrip('./')}/" for word in words)]
    return any(f"/{bare}/" in path or fnmatchcase(path, f"*{pattern}*") for path in paths)


def _contains_part(command: str, part: str, *, alone: bool) -> bool:
    """Tell whether a command has all words of a part; a single word only if it stands alone."""
    count = count_contained(command, part)
    return count > 1 or (alone and count == 1 and count_contained(_head(command), part) == 1)


def _head(command: str) -> str:
    """Return the tool and subcommand of a simple command, with the script that it runs."""
    tool, *words = command.split()
    words = words[: 2 if words[:1] and words[0] in _RUNNERS else 1]
    return " ".join([tool, *(word for word in words if "." not in word and "/" not in word)])
