"""Measure how a transcript of any size is read and digested: seconds and peak memory.

Run from the root of the repository: ``python -m bench.transcripts.large [--megabytes 200]``. The
sessions of sessions/ are written one after the other as one long conversation, until it is large
enough; reading, hearing and writing run in a process of their own.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "server"))

from bench.transcripts.client_lines import Writer, tell, written  # noqa: E402
from bench.transcripts.scripts import read_scripts  # noqa: E402

from aforesaid.adapters.transcripts import read_conversation  # noqa: E402
from aforesaid.domain.digest import candidates_of, facts_of, write_digest  # noqa: E402


def write(path: str, megabytes: float) -> None:
    """Write one conversation of this size."""
    scripts = read_scripts()
    writer = Writer("large", "large", "2.1.330")
    with open(path, "wb") as file:
        place = 0
        while file.tell() < megabytes * 1e6:
            tell(writer, scripts[place % len(scripts)])
            place += 1
            file.write(written(writer.lines))
            writer.lines.clear()


def measure(path: str) -> None:
    """Read and digest a transcript, and print what it took."""
    base = _peak()
    start = time.perf_counter()
    conversation = read_conversation(path)
    read = time.perf_counter() - start
    after_reading = _peak()
    start = time.perf_counter()
    facts = facts_of(conversation)
    digest = write_digest(facts)
    heard = time.perf_counter() - start
    size = os.path.getsize(path) / 1e6
    print(f"{size:.0f} MB, {len(conversation.turns)} turns held, {conversation.trimmed} left out")
    print(f"read    {read:.1f} s, {size / read:.0f} MB/s, peak {after_reading:.0f} MB")
    print(f"digest  {heard:.1f} s, peak {_peak():.0f} MB (before: {base:.0f} MB)")
    tokens = -(-len(digest.text) // 4) if digest else 0
    print(f"{tokens} tokens, {len(candidates_of(facts))} candidates")


def _peak() -> float:
    """Return the most memory that this process ever held, in MB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(given.measure)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.jsonl")
        write(path, given.megabytes)
        command = [sys.executable, "-m", "bench.transcripts.large", "--measure", path]
        return subprocess.run(command, check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
