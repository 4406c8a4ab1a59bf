"""Work that goes on in a thread of its own while the caller does something else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Answer = TypeVar("Answer")


def begin(work: Callable[[], Answer]) -> Callable[[], Answer]:
    """Start work, return what waits for it: that gives its answer, or raises what it raised.

    The work must not use a store: a connection belongs to one thread.
    """
    from threading import Thread  # not on the way of a hook

    answers: list[Answer] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as error:  # noqa: BLE001 - raised where the answer is waited for
            failures.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()

    def wait() -> Answer:
        thread.join()
        if failures:
            raise failures[0]
        return answers[0]

    return wait
