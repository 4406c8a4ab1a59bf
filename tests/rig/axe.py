"""axe-core from npm: the rules of accessibility that pages in a browser are checked by."""

from __future__ import annotations

from pathlib import Path

from .client import ClientUnavailableError
from .npm import NpmError, clients_folder, install_from_npm

AXE = "4.14.1"


def find_axe() -> Path:
    """Return the path of axe's script.

    Raises:
        ClientUnavailableError: npm is missing or cannot install it.
    """
    folder = clients_folder() / f"axe-{AXE}"
    if not _script(folder).exists():
        try:
            install_from_npm([f"axe-core@{AXE}"], folder, lambda made: _script(made).exists())
        except NpmError as error:
            raise ClientUnavailableError(str(error)) from error
    return _script(folder)


def _script(folder: Path) -> Path:
    return folder / "node_modules" / "axe-core" / "axe.min.js"
