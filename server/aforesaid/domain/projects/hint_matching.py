"""Which known project a title or first message speaks of, for clients that know no folder.

Here: the match of a text against known projects, pure. Not here: folders (detection.py), asking.
Precision first: only a project's own name or alias is ever taken. What merely fits it (its
entities, keywords, description) is offered, and so is a name that is also an everyday word.
"""

from __future__ import annotations

import re
import unicodedata

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Taken at or above, offered above. Source: DESIGN section 5, rule 6.
TAKE_TITLE = 0.8
TAKE_TEXT = 0.85
OFFER = 0.5
# Two projects this near to each other are both offered: neither is taken.
CLEAR_LEAD = 0.1

MAX_HINT_CHARS = 4_000
MAX_OFFERED = 5
MIN_TELLING_CHARS = 4
MIN_MISSPELT_CHARS = 6

_SCORE_FULL_NAME = 0.97  # "acme/payments" as written
_SCORE_NAME = 0.92  # several words, or one that the text marks as a name
_SCORE_PLAIN = 0.75  # a single telling word, with nothing that says it is a name
_SCORE_DOUBTED = 0.7  # named, but as something new, other or compared
_SCORE_CHANCE = 0.6  # everyday words, part of a longer word ("nebula-web"), or misspelt
_SCORE_ABOUT_MOST = 0.78  # no number of entities and keywords is worth a name

# Words that a sentence holds by chance: a name made of these alone is offered, never taken.
_EVERYDAY_WORDS = """
    account accounts action actions admin agent agents alert alerts analysis analytics android api
    apis app apps archive article assets assistant atlas audit auth authentication backend backup
    bank base batch beacon bench benchmark beta billing blog board book books bot box brain brand
    bridge browser bucket budget build builder bundle cache calendar canvas cart catalog center
    chart chat check checkout ci class cli client cloud code coffee collector command commands
    common community company compass compiler config configuration connect console contact content
    control copy core course crawler crm customer customers daily dashboard data database deploy
    deployment design desktop dev devices diary digest discovery docker docs documentation domain
    driver dynamic echo editor email emails engine event events example examples experiments
    explorer export extension extensions family feature features feed feedback file files finance
    firmware flow focus forge form forms forum framework frontend front game games gateway general
    generator go graph grid group guide hardware health helm hello help helper helpers hire home
    hook hooks host hub identity image images import inbox index infra infrastructure ingest
    insight insights install integration internal inventory invoice invoices ios issue issues job
    jobs journal journey kernel key keys kit lab labs landing language launch learn ledger lib
    library light link links list live loader local logger login logs loop mail main manager map
    market marketing marketplace media memory menu merge message messages messaging metrics
    migration migrations mind mirror mobile model models module monitor monitoring multi music nest
    net network new news next node notebook notes notification notifications open operator ops
    optimizer orbit order orders page pages panel parser partner path pay payment payments people
    personal phone photo photos pilot pipeline pipelines plan planner platform play player plugin
    plugins point portal portfolio post posts power presentation pricing print process product
    products profile program project projects prompt prompts proposal prototype proxy public pulse
    python query queue quick react reader recipes record redis registry release releases remote
    report reporting reports repo research resource review router rules runner runtime rust safe
    sales sample sandbox scale scheduler schema school scout scraper script scripts sdk search
    secure security sensor server service services session settings setup shared shell shop signal
    simple site sites skills slack snap social source space spark spec speed sport sprint sql stack
    staging standard start starter state static stats status storage store stories story stream
    studio style suite summary support survey swift switch sync system systems table tag target task
    tasks team teams template templates terminal test testing tests theme thesis time timer todo
    token tool toolbox toolkit tools tower track tracker trading training travel tree trip trust
    tutorial type ui update upload user users util utils vault version video view viewer vision
    voice wallet watch wave weather web webapp webhook webhooks website wiki window work worker
    workers workflow workflows workspace world writer writing zero zone
    auto basic best big black blue bright bulk clean clear cold common custom dark deep direct early
    easy error errors extra false fast final fine fix free full good great green hard hidden high
    hot huge idea ideas input keyword large last late layer lazy light limit little local long low
    magic main max micro mini mode modern my native night null offline old online open output
    parallel plain pretty private pro pure random rate raw real red refactor rest rich rough secret
    serial shared sharp short silent single slow small smart soft solid static strong super sync
    tech thin tiny top total true ultra unit virtual warm weak white wide wild
"""
# Words beside a name that say it is one: "project nebula", "the nebula repo".
_BEFORE_WORDS = "project repo repository codebase brand product package projekt projet proyecto"
_AFTER_WORDS = f"{_BEFORE_WORDS} monorepo service app library"
# Verbs before a name, as in "continue working on nebula".
_WORK_WORDS = "work working works continue continuing resume resuming"
_LINK_WORDS = "on the our my"
# "new project nebula", "unlike nebula", "instead of nebula", "a nebula": not this one, or not yet.
_DOUBT_WORDS = (
    "new unlike not without except instead versus vs than like similar compare compared another"
    " different ex former old replaces replacing leaving a an"
)
_SKIPPED_WORDS = f"the our my to with of from in {_BEFORE_WORDS}"
_STOP_WORDS = (
    "a an and are as at be by can do does for from has have how i in into is it its me my of on or"
    " our please should so that the their then there this to up was we what when where which who"
    " why will with you your about add all any fix get help let make need new not now use using"
    " want write"
)
_EVERYDAY = frozenset(_EVERYDAY_WORDS.split()) | frozenset(_STOP_WORDS.split())
_STOP = frozenset(_STOP_WORDS.split())


class ProjectCandidate(Value):
    """A known project, as far as a hint may match it."""

    project: int
    name: str
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    description: str = ""
    entities: tuple[str, ...] = ()


class HintMatch(Value):
    """How well a text fits a project."""

    project: int
    score: float  # in [0, 1]
    why: str


class HintChoice(Value):
    """What to do with the matches: work there, or ask."""

    taken: HintMatch | None = None
    offered: tuple[HintMatch, ...] = ()  # best first


def match_hint(text: str, candidates: Sequence[ProjectCandidate]) -> list[HintMatch]:
    """Return how well each project fits a text, best first, ties by number; misfits are left out.

    Only the first 4,000 characters are read.
    """
    heard = _HintText(text[:MAX_HINT_CHARS])
    if not heard.words:
        return []
    shared = _count_owners(candidates)
    matches = []
    for candidate in candidates:
        named = _match_names(heard, candidate)
        about = _match_about(heard, candidate, shared)
        best = max((named, about), key=lambda found: found[0])
        if best[0] > 0:
            matches.append(
                HintMatch(project=candidate.project, score=round(best[0], 3), why=best[1])
            )
    return sorted(matches, key=lambda match: (-match.score, match.project))


def choose_hint(matches: Sequence[HintMatch], *, title: bool) -> HintChoice:
    """Return what to take and what to offer: a title is trusted a little more than free text."""
    ranked = sorted(matches, key=lambda match: (-match.score, match.project))
    best = ranked[0] if ranked else None
    lead = best.score - ranked[1].score if best and len(ranked) > 1 else 1.0
    if best and best.score >= (TAKE_TITLE if title else TAKE_TEXT) and lead >= CLEAR_LEAD:
        return HintChoice(taken=best)
    return HintChoice(offered=tuple(m for m in ranked if m.score > OFFER)[:MAX_OFFERED])


class _HintText:
    """A text with its words and where they stand, once for all candidates."""

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFKC", text)
        self.folded = self.text.casefold()
        found = list(re.finditer(r"[^\W_]+", self.folded))
        self.words = [match[0] for match in found]
        self.spans = [match.span() for match in found]
        self.known = frozenset(self.words)

    def find(self, phrase: Sequence[str]) -> list[int]:
        """Return the numbers of the words at which a phrase begins."""
        if not phrase or not self.known.issuperset(phrase):
            return []
        size = len(phrase)
        return [
            at
            for at in range(len(self.words) - size + 1)
            if self.words[at : at + size] == list(phrase)
            and all(self._is_one_name(n) for n in range(at, at + size - 1))
        ]

    def is_glued(self, at: int, size: int) -> bool:
        """Return whether these words are part of a longer one: nebula-web, nebula.py."""
        start, end = self.spans[at][0], self.spans[at + size - 1][1]
        before, after = self.folded[max(0, start - 2) : start], self.folded[end : end + 2]
        return bool(re.fullmatch(r"\w[-_./@]|.?_", before) or re.fullmatch(r"[-_./@]\w|_.?", after))

    def opens_with(self, at: int, size: int) -> bool:
        """Return whether the text is these words, or begins with them as with a label."""
        if at > 0:
            return False
        return re.match(r"\W*$|\s*[\])]?\s*[:|\u2013\u2014]| - ", self.after(at, size)) is not None

    def after(self, at: int, size: int) -> str:
        """Return the text that follows these words."""
        return self.folded[self.spans[at + size - 1][1] :]

    def _is_one_name(self, at: int) -> bool:
        """Return whether a word and the next are joined as in a name, not by a full stop."""
        between = self.folded[self.spans[at][1] : self.spans[at + 1][0]]
        return between in {" ", "-", "_", "/", ".", "  ", "\n", " - "}


def _match_names(heard: _HintText, candidate: ProjectCandidate) -> tuple[float, str]:
    best = (0.0, "")
    for name in (candidate.name, *candidate.aliases):
        for form in _forms(name):
            score = _score_name(heard, form)
            if score > best[0]:
                best = score, f"the text names \u201c{name}\u201d"
        if best[0] == 0 and _is_misspelt(heard, name):
            best = _SCORE_CHANCE, f"the text has a word like \u201c{name}\u201d"
    return best


def _forms(name: str) -> list[str]:
    """Return the ways to say a name or alias: owner/name and name; none for a mere path."""
    if name.startswith(("repo:", "marker:", "folder:", "chosen:", "git:file:")):
        return []
    form = name.removeprefix("git:").removeprefix("name:").strip("/ ")
    return list(dict.fromkeys((form, form.rsplit("/", 1)[-1])))


def _score_name(heard: _HintText, form: str) -> float:
    """Return how surely a text means a project by this form of its name, in [0, 1]."""
    folded = _fold(form)
    if _has_no_word_breaks(folded):
        return _SCORE_NAME if len(folded) > 1 and folded in heard.folded else 0.0
    phrase = _words(folded)
    scores = [_score_place(heard, form, phrase, at) for at in heard.find(phrase)]
    return max(scores, default=0.0)


def _score_place(heard: _HintText, form: str, phrase: list[str], at: int) -> float:
    size = len(phrase)
    start, end = heard.spans[at][0], heard.spans[at + size - 1][1]
    if _is_doubted(heard, at, size):
        return _SCORE_DOUBTED
    if "/" in form and heard.folded[start:end] == _fold(form):
        return _SCORE_FULL_NAME
    if heard.is_glued(at, size):
        return _SCORE_CHANCE
    telling = any(word not in _EVERYDAY and len(word) >= MIN_TELLING_CHARS for word in phrase)
    if size > 1:
        # "Brand X": written with the name's own capitals it is that name.
        verbatim = form != form.lower() and form in heard.text
        # Three everyday words joined as in the name: no sentence holds that by chance.
        verbatim |= size > 2 and " " not in form and heard.folded[start:end] == _fold(form)  # noqa: PLR2004
        return _SCORE_NAME if telling or verbatim else _SCORE_CHANCE
    if not telling:
        return _SCORE_CHANCE
    return _SCORE_NAME if _is_marked(heard, at, size) else _SCORE_PLAIN


def _is_marked(heard: _HintText, at: int, size: int) -> bool:
    """Return whether the words around say that this is a project."""
    before = heard.words[at - 1] if at else ""
    following = heard.words[at + size] if at + size < len(heard.words) else ""
    if before in _BEFORE_WORDS.split() or following in _AFTER_WORDS.split():
        return True
    links = 0
    while at - links > 0 and heard.words[at - links - 1] in _LINK_WORDS.split():
        links += 1
    verb = heard.words[at - links - 1] if at - links > 0 else ""
    return verb in _WORK_WORDS.split() or heard.opens_with(at, size)


def _is_doubted(heard: _HintText, at: int, size: int) -> bool:
    """Return whether the talk is of something else, or of something that is yet to be."""
    doubts = _DOUBT_WORDS.split()
    if re.match(r"\s+(vs|versus)\b|-(like|style)\b", heard.after(at, size)):
        return True
    at -= 1
    while at >= 0 and heard.words[at] in _SKIPPED_WORDS.split():
        at -= 1
    return at >= 0 and heard.words[at] in doubts


def _is_misspelt(heard: _HintText, name: str) -> bool:
    """Return whether a longer single-word name occurs with one slip of the finger."""
    form = _fold(_forms(name)[-1]) if _forms(name) else ""
    if len(form) < MIN_MISSPELT_CHARS or len(_words(form)) != 1 or form in _EVERYDAY:
        return False
    return any(
        abs(len(word) - len(form)) <= 1 and word[0] == form[0] and _is_edit_distance_one(word, form)
        for word in heard.known
    )


def _is_edit_distance_one(one: str, two: str) -> bool:
    """Return whether one letter was added, lost, changed or swapped with its neighbour."""
    start = 0
    while start < min(len(one), len(two)) and one[start] == two[start]:
        start += 1
    rest, other = one[start:], two[start:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )


def _match_about(
    heard: _HintText, candidate: ProjectCandidate, owners: Mapping[tuple[str, ...], int]
) -> tuple[float, str]:
    """Return how well entities, keywords and description fit; less where others share them."""
    missing = 1.0
    named: list[str] = []
    seen: set[tuple[str, ...]] = set()
    for worth, texts in ((0.5, candidate.entities), (0.4, candidate.keywords)):
        for text in texts:
            phrase = tuple(_words(_fold(text)))
            if phrase in seen or not heard.find(phrase) or _STOP.issuperset(phrase):
                continue
            seen.add(phrase)
            everyday = _EVERYDAY.issuperset(phrase)
            missing *= 1 - worth / owners.get(phrase, 1) / (2 if everyday else 1)
            named.append(text)
    for word in dict.fromkeys(_words(_fold(candidate.description))):
        if len(word) >= MIN_TELLING_CHARS and word in heard.known - _STOP and (word,) not in seen:
            missing *= 1 - 0.2 / owners.get((word,), 1) / (2 if word in _EVERYDAY else 1)
            named.append(word)
    return min(_SCORE_ABOUT_MOST, 1 - missing), "the text speaks of " + ", ".join(named[:3])


def _count_owners(candidates: Sequence[ProjectCandidate]) -> dict[tuple[str, ...], int]:
    """Return how many projects have each entity, keyword and word of a description."""
    counts: dict[tuple[str, ...], int] = {}
    for candidate in candidates:
        phrases = {tuple(_words(_fold(t))) for t in (*candidate.entities, *candidate.keywords)}
        phrases |= {(word,) for word in _words(_fold(candidate.description))}
        for phrase in phrases:
            counts[phrase] = counts.get(phrase, 0) + 1
    return counts


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _words(folded: str) -> list[str]:
    return re.findall(r"[^\W_]+", folded)


def _has_no_word_breaks(text: str) -> bool:
    """Return whether a name is written in a script that puts no blanks between words."""
    return re.search("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]", text) is not None
