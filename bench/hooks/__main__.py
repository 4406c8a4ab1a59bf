"""Measure what a hook costs a session: whole processes, as ratios to a bare start of their Python.

Run from the root of the repository: ``python -m bench.hooks``. The environment is the one that
``AFORESAID_ENV`` names, else the one that runs this.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.hooks.life import SESSION, Life  # noqa: E402
from bench.hooks.prompting import Server  # noqa: E402
from bench.timing import (  # noqa: E402
    LAUNCHER,
    Case,
    describe_machine,
    environment_folder,
    time_in_turn,
)

SIZES = (0, 1_000, 10_000)
SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"


def measure(sizes: list[int], runs: int) -> dict[str, object]:
    """Return milliseconds, and ratios to the bare start, of each hook at each size."""
    environment = environment_folder()
    python = os.path.join(environment, "bin", "python")
    bare = [python, "-I", "-c", "pass"]
    figures: dict[str, object] = {}
    bare_ms: list[float] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        lives = []
        for size in sizes:
            home = os.path.join(folder, str(size))
            os.makedirs(home)
            lives.append(Life(home, size))
        # one after the other: what a session's end leaves running would disturb a start
        for event, name in (("session-start", "SessionStart"), ("session-end", "SessionEnd")):
            cases = [Case("bare start", bare, {"PATH": os.defpath})]
            for life in lives:
                start = event == "session-start"
                cases.append(
                    Case(
                        f"{event}, {life.memories:,} memories",
                        [LAUNCHER, "hook", event],
                        life.variables(environment),
                        life.event(name),
                        life.forget_session if start else life.wait_for_sweep,
                    )
                )
            time_in_turn(cases, runs)
            figures |= {case.name: _figures(case, cases[0]) for case in cases[1:]}
            bare_ms.append(round(cases[0].median_ms, 2))
        for life in lives:
            life.wait_for_sweep()
        for life in lives:
            figures |= _measure_prompts(life, environment, bare, runs)
    return {"machine": describe_machine(), "runs": runs, "bare_start_ms": bare_ms, "cases": figures}


def _measure_prompts(
    life: Life, environment: str, bare: list[str], runs: int
) -> dict[str, dict[str, float]]:
    """Return what prompts, edits of a file that nothing cites, and subagents cost."""
    figures = {}
    kinds = {
        "prompt by its server": ("user-prompt-submit", "UserPromptSubmit"),
        "prompt by words": ("user-prompt-submit", "UserPromptSubmit"),
        "action by its server": ("action", "PreToolUse"),
        "subagent start": ("subagent-start", "SubagentStart"),
    }
    for kind, (event, name) in kinds.items():
        case = Case(
            f"{kind}, {life.memories:,} memories",
            [LAUNCHER, "hook", event],
            life.variables(environment),
            life.event(name),
            life.forget_session,
        )
        cases = [Case("bare start", bare, {"PATH": os.defpath}), case]
        server = None
        if kind.endswith("by its server"):
            server = Server(life.variables(environment), life.repository)
        time_in_turn(cases, runs)
        if server is not None:
            server.close()
        figures[case.name] = _figures(case, cases[0])
    if not life.memories:
        figures |= _measure_silence(life, environment, bare, runs)
    return figures


def _measure_silence(
    life: Life, environment: str, bare: list[str], runs: int
) -> dict[str, dict[str, float]]:
    """Return what hooks cost if nothing can be recalled, with the marker and without it."""
    variables = life.variables(environment)
    subprocess.run(
        [LAUNCHER, "hook", "session-start"],
        input=life.event("SessionStart"),
        env=variables,
        capture_output=True,
        check=True,
    )
    command, given = [LAUNCHER, "hook", "user-prompt-submit"], life.event("UserPromptSubmit")
    cases = [
        Case("bare start", bare, {"PATH": os.defpath}),
        Case("prompt, silent session", command, {**variables, SESSION_VARIABLE: SESSION}, given),
        Case("the same without its marker", command, variables, given),
        Case(
            "action, silent session",
            [LAUNCHER, "hook", "action"],
            {**variables, SESSION_VARIABLE: SESSION},
            life.event("PreToolUse"),
        ),
    ]
    time_in_turn(cases, runs)
    return {case.name: _figures(case, cases[0]) for case in cases[1:]}


def _figures(case: Case, bare: Case) -> dict[str, float]:
    return {
        "ms": round(case.median_ms, 2),
        "cpu_ms": round(case.median_cpu_ms, 2),
        "ratio": round(case.median_ms / bare.median_ms, 2),
        "cpu_ratio": round(case.median_cpu_ms / bare.median_cpu_ms, 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hooks", description=__doc__)
    parser.add_argument("--runs", type=int, default=41, help="processes of each kind")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="memories in the store")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = measure(list(options.sizes), options.runs)
    if options.json:
        print(json.dumps(figures))
        return 0
    print(f"{figures['machine']}; medians of {figures['runs']} processes, in turn")
    starts = " and ".join(f"{ms:.1f} ms" for ms in figures["bare_start_ms"])
    print(f"a bare start took {starts} beside the two kinds of hook")
    print(f"{'':32}{'ms':>9}{'ratio':>8}{'cpu ms':>9}{'ratio':>8}")
    for name, case in figures["cases"].items():
        wall, cpu = f"{case['ms']:9.1f}{case['ratio']:8.2f}", f"{case['cpu_ms']:9.1f}"
        print(f"{name:32}{wall}{cpu}{case['cpu_ratio']:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
