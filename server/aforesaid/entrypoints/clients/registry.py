"""The clients that are known: which file each reads, in which shape, and what it passes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value
from aforesaid.entrypoints.api.tool_schemas import TOOLS

from .launch import NAME, HttpEndpoint, StdioLaunch

if TYPE_CHECKING:
    from collections.abc import Callable

_WORKSPACE = "${workspaceFolder}"  # filled in by Cursor
#: What an agent may do unasked: everything but forgetting.
_UNASKED = tuple(tool for tool in TOOLS if tool != "forget_memory")


class Client(Value):
    """One client."""

    title: str
    file: str  #: where the snippet goes
    form: str  #: json (JSONC where the client reads that), toml, yaml or python
    place: str  #: how it is known which project a session is about
    told_in: str  #: the file with instructions that its agent reads
    tools: str = ""  #: how its model sees our tools' names, as part of a sentence
    notes: tuple[str, ...] = ()
    stdio: Callable[[StdioLaunch], dict[str, Any]]
    http: Callable[[HttpEndpoint], dict[str, Any]] | None = None  #: None: the client cannot

    def over_http(self, how: HttpEndpoint) -> dict[str, Any]:
        """Return the configuration that reaches a server over HTTP.

        Raises:
            InvalidInputError: the client's file knows no such servers.
        """
        if self.http is None:
            raise InvalidInputError(
                f"{self.title} takes no servers over HTTP from its file: leave --http out"
            )
        return self.http(how)


def _command(how: StdioLaunch, **more: Any) -> dict[str, Any]:
    """Return what most clients call a server."""
    entry = {"command": how.command, "args": list(how.arguments), "env": dict(how.variables)}
    return {**entry, **more}


def _servers(key: str, **more: Any) -> Callable[[StdioLaunch], dict[str, Any]]:
    return lambda how: {key: {NAME: {**more, **_command(how)}}}


def _address(key: str, field: str = "url", **more: Any) -> Callable[[HttpEndpoint], dict[str, Any]]:
    return lambda how: {
        key: {NAME: {**more, field: how.address, "headers": dict(how.headers)}},
    }


def _cursor(how: StdioLaunch) -> dict[str, Any]:
    where = {"AFORESAID_CWD": _WORKSPACE, **how.variables}
    return {"mcpServers": {NAME: _command(how.replace(variables=where), type="stdio")}}


def _codex(how: StdioLaunch) -> dict[str, Any]:
    return {"mcp_servers": {NAME: _command(how)}}


def _opencode(how: StdioLaunch) -> dict[str, Any]:
    entry = {
        "type": "local",
        "command": [how.command, *how.arguments],
        "environment": dict(how.variables),
        "enabled": True,
    }
    return {"$schema": "https://opencode.ai/config.json", "mcp": {NAME: entry}}


def _goose(how: StdioLaunch) -> dict[str, Any]:
    entry = {
        "name": NAME,
        "type": "stdio",
        "cmd": how.command,
        "args": list(how.arguments),
        "envs": dict(how.variables),
        "enabled": True,
        "timeout": 300,
    }
    return {"extensions": {NAME: entry}}


def _goose_http(how: HttpEndpoint) -> dict[str, Any]:
    entry = {
        "name": NAME,
        "type": "streamable_http",
        "uri": how.address,
        "headers": dict(how.headers),
        "enabled": True,
        "timeout": 300,
    }
    return {"extensions": {NAME: entry}}


def _agent_sdk(servers: dict[str, Any]) -> dict[str, Any]:
    allowed = [f"mcp__{NAME}__{tool}" for tool in _UNASKED]
    return {"mcp_servers": servers, "allowed_tools": allowed}


CLIENTS: dict[str, Client] = {
    "claude-code": Client(
        title="Claude Code without the plugin",
        file=".mcp.json in the project, or ~/.claude.json for all of them",
        form="json",
        place="the folder that it was started in",
        told_in="CLAUDE.md",
        tools=f"; its tools are listed as mcp__{NAME}__get_context and so on",
        notes=(
            "the plugin does more: it has hooks (claude plugin install aforesaid ...)",
            (
                f"asked for leave at each call? allow mcp__{NAME}__recall_memory and the others in "
                "settings.json, permissions.allow"
            ),
        ),
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", type="http"),
    ),
    "claude-desktop": Client(
        title="Claude Desktop",
        file="claude_desktop_config.json (Settings > Developer > Edit Config): macOS "
        "~/Library/Application Support/Claude/, Windows %APPDATA%\\Claude\\",
        form="json",
        place="none: no project, unless --project names one or set_project is called",
        told_in="the project instructions of a Claude project, or Settings > Profile",
        notes=("or install the bundle aforesaid-<version>.mcpb: a double click",),
        stdio=_servers("mcpServers"),
    ),
    "cursor": Client(
        title="Cursor",
        file=".cursor/mcp.json in the project",
        form="json",
        place=f"AFORESAID_CWD, which Cursor fills in ({_WORKSPACE})",
        told_in=".cursor/rules/aforesaid.mdc (alwaysApply: true), AGENTS.md, or .cursorrules",
        stdio=_cursor,
        http=_address("mcpServers"),
    ),
    "vscode": Client(
        title="VS Code",
        file=".vscode/mcp.json in the workspace, or the profile's (MCP: Open User Configuration)",
        form="json",
        place="the workspace's folder, told as an MCP root",
        told_in=".github/copilot-instructions.md or AGENTS.md",
        stdio=_servers("servers", type="stdio"),
        http=_address("servers", type="http"),
    ),
    "codex": Client(
        title="Codex CLI",
        file="~/.codex/config.toml, or .codex/config.toml of a trusted project",
        form="toml",
        place="the folder that it was started in",
        told_in="AGENTS.md",
        tools=f"; in code its tools are tools.mcp__{NAME}__get_context({{}}) and so on",
        notes=(
            "it passes on few variables: what else the server shall see stands under env",
            "forget_memory asks for approval; in `codex exec` it is refused",
        ),
        stdio=_codex,
        http=lambda how: {
            "mcp_servers": {NAME: {"url": how.address, "http_headers": dict(how.headers)}}
        },
    ),
    "gemini": Client(
        title="Gemini CLI",
        file="~/.gemini/settings.json, or .gemini/settings.json in the project",
        form="json",
        place="the folder that it was started in, told as an MCP root",
        told_in="GEMINI.md",
        tools=f"; its tools are listed as mcp_{NAME}_get_context and so on",
        notes=(
            (
                "each call asks; headless runs offer the tools with --allowed-mcp-server-names "
                'memory, then all run, forgetting too ("excludeTools": ["forget_memory"] beside '
                '"command" takes it away)'
            ),
        ),
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", "httpUrl"),
    ),
    "opencode": Client(
        title="OpenCode",
        file="opencode.json in the project, or ~/.config/opencode/opencode.json",
        form="json",
        place="the folder that it was started in, told as an MCP root",
        told_in="AGENTS.md",
        tools=f"; its tools are listed as {NAME}_get_context and so on",
        stdio=_opencode,
        http=_address("mcp", type="remote", enabled=True),
    ),
    "zed": Client(
        title="Zed",
        file="settings.json (zed: open settings file), or .zed/settings.json in the project",
        form="json",
        place="not told: name it with --project in .zed/settings.json, or set_project is called",
        told_in=".rules or AGENTS.md",
        stdio=_servers("context_servers"),
        http=_address("context_servers"),
    ),
    "windsurf": Client(
        title="Windsurf",
        file="~/.codeium/windsurf/mcp_config.json",
        form="json",
        place="not known: --project names one, or set_project is called",
        told_in=".windsurf/rules/aforesaid.md (trigger: always_on) or AGENTS.md",
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", "serverUrl"),
    ),
    "cline": Client(
        title="Cline",
        file="cline_mcp_settings.json (MCP Servers > Configure)",
        form="json",
        place="not known: --project names one, or set_project is called",
        told_in=".clinerules",
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", type="streamableHttp"),
    ),
    "lm-studio": Client(
        title="LM Studio (local models)",
        file="mcp.json (Program > Install > Edit mcp.json)",
        form="json",
        place="none: no project, unless --project names one or set_project is called",
        told_in="the chat's system prompt",
        notes=("eleven tools are about 3,000 tokens: give the model 8,000 of context or more",),
        stdio=_servers("mcpServers"),
        http=_address("mcpServers"),
    ),
    "goose": Client(
        title="goose (also with local models)",
        file="~/.config/goose/config.yaml",
        form="yaml",
        place="the folder that it was started in",
        told_in="AGENTS.md or .goosehints",
        stdio=_goose,
        http=_goose_http,
    ),
    "agent-sdk": Client(
        title="the Claude Agent SDK for Python",
        file="your program",
        form="python",
        place="the option cwd",
        told_in="the option system_prompt, or CLAUDE.md with setting_sources=['project']",
        tools=f"; its tools are listed as mcp__{NAME}__get_context and so on",
        stdio=lambda how: _agent_sdk({NAME: _command(how)}),
        http=lambda how: _agent_sdk(
            {NAME: {"type": "http", "url": how.address, "headers": dict(how.headers)}}
        ),
    ),
    "generic": Client(
        title="any other client",
        file="the file in which the client keeps its MCP servers",
        form="json",
        place="AFORESAID_PROJECT, AFORESAID_CWD, MCP roots, or the folder that it was started in",
        told_in="the file with instructions that its agent reads",
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", type="http"),
    ),
}
