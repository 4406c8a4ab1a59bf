"""What the server offers besides tools: two prompts, and memories as resources.

Clients with our slash commands are not offered the prompts, which they would list twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types

from aforesaid.domain.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

HAVE_COMMANDS = ("claude-code",)  #: clients with our slash commands, by their own name
CONTEXT_URI = "memory://context"
_SCHEME = "memory://"

#: By name: argument, its description, title, text.
_TEXTS = {
    "recall": (
        "topic",
        "What to look for",
        "Recall memories about a topic",
        (
            'Call recall_memory with query="{value}", summary_only=true, max_results=10. Read the '
            "relevant ones in full (ids=[...]), then answer from them, with ids and dates. If "
            "nothing matches, say so."
        ),
    ),
    "remember": (
        "what",
        "What to remember",
        "Remember something for later sessions",
        (
            "The user wants this remembered: {value}\nLook for an older version first "
            "(recall_memory, summary_only=true), then store it with store_memory, "
            'provenance="user", one self-contained statement per call, supersedes=<id> if it '
            "replaces one. Confirm in one line."
        ),
    ),
}

PROMPTS = [
    types.Prompt(
        name=name,
        title=title,
        description=title,
        arguments=[types.PromptArgument(name=argument, description=described, required=True)],
    )
    for name, (argument, described, title, _text) in _TEXTS.items()
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
    if name not in _TEXTS:
        raise NotFoundError(f"there is no prompt {name!r}: use one of {', '.join(_TEXTS)}")
    argument, described, title, text = _TEXTS[name]
    value = " ".join((arguments or {}).get(argument, "").split())
    if not value:
        raise NotFoundError(f"the prompt {name} needs {argument}: {described.lower()}")
    message = types.TextContent(type="text", text=text.format(value=value))
    return types.GetPromptResult(
        description=title, messages=[types.PromptMessage(role="user", content=message)]
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
