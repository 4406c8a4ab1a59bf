"""Writes what the documents say of settings; ``--check`` only compares.

The README's table of settings, made of the one table in config/keys.py, and docs/CLI.md.
"""

from __future__ import annotations

import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "server"), ROOT]

from tools.cli_reference import cli_reference  # noqa: E402 - the path comes first

_BEGIN, _END = "<!-- settings: made by tools/generate_reference.py -->\n", "<!-- /settings -->\n"


def settings_table() -> str:
    """Return the table of settings."""
    from aforesaid.config.file import as_toml, told
    from aforesaid.config.keys import KEYS

    lines = ["| key | default | what |", "|---|---|---|"]
    for name, key in KEYS.items():
        default = key.said or f"`{as_toml(key.default)}`"
        lines.append(f"| `{name}` | {default} | {told(name).partition(' (default:')[0]} |")
    return "\n".join(lines) + "\n"


def readme() -> str:
    """Return the README with its table as it must be."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(_BEGIN)
    return f"{before}{_BEGIN}{settings_table()}{_END}{rest.partition(_END)[2]}"


WRITTEN = {"README.md": readme, "docs/CLI.md": cli_reference}


def main() -> int:
    """Write, or compare; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    stale = []
    for name, make in WRITTEN.items():
        path = os.path.join(ROOT, name)
        text = make()
        current = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                current = file.read()
        if current != text:
            stale.append(name)
            if not check:
                with open(path, "w", encoding="utf-8", newline="\n") as file:
                    file.write(text)
    if check and stale:
        print(f"stale: {', '.join(stale)}; python tools/generate_reference.py writes anew")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
