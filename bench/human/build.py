"""Build a part from source distributions: ``python -m bench.human.build --sdists FOLDER``.

``pip download --no-deps --no-binary :all: NAME==VERSION -d FOLDER`` brings each of ``SOURCES``, or
with ``--part tune`` each of ``TUNE_SOURCES``. All were released before December 2022, when few
documents were written with language models. The same distributions give the same files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import tarfile
from collections import Counter
from dataclasses import dataclass

from bench.human import MEMORIES, NOTICE, QUESTIONS, TUNE, TUNE_NOTICE
from bench.human.documents import Section, read_sections

_PREFACE = """memories.jsonl and questions.jsonl contain headings and paragraphs, without markup, of
the documents of the projects below. Each row names its project, version, licence and file. The text
remains under the licence of its project; the licences follow.

"""
MAX_QUESTIONS, MAX_MEMORIES = 90, 260  #: of one source
MAX_ANSWER = 4  #: passages below one heading
_ASKS = re.compile(
    r"^(?:how|why|what|when|where|which|who|can|could|does|do|is|are|should|will|i )\b",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\d\.\d|\(\)|[{}<>|=/]|^(?:changes?|what's new|bug ?fix|misc|other|backwards?|new |more |see |"
    r"example|features? |note|welcome|case \d|talks|this |these |it |an? )|"
    r"release|deprecat|changelog|^\W|\b(?:api|notes|reference|documentation|guide|tutorial)$",
    re.IGNORECASE,
)
_DECORATION = re.compile(r"^Q: |^[\w.]+ -- | \[[\w-]+\]$")  #: not words of the heading
_INTRODUCES = re.compile(r"(?:In )?[Tt]his (?:section|chapter|page|document|guide|part)\b")
_SMALL = re.compile(
    r"an?|and|as|at|by|for|from|in|into|is|it|of|on|or|the|to|with|your", re.IGNORECASE
)


@dataclass(frozen=True)
class Source:
    """The documents of one project."""

    name: str
    version: str
    licence: str
    folders: tuple[str, ...]  #: in its distribution

    @property
    def archive(self) -> str:
        """Return the distribution's name without ending, also that of its top folder."""
        return f"{self.name}-{self.version}"


SOURCES = (
    Source("Django", "4.1.3", "BSD-3-Clause", ("docs/faq", "docs/howto", "docs/topics")),
    Source("Scrapy", "2.7.1", "BSD-3-Clause", ("docs/faq.rst", "docs/topics", "docs/intro")),
    Source("Twisted", "22.10.0", "MIT", ("docs/",)),
    Source("pytest", "7.2.0", "MIT", ("doc/en/",)),
    Source("Sphinx", "5.3.0", "BSD-2-Clause", ("doc/",)),
    Source("SQLAlchemy", "1.4.44", "MIT", ("doc/build/faq", "doc/build/orm", "doc/build/core")),
    Source("Werkzeug", "2.2.2", "BSD-3-Clause", ("docs/",)),
    Source("Flask", "2.2.2", "BSD-3-Clause", ("docs/",)),
    Source("mypy", "0.991", "MIT", ("docs/source",)),
    Source("coverage", "6.5.0", "Apache-2.0", ("doc/",)),
    Source("gunicorn", "20.1.0", "MIT", ("docs/source",)),
    Source("alembic", "1.8.1", "MIT", ("docs/build",)),
)
#: Projects on whose documents weights may be fitted.
TUNE_SOURCES = (
    Source(
        "celery",
        "5.2.7",
        "BSD-3-Clause",
        ("docs/userguide", "docs/getting-started", "docs/faq", "docs/tutorials", "docs/django"),
    ),
    Source("salt", "3005.1", "Apache-2.0", ("doc/topics", "doc/faq")),
    Source("aiohttp", "3.8.3", "Apache-2.0", ("docs/",)),
    Source("peewee", "3.15.4", "MIT", ("docs/",)),
    Source("pymongo", "4.3.3", "Apache-2.0", ("doc/",)),
    Source("tornado", "6.2", "Apache-2.0", ("docs/",)),
    Source("cryptography", "38.0.3", "Apache-2.0", ("docs/",)),
    Source("trio", "0.22.0", "MIT", ("docs/source",)),
    Source("locust", "2.13.0", "MIT", ("docs/",)),
    Source("click", "8.1.3", "BSD-3-Clause", ("docs/",)),
    Source("setuptools", "65.6.0", "MIT", ("docs/",)),
    Source("pip", "22.3.1", "MIT", ("docs/",)),
    Source("tox", "3.27.1", "MIT", ("docs/",)),
)


def read_source(source: Source, folder: str) -> dict[str, list[Section]]:
    """Return the sections of each document of a source, by path."""
    path = os.path.join(folder, f"{source.archive}.tar.gz")
    found: dict[str, list[Section]] = {}
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            name = member.name.partition("/")[2]
            file = archive.extractfile(member) if _is_document(name, source) else None
            if file is not None:
                text = file.read().decode("utf-8", "replace")
                found[name] = [
                    Section(_DECORATION.sub("", one.heading), one.passages)
                    for one in read_sections(text)
                ]
    return found


def read_notices(source: Source, folder: str) -> str:
    """Return the licence and notices that a distribution carries at its top."""
    with tarfile.open(os.path.join(folder, f"{source.archive}.tar.gz")) as archive:
        files = [
            archive.extractfile(name)
            for name in sorted(archive.getnames())
            if re.fullmatch(r"[^/]+/(?:LICENSE|NOTICE)(?:\.\w+)?", name)
        ]
        texts = [file.read().decode("utf-8") for file in files if file]
    if not texts:
        raise SystemExit(f"{source.archive} has no licence at its top")
    title = f"{source.name} {source.version} ({source.licence})"
    body = "\n".join(texts).replace("\t", "    ").replace("\f", "")
    lines = "\n".join(line.rstrip() for line in body.splitlines())
    return f"{title}\n{'=' * len(title)}\n\n{lines.strip()}\n"


def is_question(heading: str) -> bool:
    """Tell whether a heading is a question by its form."""
    return heading.endswith("?") or (bool(_ASKS.match(heading)) and len(heading.split()) > 2)


def stands_alone(heading: str) -> bool:
    """Tell whether a heading says what it is about without those above it."""
    words = re.findall(r"[A-Za-z][\w'-]+", heading)
    content = [word for word in words if not _SMALL.fullmatch(word)]
    if is_question(heading) and len(words) > 3:
        return not re.search(r"\b(?:this|these|that)\b|[{}<>|]", heading, re.IGNORECASE)
    return len(content) > 2 and len(words) > 3 and not _UNCLEAR.search(heading)


def choose(source: Source, documents: dict[str, list[Section]]) -> tuple[list[dict], list[dict]]:
    """Return the memories and questions of one source as rows."""
    headings = Counter(one.heading.lower() for all_ in documents.values() for one in all_)
    texts = Counter(text for all_ in documents.values() for one in all_ for text in one.passages)
    told = [
        (path, one)
        for path, all_ in documents.items()
        for one in all_
        if one.passages and all(texts[text] == 1 for text in one.passages)
    ]
    asked = [
        (path, one)
        for path, one in told
        if len(one.passages) <= MAX_ANSWER
        and headings[one.heading.lower()] == 1
        and stands_alone(one.heading)
        and not _INTRODUCES.match(one.passages[0])
    ]
    asked.sort(key=lambda pair: (not is_question(pair[1].heading), _order(pair[1].heading)))
    asked = asked[:MAX_QUESTIONS]
    others = [pair for pair in told if pair not in asked]
    paths = {path for path, _ in asked}
    others.sort(key=lambda pair: (pair[0] not in paths, _order(pair[1].passages[0])))
    memories: list[dict] = []
    questions: list[dict] = []
    for number, (path, one) in enumerate([*asked, *others]):
        if number >= len(asked) and len(memories) + len(one.passages) > MAX_MEMORIES:
            break
        ids = [f"{source.name}-{len(memories) + place}" for place in range(len(one.passages))]
        about = {
            "source": source.name,
            "version": source.version,
            "licence": source.licence,
            "file": path,
        }
        memories += [
            {"id": id_, **about, "text": text} for id_, text in zip(ids, one.passages, strict=True)
        ]
        if number < len(asked):
            kind = "question" if is_question(one.heading) else "heading"
            questions.append(
                {
                    "id": f"{source.name}-q{number}",
                    **about,
                    "kind": kind,
                    "text": one.heading,
                    "gold": ids,
                }
            )
    return memories, questions


def _is_document(name: str, source: Source) -> bool:
    lower = name.lower()
    return (
        name.startswith(source.folders)
        and lower.endswith((".rst", ".txt"))
        and not re.search(
            r"change|release|announce|whatsnew|news|authors|license|licence|roots/|requirements",
            lower,
        )
    )


def _order(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.human.build", description=__doc__)
    parser.add_argument("--sdists", required=True, metavar="FOLDER")
    parser.add_argument("--part", choices=("test", "tune"), default="test")
    options = parser.parse_args()
    memories: list[dict] = []
    questions: list[dict] = []
    sources, files = SOURCES, (MEMORIES, QUESTIONS, NOTICE)
    if options.part == "tune":
        sources, files = TUNE_SOURCES, (*TUNE, TUNE_NOTICE)
    for source in sources:
        of_source = choose(source, read_source(source, options.sdists))
        print(f"{source.name}: {len(of_source[0])} memories, {len(of_source[1])} questions")
        memories += of_source[0]
        questions += of_source[1]
    for path, rows in zip(files, (memories, questions), strict=False):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with open(files[2], "w", encoding="utf-8") as file:
        file.write(_PREFACE + "\n\n".join(read_notices(one, options.sdists) for one in sources))
    print(f"{len(memories)} memories, {len(questions)} questions")


if __name__ == "__main__":
    main()
