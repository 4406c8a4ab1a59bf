"""The plugin's commands and skill, as other clients get them.

The plugin's own files call the tools by the names that Claude Code gives them; every other client
has its own, so these texts use the bare names.
"""

from __future__ import annotations

import os
import re

from aforesaid.bootstrap.paths import PACKAGE, ROOT, from_wheel
from aforesaid.domain.value import Value

ARGUMENTS = "$ARGUMENTS"  #: placeholder in a command's text for what the user typed after its name
SKILL = "aforesaid"  #: the name of the skill, where no plugin's name precedes it
_TOOL_PREFIX = "mcp__plugin_aforesaid_memory__"
_HEADER = re.compile(r"---\n(?P<fields>.*?)---\n(?P<text>.*)", re.DOTALL)
_FIELD = re.compile(r"^([\w-]+): (.*)$", re.MULTILINE)
_ARGUMENT = re.compile(r"[<\[](\w+)")
#: How Claude Code loads deferred tools.
_CLAUDE_TOOLS = re.compile(rf"^The tools are named `{_TOOL_PREFIX}.*\n\n", re.MULTILINE)


class Command(Value):
    """A slash command."""

    name: str
    description: str
    text: str  #: what the model is shown, with ``ARGUMENTS``
    hint: str = ""  #: what may be typed after the name
    argument: str = ""  #: the name of what may be typed; empty: nothing
    requires_argument: bool = False


def load_commands() -> list[Command]:
    """Return the plugin's slash commands, by name; none if this is a copy without them.

    Those that only the user may call run a program, which works in Claude Code only.
    """
    folder = _folder("commands")
    commands = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        fields, text = _read(os.path.join(folder, name))
        if "disable-model-invocation" in fields:
            continue
        hint = fields.get("argument-hint", "")
        argument = _ARGUMENT.match(hint)
        commands.append(
            Command(
                name=name.removesuffix(".md"),
                description=fields["description"],
                text=text,
                hint=hint,
                argument=argument.group(1) if argument else "",
                requires_argument=hint.startswith("<"),
            )
        )
    return commands


def skill_text() -> str:
    """Return the text of the skill, a whole SKILL.md."""
    fields, text = _read(os.path.join(_folder("skills"), "memory", "SKILL.md"))
    description = fields["description"].replace("the aforesaid plugin's tools", "Aforesaid's tools")
    text = _CLAUDE_TOOLS.sub("", text)
    return f"---\nname: {SKILL}\ndescription: {description}\n---\n{text}"


def _folder(name: str) -> str:
    return os.path.join(PACKAGE if from_wheel() else ROOT, name)


def _read(path: str) -> tuple[dict[str, str], str]:
    """Return a file's header fields and text."""
    with open(path, encoding="utf-8") as file:
        match = _HEADER.fullmatch(file.read())
    if match is None:
        raise ValueError(f"{path} has no header")
    return dict(_FIELD.findall(match["fields"])), match["text"].replace(_TOOL_PREFIX, "")
