"""What of a conversation is kept as settled, in the assistant's restatement of it."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.agreements import Agreement, find_agreements
from aforesaid.domain.digest.reply_resolution import Exchange
from aforesaid.domain.model.transcript import EDIT, OK, AssistantTurn, Prompt, ToolUse

ASK = "The webhook sender hammers slow receivers. How do we space the deliveries?"
ANSWER = "Three tries, then park the delivery for an hour."


def agreed(*turns: str) -> list[Agreement]:
    """Return the agreements of prompts (``> ...``), answers, and edits (``edit``)."""
    exchanges: list[Exchange] = []
    for number, turn in enumerate(turns):
        if turn.startswith("> "):
            exchanges.append(Exchange(Prompt(text=turn[2:], at_ms=number)))
        elif turn == "edit":
            use = ToolUse(kind=EDIT, name="Edit", at_ms=number, path="a.py", status=OK)
            exchanges[-1].turns.append(use)
        else:
            exchanges[-1].turns.append(AssistantTurn(text=turn, at_ms=number))
    return find_agreements(exchanges)


def texts(*turns: str) -> list[str]:
    return [agreement.text for agreement in agreed(*turns)]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (
            "Settled: a delivery gets three tries, then it is parked for an hour.",
            "A delivery gets three tries, then it is parked for an hour",
        ),
        (
            "Final rule: three tries, after that it is parked for an hour. I'll write it now.",
            "Three tries, after that it is parked for an hour",
        ),
        (
            "Got it — park_delivery() runs after three tries. It parks the delivery for an hour.",
            "park_delivery() runs after three tries. It parks the delivery for an hour",
        ),
        (
            "That works for me.\n\nSo, the definitive rule is three tries, then an hour parked.",
            "the definitive rule is three tries, then an hour parked",
        ),
    ],
)
def test_what_is_settled_is_kept_without_its_opening(answer, text):
    assert [text.casefold()] == [
        kept.casefold() for kept in texts(f"> {ASK}", "?", f"> {ANSWER}", answer)
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "Got it — three tries, then parked for an hour. Should a parked delivery be logged?",
        "Understood, I'll park the delivery after three tries.",
        "Understood. Let me look at the sender first.",
        "Settled: done.",
        "Noted — the weather in Lisbon is lovely today, and the trams are running late again.",
        "We park a delivery for an hour after three tries.",
    ],
)
def test_an_answer_that_asks_on_or_restates_nothing_settles_nothing(answer):
    assert [] == texts(f"> {ASK}", "?", f"> {ANSWER}", answer)


def test_after_work_only_a_rule_and_what_says_that_it_is_settled_count():
    report = "Got it — the sender parks a delivery for an hour after three tries now."
    assert [] == texts(f"> {ANSWER}", "edit", report)
    assert texts(f"> {ANSWER}", "edit", report.replace("Got it —", "Settled:"))
    rule = "Got it — the sender always parks a delivery for an hour after three tries."
    assert texts(f"> {ANSWER}", "edit", rule)


def test_the_last_restatement_of_a_conversation_replaces_the_earlier_ones():
    first = "Got it — a delivery gets three tries, then it is parked for an hour."
    last = "Settled: a delivery gets three tries, then it is parked for a day, not an hour."
    (kept,) = agreed(f"> {ANSWER}", first, "> A day is better than an hour.", last)
    assert "for a day" in kept.text
    assert not kept.amends


def test_an_amendment_says_so():
    (kept,) = agreed(
        "> Amendment to the delivery rule: five tries.", "Settled: a delivery gets five tries now."
    )
    assert kept.amends


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (
            "Drei Versuche, danach parken wir die Lieferung für eine Stunde.",
            "Vereinbart: drei Versuche je Lieferung, danach wird sie eine Stunde geparkt.",
        ),
        (
            "Tres intentos, y después se aparca la entrega una hora.",
            "Acordado: tres intentos por entrega, después se aparca una hora.",
        ),
        (
            "Trois essais, puis on met la livraison en attente une heure.",
            "En résumé : trois essais par livraison, puis une heure en attente.",
        ),
        ("最多重试三次, 然后暂停投递一小时", "最终规则: 每次投递最多重试三次, 然后暂停一小时"),
        (
            "再試行は三回まで、その後は一時間保留する",
            "最終ルール: 再試行は三回まで、その後は配信を一時間保留する",
        ),
    ],
)
def test_other_languages_settle_too(ask, answer):
    (kept,) = texts(f"> {ask}", answer)
    assert answer.partition(":")[2].strip(" .")[1:12] in kept
