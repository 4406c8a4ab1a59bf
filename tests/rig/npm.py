"""What comes from npm: installed once by version, and kept for the next run.

Here: the folder and the install. Not here: which packages (client.py, inspector.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path


class NpmError(Exception):
    """npm is missing or cannot install a package; says why and what to do."""


def clients_folder() -> Path:
    """Return where clients are kept; ``AFORESAID_TEST_CLIENTS`` names another place."""
    named = os.environ.get("AFORESAID_TEST_CLIENTS")
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(named or os.path.join(caches, "aforesaid-tests", "clients"))


def install_from_npm(
    packages: Sequence[str], folder: Path, is_whole: Callable[[Path], bool]
) -> None:
    """Install packages into a folder, all or nothing.

    Args:
        packages: each with its version.
        folder: where ``node_modules`` shall be.
        is_whole: tells whether a folder holds what is needed.

    Raises:
        NpmError: it could not be done.
    """
    named = " ".join(packages)
    npm = shutil.which("npm")
    if npm is None:
        raise NpmError(f"{named} is not in {folder} and there is no npm to get it: install npm")
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        done = subprocess.run(
            [npm, "install", "--prefix", fresh, "--no-audit", "--no-fund", *packages],
            check=False,
            capture_output=True,
            text=True,
            timeout=600,
        )
        if done.returncode or not is_whole(fresh):
            raise NpmError(
                f"npm could not install {named} (exit {done.returncode}): {done.stderr[-1000:]}"
            )
        if not is_whole(folder):  # else somebody else was faster
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
