"""What `config --client` prints, read in the client's own format and started as the client does.

Each client passes on an environment, a working directory and roots of its own: ``CLIENTS_DO`` says
which, as docs/CLIENTS.md does. The agents that npm brings are run for real in tests/e2e.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import tomllib

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import Implementation, ListRootsResult, Root

from aforesaid.entrypoints.clients import CLIENTS, NAME, StdioLaunch, instructions, snippet
from git_folders import make_repository
from integration.test_mcp_server import DOOR, call
from integration.test_mcp_server import ROOT as ROOT_FOLDER

QUEUE = "The queue is NATS JetStream, for replay."
#: what a client that filters its environment, or was started from a desktop, passes on
FEW = ("HOME", "PATH", "LANG", "TMPDIR")
HERE, HOME, ROOT = "project", "home", "/"
#: variables, working directory, whether it tells roots, and whether the session's project is known
CLIENTS_DO = {
    "claude-code": (None, HERE, True, True),
    "claude-desktop": (FEW, ROOT, False, False),
    "cursor": (FEW, HOME, False, True),
    "vscode": (None, HOME, True, True),
    "codex": (FEW, HERE, False, True),
    "gemini": (None, HERE, True, True),
    "opencode": (None, HERE, True, True),
    "zed": (None, HOME, False, False),
    "windsurf": (FEW, HOME, False, False),
    "cline": (None, HOME, False, False),
    "lm-studio": (FEW, ROOT, False, False),
    "goose": (None, HERE, False, True),
    "agent-sdk": (None, HERE, True, True),
    "generic": (None, HERE, False, True),
}


def test_every_client_is_tried_here_and_documented():
    assert set(CLIENTS) == set(CLIENTS_DO)
    with open(os.path.join(ROOT_FOLDER, "docs", "CLIENTS.md"), encoding="utf-8") as file:
        text = file.read().partition("## Every other client")[2]
    rows = [line.split("|")[2].strip(" `") for line in text.splitlines() if line[:2] == "| "]
    assert list(CLIENTS) == rows[1:]


def ask(environment, *arguments):
    done = subprocess.run(
        [DOOR, *arguments],
        env=environment,
        cwd=environment["HOME"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def printed(environment, *arguments):
    code, text, report = ask(environment, "config", "--client", *arguments)
    assert 0 == code, report
    return text


def read_json(text):
    return json.loads(text)


def read_yaml(text):
    """Read the outer levels, by lines; what stands behind a key is JSON, which YAML includes."""
    section, *lines = text.splitlines()
    pairs = [line.strip().partition(": ") for line in lines]
    return {section.rstrip(":"): {key: json.loads(value) for key, _, value in pairs}}


def read_python(text):
    (made,) = [node.value for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    assert "ClaudeAgentOptions" == made.func.id
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in made.keywords}


FORMATS = {
    "json": read_json, "toml": tomllib.loads, "yaml": read_yaml, "python": read_python,
}  # fmt: skip
SERVERS = {
    "vscode": "servers",
    "codex": "mcp_servers",
    "opencode": "mcp",
    "zed": "context_servers",
    "goose": "extensions",
    "agent-sdk": "mcp_servers",
}


def entry_of(client, text):
    """Return what the client knows of our server."""
    return FORMATS[CLIENTS[client].syntax](text)[SERVERS.get(client, "mcpServers")][NAME]


def started(client, entry):
    """Return the command line and the variables that a client makes of its entry."""
    if client == "opencode":
        return entry["command"], entry["environment"]
    if client == "goose":
        return [entry["cmd"], *entry["args"]], entry["envs"]
    return [entry["command"], *entry["args"]], entry.get("env", {})


def lived(client, environment, project, *options):
    """Return what get_context, store and recall say to a client with our snippet."""
    entry = entry_of(client, printed(environment, client, *options))
    command, variables = started(client, entry)
    passes, where, roots, _ = CLIENTS_DO[client]
    passed = {
        name: value for name, value in environment.items() if passes is None or name in passes
    }
    passed.pop("AFORESAID_ENV", None)  # no user has it; the snippet names what this shell has
    filled = {
        name: value.replace("${workspaceFolder}", str(project)) for name, value in variables.items()
    }
    folder = {HERE: str(project), HOME: environment["HOME"], ROOT: ROOT}[where]

    async def list_roots(_context):
        return ListRootsResult(roots=[Root(uri=f"file://{project}")])

    async def live():
        parameters = StdioServerParameters(
            command=command[0], args=command[1:], env={**passed, **filled}, cwd=folder
        )
        with anyio.fail_after(60), open(os.devnull, "w") as quiet:  # noqa: ASYNC230
            async with (
                stdio_client(parameters, errlog=quiet) as streams,
                ClientSession(
                    *streams,
                    client_info=Implementation(name=client, version="1"),
                    list_roots_callback=list_roots if roots else None,
                ) as session,
            ):
                await session.initialize()
                return [
                    await call(session, "get_context"),
                    await call(session, "store_memory", content=QUEUE),
                    await call(session, "recall_memory", query="which queue?"),
                ]

    return anyio.run(live)


@pytest.fixture
def project(tmp_path):
    return make_repository(tmp_path / "code", remote="https://host.example/acme/payments.git")


@pytest.mark.parametrize("client", CLIENTS_DO)
def test_a_client_started_as_its_snippet_says_remembers(environment, project, client):
    context, stored, results = lived(client, environment, project)
    assert client == context["client"]
    if CLIENTS_DO[client][3]:
        assert ("acme/payments", "acme/payments") == (context["project"], stored["project"])
    else:
        assert "project" not in context
        assert "no project here (" in context["evidence"]
        assert "set_project" in context["ask"]
        assert "global" == stored["scope"]
    assert [stored["id"]] == [row["id"] for row in results["results"]]
    elsewhere = ("search", "queue", "--all-projects", "--json")
    (kept,) = json.loads(ask(environment, *elsewhere)[1])["results"]
    assert stored["id"] == kept["id"], "the user's shell has another memory"


@pytest.mark.parametrize("client", [client for client, does in CLIENTS_DO.items() if not does[3]])
def test_a_client_that_tells_no_folder_is_told_its_project(environment, project, client):
    context, stored, _ = lived(client, environment, project, "--project", 'café "x"')
    assert ('café "x"', "environment") == (context["project"], context["source"])
    assert 'café "x"' == stored["project"]


def test_a_variable_that_the_client_did_not_fill_in_says_nothing(environment, project):
    entry = entry_of("cursor", printed(environment, "cursor"))
    assert "${workspaceFolder}" == entry["env"]["AFORESAID_CWD"]

    async def live():
        parameters = StdioServerParameters(
            command=entry["command"],
            args=entry["args"],
            env={**environment, **entry["env"], "AFORESAID_PROJECT": "${user_config.project}"},
            cwd=str(project),
        )
        with anyio.fail_after(60), open(os.devnull, "w") as quiet:  # noqa: ASYNC230
            async with (
                stdio_client(parameters, errlog=quiet) as streams,
                ClientSession(*streams) as session,
            ):
                await session.initialize()
                return await call(session, "get_context")

    assert "acme/payments" == anyio.run(live)["project"]


def test_over_http_a_snippet_holds_the_address_the_token_and_the_project(environment):
    fields = {"gemini": "httpUrl", "windsurf": "serverUrl", "goose": "uri"}
    kept = {"codex": "http_headers"}
    chosen = {**environment, "AFORESAID_SERVER_PORT": "7999"}
    for client, known in CLIENTS.items():
        if known.http is None:
            code, _, report = ask(chosen, "config", "--client", client, "--http")
            assert 2 == code
            assert "leave --http out" in report
            continue
        entry = entry_of(client, printed(chosen, client, "--http", "--project", "acme/café"))
        assert "http://127.0.0.1:7999/mcp" == entry[fields.get(client, "url")]
        headers = entry[kept.get(client, "headers")]
        assert headers["Authorization"].startswith("Bearer ")
        assert "acme/caf%C3%A9" == headers["Aforesaid-Project"]


def test_over_http_no_folder_of_the_client_tells_the_project(environment):
    _, _, report = ask(environment, "config", "--client", "codex", "--http")
    assert "project: the folder that the client reports as an MCP root" in report
    _, _, report = ask(environment, "config", "--client", "codex", "--http", "--project", "shop")
    assert "project: shop" in report


@pytest.mark.parametrize("name", ["AFORESAID_DB", "AFORESAID_STORAGE_DB_PATH"])
def test_a_snippet_names_the_store_of_this_shell_wherever_the_client_starts(environment, name):
    entry = entry_of("generic", printed({**environment, name: "notes/m.db"}, "generic"))
    expected = os.path.join(os.path.realpath(environment["HOME"]), "notes", "m.db")
    assert expected == os.path.realpath(entry["env"]["AFORESAID_DB"])
    assert os.path.isabs(entry["env"]["AFORESAID_DB"])


def test_the_published_package_is_started_by_uvx(environment):
    text = printed({**environment, "PATH": "/usr/bin:/bin"}, "generic", "--uvx")
    entry = entry_of("generic", text)
    assert ("uvx", ["aforesaid", "serve"]) == (entry["command"].rpartition("/")[2], entry["args"])
    assert "AFORESAID_ENV" not in entry["env"]


def test_whatever_a_path_or_name_holds_is_read_back():
    odd = StdioLaunch(
        command="/a b/\"c'\\d/é\n\x7f☃/aforesaid",
        arguments=("serve",),
        variables={"AFORESAID_DB": "C:\\new\\t", "ODD NAME": "${x} # 'y'"},
    )
    for client, known in CLIENTS.items():
        command, variables = started(client, entry_of(client, snippet(known, odd)))
        assert [odd.command, "serve"] == command
        assert odd.variables == {name: variables[name] for name in odd.variables}


def test_the_instructions_say_what_every_agent_must_know():
    for known in CLIENTS.values():
        text = instructions(known)
        places = [
            text.index(words)
            for words in ("get_context", "recall_memory(query=", "recall_memory(ids=", "episodic")
        ]
        assert sorted(places) == places
        for words in ("supersedes=", "search_entities", "set_project", "before the session ends"):
            assert words in text
        assert len(text) < 3_000


def test_it_says_where_the_text_goes_apart_from_the_text(environment):
    code, text, report = ask(environment, "config", "--client", "codex")
    assert 0 == code
    assert "config.toml" in report
    assert "config.toml" not in text
    shown = json.loads(printed(environment, "gemini", "--json"))
    assert ("json", {"mcpServers"}) == (shown["form"], set(json.loads(shown["text"])))
    code, text, report = ask(environment, "config", "--instructions", "--client", "codex")
    assert (0, True) == (code, "AGENTS.md" in report)
    code, _, report = ask(environment, "config", "--client", "codx")
    assert (3, True) == (code, "did you mean codex?" in report)
    assert 2 == ask(environment, "config", "--uvx")[0]
    listed = json.loads(printed(environment, "list", "--json"))["clients"]
    assert list(CLIENTS) == [memory["client"] for memory in listed]
