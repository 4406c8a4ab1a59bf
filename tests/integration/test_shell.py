"""The command line as a person and a script meet it: through the launcher, in a repository."""

from __future__ import annotations

import json
import os
import re

import pytest


def ask(shell, *arguments, **more):
    """Return a command's answer as a program reads it."""
    done = shell(*arguments, "--json", **more)
    assert "" == done.stderr
    return json.loads(done.stdout)


def test_what_is_remembered_is_found_listed_changed_and_forgotten(shell):
    stored = ask(shell, "remember", "The queue is NATS JetStream.", "--tag", "queue")
    assert "acme/payments" == stored["project"]

    results = ask(shell, "search", "which queue do we use")["results"]
    assert [("user", ["queue"])] == [(row["provenance"], row["tags"]) for row in results]

    ask(shell, "update", stored["id"], "--importance", "high", "--pinned")
    table = shell("list", "--tag", "queue").stdout.splitlines()
    assert ["id", "date", "type", "memory"] == table[0].split()
    assert table[1].endswith("The queue is NATS JetStream.")

    forgotten = ask(shell, "forget", stored["id"])
    assert "forgotten ones: aforesaid list --state forgotten" in shell("list").stdout
    assert "forgotten ones:" in shell("list", "--tag", "queue").stdout

    listed = shell("list", "--state", "forgotten").stdout
    assert stored["id"] in listed
    assert "The queue is NATS JetStream." in listed
    assert f"aforesaid undo {stored['id']}" == forgotten["undo"]
    undone = shell(*forgotten["undo"].split()[1:])
    assert f"Restored {stored['id']}: The queue is NATS JetStream.\n" == undone.stdout
    assert 1 == len(ask(shell, "list")["results"])


def test_an_edit_is_undone_by_the_id_that_it_made(shell):
    first = ask(shell, "remember", "The port is 8080.")["id"]
    done = shell("update", first, "--content", "The port is 9090.").stdout
    [hint] = [line for line in done.splitlines() if line.startswith("undo with: aforesaid ")]
    undone = shell(*hint.split()[3:]).stdout
    assert undone.startswith(f"Restored {first}: The port is 8080.")
    assert ["The port is 8080."] == [row["preview"] for row in ask(shell, "list")["results"]]
    assert 4 == shell("undo", first).returncode  # nothing is left to undo
    second = ask(shell, "remember", "The host is db1.")["id"]
    merged = ask(shell, "remember", "Host and port are in .env.", "--supersedes", first,
                 "--supersedes", second)["id"]  # fmt: skip
    refused = shell("undo", merged)
    assert (4, True) == (refused.returncode, "--remove" in refused.stderr)


def test_a_search_without_words_lists_what_the_filters_match(shell):
    ask(shell, "remember", "Port 8080 is taken.", "--tag", "ports")
    ask(shell, "remember", "Tea is served.")
    done = ask(shell, "search", "--tag", "ports", "-n", "5")
    assert ["Port 8080 is taken."] == [row["preview"] for row in done["results"]]
    assert 2 == shell("search", "-n", "5").returncode


def test_several_memories_are_forgotten_at_once_or_none(shell):
    ids = [ask(shell, "remember", f"Fact {n} is about topic {n}.")["id"] for n in range(2)]
    unknown = shell("forget", ids[0], "zzzzzz")
    assert (3, True) == (unknown.returncode, "nothing was forgotten" in unknown.stderr)
    assert 2 == len(ask(shell, "list")["results"])
    assert ids == [row["id"] for row in ask(shell, "forget", *ids)["results"]]
    assert [] == ask(shell, "list")["results"]


def test_an_id_of_another_project_is_explained(shell):
    elsewhere = {**shell.environment, "AFORESAID_PROJECT": "acme/shop"}
    stored = ask(shell, "remember", "The shop sells tea.", env=elsewhere)
    refused = shell("forget", stored["id"])
    assert 3 == refused.returncode
    assert "project acme/shop has it" in " ".join(refused.stderr.split())
    assert 0 == shell("forget", stored["id"], env=elsewhere).returncode


def test_a_list_setting_takes_a_plain_value_and_is_unset(shell):
    assert ["p2"] == ask(shell, "config", "set", "project.off", "p2")["value"]
    assert ["p2"] == ask(shell, "config", "get", "project.off")["value"]
    assert 0 == shell("config", "unset", "project.off").returncode
    assert [] == ask(shell, "config", "get", "project.off")["value"]


def test_groups_that_list_take_the_word_list(shell):
    for group in ("offers", "guards"):
        assert shell(group).stdout == shell(group, "list").stdout
        assert 0 == shell(group, "list").returncode


def test_an_error_is_read_from_a_pipe(shell):
    assert shell("fix", input="no such thing").stdout.startswith("This error is not known.")


def test_a_search_without_memories_says_that_there_are_none(shell):
    assert shell("search", "anything").stdout.startswith("No memories yet.")


def test_what_says_otherwise_is_shown_with_the_command_that_settles_it(shell):
    old = ask(shell, "remember", "JetStream keeps messages for 14 days on three replicas.")
    output = shell("remember", "JetStream keeps messages for 30 days on three replicas.").stdout
    assert output.startswith("Remembered ")
    assert "(acme/payments, semantic, project): JetStream keeps messages for 30 days" in output
    assert f"Another memory disagrees: [{old['id']}] JetStream keeps messages for 14 days" in output
    assert "if the old one is right: aforesaid forget " in output
    (command,) = [
        line.partition(": ")[2] for line in output.splitlines() if "new one replaces" in line
    ]
    assert command.endswith(f" supersedes {old['id']}")
    assert 0 == shell(*command.split()[1:]).returncode
    (left,) = ask(shell, "list")["results"]
    assert "30 days" in left["preview"]


def test_a_search_without_a_good_match_says_so_and_shows_the_nearest(shell):
    for number in range(4):
        ask(shell, "remember", f"The queue of service {number} is NATS.")
    unknown = ("search", "why does the E_4711 queue of Zanzibar run on Kafka?")

    assert shell(*unknown).stdout.startswith("No good match. Nearest:\nid ")
    assert ask(shell, *unknown)["no_good_match"] is True
    good = ask(shell, "search", "which queue does service 2 use")
    assert "no_good_match" not in good
    assert all(0 <= row["relevance"] <= 1 and "score" not in row for row in good["results"])
    header = shell("search", "which queue does service 2 use").stdout.splitlines()[0].split()
    assert "relevance" in header
    assert "score" not in header


def test_a_misspelt_kind_of_relation_is_refused_with_the_right_one(shell):
    first, second = (ask(shell, "remember", text)["id"] for text in ("Lunch is at noon.", "Rain."))
    for wrong, right in (("supercedes", "supersedes"), ("relates to", "related_to")):
        refused = shell("link", first, wrong, second)
        assert 2 == refused.returncode
        assert f"did you mean {right}?" in refused.stderr
    assert 0 == shell("link", first, "works_at", second).returncode


def test_an_agent_that_runs_the_command_is_not_taken_for_the_user(shell, environment):
    environment["CLAUDECODE"] = "1"
    ask(shell, "remember", "The queue is NATS JetStream.")

    (result,) = ask(shell, "search", "queue")["results"]
    assert "assistant" == result["provenance"]


def test_pages_of_a_list_hold_together_while_memories_are_added(shell):
    texts = ["alpha", "bravo", "charlie", "delta", "echo"]
    for word in texts:
        ask(shell, "remember", f"The code word is {word}.")
    first = ask(shell, "list", "--limit", "2")
    ask(shell, "remember", "The code word is foxtrot.")
    second = ask(shell, "list", "--limit", "2", "--cursor", first["next_cursor"])
    third = ask(shell, "list", "--limit", "2", "--cursor", second["next_cursor"])

    listed = [row["preview"] for page in (first, second, third) for row in page["results"]]
    assert [f"The code word is {word}." for word in reversed(texts)] == listed
    assert "next_cursor" not in third


def test_every_count_of_the_memories_in_force_is_the_same(shell, tmp_path):
    for text, how in (
        ("The queue is NATS.", ()),
        ("Move to Postgres.", ("--task-id", "move")),
        ("Dump the old rows first.", ("--task-id", "move", "--scope", "task")),
        ("The moon may be cheese.", ("--confidence", "0.05")),
    ):
        ask(shell, "remember", text, *how)
    old = ask(shell, "remember", "The port is 5432.")
    ask(shell, "update", old["id"], "--content", "The port is 5433.")
    gone = ask(shell, "remember", "Lunch is at noon on Fridays.")
    ask(shell, "forget", gone["id"])

    assert 5 == ask(shell, "list")["total_matched"] == len(ask(shell, "list")["results"])
    assert 5 == ask(shell, "stats")["active"]
    assert 5 == ask(shell, "projects")["projects"][0]["memories"]
    written = ask(shell, "export", str(tmp_path / "all.jsonl"))
    assert (5, 7) == (written["in_force"], written["memories"])
    assert 5 == ask(shell, "export", "--format", "markdown", str(tmp_path / "md"))["memories"]
    assert "5 memories in force" in shell("doctor").stdout
    assert "5 memories here, 0 global" in shell("context").stdout


def test_browsing_is_not_use(shell):
    stored = ask(shell, "remember", "The queue is NATS JetStream.")
    ask(shell, "list")
    ask(shell, "inspect", stored["id"])
    assert 0 == ask(shell, "inspect", stored["id"])["kept"]["recalled_times"]
    ask(shell, "search", "which queue")
    assert 1 == ask(shell, "inspect", stored["id"])["kept"]["recalled_times"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("remember Answer. --due whenever", "--due 'whenever' is not a date: write"),
        ("remember Answer. --due whenever", "tomorrow, Friday, in 2 weeks"),
        ("list --since yonder", "--since 'yonder' is not a date"),
        ("search answer --token-budget 0", "--token-budget 0: use 1 to 10000"),
        ("list -n 99", "-n 99: use 1 to 50"),
        ("list --max-results 99", "--max-results 99: use 1 to 50"),
        ("list --depth 9", "--depth 9: use 0 (topics) to 3"),
        ("install", "Give --client with one of codex"),
        ("update abcd", "nothing to change: give --content"),
        ("remember Answer. --importance 7", "--importance 7.0 is outside 0 to 1"),
    ],
)
def test_an_error_names_the_option(shell, words: str, says: str):
    refused = shell(*words.split())
    assert 2 == refused.returncode
    assert says in " ".join(refused.stderr.split())


def test_a_name_after_entities_is_searched_for(shell):
    ask(shell, "remember", "Signs the releases.", "--entity", "Grace Hopper")
    found = ask(shell, "entities", "Hopper")
    assert ["Grace Hopper"] == [row["entity"] for row in found["results"]]
    near = ask(shell, "remember", "Writes the notes.", "--entity", "Grace H.")
    assert ["Grace Hopper"] == near["near_entities"]
    assert "for 'Grace Hopper' instead" in near["note"]


def test_imported_memories_are_confirmed_at_once_and_the_import_says_how(shell, tmp_path):
    lines = [{"content": text} for text in ("The queue is NATS.", "We ship on Fridays.")]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    said = shell("import", str(tmp_path / "x.jsonl")).stdout
    assert "aforesaid confirm --imported" in " ".join(said.split())
    assert 2 == shell("confirm").returncode
    assert {"confirmed": 2} == ask(shell, "confirm", "--imported")
    listed = ask(shell, "list", "--no-summary-only")["results"]
    assert ["user", "user"] == [row["provenance"] for row in listed]
    assert {"confirmed": 0} == ask(shell, "confirm", "--imported")


def test_names_that_people_try_work_too(shell):
    stored = ask(shell, "add", "The queue is NATS.")
    assert "Usage: aforesaid forget" in shell("help", "delete").stdout
    assert shell("--help").stdout == shell("help").stdout
    assert ask(shell, "delete", stored["id"])["forgotten"]


def test_a_setting_is_read_and_written_and_the_rest_of_the_file_stays(shell):
    name = "retrieval.max_results"
    assert "5\n" == shell("config", "get", name).stdout
    written = ask(shell, "config", "set", name, "8")["written"]
    with open(written, "a", encoding="utf-8") as file:
        file.write("# mine\n[digest]\nsummariser = 'none' # stays\n")
    assert 0 == shell("config", "set", name, "9").returncode
    assert "9\n" == shell("config", "get", name).stdout
    with open(written, encoding="utf-8") as file:
        text = file.read()
    assert "[retrieval]\nmax_results = 9\n# mine\n[digest]\nsummariser = 'none' # stays\n" == text
    for wrong, says in (((name, "900"), "use "), (("retrieval.max_result", "9"), f"mean {name}?")):
        refused = shell("config", "set", *wrong)
        assert 2 == refused.returncode
        assert says in " ".join(refused.stderr.split())


def test_what_is_no_longer_valid_is_marked(shell):
    ask(shell, "remember", "The sale runs.", "--valid-to", "2020-01-01")
    ask(shell, "remember", "The shop is open.")
    for command in (("search", "the sale runs"), ("list",)):
        results = ask(shell, *command)["results"]
        assert [row["expired"] for row in results if "sale" in str(row)] == [True]
        assert not any("expired" in row for row in results if "shop" in str(row))


def test_erasing_is_not_done_unasked(shell):
    stored = ask(shell, "remember", "The door code is 4711.")

    refused = shell("forget", stored["id"], "--erase")
    assert (2, "") == (refused.returncode, refused.stdout)
    assert "--yes" in refused.stderr

    for how, verb in (((), "Would forget"), (("--erase",), "Would erase")):
        seen = shell("forget", stored["id"], *how, "--dry-run").stdout
        assert seen.startswith(f"{verb} {stored['id']}: The door code is 4711.\n")
    erased = ask(shell, "forget", stored["id"], "--erase", "--yes")
    assert (True, f"Erased {stored['id']}") == (erased["erased"], erased["message"])
    assert 3 == shell("forget", stored["id"]).returncode


def test_the_shell_shows_counts_context_and_projects(shell):
    ask(shell, "remember", "The queue is NATS JetStream.")

    assert 1 == ask(shell, "stats")["active"]
    assert "The queue is NATS JetStream." in shell("context").stdout
    (project,) = ask(shell, "projects")["projects"]
    assert ("acme/payments", 1) == (project["project"], project["memories"])


def test_a_look_for_quality_shows_counts_and_examples(shell):
    stored = ask(shell, "remember", "Ran the linter over src/app.py.")
    answer = ask(shell, "stats", "--quality")
    counts = {finding["what"]: finding["count"] for finding in answer["findings"]}

    assert (1, 1) == (answer["total"], counts["of a moment"])
    assert {"duplicates", "secrets", "stale", "contradicting", "never recalled"} < counts.keys()
    table = shell("stats", "--quality").stdout
    assert f"[{stored['id']}] Ran the linter over src/app.py." in table


def test_what_lies_one_step_away_is_shown(shell):
    fact = ask(shell, "remember", "Tokens expire after an hour.", "--topic", "auth/jwt")
    detail = ask(shell, "remember", "At most a day.", "--parent-id", fact["id"])

    (below,) = ask(shell, "explore", fact["id"])["nodes"]
    assert detail["id"] == below["id"]
    (topic,) = ask(shell, "explore", fact["id"], "--direction", "parent")["nodes"]
    assert "auth/jwt" == topic["id"]
    assert f"- At most a day. [{detail['id']}]\n" == shell("explore", fact["id"]).stdout
    assert "auth (2)\n" == shell("explore").stdout
    linked = ask(shell, "remember", "Clocks drift.", "--relations", f"contradicts:{fact['id']}")
    shown = shell("explore", linked["id"], "--direction", "associations").stdout
    assert f"- contradicts: Tokens expire after an hour. [{fact['id']}] (+1)\n" == shown


def test_two_projects_become_one_only_when_it_is_meant(shell):
    ask(shell, "remember", "Answer 409.", "--task-id", "retries")
    report = ("--description", "who pays what", "--keyword", "bills", "--keyword", "money")
    assert 0 == shell("projects", "map", ".", "acme/billing", *report).returncode
    kept = ask(shell, "remember", "Bills go out on Fridays.")
    assert "acme/billing" == kept["project"] == ask(shell, "projects", "map", ".")["project"]

    named = ("projects", "merge", "acme/payments", "acme/billing")
    planned = ask(shell, *named, "--dry-run")
    assert (1, 1) == (planned["memories"], planned["open_tasks"])
    refused = shell(*named)
    assert (2, "", True) == (refused.returncode, refused.stdout, "--yes" in refused.stderr)
    done = ask(shell, *named, "--yes")
    assert os.path.isfile(done["copy"])
    (project,) = ask(shell, "projects", "list")["projects"]
    assert ("acme/billing", 2) == (project["project"], project["memories"])
    assert ("who pays what", ["bills", "money"]) == (project["description"], project["keywords"])
    assert ["retries"] == [task["task_id"] for task in ask(shell, "tasks")["tasks"]]
    assert "acme/billing" == ask(shell, "projects", "map", ".", "--remove")["project"]


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("explore", "zzzz"), 3, "zzzz"),
        (("explore", "--direction", "next"), 2, "needs id"),
        (("tasks", "--project", "never"), 3, "never"),
        (("undo", "zzzz"), 3, "zzzz"),
        (("search",), 2, "aforesaid search WORDS"),
        (("explore", "nosuch"), 3, "no topic and no memory here is called 'nosuch'"),
        (("list", "--topic", "queus"), 3, "did you mean 'infra/queues'?"),
        (("export", "nowhere/at/all.jsonl"), 3, "there is no folder"),
        (("backup", "nowhere/at/all.db"), 3, "there is no folder"),
        (("projects", "map", "/nowhere/at/all", "x"), 2, "there is no folder"),
        (("projects", "map", ".", "--remove"), 3, "is not mapped to a project"),
        (("projects", "merge", "acme/payments", "never", "--dry-run"), 3, "no project is called"),
        (("update", "zzzz", "--pinned"), 3, "zzzz"),
        (("search", "x", "--type", "tale"), 2, "tale"),
        (("search", "x", "--max-results", "many"), 2, "whole number"),
        (("list", "--limit", "many"), 2, "whole number"),
        (("remember", " "), 2, "TEXT is empty"),
        (("remember", "x", "--metadata", "[1]"), 2, "an object"),
        (("list", "--cursor", "elsewhere"), 2, "cursor"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_with_a_code(shell, arguments, code, text):
    if "--topic" in arguments or "backup" in arguments:
        ask(shell, "remember", "The queue is NATS.", "--topic", "infra/queues")
    done = shell(*arguments)
    assert code == done.returncode
    assert text in done.stderr
    assert "aforesaid: aforesaid" not in done.stderr
    assert 1 == len(done.stderr.splitlines())


def test_what_says_nothing_is_shown_to_no_session_unless_it_is_marked_important(shell):
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf" * 3
    key += "\n-----END RSA PRIVATE KEY-----"
    texts = ("ok", "thanks!", "lol 😂😂", "db password is hunter2x", key)
    for text in texts:
        done = shell("remember", "--", text)
        assert re.search(
            "too (short|little is left) to be shown to sessions", " ".join(done.stdout.split())
        ), text
    shell("remember", "Use pnpm.")
    shown = shell("context").stdout
    assert ["- Use pnpm."] == [line[:11] for line in shown.splitlines() if line.startswith("- ")]
    assert "finds 5 others" in shown
    kept = ask(shell, "remember", "NATS")["id"]
    ask(shell, "update", kept, "--importance", "high")
    assert "- NATS [" in shell("context").stdout


def test_a_text_taken_for_an_option_is_not_printed_and_a_command_of_another_name_is_told(shell):
    done = shell("remember", "-----BEGIN RSA PRIVATE KEY-----MIIB")
    assert (2, False) == (done.returncode, "MIIB" in done.stderr)
    assert "Put -- before a text" in done.stderr
    for typed, meant in (("recall", "search"), ("store", "remember"), ("edit", "update")):
        assert f"Did you mean {meant}?" in shell(typed).stderr


def test_relations_are_read_from_a_json_list(shell):
    known = ask(shell, "remember", "The queue is NATS.")["id"]
    links = json.dumps([{"kind": "supports", "target_id": known}])
    stored = ask(shell, "remember", "NATS replays messages after a crash.", "--relations", links)
    shown = shell("inspect", stored["id"]).stdout
    assert "supports" in shown


def test_lines_that_the_user_stated_need_no_confirmation(shell, tmp_path):
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "Tea is served at four.", "provenance": "user"}\n')
    assert "confirm" not in shell("import", str(lines)).stdout
    lines.write_text('{"content": "Coffee is served at nine."}\n')
    assert "confirm --imported" in shell("import", str(lines)).stdout
