"""Files that a text names, and the anchors to them.

Separate from anchor.py, which session starts import: they must not load regular expressions.
"""

from __future__ import annotations

import re

from .anchor import Anchor, lines_of, make_fingerprint, presence_anchor

MAX_NAMED = 5  #: files of one text that get an anchor because it names them
#: A file with its folders, as texts name it; not part of an address.
_FILE_NAME = re.compile(
    r"(?<![\w/.:@-])(?:[\w@.-]+/)*"
    r"(?:[\w@-][\w@.-]*\.[A-Za-z]\w{0,9}|Dockerfile|Makefile|Gemfile|Procfile)(?![\w/])"
)
#: A name or value in code, which identifies the line that is meant.
_CODE = re.compile(r"[A-Za-z_]\w*(?:_\w+|[a-z0-9][A-Z]\w*)|\b\d[\d.]*\b")


def file_names(text: str) -> list[str]:
    """Return what may be names of files in a text, as written."""
    names = (match.group().removeprefix("./") for match in _FILE_NAME.finditer(text))
    return list(dict.fromkeys(names))[:MAX_NAMED]


def code_names(text: str) -> set[str]:
    """Return the identifiers in a text: ``should_retry``, ``maxRetries``, never a plain word."""
    return {code for code in _CODE.findall(text) if not code[0].isdigit()}


def anchor_of_name(text: str, name: str, path: str, content: bytes) -> Anchor:
    """Return the anchor for a file that a text names.

    It cites a line if exactly one line has all names and values of code in the text; otherwise it
    only requires that the file exists.

    Args:
        text: what is stored.
        name: of the file, as the text has it.
        path: of the file, relative to the project's root.
        content: the whole file.
    """
    codes = [code.encode() for code in _CODE.findall(text.replace(name, " ") if name else text)]
    lines = [
        number
        for number, line in enumerate(lines_of(content), start=1)
        if codes and all(code in line for code in codes)
    ]
    if len(lines) == 1:
        fingerprint = make_fingerprint(content, lines[0], path)
        return Anchor(path=path, line=lines[0], fingerprint=fingerprint)
    return presence_anchor(path)
