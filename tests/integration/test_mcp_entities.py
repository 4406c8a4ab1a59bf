"""Entities as a client and a shell meet them: through the launcher, in a repository."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")


@pytest.fixture
def world(environment, tmp_path):
    """An environment of its own, in a folder that is a repository of Ada's."""
    (tmp_path / "home" / ".gitconfig").write_text("[user]\n\tname = Countess Lovelace\n")
    for name in ("payments", "website"):
        git = tmp_path / "code" / name / ".git"
        (git / "objects").mkdir(parents=True)
        (git / "refs").mkdir()
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "config").write_text(
            f'[remote "origin"]\n\turl = git@host.example:acme/{name}.git\n'
            "[user]\n\tname = Ada Lovelace\n"
        )
    return {**environment, "AFORESAID_CWD": str(tmp_path / "code" / "payments")}


@asynccontextmanager
async def client_of(environment):
    parameters = StdioServerParameters(command=DOOR, args=["serve"], env=environment)
    with open(os.devnull, "w") as quiet:  # noqa: ASYNC230 - it blocks nothing
        async with (
            stdio_client(parameters, errlog=quiet) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            yield session


def talk(environment, *calls):
    """Return the answers to calls of one session; an error as its text."""

    async def live():
        answers = []
        with anyio.fail_after(90):
            async with client_of(environment) as session:
                for tool, arguments in calls:
                    answer = await session.call_tool(tool, arguments)
                    text = answer.content[0].text
                    answers.append(text if answer.is_error else json.loads(text))
        return answers

    return anyio.run(live)


def shell(environment, *arguments):
    done = subprocess.run(
        [DOOR, *arguments], env=environment, cwd=environment["AFORESAID_CWD"],
        capture_output=True, encoding="utf-8", timeout=120, check=False, input="",
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_entities_are_stored_searched_filtered_and_answer_by_alias(world):
    described, near, mine, results, preferences, listed, alias, filtered = talk(
        world,
        ("store_memory", {"content": "Clarity is the CRM of the sales team.", "type": "entity",
         "metadata": {"name": "Clarity", "entity_type": "system", "aliases": ["customer base"]}}),
        ("store_memory", {"content": "Exports run at half past two.", "entity": "Claritty"}),
        ("store_memory", {"content": "Wants tabs.", "entity": "user_preferences"}),
        ("search_entities", {"query": "Clarity project"}),
        ("search_entities", {"query": "my preferences"}),
        ("search_entities", {"limit": 2}),
        ("recall_memory", {"query": "what is the customer base"}),
        ("recall_memory", {"entity": ["CLARITY", "user preferences"], "summary_only": True}),
    )  # fmt: skip

    assert "Clarity" == described["entity"]
    assert ["Clarity"] == near["near_entities"]
    assert 'entity="Clarity"' in near["note"]
    assert "project" == mine["scope"]
    best = results["results"][0]
    assert ("Clarity", "system", ["customer base"], "project", "acme/payments", 1) == (
        best["entity"], best["entity_type"], best["aliases"], best["scope"], best["project"],
        best["memory_count"],
    )  # fmt: skip
    assert "user_preferences" == preferences["results"][0]["entity"]
    assert ["Claritty", "Clarity"] == sorted(row["entity"] for row in listed["results"])
    assert 4 == listed["total_matched"]
    assert "Clarity" == alias["results"][0]["entity"]
    assert 2 == filtered["total_matched"]


def test_the_user_is_known_by_what_git_calls_them(world):
    by_repository, by_config, search = talk(
        world,
        ("store_memory", {"content": "Likes tea.", "entity": "Ada Lovelace"}),
        ("store_memory", {"content": "Dislikes coffee.", "entity": "countess lovelace"}),
        ("search_entities", {"query": "me"}),
    )
    assert ["global", "user"] == [by_repository["scope"], by_repository["entity"]]
    assert ["global", "user"] == [by_config["scope"], by_config["entity"]]
    assert {"Ada Lovelace", "Countess Lovelace"} <= set(search["results"][0]["aliases"])


def test_projects_that_speak_of_the_same_are_related_and_a_hint_of_it_is_offered(world, tmp_path):
    talk(world, ("store_memory", {"content": "Clarity is red.", "entity": "Clarity"}))
    there = {**world, "AFORESAID_CWD": str(tmp_path / "code" / "website")}
    _stored, chosen = talk(
        there,
        ("store_memory", {"content": "Clarity is embedded.", "entity": "clarity"}),
        ("set_project", {"project": "acme/website"}),
    )
    assert [{"project": "acme/payments", "shares": ["clarity"]}] == chosen["related_projects"]

    talk(there, ("store_memory", {"content": "Bees are kept.", "entity": "apiary"}))
    nowhere = {**world, "AFORESAID_CWD": world["HOME"]}
    (hinted,) = talk(nowhere, ("get_context", {"hint": "clarity and the apiary"}))
    assert "acme/website" == hinted["may_be"][0]["project"]


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("recall_memory", {"entity": "nobody"}, "no entity is called 'nobody'"),
        ("store_memory", {"content": "x", "entity": "--"}, "is not a name"),
        ("store_memory", {"content": "x", "entity": "y" * 300}, "200 at most"),
        ("search_entities", {"query": " "}, "give a name"),
        ("search_entities", {"limit": 1_000}, "use 1 to 50"),
        ("search_entities", {"scope": "universe"}, "use one of"),
        ("search_entities", {"query": "x", "cursor": "1_a"}, "leave one of them out"),
        ("search_entities", {"cursor": "9" * 30 + "_a"}, "pass next_cursor unchanged"),
        ("search_entities", {"name": "x"}, "no parameter"),
        (
            "store_memory",
            {"content": "x", "type": "entity", "metadata": {"name": "x", "aliases": [1]}},
            "a list of strings",
        ),
    ],
)
def test_what_cannot_be_is_said_in_words(world, tool, arguments, text):
    (answer,) = talk(world, (tool, arguments))
    assert text in answer


def test_the_shell_merges_renames_lists_and_undoes(world):
    for text, name in (("Runs version 16.", "Postgres"), ("Is pooled.", "pg")):
        shell(world, "remember", text, "--entity", name)
    assert 0 == shell(world, "entities", "merge", "pg", "Postgres")[0]
    _code, listed, _errors = shell(world, "list", "--entity", "pg", "--json")
    assert 2 == json.loads(listed)["total_matched"]
    _code, renamed, _errors = shell(world, "entities", "rename", "pg", "PostgreSQL", "--json")
    assert "PostgreSQL" == json.loads(renamed)["entity"]
    assert 3 == len(shell(world, "entities", "undo", "--list")[1].splitlines())
    for _ in range(2):
        assert 0 == shell(world, "entities", "undo")[0]

    assert (3, "") == shell(world, "entities", "undo")[:2]
    table = shell(world, "entities")[1]
    assert ["pg", "Postgres"] == [line.split()[0] for line in table.splitlines()[1:]]
    assert "Postgres" in shell(world, "entities", "search", "postgress")[1]
    assert 3 == shell(world, "entities", "merge", "pg", "nobody")[0]
    assert 2 == shell(world, "entities", "rename", "user", "boss")[0]
