"""What the server offers besides tools: two prompts, and memories as resources.

Clients that have our slash commands are not offered the prompts: they would see each twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types

from aforesaid.domain.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

HAVE_COMMANDS = ("claude-code",)  #: clients, by the name they give themselves
CONTEXT_URI = "memory://context"
_SCHEME = "memory://"

_ASKS = {
    "recall": (
        "topic",
        "What to look for",
        "Recall what is remembered about a topic",
        (
            'Call recall_memory with query="{told}", summary_only=true, max_results=10. Read in '
            "full what bears on it (ids=[...]), then answer from that, with ids and dates. If "
            "nothing fits, say so."
        ),
    ),
    "remember": (
        "what",
        "What to keep",
        "Remember something for later sessions",
        (
            "The user wants this remembered: {told}\nLook for an older version first "
            "(recall_memory, summary_only=true), then store it with store_memory, "
            'provenance="user", one self-contained statement a call, supersedes=<id> where it '
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
    for name, (argument, described, title, _text) in _ASKS.items()
]
RESOURCES = [
    types.Resource(
        name="context",
        uri=CONTEXT_URI,
        title="What is known here",
        description="What a new session in this folder is shown",
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
    """Return the message that a prompt stands for.

    Raises:
        NotFoundError: there is no such prompt, or what it needs is not given.
    """
    if name not in _ASKS:
        raise NotFoundError(f"there is no prompt {name!r}: there are {', '.join(_ASKS)}")
    argument, described, title, text = _ASKS[name]
    told = " ".join((arguments or {}).get(argument, "").split())
    if not told:
        raise NotFoundError(f"the prompt {name} needs {argument}: {described.lower()}")
    message = types.TextContent(type="text", text=text.format(told=told))
    return types.GetPromptResult(
        description=title, messages=[types.PromptMessage(role="user", content=message)]
    )


def read_resource(uri: str) -> tuple[str, dict[str, Any]]:
    """Return the tool, with its arguments, whose answer a resource holds.

    Raises:
        NotFoundError: it is none of ours.
    """
    if uri == CONTEXT_URI:
        return "get_context", {}
    reference = uri.removeprefix(_SCHEME).strip("/")
    if not uri.startswith(_SCHEME) or not reference:
        raise NotFoundError(f"{uri} is no resource here: use {CONTEXT_URI} or {_SCHEME}ID")
    return "recall_memory", {"ids": [reference]}
