"""What the assistant proposed or asked, and what of it the person agreed to."""

from __future__ import annotations

import pytest

from aforesaid.adapters.transcripts import read_conversation
from aforesaid.domain.digest import facts_of, write_digest
from transcripts import Script


def facts_after(tmp_path, answer: str, reply: str):
    script = Script()
    script.user("the nightly import is slow, look into it")
    script.say(answer)
    script.user(reply)
    script.edit("load.py")
    script.say("Changed load.py, the tests pass.")
    return facts_of(read_conversation(script.write(tmp_path)))


TWO_STEPS = (
    "I would read the rows in chunks and drop the index first. "
    "I'd keep the old loader as a fallback. Is that all right?"
)


@pytest.mark.parametrize(
    ("answer", "reply", "decided"),
    [
        (TWO_STEPS, "Please do not. The index is needed at night.", ()),
        (
            TWO_STEPS,
            "Yes to all apart from the fallback.",
            ("read the rows in chunks and drop the index first; to all apart from the fallback",),
        ),
        (
            "I would set the limit to 12 hours on created_at.",
            "Yes, but the field is loaded_at for this feed.",
            ("set the limit to 12 hours on created_at; the field is loaded_at for this feed",),
        ),
        (
            "Then the key is a hash of three fields. A resend keeps all three. Shall I?",
            "yes go",
            ("the key is a hash of three fields; A resend keeps all three",),
        ),
        (
            "It doubles from 5 s and gives up after 12 minutes. OK?",
            "12 ok. now go on with the retries",
            ("It doubles from 5 s and gives up after 12 minutes",),
        ),
    ],
)
def test_decided_is_what_the_person_agreed_to(tmp_path, answer, reply, decided):
    facts = facts_after(tmp_path, answer, reply)
    assert decided == tuple(decision.text for decision in facts.decisions)


def test_a_question_of_the_assistant_is_no_outcome(tmp_path):
    script = Script()
    script.user("load only the changed rows")
    script.edit("load.py")
    script.say("The upsert follows. Chunk size for the loader: 100,000 rows?")
    script.user("20000. the machine has 8 gb only")
    script.bash("pytest -q", "1 failed", 1)
    script.edit("load.py")
    script.bash("pytest -q", "2 passed", 0)
    script.say("All green. Deploy the loader by scp as last time?")
    digest = write_digest(facts_of(read_conversation(script.write(tmp_path))))
    assert digest is not None
    assert "?" not in "".join(digest.texts("done") + digest.texts("found") + digest.texts("error"))


def test_a_rule_after_a_partial_yes_quotes_what_was_refused(tmp_path):
    reply = "Yes to all but the fallback. We never keep a fallback in this repository."
    (candidate,) = facts_after(tmp_path, TWO_STEPS, reply).candidates
    assert candidate.instead_of == "I'd keep the old loader as a fallback"
    assert "Yes to all" not in candidate.text


def told_open(tmp_path, script: Script) -> tuple[str, ...]:
    digest = write_digest(facts_of(read_conversation(script.write(tmp_path))))
    assert digest is not None
    return digest.texts("open")


def test_what_was_wrong_and_was_repaired_is_not_open(tmp_path):
    script = Script()
    script.user("the import fails, why?")
    script.say("The column `code` is missing from the extract. I'd rename it in transform.")
    script.user("yes")
    script.edit("transform.py")
    script.bash("pytest -q", "3 passed", 0)
    script.say("All green.")
    assert told_open(tmp_path, script) == ()


def test_an_agreement_for_another_time_names_what_was_put_off(tmp_path):
    script = Script()
    script.user("the incident is over, find out what caused it")
    script.say("Two runs overlapped. A post-mortem would be useful; should I draft it?")
    script.user("Yes, but not now: it is due on 2025-03-21, and Ann wants to read it before.")
    script.say("All right.")
    (left,) = told_open(tmp_path, script)
    assert left.startswith("A post-mortem would be useful")
    assert 'user: "not now: it is due on 2025-03-21' in left


@pytest.mark.parametrize(
    ("reply", "is_open"),
    [
        ("the reconnect test is flaky, ignore it", False),
        ("and what about the retries?", True),
    ],
)
def test_a_failure_that_the_person_dismissed_is_not_open(tmp_path, reply, is_open):
    script = Script()
    script.user("add retries to the sender")
    script.edit("sender.py")
    script.bash("pytest -q tests/unit", "8 passed")
    script.bash("pytest -q", "FAILED test_reconnect\n1 failed, 15 passed", 1)
    script.say("One test fails.")
    script.user(reply)
    script.say("Done.")
    assert is_open == bool(told_open(tmp_path, script))
    path = script.write(tmp_path)
    assert "green" not in write_digest(facts_of(read_conversation(path))).summary


def test_an_order_that_was_carried_out_last_is_not_open(tmp_path):
    script = Script()
    script.user("page the person on call when a load fails")
    script.edit("alerts.py")
    script.say("All loads page now. The sed changed another file; shall I take that out?")
    script.user("yes, take it out, please; the other one is not ours")
    script.bash("git checkout other.py", "", 0)
    assert told_open(tmp_path, script) == ()
