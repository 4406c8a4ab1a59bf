"""Rules that can be checked: what is read from their text, and which action breaks them."""

from __future__ import annotations

import pytest

from aforesaid.domain.context.guard import (
    Guard,
    guard_of,
    make_guard,
    read_guard,
    simple_commands,
)
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.edit_text import added_lines
from factories import make_memory

READ = {
    "Never run docker system prune, it deletes other projects' volumes.": (
        "commands like `docker system prune`"
    ),
    "Use pnpm, not npm.": "commands like `npm`",
    "Use uv instead of pip for everything.": "commands like `pip`",
    "Don\u2019t use npm here \u2014 use pnpm.": "commands like `npm`",
    "Never git push --force.": "commands like `git push --force`",
    "Deploys go through make ship, never through kubectl apply.": "commands like `kubectl apply`",
    "no console.log in src/": "edits that add `console.log` to `src/`",
    "No print() in the codebase.": "edits that add `print(`",
    "Do not add `# type: ignore` comments in server/.": (
        "edits that add `# type: ignore` to `server/`"
    ),
    "Never call datetime.now() in the code; use clock.now().": "edits that add `datetime.now(`",
    "Never edit db/schema.rb by hand; run the migrations instead.": "edits of `db/schema.rb`",
    "The API is old. Do not touch files in src/generated/.": "edits of `src/generated/`",
}


@pytest.mark.parametrize(("rule", "checked"), READ.items())
def test_a_rule_without_a_condition_is_read(rule, checked):
    guard = read_guard(rule)
    assert guard is not None
    assert checked == guard.describe()


@pytest.mark.parametrize(
    "rule",
    [
        "Never run terraform apply without a plan.",
        "Never run git push --force to main.",
        "Don't run npm install in CI.",
        "Never commit secrets.",
        "Always run the tests before you push.",
        "Do not restart the payments service by hand.",
        "We use Postgres, not MySQL.",
        "The port is 5433, not 5432.",
        "Don't use `any` in TypeScript files.",
        "Do not edit a.py or b.py.",
        "There is no file config.yaml in this repository.",
        "Never say never.",
        "The breakage is a real policy gap, not just a config mistake.",
        "Never overwrite the event, swallowing is how the primary/replica divergence began.",
        "Do not touch the client/server split.",
        "Don't go to production on Fridays.",
        "We decided on Redis, not make do with files.",
        "x" * 500,
        "",
    ],
)
def test_other_texts_are_no_guards(rule):
    assert read_guard(rule) is None


@pytest.mark.parametrize(
    ("wanted", "line", "breaks"),
    [
        ("docker system prune", "docker system prune -af", True),
        ("docker system prune", "cd x && sudo docker --debug system prune", True),
        ("docker system prune", "docker system df", False),
        ("docker system prune", "echo docker system prune", False),
        ("docker system prune", "git commit -m 'docker system prune'", False),
        ("npm", "npm ci", True),
        ("npm", "pnpm install", False),
        ("npm", "/usr/bin/npm ci", True),
        ("npx", "npx jest", True),
        ("rm -rf", "rm -fr build", True),
        ("rm -rf", "rm -r build", False),
        ("git push --force", "git push -f origin main", True),
        ("git push --force", "git push --force-with-lease", False),
        ("git push --force", "git push 'unclosed", False),
        ("npm", "", False),
    ],
)
def test_commands(wanted, line, breaks):
    assert breaks == Guard(command=wanted).forbids(simple_commands(line), [], "")


@pytest.mark.parametrize(
    ("guard", "files", "added", "breaks"),
    [
        (Guard(text="console.log", files="src/"), ["src/a.ts"], "console.log(1)", True),
        (Guard(text="console.log", files="src/"), ["lib/a.ts"], "console.log(1)", False),
        (Guard(text="console.log", files="src/"), ["src/a.ts"], "console.logger(1)", False),
        (Guard(text="console.log"), ["a.ts"], "x = 1", False),
        (Guard(text="print("), ["a.py"], "  print('x')", True),
        (Guard(text="print("), ["a.py"], "pprint('x')", False),
        (Guard(files="db/schema.rb"), ["db/schema.rb"], "", True),
        (Guard(files="*.lock"), ["a/uv.lock"], "", True),
        (Guard(files="src/gen/"), ["packages/app/src/gen/x.ts"], "", True),
        (Guard(text="print("), [], "print(1)", False),
    ],
)
def test_edits(guard, files, added, breaks):
    assert breaks == guard.forbids([], files, added)


def test_only_lines_that_an_edit_adds_count():
    kept = "console.log(1)\nx = 1"
    assert "y = 2" == added_lines({"old_string": kept, "new_string": f"{kept}\ny = 2"})
    assert "a\nb" == added_lines({"edits": [{"new_string": "a"}, {"new_string": "b"}, "bad"]})
    assert "c" == added_lines({"content": "c"})
    assert "d" == added_lines({"new_source": "d", "old_string": 7})


def test_a_guard_survives_its_storage_and_other_metadata_is_none():
    guard = Guard(command="npm", asks=True, kept=3, broken=1, session="s", session_kept=True)
    assert guard == guard_of(make_memory(metadata={"guard": guard.to_metadata()}))
    for fields in ("npm", {"command": 7}, {"kept": 2}, {}, None):
        assert guard_of(make_memory(metadata={"guard": fields})) is None


def test_a_pattern_of_the_user_is_checked():
    assert Guard(command="npm ci") == make_guard(command="  npm   ci ")
    assert Guard(files="src/*", text="x") == make_guard(files="./src/*", text="x")
    for wrong in ({}, {"command": "npm", "files": "x"}, {"text": "x" * 200}):
        with pytest.raises(InvalidInputError):
            make_guard(**wrong)
