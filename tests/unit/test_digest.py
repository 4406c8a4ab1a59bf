"""Digests of whole sessions: what is told, what is not, and how it reads."""

from __future__ import annotations

import pytest

from aforesaid.adapters.transcripts import read_conversation
from aforesaid.domain.digest import facts_of, revise_digest, write_digest
from aforesaid.domain.digest.model import CommitMade
from transcripts import DATA, SAMPLE, Script

SCRIPTED = DATA / "scripted"
VERSIONS = ("2.1.330", "2.1.197")


def digest_of(path, **options):
    return write_digest(facts_of(read_conversation(str(path))), **options)


@pytest.fixture
def told(tmp_path):
    def tell(script: Script, **options):
        return digest_of(script.write(tmp_path), **options)

    return tell


# --- the sample that ships ---------------------------------------------------------------------


def test_the_sample_session_reads_as_a_person_approved_it():
    golden = (DATA / "demo-session.digest.txt").read_text(encoding="utf-8")
    digest = digest_of(SAMPLE)
    assert golden == f"{digest.text}\n\n{digest.summary}\n"


def test_the_sample_digest_keeps_to_its_budget():
    assert len(digest_of(SAMPLE).text) <= 350 * 4


def test_a_smaller_budget_keeps_what_matters_most():
    digest = digest_of(SAMPLE, max_tokens=120)
    assert len(digest.text) <= 480
    assert "Postgres instead of Redis" in digest.text
    assert "409" in digest.text
    assert "migrations/" not in digest.text


def test_a_budget_for_nothing_still_has_the_title():
    digest = digest_of(SAMPLE, max_tokens=10)
    assert len(digest.text) <= 40
    assert digest.text.startswith("Reuse one idempotency key")


# --- both versions of the client ----------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_a_real_interactive_session_tells_what_mattered(version):
    digest = digest_of(DATA / version / "interactive.jsonl")
    assert digest.title == "The test in test_cart.py fails, please fix cart.py"
    assert digest.texts("decision") == (
        "orders are stored in Postgres, not SQLite, since several workers write",
    )
    assert digest.texts("correction") == ("never use float for money here",)
    assert digest.texts("preference") == ("Always use Decimal in this project",)
    assert digest.texts("error") == (
        "`AssertionError`: `total` rounded to one digit; it now rounds to two",
    )
    assert digest.texts("file") == ("cart.py (2 edits)",)
    assert digest.texts("open") == (
        'now write the whole order service (stopped: "stop, not today")',
    )
    assert digest.summary == (
        "`total` now computes with Decimal and quantizes to cents (changed cart.py); tests green; "
        'left open: now write the whole order service (stopped: "stop, not today")'
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["interactive", "printed", "compacted", "subagent"])
def test_no_injected_text_ever_reaches_a_digest(version, kind):
    digest = digest_of(DATA / version / f"{kind}.jsonl")
    text = " ".join([digest.text, digest.summary, *(item.text for item in digest.items)])
    for noise in ("DEMO-CONTEXT", "COMMAND-BODY", "Primary Request", "system-reminder", "BANG"):
        assert noise not in text


@pytest.mark.parametrize("version", VERSIONS)
def test_a_subagents_file_has_no_digest(version):
    assert digest_of(DATA / version / "agent.jsonl") is None


# --- longer sessions ----------------------------------------------------------------------------


def test_a_long_session_tells_decisions_correction_and_what_comes_next():
    digest = digest_of(SCRIPTED / "long.jsonl")
    assert digest.title == "Run report and mail jobs on arq"
    assert digest.texts("decision")[0] == (
        "use one worker per queue, not one for all: reports must not block mails"
    )
    assert digest.texts("correction") == ("the smtp timeout is 30 s, not 10",)
    assert digest.texts("command") == (
        "pytest failed once (4 failed, 20 passed), then passed (118 passed)",
    )
    assert "opened https://github.com/acme/harbor/pull/212" in digest.texts("commit")
    assert any("beat.py" in text for text in digest.texts("open"))
    assert "1 Apr 2026 to 2 Apr 2026" in digest.text


@pytest.mark.parametrize("noise", ["SUMMARY-NOISE", "SIDECHAIN", "hm wait", "Go"])
def test_summaries_subagents_and_abandoned_prompts_are_not_told(noise):
    digest = digest_of(SCRIPTED / "long.jsonl")
    assert noise not in " ".join(item.text for item in digest.items)


def test_a_chosen_option_is_the_decision_that_the_agent_proposed():
    digest = digest_of(SCRIPTED / "web.jsonl")
    assert "add it to `dependencies` here" in digest.texts("decision")
    assert "Decided: add it to `dependencies` here (agreed)" in digest.text


def test_a_pasted_log_is_not_quoted():
    digest = digest_of(SCRIPTED / "web.jsonl")
    assert "deploy preview is red, log: can you look" in digest.texts("asked")
    assert "cjs/loader" not in " ".join(item.text for item in digest.items)


def test_a_pasted_article_is_cut_to_what_was_typed():
    digest = digest_of(SCRIPTED / "pasted.jsonl")
    assert "Kafka" not in " ".join(item.text for item in digest.items)
    assert digest.title.startswith("Summarize this article for the wiki")


def test_questions_are_told_with_what_was_found():
    digest = digest_of(SCRIPTED / "asking.jsonl")
    assert digest.texts("found") == (
        "It evicts by cost per hit: each tile has `bytes / (hits + 1)`, and the largest goes first",
        "In `settings.toml`, key `cache.max_mb`; the default is 512",
        "`TileCache.trim` runs after each put",
    )


def test_a_session_that_only_recalled_restates_nothing():
    digest = digest_of(SCRIPTED / "recalled.jsonl")
    assert [item.kind for item in digest.items] == ["asked"]
    assert "JetStream" not in digest.text


SHOWN = """\
Open tasks
- retries (active): a back-off for the retries of the webhook [t77a · 3 May]
Last sessions
- 4 May: Add a health check; tests green; open: move the old settings of the importer [e5b1]
- 3 May: Let the parser accept trailing commas; not finished [e5b2]"""


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        ("move the old settings of the importer", "Old settings of the importer are moved now"),
        ("let the parser accept trailing commas", "The parser accepts trailing commas now"),
        ("add a back-off to the retries of the webhook", "Retries of the webhook back off now"),
    ],
)
def test_who_goes_on_with_what_was_left_open_says_something_new(told, asked, done):
    script = Script()
    script.line("attachment", attachment={"type": "hook_additional_context", "content": [SHOWN]})
    script.user("fix the typo in the readme")
    script.edit("README.md")
    script.say("The typo is fixed.")
    script.user(asked)
    script.edit("importer.py")
    script.say(f"{done}.")
    digest = told(script)
    assert asked in digest.text
    assert done in digest.text


def test_what_sounds_open_and_leaves_nothing_open_is_no_result(told):
    script = Script()
    script.user("what breaks if we add partitions?")
    script.edit("src/topics.py")
    script.say("The topic has 24 partitions now. The nightly export is unchanged.")
    digest = told(script)

    assert "24 partitions" in digest.text
    assert "nightly export" not in digest.text


def test_what_memory_said_is_left_open_is_not_left_open_again(told):
    script = Script()
    script.line("attachment", attachment={"type": "hook_additional_context", "content": [SHOWN]})
    script.user("what is left to do?")
    script.say("Still to do: move the old settings of the importer.")
    assert "settings" not in told(script).text


def test_a_german_session_reads_as_an_english_one():
    digest = digest_of(SCRIPTED / "german.jsonl")
    assert digest.texts("asked") == (
        "Der Export der Lagerliste bricht bei Umlauten ab, bitte beheben",
    )
    assert digest.texts("commit") == ("0b1c2d3 Export: UTF-8",)
    assert digest.texts("error")[0].endswith(
        "in der Kodierung der Plattform geschrieben, jetzt ist es UTF-8"
    )
    assert digest.summary == "Export: UTF-8; committed, tests green"


def test_an_unfinished_session_says_what_is_left():
    digest = digest_of(SCRIPTED / "unfinished.jsonl")
    assert digest.texts("open")[0].endswith("(session ended in the middle of it)")
    assert digest.texts("open")[1].startswith("make test still fails (1 failed, 30 passed: ")
    assert digest.texts("open")[2] == (
        "still on the list: Extract InvoiceMailer; Update the callers; Adjust the tests"
    )
    assert digest.summary.endswith("; tests failing (1 failed, 30 passed); not finished")


def test_a_greeting_has_no_digest():
    assert digest_of(SCRIPTED / "greeting.jsonl") is None


# --- single rules -------------------------------------------------------------------------------


def test_an_empty_file_has_no_digest(tmp_path):
    (tmp_path / "s.jsonl").write_bytes(b"")
    assert digest_of(tmp_path / "s.jsonl") is None


def test_a_prompt_without_an_answer_is_left_open(told):
    script = Script()
    script.user("fix the export of the harvest table")
    digest = told(script)
    assert digest.texts("open") == (
        "fix the export of the harvest table (asked last, not answered)",
    )


def test_a_prompt_of_nothing_but_a_trace_is_told_by_its_first_line(told):
    script = Script()
    script.user(
        'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\nKeyError: 1'
    )
    script.say("The key is missing because the map is empty.")
    assert told(script).texts("asked") == ("(pasted) Traceback (most recent call last)",)


def test_what_was_agreed_by_a_yes_is_the_proposal(told):
    script = Script()
    script.user("imports are slow")
    script.say("Parsing dominates. Should I cache the parsed files by their hash?")
    script.user("yes please")
    script.say("Done.")
    assert told(script).texts("decision") == ("cache the parsed files by their hash",)


def test_a_picked_answer_is_a_decision_of_the_user(told):
    script = Script()
    script.user("set up the cache")
    call = script.call("AskUserQuestion", {})
    script.result(call, toolUseResult={"answers": {"Which store?": "Valkey"}})
    assert told(script).texts("decision") == ("Which store: Valkey",)


def test_an_agreed_plan_is_a_decision(told):
    script = Script()
    script.user("plan the migration of the billing tables")
    call = script.call("ExitPlanMode", {"plan": "# Move billing to its own schema\n\n- step"})
    script.result(call, "User has approved your plan.")
    assert told(script).texts("decision") == ("plan agreed: Move billing to its own schema",)


def test_a_correction_is_told_with_what_it_puts_right(told):
    script = Script()
    script.user("where does the database listen?")
    script.say("Postgres listens on port 5432. The user is `app`.")
    script.user("no, the port is 5433")
    script.say("Noted.")
    wrong = "Postgres listens on port 5432"
    assert told(script).texts("correction") == (wrong.replace("5432", "5433"),)


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("fix that, and always write csv with a bom here", "always write csv with a bom here"),
        ("yes, and always run the formatter first", "always run the formatter first"),
        ("ok do that, but never touch prod data", "never touch prod data"),
        ("great, also we use tabs not spaces", "we use tabs not spaces"),
        ("perfect. one more thing: our api is versioned by date", "our api is versioned by date"),
        (
            "commit it and from now on use conventional commits",
            "from now on use conventional commits",
        ),
        ("no! we dont use docker here, podman only", "we dont use docker here, podman only"),
        ("for the future: ask before you install anything", "ask before you install anything"),
        ("i told you, no mocks in this repo", "no mocks in this repo"),
        ("hey, remember: releases only on tuesdays", "releases only on tuesdays"),
        ("nein, wir nutzen hier pnpm und nicht npm", "wir nutzen hier pnpm und nicht npm"),
        ("不是 8080,是 8081", "不是 8080,是 8081"),
    ],
)
def test_what_lasts_is_taken_out_of_whatever_it_was_said_with(tmp_path, reply, kept):
    script = Script()
    script.user("look at the importer please, it fails")
    script.say("The importer opens the file twice. Shall I close it after reading?")
    script.user(reply)
    script.say("Ok.")
    facts = facts_of(read_conversation(script.write(tmp_path)))
    assert [kept] == [candidate.text for candidate in facts.candidates]


def test_what_is_put_right_may_have_been_said_before_the_last_answer(tmp_path):
    script = Script()
    script.user("run the import")
    script.say("The importer connects to the database on port 5432.")
    script.bash("make import", "connection refused")
    script.say("The import failed, nobody listens there.")
    script.user("no, it's 5433")
    script.say("Ok.")
    (candidate,) = facts_of(read_conversation(script.write(tmp_path))).candidates
    wrong = "The importer connects to the database on port 5432"
    assert wrong.replace("5432", "5433") == candidate.content


def test_what_denies_the_answer_puts_it_right_without_saying_no(tmp_path):
    script = Script()
    script.user("how long are backups kept?")
    script.say("Backups are kept for 7 days on the host bak1.")
    script.user("30 days, not 7")
    script.say("Ok.")
    (candidate,) = facts_of(read_conversation(script.write(tmp_path))).candidates
    assert ("correction", "30 days, not 7") == (candidate.kind, candidate.text)


def test_a_list_of_rules_is_taken_rule_by_rule(tmp_path):
    script = Script()
    script.user("set up the project\n\nour conventions here:\n- uv for everything\n- no pandas")
    script.say("Done.")
    facts = facts_of(read_conversation(script.write(tmp_path)))
    assert ["uv for everything", "no pandas"] == [candidate.text for candidate in facts.candidates]
    assert ["set up the project"] == [question.text for question in facts.asked]


def test_a_long_text_full_of_rules_is_somebody_elses(tmp_path):
    script = Script()
    rules = "Always sign commits, all {} of them, whatever the weather is like and whoever asks. "
    text = "does our tool fit this? " + "".join(rules.format(number) for number in range(20))
    script.user(text)
    script.say("It does.")
    facts = facts_of(read_conversation(script.write(tmp_path)))
    assert () == facts.candidates


def test_an_open_end_that_was_settled_later_is_not_open(told):
    script = Script()
    script.user("write the importer")
    script.edit("importer.py")
    script.say("Written. The importer still needs a test for empty files.")
    script.user("then write that")
    script.edit("test_importer.py")
    script.say("Added a test for empty files of the importer.")
    assert told(script).texts("open") == ()


def test_changes_after_the_last_commit_are_named(told):
    script = Script()
    script.user("fix the parser")
    script.edit("parser.py")
    script.bash("git commit -qam 'Fix the parser'", "[main 1234567] Fix the parser")
    script.edit("lexer.py")
    script.say("Done.")
    digest = told(script)
    assert digest.texts("open") == ("not committed: lexer.py",)


def test_commits_of_git_and_of_the_conversation_are_told_once(tmp_path):
    script = Script()
    script.user("fix the parser")
    script.bash("git commit -qam 'Fix the parser'", "[main 1234567] Fix the parser")
    script.say("Done.")
    conversation = read_conversation(script.write(tmp_path))
    commits = [
        CommitMade(id="1234567" + "a" * 33, subject="Fix the parser", at_ms=1),
        CommitMade(id="b" * 40, subject="By hand", at_ms=2),
    ]
    digest = write_digest(facts_of(conversation, commits))
    assert digest.texts("commit") == ("bbbbbbb By hand", "1234567 Fix the parser")


def test_a_failed_commit_is_none(told):
    script = Script()
    script.user("commit the parser work")
    script.bash("git commit -m 'Fix'", "hook failed", code=1)
    script.say("The hook refused it.")
    assert told(script).texts("commit") == ()


def test_an_amended_commit_replaces_the_one_before(told):
    script = Script()
    script.user("fix the parser")
    script.bash("git commit -m 'Fix'", "[main 1111111] Fix")
    script.bash("git commit --amend -m 'Fix the parser'", "[main 2222222] Fix the parser")
    script.say("Done.")
    assert told(script).texts("commit") == ("2222222 Fix the parser",)


def test_tests_behind_a_pipe_are_judged_by_their_counts(told):
    script = Script()
    script.user("run the suite")
    script.bash("pytest -q | tail -3", "2 failed, 3 passed in 1s")
    script.say("Two fail.")
    digest = told(script)
    assert digest.texts("command") == ("pytest failed (2 failed, 3 passed)",)
    assert digest.texts("open") == ("pytest still fails (2 failed, 3 passed)",)


def test_a_search_that_found_nothing_is_no_error(told):
    script = Script()
    script.user("is there a retry in the client code?")
    script.bash("grep -rn retry src", "", code=1)
    script.bash("grep -rn again src", "src/a.py:1: again")
    script.say("There is none.")
    digest = told(script)
    assert (digest.texts("error"), digest.texts("command")) == ((), ())


def test_output_of_tools_is_never_quoted_beyond_its_error_line(told):
    script = Script()
    script.user("run the suite")
    script.bash("pytest -q", "we decided to always use Kafka\nE   ValueError: bad\n1 failed", 1)
    script.bash("pytest -q", "we decided to always use Kafka\n1 passed")
    script.say("Fixed: the value is checked now.")
    digest = told(script)
    assert digest.texts("error") == ("`ValueError: bad`: the value is checked now",)
    assert "Kafka" not in " ".join(item.text for item in digest.items)


def test_paths_are_relative_and_passing_files_are_left_out(told):
    script = Script(cwd="/home/dev/shop")
    script.user("write it down")
    script.edit("docs/a.md")
    for path in ("/tmp/scratch.py", "/home/dev/.claude/plans/x.md", "/home/dev/other/b.md"):
        script.result(script.call("Write", {"file_path": path}), "ok")
    script.say("Written.")
    assert told(script).texts("file") == ("docs/a.md", "/home/dev/other/b.md")


def test_many_files_of_one_folder_are_told_together(told):
    script = Script()
    script.user("rename the jobs")
    for number in range(6):
        script.edit(f"jobs/job_{number}.py")
    script.edit("worker.py")
    script.say("Renamed.")
    assert told(script).texts("file") == ("jobs/ (6 files)", "worker.py")


def test_the_same_session_gives_the_same_digest():
    assert digest_of(SAMPLE) == digest_of(SAMPLE)


# --- what stands outside may drop or change items -----------------------------------------------


def test_a_dropped_item_is_gone_from_text_title_and_summary():
    digest = digest_of(SAMPLE)
    kept = revise_digest(digest, lambda item: None if "idempotency" in item.text else item)
    assert "idempotency" not in kept.text + kept.title + kept.summary
    assert kept.title.startswith("Customers get charged twice")


def test_a_changed_item_is_told_as_it_was_changed():
    digest = digest_of(SAMPLE)
    kept = revise_digest(
        digest, lambda item: item.replace(text=item.text.replace("Redis", "[removed]"))
    )
    assert "Postgres instead of [removed]" in kept.text
    assert "Redis" not in kept.text


def test_a_digest_of_which_nothing_stays_is_none():
    assert revise_digest(digest_of(SAMPLE), lambda item: None) is None


def test_a_title_begins_where_a_request_says_what_it_is_about(told):
    script = Script()
    script.user(
        "Back again, I slept badly. The invoice export shows every refund twice. Please look."
    )
    script.say("The export joins the refund table twice.")
    script.edit("/home/dev/shop/export.py")
    script.say("The refund is joined once now.")

    assert told(script).title.startswith("The invoice export shows every refund twice")


def test_what_the_assistant_would_do_is_no_outcome(told):
    script = Script()
    script.user("let the newest refund win")
    script.edit("/home/dev/shop/export.py")
    script.say("The newest refund wins now. For the old months I'd now run it on the big machine.")
    script.user("No, the big machine is only for reports.")
    script.say("All right, the small one.")

    digest = told(script)

    assert "run it on the big machine" not in digest.summary
    assert not any("big machine" in text for text in digest.texts("done"))


@pytest.mark.parametrize("stores", [True, False])
def test_what_the_user_put_off_is_open_unless_the_agent_stored_memories(told, stores):
    script = Script()
    script.user("add the export of invoices")
    script.edit("src/export.py")
    script.say("The export is in.")
    script.user("the pdf export can wait, do it another day")
    if stores:
        tool = "mcp__plugin_aforesaid_memory__store_memory"
        script.result(script.call(tool, {"content": "The PDF export is to come."}), "{}")
    script.say("Ok.")
    digest = told(script)
    assert bool(digest.texts("open")) is not stores
