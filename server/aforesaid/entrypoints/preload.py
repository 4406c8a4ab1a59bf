"""Imports the rest of the code in a server's background, so that an update cannot break the server.

A session may stay open for days. When the plugin is updated meanwhile, the client removes this
version's folder at some point; where the plugin is used in place, files change under the process.
A module that was imported before is not read again. Not here: what a server says when code is
missing all the same (bootstrap/import_errors.py).
"""

from __future__ import annotations

import pkgutil
import threading
from contextlib import suppress
from importlib import import_module

#: What calls may lead to; command line and completions are never reached from a server.
PACKAGES = (
    "config",
    "lexicon",
    "domain",
    "ports",
    "services",
    "adapters",
    "wiring",
    "operations",
)


def start_preload() -> None:
    """Import what no call has needed yet, in a thread of its own."""
    threading.Thread(target=_import_all, name="preload", daemon=True).start()


def _import_all() -> None:
    for name in PACKAGES:
        package = import_module(f"aforesaid.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            # what this platform lacks is an error of the call that needs it
            with suppress(ImportError):
                import_module(module.name)
