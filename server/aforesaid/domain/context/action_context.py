"""An action of the agent: its commands, and the files that they change.

An action is an edit of a file or a shell command. Whether a trigger matches it: trigger.py.
Searching: services/sessions/action_recall.py.
"""

from __future__ import annotations

import re
from posixpath import join, normpath

from aforesaid.domain.digest.commands import is_quiet
from aforesaid.domain.digest.shell_line import is_remote, steps_of
from aforesaid.domain.value import Value
from aforesaid.lexicon.file_states import ASKS, PLAIN, SENTENCE_END
from aforesaid.lexicon.shell_commands import WRITES

from .simple_command import EDGES, SimpleCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aforesaid.domain.model.memory import Memory

ACTION_TOKENS = 150  #: budget for everything shown with one action, fence included
FAILURE_HEADER = "This error occurred before. What is stored about it may be out of date."
GUARD_HEADER = "This action breaks a rule of the user."
ACTION_HEADER = "Stored memories related to this action. Some of them may be out of date."
MAX_PATHS = 20  #: words of a command that are looked up as files
#: A quotation of several words is data, such as a commit message.
_QUOTATION = r""" (?:"[^"]*\s[^"]*"|'[^']*\s[^']*')"""
#: What runs the command that follows it with the words that it reads.
_XARGS = r"^xargs(?: -\S+(?: (?:\d+|\{\}))?)* (?=\w)"
_CHANGES_FILES = r"(?:mv|cp|rm|touch|tee|truncate|patch|git (?:mv|rm|apply))\b"


#: Categories of memories that say how work is done.
_RULES = frozenset(("preference", "rule", "convention", "workflow", "procedure", "correction"))


class Action(Value):
    """What the agent is about to do."""

    folder: str  #: where it is done
    path: str = ""  #: the file that is edited
    added: str = ""  #: the lines that the edit adds
    command: str = ""  #: the shell command that is run
    error: str = ""  #: what it printed, if it failed


class ShownBefore(Value):
    """What a conversation contains before an action."""

    shown: Collection[int] = ()  #: keys of memories that were shown with earlier actions
    created: Collection[str] = ()  #: paths of files that its session made
    #: Returns the keys of those shown at its start or with a prompt; called only if needed.
    told: Callable[[], Collection[int]] = tuple


NOTHING_SHOWN = ShownBefore()


def is_rule(memory: Memory) -> bool:
    """Tell whether a memory says how work is done, so that an action can break it."""
    return (
        memory.type == "procedural"
        or "trigger" in memory.metadata
        or str(memory.metadata.get("category", "")).lower() in _RULES
        or any(
            re.search(ASKS, sentence.lower().translate(PLAIN))
            for sentence in re.split(SENTENCE_END, memory.content)
        )
    )


def list_commands(command: str, folder: str) -> list[SimpleCommand]:
    """Return the simple commands of a shell command that may change something.

    Args:
        command: as the agent runs it.
        folder: absolute path of the folder in which it begins.
    """
    commands = []
    folders = {False: folder, True: "/"}  # by whether they are on another machine
    for step in steps_of(command, remote=True):
        remote = is_remote(step.original)
        if step.text.startswith("cd "):
            folders[remote] = join(folders[remote], step.text[3:].strip(EDGES))
            continue
        text = re.sub(_QUOTATION, "", re.sub(_XARGS, "", step.text))
        if not is_quiet(text) or re.search(WRITES, text):
            commands.append(
                SimpleCommand(
                    text=text,
                    folder=normpath(folders[remote]),
                    written=step.original,
                    line=command,
                    is_remote=remote,
                )
            )
    return commands


def list_changed_paths(commands: Sequence[SimpleCommand]) -> list[str]:
    """Return the absolute paths that commands may change; not all of them are paths."""
    paths: dict[str, None] = {}
    for command in commands:
        words = [word.strip(EDGES) for word in command.text.split()]
        writes = re.search(WRITES, command.text) or re.match(_CHANGES_FILES, command.text)
        if command.is_remote or not writes:
            continue
        for word in words[-1:] if words[0] == "cp" else words[1:]:
            if (
                ("/" in word or "." in word)
                and "://" not in word
                and not word.startswith(("-", "~"))
            ):
                paths[join(command.folder, word)] = None
    return list(paths)[:MAX_PATHS]
