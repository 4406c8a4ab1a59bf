"""What is left of a message when code, logs and pasted files are taken away; its sentences.

Here: form. Not here: what a sentence says (sentence_classifier.py).
"""

from __future__ import annotations

import re

from aforesaid.domain.model.transcript import cut

#: A message longer than this is taken for pasted: only its first and last paragraph are kept.
_PASTED_CHARS = 2400
_LEAD_CHARS, _END_CHARS = 600, 400
#: Characters of a line that opens with a word and may be a number for the rest ("no, it's 5433").
_ANSWER = 24
#: Characters of a sentence that are looked at: what is longer was written by no person.
_SENTENCE = 1200

#: Lines after a colon from which they are a document, unless they are a list.
_DOCUMENT_LINES = 4
_HEADING = r"^#{1,6} \S"
_LOG = (
    r"^(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\s*at \S+[ (]|\s*File \"|Traceback|E {2,}"
    r"|[A-Za-z_.]*(?:Error|Exception|Warning): "
    r"|\[?(?:INFO|DEBUG|WARN|WARNING|ERROR|FATAL|TRACE)\b"
    r"|[$#%>] ?\S|>>> |@@ |diff --git|index [0-9a-f]{7}|\+\+\+ |--- |npm (?:ERR|WARN)"
    r"|FAILED |PASSED )"
)
_CODE_END = r"(?:[{};]|=>|\):|\\|-->|/>|&&)\s*$"
_CODE_START = (
    r"^(?:(?:async )?(?:def|fn|func|function|const|var|public|private|static|package"
    r"|SELECT|INSERT|UPDATE|CREATE) .*[({=;*:]"
    # words of English, too: only with what no sentence ends in
    r"|(?:class|let|import|from|return|if|for|while|use) .*(?:[({;:]$| =+ |\w\([^)]*\)[:;{]?$"
    r"| import \w)|</?[a-zA-Z]|[@#!]\w+\()"
)
_BULLET = r"^(?:[-*+•]|\d{1,2}[.)]|#{1,6})\s+"
_ABBREVIATION = r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|resp|incl|Mr|Dr|St)|\b[A-Z])\.$"


def strip_non_prose(text: str) -> list[str]:
    """Return the lines that people write, markers of lists and emphasis removed.

    Code blocks, quotations, tables, logs, diffs and stack traces are dropped.
    """
    text = re.sub(r"(?ms)^\s*(```|~~~).*?(?:^\s*\1\s*$|\Z)", "\n", text)
    text = text.replace("\u2019", "'")
    kept: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        indented = line.startswith(("    ", "\t")) and not re.match(_BULLET, bare)
        if not bare or indented or bare.startswith((">", "|", "```")):
            continue
        bare = re.sub(_BULLET, "", bare)
        bare = re.sub(r"\*\*([^*\n]+)\*\*|__([^_\n]+)__", r"\1\2", bare)
        bare = re.sub(r"\[([^\]\n]{1,80})\]\(\S{1,300}?\)", r"\1", bare)
        if bare and not _is_machine_text(bare):
            kept.append(bare)
    return kept


def typed_part(text: str) -> str:
    """Return what of a message was typed: pasted documents and what is too long are cut away.

    Of a long message the first and the last paragraph stay; of one that announces a document
    ("here is our guide:", headings, many lines), what stands before it and the last paragraph.
    """
    text = text.strip()
    paragraphs = re.split(r"\n\s*\n", text)
    lines = text.split("\n")
    pasted = _announced(lines)
    if pasted:
        last = paragraphs[-1] if len(paragraphs) > 1 and len(paragraphs[-1]) <= _END_CHARS else ""
        last = "" if re.match(_HEADING, last) or last in "\n".join(lines[:pasted]) else last
        return "\n".join(lines[:pasted]) + ("\n\n" + last if last else "")
    if len(text) <= _PASTED_CHARS:
        return text
    if len(paragraphs) == 1:
        paragraphs = lines
    last = paragraphs[-1] if len(paragraphs) > 1 and len(paragraphs[-1]) <= _END_CHARS else ""
    return cut(paragraphs[0], _LEAD_CHARS) + ("\n\n" + last if last else "")


def _announced(lines: list[str]) -> int:
    """Return the number of lines before a pasted document; 0 if there is none."""
    headings = [place for place, line in enumerate(lines) if re.match(_HEADING, line)]
    if len(headings) > 1 and headings[0] > 0:
        return headings[0]
    for place, line in enumerate(lines[:-_DOCUMENT_LINES]):
        rest = [one for one in lines[place + 1 :] if one.strip() and not _is_machine_text(one)]
        listed = sum(bool(re.match(_BULLET, one.strip())) for one in rest)
        if line.rstrip().endswith(":") and len(rest) >= _DOCUMENT_LINES and listed * 2 < len(rest):
            return place + 1
    return 0


def sentences(lines: list[str]) -> list[str]:
    """Return the sentences of some lines, in order."""
    found: list[str] = []
    for line in lines:
        parts = re.split(r"(?<=[.!?…])[\"')\]]?\s+(?=\S)|(?<=[。！？])", line)  # noqa: RUF001
        held = ""
        for part in parts:
            held = f"{held} {part}".strip()
            if re.search(_ABBREVIATION, held):
                continue
            if held:
                found.append(held)
            held = ""
        if held:
            found.append(held)
    return found


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a message, each as long as people write them."""
    return [cut(sentence, _SENTENCE) for sentence in sentences(strip_non_prose(text))]


def truncate(text: str, limit: int) -> str:
    """Return the text cut to its limit, at the end of a clause where one is near."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    ends = [end.start() for end in re.finditer(r"[.;:?!,](?=\s)|\s[-–—](?=\s)", text[:limit])]  # noqa: RUF001
    if ends and ends[-1] >= limit * 3 // 5:
        return text[: ends[-1]].rstrip() + "…"
    return cut(text, limit)


def without_end(text: str) -> str:
    """Return a statement without the full stop at its end."""
    return text.rstrip(" .;,:") if not text.endswith(("..", "etc.")) else text


def _is_machine_text(line: str) -> bool:
    if re.match(_LOG, line) or re.search(_CODE_END, line) or re.match(_CODE_START, line):
        return True
    spoken = re.sub(r"`[^`\n]*`|https?://\S+", " word ", line)
    # a sign of a script without blanks is about a word
    signs = sum(char > "\u3000" and char.isalpha() for char in spoken)
    answers = len(line) <= _ANSWER and line[:1].isalpha()
    letters = 3 * signs + sum(
        char.isalpha() or char.isspace() or (answers and char.isdigit()) for char in spoken
    )
    return letters < (len(spoken) + 3 * signs) * 0.6
