"""Finds the nearest package file of a folder, and the package's name.

Names are found by regular expressions, because importing a TOML or XML parser takes longer than the
whole detection. Not here: what a marker means (domain/projects/detection.py).
"""

from __future__ import annotations

import os
import stat

from aforesaid.adapters.git_reader.git_files import read_regular
from aforesaid.domain.projects.detection import Marker
from aforesaid.domain.text.lean_json import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MAX_MARKER_BYTES = 256 * 1024
_MAX_LISTED = 2_000  #: entries of a folder that is searched by file extension

_STRING = r"""["']([^"'\n]{1,200})["']"""

# The first that exists in a folder wins. The pattern's first group is the name; "json" means the
# field "name", None the folder's name.
_MARKERS: tuple[tuple[str, str | None], ...] = (
    ("pyproject.toml", rf"(?ms)^\[(?:project|tool\.poetry)\](?:(?!^\[).)*?^name\s*=\s*{_STRING}"),
    ("package.json", "json"),
    ("Cargo.toml", rf"(?ms)^\[package\](?:(?!^\[).)*?^name\s*=\s*{_STRING}"),
    ("go.mod", r"(?m)^module\s+\"?([^\s\"]{1,200})"),
    ("pom.xml", r"<artifactId>\s*([^<\s]{1,200})\s*</artifactId>"),
    ("settings.gradle", rf"rootProject\.name\s*=\s*{_STRING}"),
    ("settings.gradle.kts", rf"rootProject\.name\s*=\s*{_STRING}"),
    ("build.gradle", None),
    ("build.gradle.kts", None),
    ("composer.json", "json"),
    ("deno.json", "json"),
    ("deno.jsonc", r'"name"\s*:\s*"([^"\n]{1,200})"'),
    ("mix.exs", r"\bapp:\s*:(\w{1,100})"),
    ("pubspec.yaml", r"(?m)^name:\s*['\"]?([\w-]{1,100})"),
    ("setup.cfg", r"(?ms)^\[metadata\](?:(?!^\[).)*?^name\s*=\s*([^\s#;]{1,200})"),
    ("setup.py", rf"\bname\s*=\s*{_STRING}"),
    ("Gemfile", None),
    ("CMakeLists.txt", r"(?mi)^\s*project\s*\(\s*([\w.+-]{1,100})"),
    ("meson.build", rf"(?m)^\s*project\s*\(\s*{_STRING}"),
    ("Package.swift", rf"Package\s*\(\s*name:\s*{_STRING}"),
    ("build.sbt", rf"(?m)^\s*(?:ThisBuild\s*/\s*)?name\s*:=\s*{_STRING}"),
    ("dune-project", r"\(name\s+([\w.-]{1,100})\)"),
)
_MARKED_BY_SUFFIX = (".sln", ".csproj", ".fsproj", ".vbproj", ".cabal", ".gemspec", ".xcodeproj")


def find_marker(folder: str, ceilings: Collection[str]) -> Marker | None:
    """Return the nearest marker at or above a real path, below the ceilings and the root."""
    while folder not in ceilings and os.path.dirname(folder) != folder:
        for file, pattern in _MARKERS:
            path = os.path.join(folder, file)
            if _is_regular(path):
                return Marker(folder=folder, file=file, name=_read_name(path, pattern))
        file_name = _find_by_suffix(folder)
        if file_name is not None:
            return Marker(folder=folder, file=file_name, name=os.path.splitext(file_name)[0])
        folder = os.path.dirname(folder)
    return None


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _find_by_suffix(folder: str) -> str | None:
    names: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= _MAX_LISTED:
                    return None
                if entry.name.endswith(_MARKED_BY_SUFFIX) and not entry.name.startswith("."):
                    names.append(entry.name)
    except OSError:
        return None
    # in the order of _MARKED_BY_SUFFIX (a solution before its projects), then by name
    by_kind = [os.path.splitext(name)[1] for name in names]
    ranked = sorted(zip(map(_MARKED_BY_SUFFIX.index, by_kind), names, strict=True))
    return ranked[0][1] if ranked else None


def _read_name(path: str, pattern: str | None) -> str | None:
    if pattern is None:
        return None
    text = (read_regular(path, MAX_MARKER_BYTES) or b"").decode("utf-8", "replace")
    if pattern == "json":
        try:
            value = read_json(text)
        except (ValueError, RecursionError):
            return None
        name = value.get("name") if isinstance(value, dict) else None
        return name if isinstance(name, str) and name.strip() else None
    import re  # slow for a hook, and a plain folder does not need it

    if path.endswith("pom.xml"):
        # the parent's artifactId precedes the project's
        text = re.sub(r"(?s)<parent>.*?</parent>", "", text)
    match = re.search(pattern, text)
    return match[1] if match else None
