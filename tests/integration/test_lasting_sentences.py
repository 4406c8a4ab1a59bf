"""Which sentences of a session become memories: by the shipped model, and through the hooks."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.embedding.onnx import open_shipped
from aforesaid.adapters.transcripts.conversation import read_conversation
from aforesaid.domain.digest import facts_of
from aforesaid.domain.digest.lasting import SentenceJudge
from interfaces import LAUNCHER
from transcripts import Script

LASTING = (
    "our customers are mostly dentists, so no jargon in the texts",
    "the staging db sits behind db-3.internal on port 5433",
    "Kundennummern haben bei uns immer acht Stellen",
)
PASSING = (
    "add a column for the VAT id",
    "hmm the button is still too low",
    "I had a terrible coffee this morning",
    "mach das bitte nochmal",
)


@pytest.fixture(scope="module")
def embedder():
    return open_shipped()


def session(folder, *sentences: str) -> Script:
    script = Script(str(folder))
    script.user("show the invoice page")
    script.say("Here it is.")
    for sentence in sentences:
        script.user(sentence)
        script.say("Done.")
    return script


def kept(path: str, embedder) -> list[str]:
    judge = None if embedder is None else SentenceJudge(lambda: embedder)
    return [one.text for one in facts_of(read_conversation(path), judge=judge).candidates]


def test_sentences_that_last_are_kept_in_whatever_words(tmp_path, embedder) -> None:
    path = session(tmp_path, *LASTING, *PASSING).write(tmp_path)

    assert list(LASTING) == kept(path, embedder)


def test_without_the_shipped_model_rules_decide(tmp_path) -> None:
    path = session(tmp_path, *LASTING, "always run ruff before a commit").write(tmp_path)

    by_rule = kept(path, None)

    assert by_rule == kept(path, HashedEmbedder())
    assert "always run ruff before a commit" in by_rule


def test_a_first_prompt_may_state_what_lasts_and_still_asks(tmp_path, embedder) -> None:
    script = Script(str(tmp_path))
    script.user(f"{LASTING[0]}. write the reminder mail")
    script.say("Written.")
    path = script.write(tmp_path)

    facts = facts_of(read_conversation(path), judge=SentenceJudge(lambda: embedder))

    assert [LASTING[0]] == [one.text.rstrip(".") for one in facts.candidates]
    assert "write the reminder mail" in facts.asked[0].text


def test_a_session_that_ends_keeps_them_as_memories(environment, tmp_path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('name = "shop"\n')
    path = session(folder, LASTING[0], PASSING[0]).write(tmp_path)
    event = {"session_id": "s-1", "transcript_path": path, "cwd": str(folder)}
    variables = {**environment, "CLAUDE_PID": str(os.getpid())}
    for hook in ("session-start", "session-end", "sweep"):
        subprocess.run(
            [LAUNCHER, "hook", hook], input=json.dumps(event), env=variables,
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip

    listed = subprocess.run(
        [LAUNCHER, "list", "--type", "semantic", "--json"], cwd=folder, env=variables,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip

    assert [LASTING[0]] == [row["preview"] for row in json.loads(listed.stdout)["results"]]


WISHES = (
    "always show me a plan before you change anything, in all my repositories",
    "grundsätzlich ohne Emojis, bei allem, was wir machen",
    "pas de résumé à la fin, jamais, je lis le diff",
)
ORDERS = (
    "show me the plan once more",
    "put a summary at the end of this page",
    "thanks for everything this week, you were great",
    "lovely, i like the button",
    "commit that, and no emojis in the title this time",
)


def test_wishes_about_answers_and_work_hold_in_all_projects(tmp_path, embedder) -> None:
    path = session(tmp_path, *WISHES, *ORDERS).write(tmp_path)

    candidates = facts_of(read_conversation(path), judge=SentenceJudge(lambda: embedder)).candidates

    assert list(WISHES) == [one.text for one in candidates]
    assert {"global"} == {one.scope for one in candidates}


@pytest.mark.parametrize(
    ("answer", "prompt", "expected"),
    [
        (
            "The tests pass. I also could move the port to a setting.",
            "No thank you, one server needs no setting for its port.",
            [
                (
                    "No thank you, one server needs no setting for its port"
                    ' (instead of "I also could move the port to a setting")'
                ),
            ],
        ),
        ("Shall I open a ticket?", "Yes please, with the web form, label `later`.", []),
        ("The lock could be a clock.", "the clock you proposed, not the lock", []),
        (
            "Done.",
            "You may commit by yourself from now on, on a branch. But the pushing stays with me.",
            ["You may commit by yourself from now on, on a branch; But the pushing stays with me"],
        ),
    ],
)
def test_a_remark_is_understood_without_its_session(
    tmp_path, embedder, answer, prompt, expected
) -> None:
    script = Script(str(tmp_path))
    script.user("look at the server")
    script.say(answer)
    script.user(prompt)
    script.say("All right.")

    candidates = facts_of(
        read_conversation(script.write(tmp_path)), judge=SentenceJudge(lambda: embedder)
    ).candidates

    assert expected == [one.content for one in candidates]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("customers get charged twice when the provider times out. find out why and fix it", []),
        ("our customers get each invoice twice. please fix this", []),
        (
            "customers pay twice when the provider times out. write a test that shows it",
            ["customers pay twice when the provider times out"],
        ),
        ("we never deploy on fridays. fix the bug in the export", ["we never deploy on fridays"]),
        (
            "no, not Redis. let's store the keys in Postgres instead of Redis: they must survive",
            ["store the keys in Postgres instead of Redis: they must survive"],
        ),
    ],
)
def test_a_problem_to_solve_and_a_refusal_said_twice_are_not_kept(
    tmp_path, embedder, asked, expected
) -> None:
    assert expected == kept(session(tmp_path, asked).write(tmp_path), embedder)
