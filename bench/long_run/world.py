"""A year of sessions with known truth: what is said when, and what holds at any time.

Here: the made year, the same for the same seed. Not here: its wording (wording.py), storing it
(life.py). Facts change, some said so and some not; preferences hold; most of what is said is noise.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.long_run.wording import (
    ATTRIBUTES,
    COMMITS,
    DIGESTS,
    FILES,
    LESSONS,
    MOMENTS,
    NOISE,
    OTHER_MOMENTS,
    OTHER_NOISE,
    PEOPLE,
    PREFERENCES,
    PROJECTS,
    REGIONS,
    RUNNERS,
    SUBJECTS,
    WEEKDAYS,
    WORK,
    Attribute,
)

DAY_MS = 86_400_000
START_MS = 1_735_689_600_000  #: 1 January 2025
YEAR_DAYS = 365
YEAR_MS = YEAR_DAYS * DAY_MS
SESSIONS = 2_000
WHOLE = 1_000  #: sessions from which on there are as many facts as in a whole year

FACT, PREFERENCE, LESSON, DIGEST, IDLE = "fact", "preference", "lesson", "digest", "noise"
CHANGES = (0, 0, 0, 0, 0, 1, 1, 1, 2, 3)  #: how often a fact changes in the year
#: How a change is said: by naming what it supersedes, in words alone, or flatly.
HOW = ("supersedes", "words", "words", "flat")
RESTATED = 0.4  #: of facts that are said once more in other words
NOISE_A_SESSION = (1, 2, 3, 3, 4, 5)
MOMENTARY = 0.5  #: of noise that sounds like what lasts
ASKED_A_SESSION = (0, 1, 2, 3)
IMPORTANCE = (0.5, 0.5, 0.5, 0.9)
IDLE_IMPORTANCE = (0.2, 0.5)


@dataclass
class Version:
    """What a subject held from a time on."""

    value: str
    text: str
    at: int  #: ms
    how: str = "first"


@dataclass
class Truth:
    """Something that can be asked for, and every version of it."""

    number: int
    kind: str  #: FACT, PREFERENCE or LESSON
    project: int | None  #: None: about the user
    subject: str
    ask: tuple[str, ...]
    versions: list[Version]
    again: tuple[str, ...] = ()  #: other words for the last version, said later
    answers: tuple[str, ...] = ()  #: what the text of an answer must hold, case aside

    def version_at(self, at: int) -> int | None:
        """Return which version held at a time (ms), None before the first."""
        place = bisect_right([one.at for one in self.versions], at) - 1
        return None if place < 0 else place


@dataclass
class Said:
    """One thing to store, and what it is in truth."""

    text: str
    kind: str
    type: str
    importance: float | None
    whole: bool = False  #: it belongs to no project but to the user
    truth: int | None = None
    version: int | None = None
    supersedes: bool = False


@dataclass
class Session:
    """One session: when, where, what is stored in it and what it asks for."""

    number: int
    at: int
    project: int
    said: list[Said] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)  #: numbers of truths


@dataclass
class Year:
    """The sessions in order, and every truth by its number."""

    sessions: list[Session]
    truths: list[Truth]


def make_year(seed: int, sessions: int = SESSIONS, *, other_noise: bool = False) -> Year:
    """Return a year of so many sessions, its noise worded in the first or in other words."""
    chance = random.Random(seed)
    noise = (OTHER_NOISE, OTHER_MOMENTS) if other_noise else (NOISE, MOMENTS)
    times = sorted(
        START_MS + int(chance.random() * YEAR_MS) // 60_000 * 60_000 for _ in range(sessions)
    )
    made = [
        Session(
            number,
            at,
            number % len(PROJECTS) if sessions < WHOLE else chance.randrange(len(PROJECTS)),
        )
        for number, at in enumerate(times)
    ]
    truths = [*_facts(chance, sessions), *_preferences(chance), *_lessons(chance)]
    for number, one in enumerate(truths):
        one.number = number
        _tell(chance, one, made)
    order = chance.sample(range(len(truths)), len(truths))
    popular = {number: 1 / (1 + place) for place, number in enumerate(order)}
    for session in made:
        session.said += _noise(chance, *noise)
        session.said.append(_digest(chance))
        session.asked = _asks(chance, session, truths, popular)
    return Year(made, truths)


def _facts(chance: random.Random, sessions: int) -> list[Truth]:
    subjects, each = (8, 4) if sessions >= WHOLE else (3, 2)
    return [
        _fact(chance, project, subject, attribute)
        for project in range(len(PROJECTS))
        for subject in chance.sample(SUBJECTS, subjects)
        for attribute in chance.sample(ATTRIBUTES, each)
    ]


def _fact(chance: random.Random, project: int, subject: str, attribute: Attribute) -> Truth:
    at = START_MS + int(YEAR_MS * 0.85 * chance.random() ** 2)
    value = attribute.value(chance)
    versions = [Version(value, _cap(attribute.plain[0].format(s=subject, v=value)), at)]
    for _ in range(chance.choice(CHANGES)):
        at += int((START_MS + YEAR_MS - at) * chance.uniform(0.15, 0.7))
        before, value = value, attribute.value(chance)
        if value == before:
            continue
        how = chance.choice(HOW)
        said = attribute.plain[0] if how == "flat" else chance.choice(attribute.change)
        versions.append(Version(value, _cap(said.format(s=subject, v=value, o=before)), at, how))
    again = (_cap(attribute.plain[1].format(s=subject, v=value)),)
    return Truth(
        number=0,
        kind=FACT,
        project=project,
        subject=subject,
        ask=tuple(one.format(s=subject) for one in attribute.ask),
        versions=versions,
        again=again if chance.random() < RESTATED else (),
        answers=(subject, value),
    )


def _preferences(chance: random.Random) -> list[Truth]:
    return [
        Truth(
            number=0,
            kind=PREFERENCE,
            project=None,
            subject="user",
            ask=(asked,),
            versions=[Version("", text, START_MS + int(chance.random() * YEAR_MS / 3))],
            again=(again,),
        )
        for text, again, asked in PREFERENCES
    ]


def _lessons(chance: random.Random) -> list[Truth]:
    """Return what is only ever told of single days, again and again."""
    found = []
    for project, name in enumerate(PROJECTS):
        for first, second, third, asked in chance.sample(LESSONS, 3):
            at = START_MS + int(chance.random() * YEAR_MS / 2)
            found.append(
                Truth(
                    number=0,
                    kind=LESSON,
                    project=project,
                    subject=name,
                    ask=(asked,),
                    versions=[Version("", first.format(p=name), at)],
                    again=tuple(one.format(p=name) for one in (second, third, first, second)),
                )
            )
    return found


def _tell(chance: random.Random, truth: Truth, sessions: Sequence[Session]) -> None:
    """Put what is said of a truth into sessions; a version holds from the session that says it."""
    mine = [one for one in sessions if truth.project in (None, one.project)]
    starts = [one.at for one in mine]
    taken = -1
    kept = []
    for version in truth.versions:
        place = max(bisect_left(starts, version.at), taken + 1)
        if place >= len(mine):
            break
        taken = place
        version.at = mine[place].at
        mine[place].said.append(
            _said(chance, truth, len(kept), version.text, supersedes=version.how == "supersedes")
        )
        kept.append(version)
    truth.versions = kept
    if truth.kind == FACT and kept:
        truth.answers = (truth.subject, kept[-1].value)
    for text in truth.again if kept else ():
        taken += chance.randint(1, max(len(mine) // 12, 1))
        value = kept[-1].value
        if taken < len(mine) and value in text:
            mine[taken].said.append(_said(chance, truth, len(kept) - 1, text))


def _said(
    chance: random.Random, truth: Truth, version: int, text: str, *, supersedes: bool = False
) -> Said:
    return Said(
        text=text,
        kind=truth.kind,
        type="episodic" if truth.kind == LESSON else "semantic",
        importance=0.9 if truth.kind == PREFERENCE else chance.choice(IMPORTANCE),
        whole=truth.project is None,
        truth=truth.number,
        version=version,
        supersedes=supersedes,
    )


def _noise(chance: random.Random, idle: Sequence[str], moments: Sequence[str]) -> list[Said]:
    return [
        Said(
            text=_fill(chance, chance.choice(moments if chance.random() < MOMENTARY else idle)),
            kind=IDLE,
            type="episodic" if chance.random() < 0.4 else "semantic",
            importance=chance.choice(IDLE_IMPORTANCE),
        )
        for _ in range(chance.choice(NOISE_A_SESSION))
    ]


def _digest(chance: random.Random) -> Said:
    text = chance.choice(DIGESTS).replace("{c}", chance.choice(COMMITS))
    return Said(text=_fill(chance, text), kind=DIGEST, type="episodic", importance=None)


def _fill(chance: random.Random, text: str) -> str:
    subject = chance.choice(SUBJECTS)
    slug = subject.lower().replace(" ", "_")
    return _cap(
        text.format(
            s=subject,
            n=chance.randint(2, 900),
            f=chance.choice(FILES).format(a=f"{slug}{chance.randrange(40)}"),
            w=chance.choice(WORK),
            o=chance.choice(PEOPLE),
            r=chance.choice(REGIONS),
            t=chance.choice(RUNNERS),
            d=chance.choice(WEEKDAYS),
        )
    )


def _asks(
    chance: random.Random, session: Session, truths: Sequence[Truth], popular: dict[int, float]
) -> list[int]:
    """Return what a session asks for, what is popular far more often than the rest."""
    known = [
        one.number
        for one in truths
        if one.project in (None, session.project)
        and one.versions
        and one.versions[0].at < session.at
    ]
    if not known:
        return []
    weights = [popular[number] for number in known]
    return chance.choices(known, weights, k=chance.choice(ASKED_A_SESSION))


def _cap(text: str) -> str:
    return text[0].upper() + text[1:]
