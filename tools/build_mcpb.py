"""Builds the bundle for Claude Desktop, ``dist/aforesaid-<version>.mcpb``.

A bundle is a zip with a manifest and the server beside it: here the launcher and what it needs, so
that the first start builds the environment as everywhere. The same tree gives the same bytes.
Format: https://github.com/anthropics/mcpb, MANIFEST.md, version 0.3.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "server"), os.path.dirname(os.path.abspath(__file__))]

import publication  # noqa: E402

MANIFEST_VERSION = "0.3"
#: What the bundle holds: files, and folders with what git would keep of them.
PARTS = ("LICENSE", "README.md", "bin", "commands", "server", "skills")
_LEFT_OUT = ("__pycache__", ".pyc", ".DS_Store")
_ICON = os.path.join(".claude-plugin", "icon.png")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip's first moment: no build tells when it was made


def manifest() -> dict[str, object]:
    """Return the bundle's manifest."""
    from aforesaid.entrypoints.api.tool_schemas import TOOLS
    from aforesaid.entrypoints.mcp.prompts import PROMPTS
    from aforesaid.version import __version__

    return {
        "manifest_version": MANIFEST_VERSION,
        "name": "aforesaid",
        "display_name": "Aforesaid",
        "version": __version__,
        "description": "Long-term memory that stays on your machine, in one SQLite file.",
        "long_description": (
            "What you prefer, what was decided and why, how things are done: kept in one SQLite "
            "file on your machine, found by meaning and words. No account, no language model, no "
            "network after set-up. The first start downloads its Python packages, pinned by hash; "
            "Python 3.11 or newer must be there."
        ),
        **_contacts(),
        "license": "Apache-2.0",
        "icon": "icon.png",
        "keywords": ["memory", "recall", "local", "sqlite"],
        "server": {
            "type": "binary",
            "entry_point": "bin/aforesaid",
            "mcp_config": {
                # by sh: whoever unpacks it may lose the right to execute it
                "command": "/bin/sh",
                "args": ["${__dirname}/bin/aforesaid", "serve"],
                "env": {"AFORESAID_PROJECT": "${user_config.project}"},
                "platform_overrides": {
                    "win32": {
                        "command": "cmd",
                        "args": ["/c", "${__dirname}\\bin\\aforesaid.cmd", "serve"],
                    }
                },
            },
        },
        "tools": [{"name": name, "description": _short(tool)} for name, tool in TOOLS.items()],
        "prompts": [
            {
                "name": one.name,
                "description": one.description or one.name,
                "arguments": [given.name for given in one.arguments or []],
                "text": f"Use the prompt {one.name} of this server.",
            }
            for one in PROMPTS
        ],
        "compatibility": {"platforms": ["darwin", "win32", "linux"]},
        "user_config": {
            "project": {
                "type": "string",
                "title": "Project",
                "description": "What all conversations are about; empty: say it in each.",
                "required": False,
                "default": "",
            }
        },
    }


def _contacts() -> dict[str, object]:
    """Return the author and the public addresses, without those that are not known yet."""
    known = publication.addresses()
    author = publication.person("The Aforesaid developers", known["contact"])
    fields: dict[str, object] = {"author": author}
    if known["repository"]:
        fields["repository"] = {"type": "git", "url": known["repository"]}
    if known["homepage"]:
        fields["homepage"] = known["homepage"]
    if known["contact"].startswith("https://"):
        fields["support"] = known["contact"]
    return fields


def _short(tool: dict[str, object]) -> str:
    return str(tool["description"]).partition(". ")[0].rstrip(".") + "."


def files() -> list[str]:
    """Return the paths of what the bundle holds, below the repository, in order."""
    found = []
    for part in PARTS:
        path = os.path.join(ROOT, part)
        if os.path.isfile(path):
            found.append(part)
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
            found += [
                os.path.relpath(os.path.join(folder, name), ROOT)
                for name in sorted(names)
                if not name.endswith(_LEFT_OUT)
            ]
    return found


def build(folder: str) -> str:
    """Write the bundle into a folder; return its path."""
    told = manifest()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"aforesaid-{told['version']}.mcpb")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        _add(bundle, "manifest.json", json.dumps(told, indent=2).encode() + b"\n")
        for name, source in [("icon.png", _ICON), *((one, one) for one in files())]:
            whole = os.path.join(ROOT, source)
            with open(whole, "rb") as file:
                _add(bundle, name, file.read(), executable=os.access(whole, os.X_OK))
    return path


def _add(bundle: zipfile.ZipFile, name: str, content: bytes, *, executable: bool = False) -> None:
    info = zipfile.ZipInfo(name.replace(os.sep, "/"), _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    bundle.writestr(info, content)


def main() -> int:
    """Build it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default=os.path.join(ROOT, "dist"), help="where to")
    print(build(parser.parse_args().folder))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
