"""What runs here: versions, interpreter, places. For ``aforesaid version``."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING, Any

from aforesaid.config import load_settings
from aforesaid.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTS = ("apsw", "sqlite-vec", "onnxruntime", "tokenizers", "mcp")


def gather_facts(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return names and values, all of them text but for what is missing (None)."""
    import apsw

    from aforesaid.adapters.embedding.model_card import read_card
    from aforesaid.adapters.embedding.onnx import SHIPPED_FOLDER
    from aforesaid.adapters.sqlite.extension import find_vec_extension
    from aforesaid.adapters.sqlite.schema import MIGRATIONS

    settings = load_settings(environment)
    versions = {name.replace("-", "_"): _version_of(name) for name in _PARTS}
    semantic = bool(find_vec_extension() and versions["onnxruntime"] and versions["tokenizers"])
    return {
        "aforesaid": __version__,
        "python": platform.python_version(),
        "interpreter": sys.executable,
        "environment": os.path.dirname(os.path.dirname(sys.executable)),
        "sqlite": apsw.sqlite_lib_version(),
        **versions,
        "model": read_card(SHIPPED_FOLDER).model,
        "recall": "words and meaning"
        if semantic
        else "words only: aforesaid setup --rebuild tries again",
        "schema": str(len(MIGRATIONS)),
        "database": settings.db_path,
        "config": settings.config_file,
        "state": settings.state_folder,
    }


def _version_of(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
