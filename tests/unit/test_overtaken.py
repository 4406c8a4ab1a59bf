"""What later sentences overtake, and what of a memory is still shown then."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.memory_candidates import FACT, RULE
from aforesaid.domain.digest.overtaken import (
    ASSISTANT,
    COMMIT,
    OPEN_END,
    USER,
    Claim,
    Later,
    later_sentences,
    overtaken_features,
    overtaken_margin,
    repairs,
)
from aforesaid.domain.model.overtaken_parts import (
    EVERYWHERE,
    OVERTAKEN,
    standing_parts,
    with_overtaken,
    without_overtaken,
)
from aforesaid.domain.model.transcript import AssistantTurn, Conversation, Prompt
from factories import make_memory

HERE, THERE = "git:example.org/shop", "git:example.org/blog"


def make_conversation(*turns: Prompt | AssistantTurn) -> Conversation:
    return Conversation(
        session_id="s-1", cwd="", branch="", version="", title="", subagent="", started_ms=0,
        ended_ms=9, turns=turns, recalled=(), skipped={}, bytes_read=1,
    )  # fmt: skip


def near(text: str, other: str) -> float:
    return 0.7


def far(text: str, other: str) -> float:
    return 0.1


def margin(claim: Claim, text: str, by: str = USER, before: str = "", cosine=near) -> float | None:
    return overtaken_margin(claim, Later(text=text, by=by, at_ms=1, before=before), cosine)


def test_a_change_of_the_same_thing_overtakes_a_statement_and_another_subject_does_not():
    claim = Claim(text="parcels ship free from 80 euro", category=FACT)
    assert margin(claim, "free shipping of parcels starts at 99 euro now instead of 80") > 0
    assert margin(claim, "the parcels have a new label", cosine=far) < 0
    assert margin(claim, "the printer jams again") is None


def test_a_repetition_overtakes_nothing():
    claim = Claim(text="parcels ship free from 80 euro", category=FACT)
    assert margin(claim, "parcels ship free from 80 euro, as I said") is None


def test_what_the_user_asked_for_is_overtaken_by_the_user_and_by_commits_only():
    rule = Claim(text="the export always writes semicolons", category=RULE)
    text = "The export writes commas now instead of semicolons."
    assert margin(rule, text, ASSISTANT) is None
    assert margin(rule, text, USER) > 0
    assert margin(rule, text, COMMIT) > 0
    assert margin(rule.replace(category=FACT), text, ASSISTANT) is not None


def test_a_proposal_of_the_assistant_overtakes_nothing():
    claim = Claim(text="the export writes semicolons", category=FACT)
    assert margin(claim, "I'd write commas instead of semicolons in the export.", ASSISTANT) is None
    assert margin(claim, "I would now change the export to commas.", ASSISTANT) is None


def test_places_in_files_are_no_common_subject():
    claim = Claim(text="a deprecation at class-rates.php:19", kind=OPEN_END)
    assert margin(claim, "Done, see class-rates.php:57.", ASSISTANT) is None


def test_without_a_model_nothing_is_overtaken():
    claim = Claim(text="parcels ship free from 80 euro")
    assert margin(claim, "parcels ship free from 99 now", cosine=lambda *_: None) is None


def test_the_parts_of_identifiers_are_common_words():
    claim = Claim(text="Backfills run on LAB_TRANSFORM_M")
    later = Later(text="LAB_BACKFILL_WH is for that", by=USER, at_ms=1)
    assert overtaken_features(claim, later, near)["shared"] == 2


def test_later_sentences_are_statements_of_the_user_reports_and_commits():
    turns = (
        Prompt(text="Is the lamp fixed? The lamp is red. It was green.", at_ms=1),
        AssistantTurn(text="Let me look at the lamp.", at_ms=2),
        AssistantTurn(text="The lamp is green again.", at_ms=3),
    )
    found = later_sentences(make_conversation(*turns), ["fix: lamp"])
    assert [(USER, "The lamp is red."), (USER, "It was green.")] == [
        (one.by, one.text) for one in found[:2]
    ]
    assert [(ASSISTANT, "The lamp is green again."), (COMMIT, "fix: lamp")] == [
        (one.by, one.text) for one in found[2:]
    ]
    assert found[1].before == "The lamp is red."


def test_a_defect_is_repaired_by_a_report_on_it():
    defect = Claim(text="the umlauts come out as garbage in the shop", category=FACT)

    def report(text: str, by: str = ASSISTANT) -> Later:
        return Later(text=text, by=by, at_ms=1)

    fixed = "The import now converts the umlauts."
    assert repairs(defect, report(fixed))
    assert not repairs(defect, report(fixed, USER))
    assert not repairs(defect.replace(category=RULE), report(fixed))
    assert not repairs(defect, report("The umlauts stay open, the import now reads semicolons."))
    assert not repairs(defect, report("The cart now shows the discount."))
    assert not repairs(Claim(text="the shop has umlauts", category=FACT), report(fixed))


@pytest.fixture
def memory():
    return make_memory(content="Parcels ship free from 80; pallets cost 49")


def test_only_what_still_holds_is_shown(memory):
    first, second = standing_parts(memory, HERE)
    marked = memory.replace(metadata=with_overtaken(memory, HERE, [first]))
    assert without_overtaken(marked, HERE).content == second
    assert without_overtaken(marked, THERE).content == memory.content
    both = marked.replace(metadata=with_overtaken(marked, EVERYWHERE, [second]))
    assert without_overtaken(both, HERE) is None
    assert without_overtaken(both, THERE).content == first
    assert without_overtaken(both.replace(pinned=True), HERE) == both.replace(pinned=True)


def test_a_changed_text_and_foreign_metadata_hide_nothing(memory):
    marked = memory.replace(metadata=with_overtaken(memory, HERE, standing_parts(memory, HERE)))
    changed = marked.replace(content="Parcels ship free from 99")
    assert without_overtaken(changed, HERE).content == changed.content
    odd = memory.replace(metadata={OVERTAKEN: "yes"})
    assert without_overtaken(odd, HERE).content == memory.content
