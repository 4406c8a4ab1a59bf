"""Draws docs/images/two-sessions.svg: what one session says, and what the next one is shown.

Run from the root of the repository: ``python tools/draw_two_sessions.py``. The texts are those of a
real run, in a temporary folder: the user's lines of server/aforesaid/samples/demo-session.jsonl,
whose session is ended by the hooks, and the context that they give to the next session.
"""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLE = os.path.join(ROOT, "server", "aforesaid", "samples", "demo-session.jsonl")
PICTURE = os.path.join(ROOT, "docs", "images", "two-sessions.svg")
COLUMNS, LINE, CHAR, MARGIN = 112, 19, 8.0, 18  #: characters; pixels
WAIT_SECONDS = 60
#: Colours: background, frame, text, dimmed text, highlighted text.
BACK, FRAME, TEXT, DIM, BRIGHT = "#0d1117", "#30363d", "#e6edf3", "#8b949e", "#7ee787"


def user_lines() -> list[str]:
    """Return what the user says in the sample."""
    with open(SAMPLE, encoding="utf-8") as lines:
        messages = [json.loads(line) for line in lines]
    texts = [item["message"]["content"] for item in messages if item["type"] == "user"]
    return [text for text in texts if isinstance(text, str)]


def next_context() -> str:
    """Return the context of the session after the sample's."""
    with tempfile.TemporaryDirectory() as home:
        project = os.path.join(home, "payments")
        for name in ("objects", "refs/heads"):
            os.makedirs(os.path.join(project, ".git", name))
        with open(os.path.join(project, ".git", "HEAD"), "w", encoding="utf-8") as file:
            file.write("ref: refs/heads/main\n")
        with open(os.path.join(project, ".git", "config"), "w", encoding="utf-8") as file:
            file.write('[remote "origin"]\n\turl = git@example.org:acme/payments.git\n')
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home}
        environment["AFORESAID_ENV"] = os.environ.get("AFORESAID_ENV", sys.prefix)

        def run(*arguments: str, **event: str) -> str:
            done = subprocess.run(
                [os.path.join(ROOT, "bin", "aforesaid"), *arguments],
                input=json.dumps({"cwd": project, "transcript_path": SAMPLE, **event}),
                env=environment, cwd=project, capture_output=True, text=True, check=True,
            )  # fmt: skip
            return done.stdout

        run("hook", "session-start", session_id="one", source="startup")
        run("hook", "session-end", session_id="one", reason="exit")
        deadline = time.monotonic() + WAIT_SECONDS
        while '"episodic"' not in run("list", "--json") and time.monotonic() < deadline:
            time.sleep(0.2)
        answer = json.loads(run("hook", "session-start", session_id="two", source="startup"))
    return str(answer["hookSpecificOutput"]["additionalContext"])


def wrapped(text: str, first: str) -> list[str]:
    """Return a text in lines of the picture's width."""
    rest = " " * len(first)
    return textwrap.wrap(text, COLUMNS, initial_indent=first, subsequent_indent=rest)


def drawn(panels: list[tuple[str, list[tuple[str, str]]]]) -> str:
    """Return the SVG of panels, each a title and lines with their colours."""
    width = round(COLUMNS * CHAR) + 4 * MARGIN
    parts: list[str] = []
    top = MARGIN
    for title, lines in panels:
        height = LINE * (len(lines) + 1) + MARGIN
        parts.append(
            f'<rect x="{MARGIN}" y="{top}" width="{width - 2 * MARGIN}" height="{height}" rx="8" '
            f'fill="{BACK}" stroke="{FRAME}"/>'
        )
        rows = [(title, DIM), *lines]
        for number, (text, colour) in enumerate(rows):
            y = top + MARGIN + LINE * number + (LINE // 2 if number else 6)
            parts.append(
                f'<text x="{2 * MARGIN}" y="{y}" fill="{colour}" xml:space="preserve">'
                f"{html.escape(text)}</text>"
            )
        top += height + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def main() -> int:
    """Write the picture."""
    said = [(line, TEXT) for text in user_lines() for line in wrapped(text, "> ")]
    shown: list[tuple[str, str]] = []
    for line in next_context().splitlines():
        colour = BRIGHT if line.startswith("- ") else TEXT if line[:1].isupper() else DIM
        shown += [(part, colour) for part in wrapped(line, "  " if line[:2] == "- " else "")]
    picture = drawn(
        [("Monday: what you say in passing", said), ("Tuesday: what the next session knows", shown)]
    )
    os.makedirs(os.path.dirname(PICTURE), exist_ok=True)
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
