"""A module finder for hooks, which import some seventy of our modules in a few milliseconds.

The standard finder lists folders and tries several kinds of files. This one derives the path of
the compiled file from the module's name. A module whose compiled file is missing or older than its
source is left to the standard finder, which compiles it; a damaged one is removed first.
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from io import open_code
from marshal import loads
from os import remove, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

_PACKAGE = "aforesaid."
#: Flags of a compiled file that records its source's time and size (PEP 552).
_TIMESTAMPED = MAGIC_NUMBER + bytes(4)


class QuickFinder:
    """Finds and loads the modules of this package from their compiled files."""

    def __init__(self, root: str) -> None:
        """Prepare the finder.

        Args:
            root: the folder that holds the package.
        """
        self._root = root
        self._suffix = f".{sys.implementation.cache_tag}.pyc"
        self._code: dict[str, CodeType] = {}

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the protocol of finders
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Return the spec of an up-to-date module of this package, else None."""
        if not name.startswith(_PACKAGE):
            return None
        base = f"{self._root}/{name.replace('.', '/')}"
        parent, _, last = base.rpartition("/")
        for folder, stem in ((parent, last), (base, "__init__")):
            source = f"{folder}/{stem}.py"
            compiled = f"{folder}/__pycache__/{stem}{self._suffix}"
            try:
                status = stat(source)
                with open_code(compiled) as file:
                    data = file.read()
            except OSError:
                continue
            version = int(status.st_mtime) & 0xFFFFFFFF | (status.st_size & 0xFFFFFFFF) << 32
            if data[:16] != _TIMESTAMPED + version.to_bytes(8, "little"):
                return None
            is_package = folder == base
            spec = ModuleSpec(name, self, origin=source, is_package=is_package)  # type: ignore[arg-type]
            spec.has_location = True
            spec.cached = compiled
            if is_package:
                spec.submodule_search_locations = [folder]
            try:
                self._code[name] = loads(memoryview(data)[16:])  # noqa: S302 - a compiled file
            except (EOFError, TypeError, ValueError):  # cut short by a full disk, say
                try:
                    remove(compiled)
                except OSError:
                    pass
                return None
            return spec
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the code that ``find_spec`` read."""
        exec(self._code.pop(module.__name__), module.__dict__)  # noqa: S102
