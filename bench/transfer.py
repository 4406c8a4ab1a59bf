"""Measure taking a whole store out and back: export, import, backup, restore, Markdown, doctor.

Run from the root of the repository: ``python -m bench.transfer --count 100000``. Each step is a
process of its own; its seconds and peak memory are told, and whether what came back is equal.
Importing is measured without a model: embedding again costs what the model costs.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOOR = os.path.join(ROOT, "bin", "aforesaid")
_MEGABYTE = 1 << 20 if sys.platform == "darwin" else 1 << 10  # ru_maxrss: bytes there, kB here


def bring_in(path: str) -> None:
    """Import an export or Markdown into the store that is configured, without a model."""
    sys.path.insert(0, os.path.join(ROOT, "server"))
    from bench.stores import ReadySlot  # noqa: PLC0415 - only this step needs the package

    from aforesaid.entrypoints.api.bulk_import import import_stream  # noqa: PLC0415
    from aforesaid.operations.merge_stores import merge_markdown  # noqa: PLC0415
    from aforesaid.services.projects.registry import context_for_project  # noqa: PLC0415
    from aforesaid.wiring.container import ServiceContainer  # noqa: PLC0415

    core = ServiceContainer(os.environ, embedder=ReadySlot(None))  # type: ignore[arg-type]
    if os.path.isdir(path):
        merge_markdown(core, path)
    else:
        with open(path, "rb") as stream:
            import_stream(core, stream, context_for_project(core.projects.default()))
    core.close()


def run(name: str, command: list[str], environment: dict[str, str]) -> dict[str, float]:
    """Return the seconds, of clock and processor, and peak memory of a command."""
    began = time.perf_counter()
    started = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert started.stderr is not None
    said = started.stderr.read().decode()
    _pid, status, used = os.wait4(started.pid, 0)
    if status:
        raise SystemExit(f"{name} failed: {said}")
    seconds = time.perf_counter() - began
    return {
        "seconds": round(seconds, 1),
        "of processor": round(used.ru_utime + used.ru_stime, 1),
        "peak MB": round(used.ru_maxrss / _MEGABYTE),
    }


def fill_store(path: str, count: int) -> None:
    """Fill a store, in a process of its own."""
    code = (
        "import sys; sys.path.insert(0, 'server')\n"
        "from bench.scale.filling import fill\n"
        "from aforesaid.adapters.embedding.onnx import open_shipped\n"
        f"fill({path!r}, {count}, open_shipped())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def measure(folder: str, count: int, markdown: int) -> dict[str, dict[str, float]]:
    """Return the figures of each step, and of each equality."""
    stores = {name: os.path.join(folder, name, "m.db") for name in ("one", "two", "small", "md")}
    base = {**os.environ, "HOME": folder, "PYTHONPATH": f"{ROOT}:{ROOT}/server"}
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        base[name] = os.path.join(folder, name)

    def on(name: str) -> dict[str, str]:
        return {**base, "AFORESAID_DB": stores[name]}

    def door(*words: str) -> list[str]:
        return [DOOR, *words]

    def bring(path: str) -> list[str]:
        return [sys.executable, "-m", "bench.transfer", "--bring-in", path]

    out = {name: os.path.join(folder, f"{name}.jsonl") for name in ("a", "b", "c")}
    backup = os.path.join(folder, "backup.db")
    fill_store(stores["one"], count)
    found = {
        "export": run("export", door("export", out["a"]), on("one")),
        "import": run("import", bring(out["a"]), on("two")),
        "export again": run("export", door("export", out["b"]), on("two")),
        "backup, verified": run("backup", door("backup", backup), on("one")),
        "restore, verified": run("restore", door("restore", backup, "--yes"), on("two")),
        "export of what was restored": run("export", door("export", out["c"]), on("two")),
        "doctor": run("doctor", door("doctor"), on("one")),
        "doctor --deep": run("doctor", door("doctor", "--deep"), on("one")),
        "Markdown out": run(
            "markdown", door("export", f"{folder}/all", "--format", "markdown"), on("one")
        ),
    }
    fill_store(stores["small"], markdown)
    small = f"{folder}/small-out"
    run("markdown", door("export", small, "--format", "markdown"), on("small"))
    found[f"Markdown in, {markdown}"] = run("markdown", bring(small), on("md"))
    found[f"Markdown in again, {markdown}"] = run("markdown", bring(small), on("md"))
    found["equal bytes"] = {
        "after import": float(filecmp.cmp(out["a"], out["b"], shallow=False)),
        "after restore": float(filecmp.cmp(out["a"], out["c"], shallow=False)),
    }
    found["files, MB"] = {
        "store": round(os.path.getsize(stores["one"]) / 1e6, 1),
        "export": round(os.path.getsize(out["a"]) / 1e6, 1),
        "backup": round(os.path.getsize(backup) / 1e6, 1),
    }
    return found


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="memories")
    parser.add_argument("--markdown", type=int, default=2_000, help="memories of Markdown in")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--bring-in", metavar="PATH", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bring_in:
        bring_in(options.bring_in)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = measure(folder, options.count, options.markdown)
    if options.json:
        print(json.dumps(found))
        return 0
    for name, figures in found.items():
        told = ", ".join(f"{what} {value:g}" for what, value in figures.items())
        print(f"{name:32} {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
