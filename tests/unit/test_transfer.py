"""Imports: every line stored, recognised, left out or named; none stops another."""

from __future__ import annotations

import pytest

from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.memory import CallContext, Filters, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.services.transfer.import_jsonl import BATCH, ImportLine, JsonlImporter
from factories import Services, make_context


@pytest.fixture
def services(store) -> Services:
    return Services(store, words_only=True)


@pytest.fixture
def transfer(services) -> JsonlImporter:
    return JsonlImporter(
        services.remember, lambda name: make_context(services.projects.named(name))
    )


@pytest.fixture
def here(services) -> CallContext:
    return make_context(services.project("git:example.org/here"))


def line(
    number: int, content: str | None = None, project: str | None = None, **fields
) -> ImportLine:
    text = f"statement number {number} about topic{number}" if content is None else content
    return ImportLine(
        number=number,
        project=project,
        statement=Statement(content=text, provenance="import", **fields),
    )


def test_lines_are_stored_in_batches_and_progress_is_told(services, transfer, here) -> None:
    report: list[int] = []
    done = transfer.import_lines((line(n) for n in range(1, BATCH * 2 + 31)), here, report.append)

    assert (BATCH * 2 + 30, 0, ()) == (done.stored, done.recognised, done.refused)
    assert [BATCH, BATCH * 2, BATCH * 2 + 30] == report
    assert BATCH * 2 + 30 == services.store.memories.count(here.visible, Filters())


def test_a_line_that_is_refused_is_named_and_stops_no_other(services, transfer, here) -> None:
    lines = [line(n) for n in range(1, 60)]
    lines[7] = line(8, "")
    lines[40] = line(41, type="fact")
    lines[41] = line(42, supersedes=("zzzz",))
    done = transfer.import_lines(lines, here, lambda _number: None)

    assert 56 == done.stored == services.store.memories.count(here.visible, Filters())
    assert [8, 41, 42] == [number for number, _why in done.refused]
    assert all(why for _number, why in done.refused)


def test_what_is_known_is_recognised_and_what_was_erased_stays_away(
    services, transfer, here
) -> None:
    transfer.import_lines([line(1), line(2)], here, lambda _number: None)
    gone = services.store.memories.select(here.visible, Filters(), 1)[0]
    services.forgetter.forget(gone.id, here, erase=True)
    done = transfer.import_lines([line(1), line(2), line(3)], here, lambda _number: None)

    assert (1, 1, 1) == (done.stored, done.recognised, done.erased_before)


def test_lines_go_to_the_project_that_they_name_made_if_new(services, transfer, here) -> None:
    lines = [line(1), line(2, project="acme/bank"), line(3, project="ACME/bank"), line(4)]
    done = transfer.import_lines(lines, here, lambda _number: None)
    bank = services.projects.get("acme/bank")

    assert 4 == done.stored
    assert 2 == services.store.memories.count(Visibility(projects=(bank.key,)), Filters())
    assert 2 == services.store.memories.count(Visibility(projects=(here.project.key,)), Filters())


def test_a_project_name_that_cannot_be_refuses_its_lines_alone(services, transfer, here) -> None:
    lines = [line(1), line(2, project="x" * 500), line(3, project=" "), line(4)]
    done = transfer.import_lines(lines, here, lambda _number: None)

    assert (2, [2, 3]) == (done.stored, [number for number, _why in done.refused])


def test_a_store_that_cannot_be_written_ends_the_import_at_once(services, here) -> None:
    calls: list[int] = []

    class Locked:
        def store_many(self, statements, context, *, ingested):
            calls.append(len(statements))
            raise UnavailableError("m.db is locked by another process")

    transfer = JsonlImporter(Locked(), lambda name: here)
    with pytest.raises(UnavailableError):
        transfer.import_lines([line(n) for n in range(50)], here, lambda _number: None)
    assert [50] == calls


def test_nothing_to_import_is_nothing_done(transfer, here) -> None:
    done = transfer.import_lines([], here, lambda _number: None)

    assert (0, ()) == (done.stored, done.refused)
    with pytest.raises(InvalidInputError):
        transfer._context_of("")
