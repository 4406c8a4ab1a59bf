"""Splits a shell line into its simple commands, and decides whose exit status the call returned.

What a command is for, and what its output says: commands.py. Not a full parser: quotes, operators,
loops and conditions are understood, substitutions and functions are left as they are.
"""

from __future__ import annotations

import re

from aforesaid.domain.value import Value
from aforesaid.lexicon import shell_commands

_MAX_CHARS = 2000
_HEREDOC = r"<<-?\s*['\"]?(\w+)['\"]?[\s\S]*?^\s*\1\s*$"
#: Opens a command inside a loop, a condition or a group; removed.
_KEYWORD = r"^(?:(?:do|then|else|elif|if|while|until|!|\{|\()(?:\s+|$)|\(+)+"
#: Not a command: the head of a loop, or its end, with redirections.
_NO_COMMAND = r"^(?:for|case|select|function)\s|^(?:done|fi|esac|\}|\)+)(?:\s*[<>].*)?$|^#|^$"
#: Precedes the block of a command (``Invoke-Command HOST { ... }``), rather than a group.
_BLOCK = r"(?<!\bthen)(?<!\bdo)(?<!\belse)(?<=\w)\s+$"
_CONDITION = r"^(?:if|elif|while|until|!)\s"
_SHELL = (
    r"^()(?:\S*/)?(?:(?:ba|da|z|k|pw|power)?sh(?:ell)?|(?:su|runuser)(?: (?!-\w*c )[^\s'\"]+)*"
    r"|sg \S+)"
    r" (?:-\w+ )*-(?:\w*c|Command) (['\"])([\s\S]*)\2$"
)
_REMOTE = r"^(ssh(?: -[A-Za-z]\S*(?: [^\s'\"-]\S*)??)* [\w.@-]+ )(['\"])([\s\S]*)\2$"
_PIPES = ("|", "|&")
_OPERATORS = ("&&", "||", "|&", ";;", "|", ";", "&", "\n")


class ShellStep(Value):
    """A simple command, without keywords and prefixes such as ``sudo``."""

    text: str
    original: str  #: as it was written, with prefixes
    #: Whether the exit status of the call is that of this command, or of one after it that ran
    #: only because this one passed.
    decides_status: bool
    reads_pipe: bool = False  #: whether its input is the output of the command before it


def steps_of(line: str, *, remote: bool = False) -> list[ShellStep]:
    """Return the simple commands of a shell line, in order.

    Args:
        line: the shell line.
        remote: whether commands that run on another machine (``ssh HOST '...'``) count.
    """
    line = re.sub(_HEREDOC, " ", line[:_MAX_CHARS], flags=re.MULTILINE)
    strict = re.search(r"\bset -\w*e", line) is not None
    pipefail = "pipefail" in line
    steps: list[ShellStep] = []
    decides = True
    following = ""
    parts = _split(line)
    before = ["", *(operator for _, operator in parts)]
    for (text, operator), source in zip(reversed(parts), before[-2::-1], strict=True):
        inner = re.match(_SHELL, text) or (re.match(_REMOTE, text) if remote else None)
        if inner:
            machine, quote, script = inner.groups()
            inner_steps = [
                step.replace(
                    decides_status=step.decides_status and decides,
                    original=f"{machine}{quote}{step.original}{quote}"
                    if machine
                    else step.original,
                )
                for step in steps_of(script, remote=remote)
            ]
            steps += inner_steps[::-1]
            following = inner_steps[-1].text if inner_steps else following
            continue
        bare = re.sub(_KEYWORD, "", text).rstrip(" )}" if text.startswith(("(", "{")) else None)
        is_command = not re.match(_NO_COMMAND, bare)
        piped = operator in _PIPES
        if operator and following and not piped and operator != "&&":
            # what follows is a command, so its status replaced this one's
            decides = decides and strict and operator in {";", "\n"}
        if is_command:
            step = _without_options(re.sub(shell_commands.PREFIX, "", _without_options(bare)))
            tells = decides and (pipefail or not piped) and not re.match(_CONDITION, text)
            if step:
                steps.append(
                    ShellStep(
                        text=step, original=bare, decides_status=tells, reads_pipe=source in _PIPES
                    )
                )
            following = step
    return steps[::-1]


def is_remote(text: str) -> bool:
    """Tell whether a simple command runs another one on another machine."""
    return re.match(_REMOTE, text) is not None


def _without_options(step: str) -> str:
    """Return a command without the options between a package manager and its command."""
    return re.sub(shell_commands.RUNNER_OPTIONS, r"\1", step)


def _split(line: str) -> list[tuple[str, str]]:
    """Split at operators outside quotes and blocks; return each part with the operator after it."""
    parts: list[tuple[str, str]] = []
    start, quote, blocks, index = 0, "", 0, 0
    while index < len(line):
        char = line[index]
        if quote:
            quote = "" if char == quote and (line[index - 1] != "\\" or quote == "'") else quote
        elif char == "\\":
            index += 1
        elif char in "'\"":
            quote = char
        elif blocks or (char == "{" and re.search(_BLOCK, line[start:index])):
            blocks += (char == "{") - (char == "}")
        elif operator := _operator_at(line, index):
            parts.append((line[start:index].strip(), operator))
            index += len(operator) - 1
            start = index + 1
        index += 1
    return [*parts, (line[start:].strip(), "")]


def _operator_at(line: str, index: int) -> str:
    """Return the operator that starts here; the ``&`` and ``|`` of a redirection do not count."""
    operator = next((sign for sign in _OPERATORS if line.startswith(sign, index)), "")
    before, after = line[index - 1 : index], line[index + 1 : index + 2]
    if operator == "&" and (before in {">", "<"} or after == ">"):
        return ""
    return "" if operator == "|" and before == ">" else operator
