"""The bundle for Claude Desktop: built, unpacked as a client does, started as its manifest says."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import zipfile
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.version import __version__
from integration.test_mcp_server import call
from rig import ClientUnavailableError
from rig.agents import find_node
from rig.npm import NpmError, clients_folder, install_from_npm

ROOT = Path(__file__).resolve().parents[2]
MCPB = "2.1.2"


def builder():
    spec = importlib.util.spec_from_file_location("build_mcpb", ROOT / "tools" / "build_mcpb.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return Path(builder().build(str(tmp_path_factory.mktemp("dist"))))


@pytest.fixture
def unpacked(bundle, tmp_path):
    """The bundle's files, without any right to execute them."""
    folder = tmp_path / "Claude Extensions" / "aforesaid"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    return folder


def test_it_holds_what_git_holds_and_the_same_bytes_each_time(bundle, tmp_path):
    with zipfile.ZipFile(bundle) as archive:
        held = set(archive.namelist())
    listed = subprocess.run(
        [
            *("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others"),
            *("--exclude-standard", "bin", "server"),
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    kept = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    assert kept == {name for name in held if name.startswith(("bin/", "server/"))}
    assert bundle.name == f"aforesaid-{__version__}.mcpb"
    again = builder().build(str(tmp_path))
    assert bundle.read_bytes() == Path(again).read_bytes()


@pytest.mark.parametrize("project", ["", "acme/payments"])
def test_it_remembers_when_started_as_its_manifest_says(unpacked, environment, project):
    output = json.loads((unpacked / "manifest.json").read_text())
    assert list(TOOLS) == [tool["name"] for tool in output["tools"]]
    config = output["server"]["mcp_config"]
    filled = {"${__dirname}": str(unpacked), "${user_config.project}": project}

    def fill(text):
        for name, value in filled.items():
            text = text.replace(name, value)
        return text

    parameters = StdioServerParameters(
        command=config["command"],
        args=[fill(arg) for arg in config["args"]],
        env={**environment, **{name: fill(value) for name, value in config["env"].items()}},
        cwd="/",
    )

    async def live():
        with anyio.fail_after(60), open(os.devnull, "w") as quiet:  # noqa: ASYNC230
            async with (
                stdio_client(parameters, errlog=quiet) as streams,
                ClientSession(*streams) as session,
            ):
                await session.initialize()
                return [
                    await call(session, "get_context"),
                    await call(session, "store_memory", content="The queue is NATS."),
                    await call(session, "recall_memory", query="which queue?"),
                ]

    context, stored, results = anyio.run(live)
    assert project == context.get("project", "")
    assert [stored["id"]] == [row["id"] for row in results["results"]]


@pytest.mark.client
def test_the_published_tool_finds_it_valid(unpacked):
    folder = clients_folder() / f"mcpb-{MCPB}"
    tool = folder / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
    try:
        if not tool.exists():
            wanted = [f"@anthropic-ai/mcpb@{MCPB}"]
            install_from_npm(
                wanted, folder, lambda made: (made / tool.relative_to(folder)).exists()
            )
        node = find_node()
    except (NpmError, ClientUnavailableError) as error:
        if os.environ.get("AFORESAID_TEST_CLIENT_REQUIRED"):
            raise
        pytest.skip(str(error))
    done = subprocess.run(
        [node, tool, "validate", unpacked / "manifest.json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": f"{os.path.dirname(node)}:{os.environ['PATH']}", "HOME": str(unpacked)},
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "passes" in done.stdout
