"""Imports the rest of the code in the background, so that an update cannot break a running server.

A session may stay open for days. If the plugin is updated meanwhile, the client later removes this
version's folder; if it is used in place, its files change under the process. Modules that are
imported already are not read again. Not here: the error for code that is missing nevertheless
(bootstrap/import_errors.py).
"""

from __future__ import annotations

import pkgutil
import threading
from contextlib import suppress
from importlib import import_module

#: What a call may import. A server never reaches the command line or completions.
PACKAGES = (
    "entrypoints.api",
    "entrypoints.serialize",
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
    """Import all modules that no call has imported yet, in a background thread."""
    threading.Thread(target=_import_all, name="preload", daemon=True).start()


def _import_all() -> None:
    for name in PACKAGES:
        package = import_module(f"aforesaid.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            # a missing library is reported by the call that needs it
            with suppress(ImportError):
                import_module(module.name)
