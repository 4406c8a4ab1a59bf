"""Which words of a question each text holds, and what each word weighs.

Here: reading a question against the candidates' texts. Not here: what follows from it
(relevance_features.py), which terms the store is asked for (domain/text/tokenize.py).
"""

from __future__ import annotations

from math import log

from aforesaid.domain.text.stem import STEM_CHARS, stem
from aforesaid.domain.text.tokenize import query_groups

from .synonyms import synonyms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXT_CHARS = 4_000  #: of a candidate, that are looked at for words
_INSIDE_CHARS = 5  #: stems from here on are also found inside longer words
_SLIP_CHARS = 5  #: words from here on are also found with one slip of the keyboard
_SLIP_SHARE = 0.5  #: of its weight that a word counts for, if found with a slip
_PARTS_SHARE = 0.5  #: of its weight that a word counts for, if all its parts are found but not it
_ASKING_SHARE = 0.25  #: of its weight that a word counts for which only asks
_BREAKS = {code: " " for code in range(128) if not chr(code).isalnum()}
#: The same for bytes of ASCII, and lower-case: one quick pass.
_ASCII = bytes(range(256)).lower().translate(bytes.maketrans(bytes(_BREAKS), b" " * len(_BREAKS)))
#: What questions say whatever they are about: an answer need not repeat it.
ASKING = frozenset(
    """able actually amount anybody anyone anything ask asked back became become belong belongs
    call called came change changed changes choose chose chosen come cost count current currently
    date day days decide decided default different exactly fast find format found gave get gets
    give given go goes got happen happened happens help hold holds ideal keep keeps kept kind know
    known last late later learn learned leave left length like list long longer look made make
    makes many max maximum may mean means might min minimum much must myself name named need needed
    needs new newest now number often old one part pick picked possible price put range rate reason
    rule rules run running runs said say says send sends set share show size someone something sort
    special stay still stored take taken tell thing things think thought time times took type unit
    use used user uses using value version versions want wants way went work works write written
    wrong""".split()  # noqa: SIM905 - a list of words reads better as words
)
#: The same in other languages.
ASKING_ELSEWHERE = frozenset(
    """aan al alla alle als am an ao aos as auf aus bei bij che chi com come como cosa czy da dans
    das de dei del dem den der des die do dos du een ein eine einen einer el em en er es est et
    para for für gdzie har hat het hoe hvad hvem hver hvilken hvor hvordan hvorfor hvornår ich
    il im is ist jak jaka jaki jakie je kan kann kiedy kto la las le les lo los man med met mit
    na nach nicht no nos og om os où par pas per perché por porque pour pourquoi på qual quale
    quali quand quando quanto quel quelle quelles quels quem qui quoi qué quién quiénes se sich
    sind skal som sont sowie sur till um uma un una und une unter van var vi voor von wann war
    waar waarom warum was welche welchem welcher welches wem wen wer wie wieso wir wird wo
    woher z za zu zum zur à är és é è cómo cuál cuándo cuánto dónde over que está são dlaczego
    który która które ile vad när hur vilken vilket varför och att det til af gilt muss darf
    viele viel""".split()  # noqa: SIM905 - as above
)
#: Characters of grammar in Chinese and Japanese; hiragana apart.
_GRAMMAR = frozenset("的了吗呢么什哪怎多少是在有我们何谁")


class TermMatcher:
    """Which words of a question each text holds, and what each word weighs.

    A word weighs by how few of the candidates hold it. These were chosen by the very same words,
    so what none of them holds is nowhere in the store, and weighs most. A word that only asks
    weighs little. A word of several parts (``useClientDate``) counts once.
    """

    def __init__(
        self, query: str, texts: dict[int, str], months: dict[int, str] | None = None
    ) -> None:
        """Read a question against texts.

        Args:
            query: the question.
            texts: what each candidate says, by head.
            months: when each is from, such as "June 2026"; what is missing is from no time.
        """
        months = months or {}
        self._padded = {
            head: _padded(f"{text[:_TEXT_CHARS]} {months.get(head, '')}")
            for head, text in texts.items()
        }
        self.groups = query_groups(query)
        self.terms = [group[0] for group in self.groups]
        self.codes = [word for word in self.terms if _is_code(word)]
        self.names = _names(query, self.terms)
        self.held: dict[int, dict[str, float]] = {head: {} for head in texts}
        self.holders: dict[str, int] = {}
        for group in self.groups:
            self._hold_group(group)
        self.weight = {
            word: log((len(texts) + 1) / (count + 0.5))
            * (_ASKING_SHARE if is_query_filler(word) else 1.0)
            for word, count in self.holders.items()
        }
        total = sum(self.weight.values()) or 1.0
        self.coverage = {
            head: sum(self.weight[word] * share for word, share in found.items()) / total
            for head, found in self.held.items()
        }

    def holds(self, head: int, term: str) -> bool:
        """Tell whether a text holds a word, be it by all its parts or with a slip."""
        return self.held[head].get(term, 0.0) >= _SLIP_SHARE

    def told(self, head: int) -> list[str]:
        """Return the words of the question that a text holds, those that only ask apart."""
        return [term for term in self.terms if self.holds(head, term) and not is_query_filler(term)]

    def synonym_coverage(self, heads: Sequence[int]) -> dict[int, float]:
        """Return the share of the question's weight that each text says in words of its matter.

        A word counts by how few of these texts say it otherwise; where it is said itself it does
        not count again.
        """
        wanted = {term: mates for term in self.terms if (mates := synonyms_of(term))}
        found = dict.fromkeys(heads, 0.0)
        if not wanted:
            return found
        every = frozenset().union(*wanted.values())
        met = {head: every.intersection(map(stem, self._padded[head].split())) for head in heads}
        total = sum(self.weight.values()) or 1.0
        most = log((len(met) + 1) / 0.5)
        for term, mates in wanted.items():
            saying = [
                head
                for head, words in met.items()
                if not mates.isdisjoint(words) and not self.holds(head, term)
            ]
            share = self.weight[term] * log((len(met) + 1) / (len(saying) + 0.5)) / (most * total)
            for head in saying:
                found[head] += share
        return found

    def _hold_group(self, group: tuple[str, ...]) -> None:
        """Note how much of a word, or else of its parts, each text holds."""
        word, parts = group[0], group[1:]
        found = self._holding(word)
        self.holders[word] = len(found)
        for head in found:
            self.held[head][word] = 1.0
        if parts:
            whole = self._hold_parts(word, parts)
            self.holders[word] = self.holders[word] or whole
        elif not found and len(word) >= _SLIP_CHARS and word.isascii() and word.isalpha():
            slips = _slips(word)
            for head, text in self._padded.items():
                if any(start in text for start in slips) and _has_slip(word, text):
                    self.held[head][word] = _SLIP_SHARE

    def _hold_parts(self, word: str, parts: Sequence[str]) -> int:
        """Note which texts hold parts of a word but not the word; return how many hold all."""
        counts: dict[int, int] = {}
        for part in parts:
            for head in self._holding(part):
                counts[head] = counts.get(head, 0) + 1
        for head, count in counts.items():
            self.held[head].setdefault(word, _PARTS_SHARE * count / len(parts))
        return sum(count == len(parts) for count in counts.values())

    def _holding(self, term: str) -> list[int]:
        form, *others = _forms(term)
        if not others:
            return [head for head, text in self._padded.items() if form in text]
        return [
            head
            for head, text in self._padded.items()
            if form in text or any(other in text for other in others)
        ]


def _padded(text: str) -> str:
    """Return the words of a text, lower-case, one blank around each."""
    if text.isascii():
        words = text.encode().translate(_ASCII).decode().split()
    else:
        words = text.lower().translate(_BREAKS).split()
    return f" {' '.join(words)} "


def is_query_filler(word: str) -> bool:
    """Tell whether a word says nothing of what a question is about."""
    if word.isascii():
        return word in ASKING or word in ASKING_ELSEWHERE or is_year(word)
    return word in ASKING_ELSEWHERE or any(
        "\u3041" <= letter <= "\u309f" or letter in _GRAMMAR for letter in word
    )


def _forms(term: str) -> tuple[str, ...]:
    """Return what to look for in a text with a blank around each word, for one term."""
    words = term.lower().translate(_BREAKS).split()
    if len(words) != 1:
        return (f" {' '.join(words)} ",) if words else (f" {term} ",)
    word = words[0]
    if not word.isascii():
        return (word,)
    cut = word if any(letter.isdigit() for letter in word) else stem(word)
    if len(cut) >= _INSIDE_CHARS:
        return (cut,)
    if len(word) < STEM_CHARS or not word.isalpha():
        return (f" {word} ", f" {word}s ")
    return (f" {cut}",)


def _slips(term: str) -> tuple[str, str]:
    """Return the halves of a word: with one slip, one of them is as it should be."""
    half = len(term) // 2
    return f" {term[:half]}", f"{term[half + 1 :]} "


def _has_slip(term: str, text: str) -> bool:
    """Tell whether a text has the term with one letter wrong, missing, added, or two swapped."""
    return any(
        abs(len(word) - len(term)) <= 1
        and (word[:2] == term[:2] or word[-2:] == term[-2:])
        and is_edit_distance_one(term, word)
        for word in text.split()
    )


def is_edit_distance_one(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter wrong, missing, added, or two swapped."""
    if len(one) > len(other):
        one, other = other, one
    at = next((i for i, letter in enumerate(one) if letter != other[i]), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    return one[at + 1 :] == other[at + 1 :] or (
        one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    )


def _is_code(term: str) -> bool:
    """Tell whether a term is a code, path, flag, version or number; a year is none."""
    if is_year(term):
        return False
    return len(term) > 1 and not term.isalpha() and term.isascii()


def is_year(term: str) -> bool:
    """Tell whether a term is a year of our times."""
    return len(term) == len("2026") and term.isdigit() and term[:2] in ("19", "20")


def _names(query: str, terms: Sequence[str]) -> list[str]:
    """Return the terms that are written as names: a capital letter, not where a sentence begins."""
    names: dict[str, None] = {}
    begins = True
    for token in query.split():
        word = token.strip("\"'`()[]{}<>,;:!?.")
        if word[:1].isupper() and not begins and word.lower() in terms:
            names[word.lower()] = None
        begins = token[-1] in ".!?:"
    return list(names)
