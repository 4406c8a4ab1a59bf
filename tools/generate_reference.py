"""Writes what the documents say of settings and commands; ``--check`` only compares.

The table of settings in docs/SETTINGS.md, made of the one table in config/schema.py, docs/CLI.md,
and what shells evaluate to complete commands, which is printed without the library that makes it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "server"), ROOT]

from tools.cli_reference import cli_reference  # noqa: E402 - the path comes first

_BEGIN, _END = "<!-- settings: made by tools/generate_reference.py -->\n", "<!-- /settings -->\n"


def settings_table() -> str:
    """Return the table of settings."""
    from aforesaid.config.file import as_toml, describe_setting
    from aforesaid.config.schema import KEYS

    lines = ["| key | default | what |", "|---|---|---|"]
    for name, setting in KEYS.items():
        default = setting.default_text or f"`{as_toml(setting.default)}`"
        lines.append(
            f"| `{name}` | {default} | {describe_setting(name).partition(' (default:')[0]} |"
        )
    return "\n".join(lines) + "\n"


def settings_document() -> str:
    """Return docs/SETTINGS.md with its table as it must be."""
    with open(os.path.join(ROOT, "docs", "SETTINGS.md"), encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(_BEGIN)
    return f"{before}{_BEGIN}{settings_table()}{_END}{rest.partition(_END)[2]}"


def completion(shell: str) -> str:
    """Return the library's script for a shell; an older bash is told, not broken."""
    from click.shell_completion import ShellComplete, get_completion_class

    from aforesaid.entrypoints.cli import aforesaid

    found = get_completion_class(shell)
    assert found is not None
    made = found(aforesaid, {}, "aforesaid", "_AFORESAID_COMPLETE")
    script = ShellComplete.source(made).strip()  # bash's own would look at the bash of this machine
    if shell == "fish":  # the library cuts what a command does at its first comma
        whole = script.replace('(string split ","', '(string split --max 1 ","')
        assert whole != script
        return f"{whole}\n"
    if shell != "bash":
        return f"{script}\n"
    return (
        "if [[ ${BASH_VERSINFO[0]}${BASH_VERSINFO[1]} -lt 44 ]]; then\n"
        "    echo 'aforesaid: completion needs bash 4.4 or newer' >&2\nelse\n"
        f"{script}\nfi\n"
    )


_SCRIPTS = "server/aforesaid/entrypoints/completion/aforesaid."
WRITTEN: dict[str, Callable[[], str]] = {
    "docs/SETTINGS.md": settings_document,
    "docs/CLI.md": cli_reference,
    **{f"{_SCRIPTS}{shell}": partial(completion, shell) for shell in ("bash", "zsh", "fish")},
}


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
