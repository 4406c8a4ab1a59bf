"""What the viewer's pages take: ``python -m bench.viewer``.

A viewer's process over a store of each size (filled as by bench.scale, nine tenths in the project
that is shown): how long each page and each search takes over HTTP, how large it is, when the
system's Chromium, where there is one, paints its first content, and the memory of the process.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, "server")]

from bench.scale.filling import PROJECT, fill, make_named_questions  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.timing import describe_machine, environment_folder, percentile  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZES = (1_000, 10_000)
WARM_UP = 2  #: calls of each kind that are not counted
_SERVE = (
    "import sys; from aforesaid.entrypoints.viewer.server import main; "
    "sys.exit(main(port=0, browser=False, folder='.'))"
)
_ASSETS = ("/static/app.css", "/static/app.js", "/static/vendor/htmx/htmx.min.js")
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class Viewer:
    """A viewer's process over a store, and a connection that it let in."""

    def __init__(self, folder: str, store: str) -> None:
        places = {name: os.environ[name] for name in os.environ if name.startswith("XDG_")}
        self._process = subprocess.Popen(
            [os.path.join(environment_folder(), "bin", "python"), "-c", _SERVE],
            env={
                "PATH": os.defpath,
                "HOME": folder,
                "PYTHONPATH": os.path.join(ROOT, "server"),
                "AFORESAID_DB": store,
                **places,
            },
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()
        address = re.search(r"127\.0\.0\.1:(\d+)(/\?token=\S+)", self._process.stdout.readline())
        assert address is not None
        self.port = int(address[1])
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        self._connection.request("GET", address[2])
        answer = self._connection.getresponse()
        answer.read()
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        token = re.search(r'name="csrf" value="([^"]+)"', self.get("/").decode())
        assert token is not None
        self._post("/project", {"csrf": token[1], "project": PROJECT})

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> bytes:
        """Return what is at a path.

        Raises:
            RuntimeError: it is an error.
        """
        self._connection.request("GET", path, headers={"Cookie": self.cookie, **(headers or {})})
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(f"{path} answered {answer.status}: {body[:300]!r}")
        return body

    def _post(self, path: str, fields: Mapping[str, str]) -> None:
        headers = {
            "Cookie": self.cookie,
            "Origin": f"http://127.0.0.1:{self.port}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self._connection.request("POST", path, urlencode(fields), headers)
        answer = self._connection.getresponse()
        answer.read()
        if answer.status != http.client.SEE_OTHER:
            raise RuntimeError(f"{path} answered {answer.status}")

    def memory_mb(self) -> float | None:
        """Return the resident memory of the process, None where /proc does not tell it."""
        try:
            with open(f"/proc/{self._process.pid}/status", encoding="utf-8") as file:
                resident = re.search(r"VmRSS:\s+(\d+) kB", file.read())
        except FileNotFoundError:
            return None
        return round(int(resident[1]) / 1e3, 1) if resident else None

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.terminate()
        self._process.wait(60)


def paths_of(viewer: Viewer, calls: int) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Return the paths that are asked for by what is measured, each with its headers."""
    questions = make_named_questions(calls + WARM_UP)
    listed = viewer.get("/search").decode()
    ids = re.findall(r'name="ids" value="([^"]+)"', listed)
    memories = [ids[turn % len(ids)] for turn in range(calls + WARM_UP)]
    typed = {"HX-Request": "true"}
    return {
        "Today": [("/", {})] * (calls + WARM_UP),
        "Search, all": [("/search", {})] * (calls + WARM_UP),
        "Search, a question": [(f"/search?{urlencode({'q': text})}", {}) for text in questions],
        "results while typing": [
            (f"/search?{urlencode({'q': text})}", typed) for text in questions
        ],
        "results by a filter": [("/search?type=procedural", typed)] * (calls + WARM_UP),
        "a memory": [(f"/memory/{memory}", {}) for memory in memories],
        "its editing": [(f"/memory/{memory}/edit", {}) for memory in memories],
    }


def measure(viewer: Viewer, calls: int) -> dict[str, dict[str, float]]:
    """Return milliseconds and bytes of each kind of page."""
    figures = {}
    for name, requests in paths_of(viewer, calls).items():
        taken, sizes = [], []
        for path, headers in requests:
            began = time.perf_counter()
            body = viewer.get(path, headers)
            taken.append((time.perf_counter() - began) * 1e3)
            sizes.append(len(body))
        figures[name] = {
            "p50_ms": round(percentile(taken[WARM_UP:], 0.5), 1),
            "p95_ms": round(percentile(taken[WARM_UP:], 0.95), 1),
            "bytes": max(sizes),
        }
    return figures


def measure_paint(viewer: Viewer, calls: int, browser: str) -> dict[str, float]:
    """Return the milliseconds at which pages show their first content (median)."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where a browser is

    asked = paths_of(viewer, calls)
    painted: dict[str, float] = {}
    name, _separator, value = viewer.cookie.partition("=")
    origin = f"http://127.0.0.1:{viewer.port}"
    with sync_playwright() as playwright:
        # the path of its socket must be short: not in the temporary folder of a test
        environment = {key: text for key, text in os.environ.items() if key != "TMPDIR"}
        chromium = playwright.chromium.launch(executable_path=browser, env=environment)
        context = chromium.new_context(base_url=origin)
        context.add_cookies([{"name": name, "value": value, "url": origin}])
        page = context.new_page()
        for kind in ("Today", "Search, a question", "a memory"):
            taken = []
            for path, _headers in asked[kind]:
                page.goto(path)
                taken.append(_painted_at(page))
            painted[kind] = round(statistics.median(taken[WARM_UP:]), 1)
        chromium.close()
    return painted


def _painted_at(page: Any) -> float:
    for _turn in range(100):
        at = page.evaluate(_PAINTED)
        if at is not None:
            return float(at)
        time.sleep(0.01)
    raise RuntimeError(f"{page.url} painted nothing within a second")


def run(sizes: Sequence[int], calls: int) -> dict[int, dict[str, Any]]:
    """Return the figures of each size."""
    from aforesaid.adapters.embedding.onnx import open_shipped  # noqa: PLC0415 - slow

    embedder = open_shipped()
    browser = shutil.which("chromium")
    report = {}
    with private_places() as folder:
        for size in sizes:
            path = os.path.join(folder, f"{size}.db")
            fill(path, size, embedder)
            viewer = Viewer(folder, path)
            try:
                report[size] = {
                    "pages": measure(viewer, calls),
                    "memory_mb": viewer.memory_mb(),
                    "assets_bytes": sum(len(viewer.get(asset)) for asset in _ASSETS),
                    "first_content_ms": measure_paint(viewer, calls, browser) if browser else {},
                }
            finally:
                viewer.close()
            os.unlink(path)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.viewer", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="e.g. 100000")
    parser.add_argument("--calls", type=int, default=30, help="calls of each kind")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    report = run(options.sizes, options.calls)
    if options.json:
        print(json.dumps({"machine": describe_machine(), "sizes": report}))
        return 0
    print(describe_machine())
    for size, figures in report.items():
        print(f"\n{size:,} memories: {figures['memory_mb']} MB of memory; ", end="")
        print(f"{figures['assets_bytes'] / 1e3:.0f} kB of script and style, once")
        print(f"{'':24}{'p50 ms':>10}{'p95 ms':>10}{'kB':>10}{'first content ms':>18}")
        for name, page in figures["pages"].items():
            painted = figures["first_content_ms"].get(name, "")
            numbers = f"{page['p50_ms']:10.1f}{page['p95_ms']:10.1f}{page['bytes'] / 1e3:10.1f}"
            print(f"{name:24}{numbers}{painted:>18}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
