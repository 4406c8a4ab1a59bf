"""The supported clients: which file each reads, in which format, and what it passes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value
from aforesaid.entrypoints.api.tool_schemas import TOOLS

from .launch import NAME, HttpEndpoint, StdioLaunch

if TYPE_CHECKING:
    from collections.abc import Callable

_WORKSPACE = "${workspaceFolder}"  # Cursor substitutes it
#: Tools that an agent may call without asking: all but forgetting.
_ALLOWED = tuple(tool for tool in TOOLS if tool != "forget_memory")


class Client(Value):
    """One client."""

    title: str
    file: str  #: where the snippet goes
    syntax: str  #: json (JSONC where the client reads that), toml, yaml or python
    project_source: str  #: how a session's project is detected
    instructions_file: str  #: where its agent reads instructions
    tools: str = ""  #: how the names of our tools appear to its model, as part of a sentence
    notes: tuple[str, ...] = ()
    stdio: Callable[[StdioLaunch], dict[str, Any]]
    http: Callable[[HttpEndpoint], dict[str, Any]] | None = (
        None  #: None: not supported by the client
    )

    def over_http(self, endpoint: HttpEndpoint) -> dict[str, Any]:
        """Return the configuration that reaches a server over HTTP.

        Raises:
            InvalidInputError: the client's file supports no such servers.
        """
        if self.http is None:
            raise InvalidInputError(
                f"{self.title} cannot configure HTTP servers in its file: leave --http out"
            )
        return self.http(endpoint)


def _command(launch: StdioLaunch, **more: Any) -> dict[str, Any]:
    """Return a server's entry in the form that most clients use."""
    entry = {
        "command": launch.command,
        "args": list(launch.arguments),
        "env": dict(launch.variables),
    }
    return {**entry, **more}


def _servers(key: str, **more: Any) -> Callable[[StdioLaunch], dict[str, Any]]:
    return lambda launch: {key: {NAME: {**more, **_command(launch)}}}


def _address(key: str, field: str = "url", **more: Any) -> Callable[[HttpEndpoint], dict[str, Any]]:
    return lambda endpoint: {
        key: {NAME: {**more, field: endpoint.address, "headers": dict(endpoint.headers)}},
    }


def _cursor(launch: StdioLaunch) -> dict[str, Any]:
    variables = {"AFORESAID_CWD": _WORKSPACE, **launch.variables}
    return {"mcpServers": {NAME: _command(launch.replace(variables=variables), type="stdio")}}


def _codex(launch: StdioLaunch) -> dict[str, Any]:
    return {"mcp_servers": {NAME: _command(launch)}}


def _opencode(launch: StdioLaunch) -> dict[str, Any]:
    entry = {
        "type": "local",
        "command": [launch.command, *launch.arguments],
        "environment": dict(launch.variables),
        "enabled": True,
    }
    return {"$schema": "https://opencode.ai/config.json", "mcp": {NAME: entry}}


def _goose(launch: StdioLaunch) -> dict[str, Any]:
    entry = {
        "name": NAME,
        "type": "stdio",
        "cmd": launch.command,
        "args": list(launch.arguments),
        "envs": dict(launch.variables),
        "enabled": True,
        "timeout": 300,
    }
    return {"extensions": {NAME: entry}}


def _goose_http(endpoint: HttpEndpoint) -> dict[str, Any]:
    entry = {
        "name": NAME,
        "type": "streamable_http",
        "uri": endpoint.address,
        "headers": dict(endpoint.headers),
        "enabled": True,
        "timeout": 300,
    }
    return {"extensions": {NAME: entry}}


def _agent_sdk(servers: dict[str, Any]) -> dict[str, Any]:
    allowed = [f"mcp__{NAME}__{tool}" for tool in _ALLOWED]
    return {"mcp_servers": servers, "allowed_tools": allowed}


CLIENTS: dict[str, Client] = {
    "claude-code": Client(
        title="Claude Code without the plugin",
        file=".mcp.json in the project, or ~/.claude.json for all of them",
        syntax="json",
        project_source="the folder that it was started in",
        instructions_file="CLAUDE.md",
        tools=f"; its tools are listed as mcp__{NAME}__get_context and so on",
        notes=(
            "the plugin does more, since it has hooks (claude plugin install aforesaid ...)",
            (
                f"to avoid an approval prompt for each call, allow mcp__{NAME}__recall_memory and "
                "the others in settings.json, permissions.allow"
            ),
        ),
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", type="http"),
    ),
    "claude-desktop": Client(
        title="Claude Desktop",
        file="claude_desktop_config.json (Settings > Developer > Edit Config): macOS "
        "~/Library/Application Support/Claude/, Windows %APPDATA%\\Claude\\",
        syntax="json",
        project_source="none, unless --project names one or set_project is called",
        instructions_file="the project instructions of a Claude project, or Settings > Profile",
        notes=("or install the bundle aforesaid-<version>.mcpb by double-clicking it",),
        stdio=_servers("mcpServers"),
    ),
    "cursor": Client(
        title="Cursor",
        file=".cursor/mcp.json in the project",
        syntax="json",
        project_source=f"AFORESAID_CWD, which Cursor fills in ({_WORKSPACE})",
        instructions_file=(
            ".cursor/rules/aforesaid.mdc (alwaysApply: true), AGENTS.md, or .cursorrules"
        ),
        stdio=_cursor,
        http=_address("mcpServers"),
    ),
    "vscode": Client(
        title="VS Code",
        file=".vscode/mcp.json in the workspace, or the profile's (MCP: Open User Configuration)",
        syntax="json",
        project_source="the workspace's folder, sent as an MCP root",
        instructions_file=".github/copilot-instructions.md or AGENTS.md",
        stdio=_servers("servers", type="stdio"),
        http=_address("servers", type="http"),
    ),
    "codex": Client(
        title="Codex CLI",
        file="~/.codex/config.toml, or .codex/config.toml of a trusted project",
        syntax="toml",
        project_source="the folder that it was started in",
        instructions_file="AGENTS.md",
        tools=f"; in code its tools are tools.mcp__{NAME}__get_context({{}}) and so on",
        notes=(
            "it passes on only a few environment variables: add others under env",
            "forget_memory asks for approval; in `codex exec` it is refused",
        ),
        stdio=_codex,
        http=lambda endpoint: {
            "mcp_servers": {NAME: {"url": endpoint.address, "http_headers": dict(endpoint.headers)}}
        },
    ),
    "gemini": Client(
        title="Gemini CLI",
        file="~/.gemini/settings.json, or .gemini/settings.json in the project",
        syntax="json",
        project_source="the folder that it was started in, sent as an MCP root",
        instructions_file="GEMINI.md",
        tools=f"; its tools are listed as mcp_{NAME}_get_context and so on",
        notes=(
            (
                "each call asks for approval; headless runs have the tools only with "
                "--allowed-mcp-server-names memory, and then call all of them without asking "
                '(to exclude forget_memory, add "excludeTools": ["forget_memory"] beside "command")'
            ),
        ),
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", "httpUrl"),
    ),
    "opencode": Client(
        title="OpenCode",
        file="opencode.json in the project, or ~/.config/opencode/opencode.json",
        syntax="json",
        project_source="the folder that it was started in, sent as an MCP root",
        instructions_file="AGENTS.md",
        tools=f"; its tools are listed as {NAME}_get_context and so on",
        stdio=_opencode,
        http=_address("mcp", type="remote", enabled=True),
    ),
    "zed": Client(
        title="Zed",
        file="settings.json (zed: open settings file), or .zed/settings.json in the project",
        syntax="json",
        project_source="unknown: name it with --project in .zed/settings.json, or call set_project",
        instructions_file=".rules or AGENTS.md",
        stdio=_servers("context_servers"),
        http=_address("context_servers"),
    ),
    "windsurf": Client(
        title="Windsurf",
        file="~/.codeium/windsurf/mcp_config.json",
        syntax="json",
        project_source="unknown: name it with --project, or call set_project",
        instructions_file=".windsurf/rules/aforesaid.md (trigger: always_on) or AGENTS.md",
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", "serverUrl"),
    ),
    "cline": Client(
        title="Cline",
        file="cline_mcp_settings.json (MCP Servers > Configure)",
        syntax="json",
        project_source="unknown: name it with --project, or call set_project",
        instructions_file=".clinerules",
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", type="streamableHttp"),
    ),
    "lm-studio": Client(
        title="LM Studio (local models)",
        file="mcp.json (Program > Install > Edit mcp.json)",
        syntax="json",
        project_source="none, unless --project names one or set_project is called",
        instructions_file="the chat's system prompt",
        notes=(
            "the eleven tools take about 3,000 tokens: give the model a context of at least 8,000",
        ),
        stdio=_servers("mcpServers"),
        http=_address("mcpServers"),
    ),
    "goose": Client(
        title="goose (also with local models)",
        file="~/.config/goose/config.yaml",
        syntax="yaml",
        project_source="the folder that it was started in",
        instructions_file="AGENTS.md or .goosehints",
        stdio=_goose,
        http=_goose_http,
    ),
    "agent-sdk": Client(
        title="the Claude Agent SDK for Python",
        file="your program",
        syntax="python",
        project_source="the option cwd",
        instructions_file="the option system_prompt, or CLAUDE.md with setting_sources=['project']",
        tools=f"; its tools are listed as mcp__{NAME}__get_context and so on",
        stdio=lambda launch: _agent_sdk({NAME: _command(launch)}),
        http=lambda endpoint: _agent_sdk(
            {NAME: {"type": "http", "url": endpoint.address, "headers": dict(endpoint.headers)}}
        ),
    ),
    "generic": Client(
        title="any other client",
        file="the file in which the client keeps its MCP servers",
        syntax="json",
        project_source=(
            "AFORESAID_PROJECT, AFORESAID_CWD, MCP roots, or the folder that it was started in"
        ),
        instructions_file="the file with instructions that its agent reads",
        stdio=_servers("mcpServers"),
        http=_address("mcpServers", type="http"),
    ),
}
