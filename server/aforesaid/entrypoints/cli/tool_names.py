"""Rewrites the tool calls that answers and errors suggest to a model as shell commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aforesaid.entrypoints.serialize.phrases import CHOOSE_PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The command of each tool.
COMMANDS = {
    "store_memory": "remember",
    "recall_memory": "search",
    "update_memory": "update",
    "forget_memory": "forget",
    "link_memories": "link",
    "explore_memory": "explore",
    "memory_inspect": "inspect",
    "memory_stats": "stats",
    "search_entities": "entities search",
    "get_context": "context",
    "set_project": "projects map FOLDER",
}
#: How a command is given a project, where a session would choose one.
NAME_PROJECT = "a repository or work folder is one, and AFORESAID_PROJECT=NAME names one"
_CALL = re.compile(rf"\b({'|'.join(COMMANDS)})\b(?:\(([^()]*)\))?")
_ARGUMENT = re.compile(r'(\w+)(?:=("[^"]*"|[^,]*))?')
_FLAG = re.compile(r"\b(\w+)=true\b")  #: outside a call
_SETTING = re.compile(r'\b(since|until|as_of|min_relevance)="([^"]*)"')  #: outside a call
_POSITIONAL = ("id", "query", "content", "project", "source_id", "kind", "target_id")


def tool_calls_to_commands(text: str, memory_id: str = "ID") -> str:
    """Return a text with tool calls as commands; ``memory_id`` fills in an id without a value."""
    text = text.replace(CHOOSE_PROJECT, NAME_PROJECT)
    text = _CALL.sub(lambda call: _command(call, memory_id), text)
    text = _SETTING.sub(lambda pair: f"{flag_of(pair[1])} {_quoted(pair[2])}", text)
    return _FLAG.sub(lambda flag: flag_of(flag[1]), text)


def flag_of(parameter: str) -> str:
    """Return a parameter of a tool as an option."""
    return f"--{parameter.replace('_', '-')}"


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value


def parameters_to_options(text: str, names: Iterable[str]) -> str:
    """Return a text with parameters as options; those of one word are also words of prose."""
    for name in names:
        if "_" in name:
            text = re.sub(rf"\b{name}\b", flag_of(name), text)
    return text


def _command(call: re.Match[str], memory_id: str) -> str:
    tool, arguments = call[1], call[2]
    words = ["aforesaid", COMMANDS[tool]]
    if tool == "explore_memory" and not arguments:
        words[1] = "topics"
    for name, value in _ARGUMENT.findall(arguments or ""):
        word = value if value.strip('".… ') else memory_id if name == "id" else name.upper()
        word = word if " " in word else word.strip('"')  # a value with blanks stays quoted
        if name in _POSITIONAL and (name != "project" or tool == "set_project"):
            words.append(word)
        elif tool == "update_memory" and (name, value) == ("restore", "true"):
            words[1] = "undo"
        else:
            flag = flag_of(name)
            words += [flag] if value == "true" else [flag, word]
    return " ".join(words)
