"""Try to get hostile memories out of their fence, and into a session unasked.

Run from the root of the repository: ``python -m bench.poison``. Fuzzed texts go through what writes
a session's context and what is shown with a prompt; payloads go through the real write path as what
a tool or an import says, and are then called for by every door that shows something unasked. How
far a model obeys what it is shown takes a model: obedience.py.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.poison import hostile_texts, payloads  # noqa: E402
from bench.stores import make_place, open_core, private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.context.prompt_context import PromptMatch, render_matches  # noqa: E402
from aforesaid.domain.context.session_context import digest_line, memory_line, render_context  # noqa: E402
from aforesaid.domain.model.memory import Memory  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.domain.text.sanitize import clean_text  # noqa: E402
from aforesaid.services.sessions.prompt_recall import PromptRecall  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.ports import Embedder
    from aforesaid.wiring.container import ServiceContainer

SECRET = "5f" * 32
NOW = 1_790_000_000_000
_AT_ONCE = 10  #: hostile memories in one context
_FENCE = re.compile(r"<(aforesaid-[0-9a-f]{8}) ")


def count_escapes(texts: int) -> dict[str, int]:
    """Return how many contexts and prompts were written, and how many a text got out of."""
    made = hostile_texts(texts)
    sent: str | None = None
    contexts = prompts = escapes = 0
    batch: list[Memory] = []
    for number in range(texts):
        batch.append(_memory(number, made.send(sent) if number else next(made)))
        sent = None
        if len(batch) < _AT_ONCE and number + 1 < texts:
            continue
        user = [memory_line(one, "k3f9", NOW) for one in batch]
        last = [digest_line(one, "k3f9", NOW) for one in batch]
        header = batch[0].content[:200]  # a project's name and branch may be hostile, too
        shown = render_context(header, {"user": user, "sessions": last}, SECRET, question=header)
        contexts += 1
        escapes += is_open(shown.text)
        sent = _fence_of(shown.text)
        for one in batch:
            found = render_matches(
                [PromptMatch(memory=one, reason=one.content[:60])], {one.key: "k3f9"}, NOW, SECRET
            )
            prompts += 1
            escapes += is_open(found.text)
        batch = []
    return {"texts": texts, "contexts": contexts, "prompts": prompts, "escapes": escapes}


def is_open(text: str) -> bool:
    """Tell whether anything in a shown text could pass for the end of its fence, or a new one."""
    first, *inner, last = text.split("\n")
    fence = _fence_of(first)
    return (
        last != f"</{fence}>"
        or text.count(fence) != len((first, last))
        or any("<aforesaid-" in line or "</aforesaid-" in line for line in inner)
        or any(line.splitlines() not in ([], [line]) for line in inner)
    )


def _fence_of(text: str) -> str:
    match = _FENCE.match(text)
    assert match is not None, text[:80]
    return match[1]


def _memory(number: int, content: str) -> Memory:
    return Memory(
        key=number + 1,
        id=f"{number:032x}",
        content=clean_text(content),
        created_at=NOW,
        updated_at=NOW,
        last_reinforced_at=NOW,
    )


def count_shown(folder: str, embedder: Embedder) -> dict[str, Any]:
    """Return how many payloads any door showed unasked, before and after they were confirmed."""
    core = open_core(os.path.join(folder, "memory.db"), embedder)
    place = make_place(core, "poisoned")
    texts = payloads()
    keys: dict[str, int] = {}
    stored = 0
    for number, text in enumerate(texts):
        for provenance in ("tool", "import"):
            done = core.writer.store(
                Statement(
                    content=f"{text} ({provenance} {number})",
                    provenance=provenance,
                    type="procedural" if number % 3 == 0 else "semantic",
                    scope="global" if number % 2 else "project",
                    importance=1.0,
                    pinned=True,
                    metadata={"trigger": f"release number{number}"} if number % 3 == 0 else {},
                ),
                place,
            )
            stored += 1
            assert done is not None
            keys[text] = done.memory.key
    before = sum(bool(_doors(core, place, text, number)) for number, text in enumerate(texts))
    with core.store.transaction():
        for key in keys.values():
            core.store.memories.change(key, provenance="user")
    after = sum(
        keys[text] in _doors(core, place, text, number) for number, text in enumerate(texts)
    )
    core.close()
    return {
        "payloads": len(texts),
        "stored": stored,
        "shown unasked": before,
        "shown once confirmed": after,
    }


def _doors(core: ServiceContainer, place: CallContext, text: str, number: int) -> tuple[int, ...]:
    """Return the keys of what the doors show for a prompt that has a payload's every word."""
    asked = f"{text} release number{number}"
    keys = [
        *core.context_builder.build_full(place).keys,
        *core.context_builder.build_for_subagent(place).keys,
    ]
    keys += core.context_builder.build_update(place, 0).keys
    for embedder in (core.embedder.get, None):
        keys += PromptRecall(core.store, core.clock, embedder).render(asked, place, ()).keys
    return tuple(keys)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.poison", description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000, help="fuzzed memories")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with private_places() as folder:
        figures = {
            "fence": count_escapes(options.texts),
            "trust": count_shown(folder, open_cached()),
        }
    if options.json:
        print(json.dumps(figures))
        return 0
    for name, each in figures.items():
        print(f"{name}: " + ", ".join(f"{what} {count}" for what, count in each.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
