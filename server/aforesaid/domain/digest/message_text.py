"""Removes code, logs and pasted files from a message, and splits the rest into sentences."""

from __future__ import annotations

import re

from aforesaid.domain.model.transcript import cut

#: A longer message counts as pasted: only its first and last paragraph are used.
_PASTED_CHARS = 2400
_LEAD_CHARS, _END_CHARS = 600, 400
#: Characters of a line in which digits count as letters ("no, it's 5433").
_SHORT_LINE_CHARS = 24
#: A longer sentence was not typed by a person; the rest of it is ignored.
_SENTENCE_CHARS = 1200

_MIN_PASTED_WORDS = 2
#: This many lines after a colon are a document, unless they are a list.
_MIN_DOCUMENT_LINES = 4
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
    # English words, too: only where the line ends as no sentence does
    r"|(?:class|let|import|from|return|if|for|while|use) .*(?:[({;:]$| =+ |\w\([^)]*\)[:;{]?$"
    r"| import \w)|</?[a-zA-Z]|[@#!]\w+\()"
)
_BULLET = r"^(?:[-*+•]|\d{1,2}[.)]|#{1,6})\s+"
_ABBREVIATION = (
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|resp|incl|Mr|Dr|St)|\b[A-HJ-Z])\.(?: .)?$|\bno\. \d$"
)


def strip_non_prose(text: str) -> list[str]:
    """Return the lines that a person wrote, without markers of lists and emphasis.

    Code blocks, quotations, tables, logs, diffs and stack traces are dropped.
    """
    text = re.sub(r"(?ms)^\s*(```|~~~).*?(?:^\s*\1\s*$|\Z)", "\n", text)
    text = text.replace("\u2019", "'")
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        indented = line.startswith(("    ", "\t")) and not re.match(_BULLET, bare)
        if not bare or indented or bare.startswith((">", "|", "```")):
            continue
        bare = re.sub(_BULLET, "", bare)
        bare = re.sub(r"(?<!\*)\*\*(?!\*)([^*\n]+)\*\*(?!\*)|__([^_\n]+)__", r"\1\2", bare)
        bare = re.sub(r"\[([^\]\n]{1,80})\]\(\S{1,300}?\)", r"\1", bare)
        if bare and not _is_machine_text(bare):
            lines.append(bare)
    return lines


def typed_part(text: str) -> str:
    """Return the part of a message that was typed, without pasted documents.

    Of a long message that is the first and the last paragraph; of one that announces a document
    ("here is our guide:", headings, many lines), the part before it and the last paragraph.
    """
    text = text.strip()
    paragraphs = re.split(r"\n\s*\n", text)
    lines = text.split("\n")
    typed_lines = _lines_before_document(lines)
    if typed_lines:
        last = paragraphs[-1] if len(paragraphs) > 1 and len(paragraphs[-1]) <= _END_CHARS else ""
        last = "" if re.match(_HEADING, last) or last in "\n".join(lines[:typed_lines]) else last
        return "\n".join(lines[:typed_lines]) + ("\n\n" + last if last else "")
    if len(text) <= _PASTED_CHARS:
        return text
    if len(paragraphs) == 1:
        paragraphs = lines
    last = paragraphs[-1] if len(paragraphs) > 1 and len(paragraphs[-1]) <= _END_CHARS else ""
    return cut(paragraphs[0], _LEAD_CHARS) + ("\n\n" + last if last else "")


def _lines_before_document(lines: list[str]) -> int:
    """Return the number of lines before a pasted document; 0 if there is none."""
    headings = [index for index, line in enumerate(lines) if re.match(_HEADING, line)]
    if len(headings) > 1 and headings[0] > 0:
        return headings[0]
    for index, line in enumerate(lines[:-_MIN_DOCUMENT_LINES]):
        rest = [text for text in lines[index + 1 :] if text.strip() and not _is_machine_text(text)]
        listed = sum(bool(re.match(_BULLET, text.strip())) for text in rest)
        if (
            line.rstrip().endswith(":")
            and len(rest) >= _MIN_DOCUMENT_LINES
            and listed * 2 < len(rest)
        ):
            return index + 1
    return 0


def sentences(lines: list[str]) -> list[str]:
    """Return the sentences of some lines, in order."""
    complete: list[str] = []
    for line in lines:
        parts = re.split(r"(?<=[.!?…])[\"')\]]?\s+(?=\S)|(?<=[。！？])", line)  # noqa: RUF001
        sentence = ""
        for part, following in zip(parts, [*parts[1:], ""], strict=True):
            sentence = f"{sentence} {part}".strip()
            if re.search(_ABBREVIATION, f"{sentence} {following}"[: len(sentence) + 2]):
                continue
            if sentence.count("`") % 2 and "`" in line[line.find(part) + len(part) :]:
                continue  # in the middle of a command
            if sentence:
                complete.append(sentence)
            sentence = ""
        if sentence:
            complete.append(sentence)
    return complete


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a message that a person wrote."""
    return [cut(sentence, _SENTENCE_CHARS) for sentence in sentences(strip_non_prose(text))]


def looks_pasted(sentence: str) -> bool:
    """Tell whether most words of a sentence are none: identifiers, times, codes."""
    words = [word.strip(".,;:!?()'\"`") for word in sentence.split()]
    plain = sum(word.replace("'", "").replace("-", "").isalpha() for word in words)
    return len(words) > _MIN_PASTED_WORDS and plain * 2 < len(words)


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


def capitalise(text: str) -> str:
    """Return a text with a capital, unless it begins with a name ("npm_run", "uv.lock")."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].rstrip(",:;").isalpha() else text


def plain(text: str) -> str:
    """Return a text as it is compared: in lower case, without the punctuation at its end."""
    return " ".join(text.split()).rstrip(".…;,:").lower()


def _is_machine_text(line: str) -> bool:
    if re.match(_LOG, line) or re.search(_CODE_END, line) or re.match(_CODE_START, line):
        return True
    prose = re.sub(r"`[^`\n]*`|https?://\S+", " word ", line)
    # a character of a script without spaces is about a word
    characters = sum(char > "\u3000" and char.isalpha() for char in prose)
    short = len(line) <= _SHORT_LINE_CHARS and line[:1].isalpha()
    letters = 3 * characters + sum(
        char.isalpha() or char.isspace() or (short and char.isdigit()) for char in prose
    )
    return letters < (len(prose) + 3 * characters) * 0.6
