"""What the server offers besides tools: the slash commands as prompts, and memories as resources.

Clients with our slash commands are not offered the prompts, which they would list twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types

from aforesaid.domain.errors import NotFoundError
from aforesaid.entrypoints.api.plugin_texts import ARGUMENTS, load_commands

if TYPE_CHECKING:
    from collections.abc import Mapping

HAVE_COMMANDS = ("claude-code",)  #: clients with our slash commands, by their own name
CONTEXT_URI = "memory://context"
_SCHEME = "memory://"

_COMMANDS = {command.name: command for command in load_commands()}
PROMPTS = [
    types.Prompt(
        name=command.name,
        title=command.description,
        description=command.description,
        arguments=[
            types.PromptArgument(
                name=command.argument, description=command.hint, required=command.requires_argument
            )
        ]
        if command.argument
        else [],
    )
    for command in _COMMANDS.values()
]
RESOURCES = [
    types.Resource(
        name="context",
        uri=CONTEXT_URI,
        title="Session context",
        description="What a new session in this folder is shown from memory",
        mime_type="text/plain",
    )
]
TEMPLATES = [
    types.ResourceTemplate(
        name="memory",
        uri_template=_SCHEME + "{id}",
        title="One memory",
        description="A memory in full, by the id shown in brackets",
        mime_type="application/json",
    )
]


def write_prompt(name: str, arguments: Mapping[str, str] | None) -> types.GetPromptResult:
    """Return a prompt's message.

    Raises:
        NotFoundError: there is no such prompt, or its argument is missing.
    """
    command = _COMMANDS.get(name)
    if command is None:
        raise NotFoundError(f"there is no prompt {name!r}: use one of {', '.join(_COMMANDS)}")
    value = " ".join((arguments or {}).get(command.argument, "").split())
    if command.requires_argument and not value:
        raise NotFoundError(f"the prompt {name} needs {command.argument}: {command.hint}")
    message = types.TextContent(type="text", text=command.text.replace(ARGUMENTS, value))
    return types.GetPromptResult(
        description=command.description,
        messages=[types.PromptMessage(role="user", content=message)],
    )


def read_resource(uri: str) -> tuple[str, dict[str, Any]]:
    """Return the tool, and its arguments, whose answer is the resource's content.

    Raises:
        NotFoundError: there is no such resource.
    """
    if uri == CONTEXT_URI:
        return "get_context", {}
    reference = uri.removeprefix(_SCHEME).strip("/")
    if not uri.startswith(_SCHEME) or not reference:
        raise NotFoundError(f"there is no resource {uri}: use {CONTEXT_URI} or {_SCHEME}ID")
    return "recall_memory", {"ids": [reference]}
