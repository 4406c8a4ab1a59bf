"""What answers say to a model, said to a person at a shell: calls become commands."""

from __future__ import annotations

import re

#: Each tool's command.
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
_CALL = re.compile(rf"\b({'|'.join(COMMANDS)})\b(?:\(([^()]*)\))?")
_ARGUMENT = re.compile(r'(\w+)(?:=("[^"]*"|[^,]*))?')
_SWITCH = re.compile(r"\b(\w+)=true\b")  #: named alone, without its call
_NAMED = ("id", "query", "content", "project")  #: said without an option


def tool_calls_to_commands(text: str, memory: str = "ID") -> str:
    """Return a text with the calls of tools in it as commands, on ``memory`` if none is named."""
    text = _CALL.sub(lambda call: _command(call, memory), text)
    return _SWITCH.sub(lambda switch: f"--{switch[1].replace('_', '-')}", text)


def _command(call: re.Match[str], memory: str) -> str:
    tool, arguments = call[1], call[2]
    words = ["aforesaid", COMMANDS[tool]]
    for name, value in _ARGUMENT.findall(arguments or ""):
        said = value if value.strip('".… ') else memory if name == "id" else name.upper()
        said = said if " " in said else said.strip('"')  # what has blanks stays quoted
        if name in _NAMED:
            words.append(said)
        elif tool == "update_memory" and (name, value) == ("restore", "true"):
            words[1] = "undo"
        else:
            flag = f"--{name.replace('_', '-')}"
            words += [flag] if value == "true" else [flag, said]
    return " ".join(words)
