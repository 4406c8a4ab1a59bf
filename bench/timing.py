"""Whole processes and calls, timed in turn, told as medians and ratios.

Machines drift while they are measured: what is compared runs alternately, and only ratios of
medians of one run are worth comparing between machines.
"""

from __future__ import annotations

import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAUNCHER = os.path.join(ROOT, "bin", "aforesaid")


@dataclass
class Case:
    """One command that is timed as a whole process."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    given: bytes = b""  #: on its standard input
    before: Callable[[], None] = lambda: None  #: runs untimed, before each process
    taken_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)

    @property
    def median_ms(self) -> float:
        """Return the median of what its processes took."""
        return statistics.median(self.taken_ms)

    @property
    def median_cpu_ms(self) -> float:
        """Return the median of their processor time, user and system."""
        return statistics.median(self.cpu_ms)


def time_in_turn(cases: Sequence[Case], runs: int, *, warm_up: int = 2) -> None:
    """Run each case once, then each again, and so on; keep what each process took.

    Raises:
        RuntimeError: a process failed.
    """
    for turn in range(-warm_up, runs):
        for case in cases:
            case.before()
            before = _cpu_seconds()
            began = time.perf_counter()
            done = subprocess.run(
                case.command,
                input=case.given,
                env=case.environment,
                capture_output=True,
                check=False,
            )
            taken = (time.perf_counter() - began) * 1e3
            cpu = _cpu_seconds() - before
            if done.returncode != 0:
                raise RuntimeError(f"{case.name} ended with {done.returncode}: {done.stderr!r}")
            if turn >= 0:
                case.taken_ms.append(taken)
                case.cpu_ms.append(cpu * 1e3)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of the values does not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def environment_folder() -> str:
    """Return the environment that is measured: ``AFORESAID_ENV``, else the one that runs this."""
    return os.path.abspath(os.environ.get("AFORESAID_ENV") or sys.prefix)


def describe_machine() -> str:
    """Return Python, cores and load, to stand beside figures."""
    version = ".".join(map(str, sys.version_info[:3]))
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "?"
    return f"{sys.platform}, CPython {version}, {os.cpu_count()} cores, load {load}"
