"""An edit or a command from hook to answer: what bears on it is shown once, by the server only."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from action_world import World
from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.operations.prompt_server import PromptServer, listens, needs_model
from aforesaid.operations.session_start import subagent_context
from aforesaid.wiring.container import ServiceContainer
from interfaces import LAUNCHER
from transcripts import Script

pytestmark = pytest.mark.skipif(os.name == "nt", reason="local sockets are POSIX's")

QUEUE = "Keep the queue on NATS JetStream, for replay of webhook events."
FACT = "The queue is NATS JetStream, which replays webhook events."
RELEASE = "Run make freeze before a tag is made."


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


@pytest.fixture
def server(world):
    made = PromptServer(os.environ, os.getpid(), lambda: None)
    made.start()
    yield made
    made.close()


def cite(content: str = QUEUE, *anchors: str) -> Statement:
    return Statement(content=content, anchors=anchors or ("src/queue.py",))


def procedure(trigger: str, content: str = RELEASE) -> Statement:
    return Statement(content=content, type="procedural", metadata={"trigger": trigger})


@pytest.mark.usefixtures("server")
def test_an_edit_of_a_cited_file_is_shown_its_rule_once_even_if_the_start_showed_it(world):
    world.store(cite())
    assert QUEUE in world.start()
    text = world.edit()
    assert QUEUE in text
    assert "cites src/queue.py" in text
    assert count_tokens(text) <= 150
    assert "" == world.edit()


@pytest.mark.usefixtures("server")
def test_a_fact_that_the_start_showed_is_not_repeated_with_an_action(world):
    world.store(cite(FACT))
    assert FACT in world.start()
    assert FACT in subagent_context(os.environ, session_id="s", folder=str(world.folder))
    assert ["", ""] == [world.edit(), world.edit(agent="a1")]
    late = "The queue keeps its messages for three days."
    world.store(cite(late))
    assert late in world.edit()


@pytest.mark.usefixtures("server")
def test_a_subagent_that_was_shown_nothing_at_its_start_is_shown_facts(world, monkeypatch):
    monkeypatch.setenv("AFORESAID_HOOKS_SUBAGENT_START", "0")
    world.store(cite(FACT))
    world.start()
    assert FACT in world.edit(agent="a1")


@pytest.mark.usefixtures("server")
def test_a_rule_about_existing_files_is_not_shown_with_a_new_one_and_vice_versa(world):
    old, new = "Never edit an applied migration.", "Every new migration needs a down script."
    world.store(cite(old, "db/*.sql"), cite(new, "db/*.sql"))
    world.start()
    (world.folder / "db").mkdir()
    applied, added = world.folder / "db" / "0001.sql", world.folder / "db" / "0002.sql"
    applied.touch()
    text = world.act(path=str(added))
    assert (True, False) == (new in text, old in text)
    added.touch()
    assert "" == world.act(path=str(added))  # the session made it
    text = world.act(command="sed -i s/a/b/ db/0001.sql")
    assert (False, True) == (new in text, old in text)


@pytest.mark.usefixtures("server")
def test_the_caller_may_name_the_state_of_the_files(world):
    drafts = procedure("new:posts/*.md", "Posts begin as drafts.")
    world.store(cite("Hashes of posts are in the index.", "existing:posts/*.md"), drafts)
    (world.folder / "posts").mkdir()
    (world.folder / "posts" / "a.md").touch()
    made = world.act(path=str(world.folder / "posts" / "b.md"))
    assert (True, False) == ("drafts" in made, "Hashes" in made)
    edited = world.act(path=str(world.folder / "posts" / "a.md"))
    assert (False, True) == ("drafts" in edited, "Hashes" in edited)


@pytest.mark.usefixtures("server")
def test_another_file_and_one_outside_the_project_are_shown_nothing(world):
    world.store(cite())
    world.start()
    assert "" == world.act(path=str(world.folder / "src" / "other.py"))
    assert "" == world.act(path="/etc/hosts")


@pytest.mark.usefixtures("server")
def test_a_command_that_changes_the_file_is_shown_it_and_one_that_reads_or_runs_it_is_not(world):
    world.store(cite())
    world.start()
    assert "" == world.act(command="cat src/queue.py | grep nats")
    assert "" == world.act(command="python src/queue.py")
    assert QUEUE in world.act(command="cd src && sed -i s/nats/amqp/ queue.py")


@pytest.mark.usefixtures("server")
def test_a_file_that_changed_since_is_to_be_checked_first(world):
    world.store(cite())
    world.cited.write_text("connect('amqp://localhost')\n")
    world.start()
    assert "check first: src/queue.py changed" in world.edit()


@pytest.mark.usefixtures("server")
def test_a_long_memory_and_many_of_them_stay_within_the_budget_and_the_rest_comes_next(world):
    contents = [
        f"{word.capitalize()} handlers must queue {word} messages {word} {'and retry ' * 60}"
        for word in ("red", "green", "blue", "black")
    ]
    world.store(*map(cite, contents))
    world.start()
    shown = [world.edit() for _ in range(5)]
    assert all(count_tokens(text) <= 150 for text in shown)
    heads = [content.split()[0] for content in contents]
    assert [1] * 4 == ["".join(shown).count(f"- {head} handlers") for head in heads]
    assert "" == shown[-1]


@pytest.mark.usefixtures("server")
def test_a_subagent_has_a_conversation_of_its_own(world):
    world.store(cite())
    world.start()
    assert QUEUE in world.edit(agent="a1")
    assert QUEUE in world.edit()
    assert ["", ""] == [world.edit(agent="a1"), world.edit()]


@pytest.mark.usefixtures("server")
def test_after_a_compaction_it_is_shown_again(world):
    world.store(cite())
    world.start()
    world.edit()
    world.start("compact")
    assert QUEUE in world.edit()


@pytest.mark.usefixtures("server")
def test_what_a_tool_stated_without_confirmation_is_not_shown(world):
    world.store(
        Statement(content=QUEUE, anchors=("src/queue.py",), provenance="tool"),
    )
    world.start()
    assert "" == world.edit()


@pytest.mark.parametrize(
    ("trigger", "matching", "other"),
    [
        ("before a release", "make release", 'git commit -m "Prepare the release notes"'),
        ("before a release", "npm run release", "git add docs/release.md"),
        ("docker prune", "docker system prune -f", "docker system df"),
        ("pushing, git push", "cd web && git push origin main", "git pull origin main"),
        ("release", "make release", "grep -rn release ."),
    ],
)
@pytest.mark.usefixtures("server")
def test_a_command_is_shown_the_procedure_whose_trigger_it_matches(world, trigger, matching, other):
    world.store(procedure(trigger))
    world.start()
    assert "" == world.act(command=other)
    text = world.act(command=matching)
    assert RELEASE in text
    assert f"its trigger: {trigger}" in text
    assert "" == world.act(command=matching)


@pytest.mark.parametrize(
    ("trigger", "matching", "other"),
    [
        ("when editing *.sql", "db/001_users.sql", "db/readme.md"),
        ("changing src/api/", "src/api/users.py", "src/web/users.py"),
        ("edits of package.json", "web/package.json", "web/package-lock.json"),
        ("database migrations", "database/migrations/0001.py", "database/models.py"),
    ],
)
@pytest.mark.usefixtures("server")
def test_an_edit_is_shown_the_procedure_whose_file_pattern_matches(world, trigger, matching, other):
    world.store(procedure(trigger))
    world.start()
    assert "" == world.act(path=str(world.folder / other))
    assert RELEASE in world.act(path=str(world.folder / matching))


def test_without_a_server_the_hook_is_silent(world):
    world.store(cite())
    world.start()
    assert "" == world.edit()


@pytest.mark.usefixtures("server")
def test_the_setting_turns_it_off(world, monkeypatch):
    world.store(cite())
    world.start()
    monkeypatch.setenv("AFORESAID_HOOKS_ACTION", "0")
    assert "" == world.edit()


def test_the_server_listens_for_either_hook_and_loads_the_model_for_prompts_only(
    world, monkeypatch
):
    monkeypatch.setenv("AFORESAID_HOOKS_PROMPT", "0")
    assert (True, False) == (listens(os.environ), needs_model(os.environ))
    monkeypatch.setenv("AFORESAID_HOOKS_ACTION", "0")
    assert not listens(os.environ)


@pytest.mark.usefixtures("server")
def test_an_action_with_nothing_to_bear_marks_the_session_silent_for_actions(world):
    world.store(Statement(content=QUEUE))
    world.start()
    assert "" == world.edit()
    marker = Path(os.environ["HOME"], ".local", "state", "aforesaid", "silent", "s.action")
    for _ in range(300):  # written after the answer was confirmed
        if marker.exists():
            break
        time.sleep(0.1)
    assert "end" == marker.read_text().splitlines()[-1]
    assert not marker.with_suffix("").exists()


@pytest.mark.usefixtures("server")
def test_a_memory_that_names_a_file_is_shown_at_its_edit_without_an_anchor(world):
    rule = "Keep src/queue.py free of asyncio imports."
    world.store(Statement(content=rule), Statement(content="Read example.com/a.html and x.py."))
    world.start()
    world.cited.write_text("something else\n")
    text = world.edit()
    assert rule in text
    assert "cites src/queue.py" in text  # that it changed says nothing of the rule
    assert "" == world.act(path=str(world.folder / "x.py"))


def test_a_named_value_is_checked_in_its_line_and_a_named_file_for_being_there(world):
    config = world.folder / "src" / "config.py"
    config.write_text("PORT = 5433\nRETRIES = 3\n")
    port, rule = "MAX_PORT in src/config.py is 5433.", "Sort the names in src/config.py."
    config.write_text("MIN_PORT = 1\nMAX_PORT = 5433  # of the proxy\n")
    world.store(Statement(content=port), Statement(content=rule))
    config.write_text("# moved\nMIN_PORT = 1\nMAX_PORT = 5433  # of the proxy\n")
    assert {} == stale(world)
    config.write_text("MIN_PORT = 1\nMAX_PORT = 6543  # of the proxy\n")
    assert {port: ["src/config.py:2 changed"]} == stale(world)
    config.unlink()
    assert {port, rule} == set(stale(world))


def stale(world: World) -> dict[str, list[str]]:
    found = ask(world, "list", "--no-summary-only")
    return {each["content"]: each["stale"] for each in found if "stale" in each}


@pytest.mark.usefixtures("server")
def test_a_remark_about_a_file_that_the_session_changed_cites_it(world):
    script = Script(str(world.folder))
    script.user("Always keep the imports of queue.py in this order.", sessionId="earlier")
    script.edit("src/queue.py")
    script.say("Done.")
    world.digest(script, "earlier")
    world.start()
    assert "imports of queue.py" in world.edit()


@pytest.mark.usefixtures("server")
def test_what_was_settled_cites_the_file_that_was_changed_for_it(world):
    world.cited.write_text("def should_retry(status):\n    return status >= 500\n")
    (world.folder / "src" / "client.py").write_text("import queue\n")
    script = Script(str(world.folder))
    script.user("Retry on 429, too, and cap the attempts at four.", sessionId="earlier")
    script.edit("src/queue.py")
    script.edit("src/client.py")
    script.say("Settled: should_retry allows 5xx and 429 only, at most four attempts.")
    world.digest(script, "earlier")
    assert "allows 5xx and 429 only" in world.edit()
    assert "" == world.act(path=str(world.folder / "src" / "client.py"))


@pytest.mark.usefixtures("server")
def test_what_was_settled_in_plain_words_cites_the_only_file_that_was_changed(world):
    script = Script(str(world.folder))
    script.user("Retry rate limits, too, and cap the attempts at four.", sessionId="earlier")
    script.edit("src/queue.py")
    script.say("Settled: rate limits and server errors are retried, at most four attempts.")
    script.user("Never squash the commits of a release here.", sessionId="earlier")
    script.say("Noted.")
    world.digest(script, "earlier")
    text = world.edit()
    assert "Rate limits and server errors are retried" in text
    assert "squash" not in text


# -- failures

MISSING = "E   ModuleNotFoundError: No module named 'freezegun'"
FIXED = [("pytest -q", MISSING), ("pip install freezegun", ""), ("pytest -q", "")]
ERESOLVE = "npm ERR! ERESOLVE unable to resolve dependency tree"
FORCED = [("npm ci", ERESOLVE), ("npm ci --legacy-peer-deps", "")]


@pytest.mark.usefixtures("server")
def test_an_error_that_was_fixed_before_is_shown_what_fixed_it_once(world):
    world.end(*FIXED)
    assert "freezegun" not in world.start()
    assert "" == world.fail("pytest", "E   ModuleNotFoundError: No module named 'yaml'")
    text = world.fail("python -m pytest", f"/other/x.py:7: in <module>\n{MISSING}")
    assert "Fixed by `pip install freezegun`" in text
    assert "seen here" in text
    assert count_tokens(text) <= 150
    assert "" == world.fail("python -m pytest", MISSING)


@pytest.mark.usefixtures("server")
def test_another_project_is_shown_a_fix_with_the_project_s_name(world):
    world.end(*FIXED)
    world.end(*GIVEN_UP, session="given-up")
    other = world.folder.parent / "billing"
    (other / ".git" / "objects").mkdir(parents=True)
    (other / ".git" / "refs").mkdir()
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    world.folder = other
    world.start()
    assert "in the project acme/shop" in world.fail("pytest", MISSING)
    assert "" == world.fail("cargo build", LINKING)


LINKING = "error: linking with `cc` failed: exit status: 1"
GIVEN_UP = [("cargo build", LINKING), ("brew install openssl", ""), ("cargo build", LINKING)]


def test_only_failures_that_could_be_shown_keep_a_session_from_being_silent(world):
    core = ServiceContainer(os.environ)
    other = Visibility.of_project(99)
    world.end(*GIVEN_UP)
    assert not core.store.search.has_failures(other)
    every_project = tuple(project.key for project in core.store.projects.list_all())
    assert core.store.search.has_failures(Visibility(projects=every_project))
    world.end(*FIXED, session="fixed")
    assert core.store.search.has_failures(other)
    core.close()


@pytest.mark.usefixtures("server")
def test_a_command_that_would_fail_again_is_shown_that_before_it_runs(world):
    world.end(*FORCED, *GIVEN_UP)
    world.start()
    assert "" == world.act(command="npm ci --legacy-peer-deps")
    text = world.act(command="cd web && npm ci")
    assert "Fixed by `npm ci --legacy-peer-deps`" in text
    assert "this command failed before" in text
    text = world.act(command="cargo build")
    assert "was not fixed" in text
    assert "Did not help: `brew install openssl`" in text


def test_a_fix_that_was_stored_by_hand_is_found_by_the_error(world):
    fixed = "error: linker 'cc' not found was fixed by apt install build-essential"
    world.store(Statement(content=fixed), Statement(content="Lunch is at noon."))

    (found,) = ask(world, "fix", "error: linker 'cc' not found")
    assert fixed == found["content"]
    assert [] == ask(world, "fix", "error: no such table: berths")


def test_a_failure_is_stored_once_and_a_newer_fix_replaces_the_older(world):
    world.end(*GIVEN_UP)
    world.end(*GIVEN_UP, session="again")
    (text,) = world.failures()
    assert "was not fixed" in text
    world.end(
        ("cargo build", LINKING), ("xcode-select --install", ""), ("cargo build", ""), session="b"
    )
    world.end(*GIVEN_UP, session="c")
    (text,) = world.failures()
    assert "Fixed by `xcode-select --install`" in text


@pytest.mark.usefixtures("server")
def test_an_attempt_that_the_user_rejected_is_shown_at_the_next_edit_of_its_file(world):
    script = Script(str(world.folder))
    script.user("Fix the timeouts of the queue.", sessionId="earlier")
    script.edit("src/queue.py")
    script.say("I moved the retry loop into the consumer of the queue.")
    script.user("That didn't work, it still times out.", sessionId="earlier")
    world.digest(script, "earlier")
    (text,) = world.failures(0)
    assert text.startswith("Tried: I moved the retry loop")
    script.edit("src/queue.py")
    script.say("I raised the prefetch count to 50 and the timeouts are gone.")
    script.user("Great, works now.", sessionId="earlier")
    world.digest(script, "earlier")
    (text,) = world.failures()
    assert "What worked: I raised the prefetch count to 50" in text
    assert "retry loop" not in world.start()
    assert "It did not work" in world.edit()


@pytest.mark.usefixtures("server")
def test_failures_are_off_with_actions(world, monkeypatch):
    world.end(*FIXED)
    world.start()
    monkeypatch.setenv("AFORESAID_HOOKS_ACTION", "0")
    assert "" == world.fail("pytest", MISSING)


def ask(world: World, *arguments: str) -> list[dict[str, str]]:
    done = subprocess.run(
        [LAUNCHER, *arguments, "--json"],
        cwd=world.cited.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    return answer["nodes" if arguments[0] == "explore" else "results"]


def test_at_a_shell_an_error_finds_its_fix_and_a_file_what_is_known_of_it(world):
    world.end(*FIXED)
    world.end(*GIVEN_UP, session="given-up")
    tests = "The tests of queue.py need a broker."
    world.store(cite(), Statement(content=tests), Statement(content="The queue has one consumer."))
    (found,) = ask(world, "fix", f"Exit code 1\n{MISSING}")
    assert "Fixed by `pip install freezegun`" in found["content"]
    assert [] == ask(world, "fix", "No module named 'yaml'")
    assert [found] == ask(world, "fix", "No module named 'freezegun'")
    assert [] == ask(world, "search", "--error", "No module named 'yaml'", "fix it")
    assert [] == ask(world, "search", "--path", "other.py", "queue")
    (found,) = ask(world, "search", "--error", MISSING, "freezegun")
    (node,) = ask(world, "explore", "--error", MISSING)
    assert node["preview"].startswith("`pytest -q` failed")
    assert [tests, QUEUE] == [
        node["preview"] for node in ask(world, "explore", "--path", "queue.py")
    ]
    assert [tests, QUEUE] == [each["content"] for each in ask(world, "why", "queue.py")]
    assert [QUEUE] == [
        each["content"] for each in ask(world, "search", "nats", "--path", "queue.py")
    ]
    assert [] == ask(world, "why", "other.py")


@pytest.mark.usefixtures("server")
def test_a_pattern_and_a_folder_apply_to_the_files_that_match(world):
    world.store(cite("Migrations are never edited.", "db/*.sql"), cite(QUEUE, "src/"))
    world.start()
    text = world.act(path=str(world.folder / "db" / "0007_new.sql"))
    assert "Migrations are never edited. [" in text
    assert "cites db/*.sql" in text
    assert "" == world.act(path=str(world.folder / "db" / "README.md"))
    assert "cites src/" in world.edit()


@pytest.mark.usefixtures("server")
def test_a_cited_file_that_does_not_exist_yet_is_shown_its_memory_when_it_is_made_or_edited(world):
    world.store(cite("Never retry more than five times.", "src/retry.py"))
    world.start()
    assert "cites src/retry.py" in world.act(path=str(world.folder / "src" / "retry.py"))
    (world.folder / "src" / "retry.py").touch()
    shown = world.act(command="sed -i s/1/2/ src/retry.py", agent="another")
    assert "cites src/retry.py" in shown


@pytest.mark.usefixtures("server")
def test_the_state_of_files_and_what_is_left_out_may_be_combined(world):
    world.store(cite("Hashes of posts are in the index.", "existing:posts/*.md", "!posts/a.md"))
    (world.folder / "posts").mkdir()
    for name in ("a", "b"):
        (world.folder / "posts" / f"{name}.md").touch()
    shown = [world.act(path=str(world.folder / "posts" / f"{name}.md")) for name in "abc"]
    assert [False, True, False] == ["Hashes" in each for each in shown]


@pytest.mark.usefixtures("server")
def test_a_folder_whose_trigger_is_about_a_command_applies_to_the_command_only(world):
    content = "Terraform is applied by the pipeline only."
    trigger = {"trigger": "running terraform apply"}
    world.store(Statement(content=content, anchors=("infra/**",), metadata=trigger))
    world.start()
    assert "" == world.act(path=str(world.folder / "infra" / "main.tf"))
    assert content in world.act(command="terraform apply -auto-approve")


@pytest.mark.usefixtures("server")
def test_a_pattern_may_leave_files_out_and_names_files_in_folders_of_any_name(world):
    world.store(
        cite("Texts come from the translators.", "locales/*.json", "!locales/en.json"),
        cite("Versions stand in the catalogue.", "*/package.json"),
        cite("Pages need a title.", "pages/[id]/*.tsx"),
    )
    world.start()

    def edit(path: str) -> str:
        return world.act(path=str(world.folder / path))

    assert "" == edit("locales/en.json")
    assert "Texts come" in edit("locales/de.json")
    assert "Versions stand" in edit("web/package.json")
    assert "" == edit("pages/i/show.tsx")
    assert "Pages need" in edit("pages/[id]/show.tsx")


@pytest.mark.usefixtures("server")
def test_a_command_that_is_given_as_it_is_typed_leaves_the_folder_to_edits(world):
    content = "Terraform is applied by the pipeline only."
    trigger = {"trigger": ["terraform apply in infra"]}
    world.store(Statement(content=content, anchors=("infra/",), metadata=trigger))
    world.start()
    shown = world.act(command="cd infra && terraform apply -auto-approve")
    assert content in shown
    assert "its trigger: $ terraform apply in infra" in shown
    other = world.act(path=str(world.folder / "infra" / "main.tf"), agent="another")
    assert content in other
