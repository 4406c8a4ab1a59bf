"""Finds secrets in text, by the formats their vendors publish or by the names they are given.

Here: what runs the table. Not here: the table (table.py), judging a value (values.py), private
spans (domain/text/sanitize.py), who is told. Why no library: docs/adr/0008-secret-filter.md.
"""

from __future__ import annotations

from aforesaid.domain.text.sanitize import MARK

from .blocks import find_blocks, places
from .table import ALPHABETS, KEYS, MARKED, NAMES, OWNERS, SHAPED, SHORT, STRONG, pattern
from .tables import find_in_tables
from .values import (
    is_key,
    is_passphrase,
    is_password,
    is_plain,
    is_random,
    is_reference,
    is_strong_password,
    is_word_beside,
    looks_generated,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_HEADERS = (
    ("header", "authorization", "authorization"),
    ("raw", "authorization", "authorization"),
    ("bearer", "bearer", "bearer-token"),
    ("basic", "basic ", "authorization"),
    ("docker", '"auth', "authorization"),
    ("user", "-u", "password"),
    ("identified", "identified", "password"),
    ("sshpass", "sshpass", "password"),
    ("mysql", "mysql", "password"),
    ("mysql", "mariadb", "password"),
    ("login", "login ", "password"),
    ("redis", "redis-cli", "password"),
    ("cookie", "cookie", "cookie"),
    ("wifi", "wifi key", "password"),
    ("wifi", "wi-fi key", "password"),
    ("wifi", "wlan key", "password"),
    ("community", "community string", "password"),
    ("at_address", "@", "password"),
)
_STRONG_ONLY = ("wifi", "community", "at_address")  #: where the value must be a strong password
_LOGIN_CHARS = 80  #: before the "@" of an address
_OPTIONS = (
    "mysql",
    "login",
    "redis",
    "identified",
)  #: where the value must be like a password, too
_MIN_MARKED = 20  #: characters of the shortest prefix with its value: no entry has fewer
_MIN_WRAPPED = 4  #: characters of a run before its line ends
_MAX_LINES = 50
_OWNER_CHARS = 16
_EXTRA_RANK = 99  #: what the table knows by a name of its own keeps it
#: Found by so little that the value must be random too.
_GENERIC = ("api-key", "raw", "bearer", "basic", "docker", "cookie")

Span = tuple[int, int, int, str]  # start, end, rank (the surer rule is lower), kind

_marked: list[tuple[str, str, int, str]] = []  # kind, alphabet, least length, prefix


class SecretRedactor:
    """Finds secrets by a table of rules; its patterns are compiled when a text first needs them."""

    def __init__(self, extra: Sequence[str] = ()) -> None:
        """Take the table, and patterns of the user's own.

        Args:
            extra: regular expressions, each of which was compiled before (config/schema.py).
        """
        self._extra = tuple(extra)

    def redact(self, text: str) -> tuple[str, list[str]]:
        """Return the text with each secret as ``[redacted: KIND]``, and the kinds in order.

        A text without secrets comes back as it is, and so does one that was redacted before.
        """
        spans = _merge([*_find_all(text), *(_find_extra(text, self._extra) if self._extra else ())])
        if not spans:
            return text, []
        kept, kinds, at = [], [], 0
        for start, end, _, kind in spans:
            kept += [text[at:start], f"[redacted: {kind}]"]
            kinds.append(kind)
            at = end
        return "".join([*kept, text[at:]]), kinds


def _find_all(text: str) -> list[Span]:
    """Return the secrets of a text, also those with something unseen, or a line's end, within."""
    seen, places = (text, None) if text.isascii() else _without("unseen", text)
    spans = _find(seen)
    parted = any(mark in seen for mark in ('"', "'", "\\\n"))
    joined, seams = _without("joint", seen) if parted else (seen, None)
    if seams:
        spans += _back([*_find_marked(joined), *_find_shaped(joined)], seams)
    return _back(spans, places) if places else spans


def _without(name: str, text: str) -> tuple[str, list[int] | None]:
    """Return a text without what a pattern finds, and the place of each character left.

    No places: they are the same.
    """
    kept: list[str] = []
    places: list[int] = []
    at = 0
    for found in pattern(name).finditer(text):
        kept.append(text[at : found.start()])
        places += range(at, found.start())
        at = found.end()
    if not at:
        return text, None
    return "".join([*kept, text[at:]]), [*places, *range(at, len(text))]


def _back(spans: list[Span], places: list[int]) -> list[Span]:
    """Return spans as they lie in the text that these places are of."""
    return [(places[start], places[end - 1] + 1, *rest) for start, end, *rest in spans]  # type: ignore[misc]


def _find(text: str) -> list[Span]:
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters grow when lowered: places must stay
        lowered = text.translate(_ASCII_LOWER)
    return [
        *find_blocks(text, lowered),
        *find_in_tables(text, lowered),
        *_find_marked(text),
        *_find_shaped(text),
        *_find_headers(text, lowered),
        *_find_named(text, lowered),
    ]


def _find_extra(text: str, patterns: Sequence[str]) -> Iterator[Span]:
    """Yield what the user's own patterns match, but in marks of what was taken out before."""
    marks = [found.span() for found in pattern("mark", MARK).finditer(text)]
    for expression in patterns:
        for found in pattern(f"extra {expression}", expression).finditer(text):
            start, end = found.span()
            if start < end and not any(start < last and first < end for first, last in marks):
                yield start, end, _EXTRA_RANK, "extra"


def _merge(spans: list[Span]) -> list[Span]:
    """Return the spans in order, overlapping ones as one that bears the surest rule's kind."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span[0] < merged[-1][1]:
            last = merged[-1]
            surest = min(last, span, key=lambda one: one[2])
            merged[-1] = (last[0], max(last[1], span[1]), surest[2], surest[3])
        else:
            merged.append(span)
    return merged


def _starts_fresh(text: str, at: int) -> bool:
    """Tell whether no word runs into this place (but for an escaped line end or blank)."""
    if not at or not text[at - 1].isalnum():
        return True
    before = text[max(0, at - 3) : at]
    return before[-2:] in ("\\n", "\\r", "\\t") or before[:1] == "%"


# --- by format ---------------------------------------------------------------------------------


def _find_marked(text: str) -> Iterator[Span]:
    """Yield what a published prefix gives away."""
    if len(text) < _MIN_MARKED:
        return
    if not _marked:
        for line in MARKED.split("\n"):
            kind, *rest = line.split() or [""]
            _marked.extend((kind, rest[0], int(rest[1]), prefix) for prefix in rest[2:])
    for kind, alphabet, least, prefix in _marked:
        end = 0
        for at in places(text, prefix) if prefix in text else ():
            if at < end or not _starts_fresh(text, at):
                continue
            match = pattern(alphabet, ALPHABETS[alphabet]).match(text, at + len(prefix))
            value = match[0] if match else ""
            # A prefix inside this run would only be followed by less.
            end = at + len(prefix) + len(value)
            if len(value) >= _MIN_WRAPPED and text[end : end + 1] == "\n":
                end = _wrapped(text, end, alphabet)
                value = text[at + len(prefix) : end]
            if len(value) < least or not looks_generated(value):
                continue
            if kind not in _GENERIC or is_random(value):
                yield at, end, 1, kind


def _wrapped(text: str, end: int, alphabet: str) -> int:
    """Return where a run ends that a narrow window broke into lines, given its first line's end."""
    for _ in range(_MAX_LINES):
        line = pattern(f"wrapped {alphabet}", r"\n[ \t]{0,8}(?=\S)" + ALPHABETS[alphabet])
        match = line.match(text, end)
        if not match or not is_random(match[0]) or text.startswith(("=", ":"), match.end()):
            break
        end = match.end()
    return end


def _find_shaped(text: str) -> Iterator[Span]:
    """Yield what its shape around a literal gives away."""
    for kind, literal, before, source in SHAPED:
        if literal not in text:
            continue
        end, shape = 0, pattern(source, source)
        for at in places(text, literal):
            if at < end:
                continue
            match = _match_around(shape, text, at, before)
            if match is None or is_reference(match[shape.groups], quoted=True):
                continue
            end = match.end(shape.groups)
            yield match.start(shape.groups), end, 2 if kind == "url-password" else 1, kind


def _match_around(
    shape: re.Pattern[str], text: str, at: int, before: tuple[int, ...]
) -> re.Match[str] | None:
    """Return the match that begins one of these numbers of characters before a place."""
    for distance in before:
        start = at - distance
        if start < 0 or (text[start].isalnum() and not _starts_fresh(text, start)):
            continue
        match = shape.match(text, start)
        if match:
            return match
    return None


# --- by surroundings ---------------------------------------------------------------------------


def _find_headers(text: str, lowered: str) -> Iterator[Span]:
    """Yield what is sent in a header, or given to a command as its user."""
    for name, literal, kind in _HEADERS:
        for at in places(lowered, literal):
            # "--user" holds "-u" one character on.
            if name == "at_address":
                match = _match_before_address(text, at)
            else:
                match = pattern(name).match(text, at)
            match = match or (pattern(name).match(text, at - 1) if name == "user" and at else None)
            group = match.lastindex or 0 if match else 0
            if not match or is_reference(match[group]):
                continue
            if name == "header" and is_plain(match[group]):
                continue
            if name in _STRONG_ONLY and not is_strong_password(match[group]):
                continue
            if name in _OPTIONS and not is_password(match[group], spoken=False, quoted=False):
                continue
            if name not in _GENERIC or is_random(match[group]):
                yield match.start(group), match.end(group), 2, kind


def _match_before_address(text: str, at: int) -> re.Match[str] | None:
    """Return the login that stands before the "@" of an IP address."""
    if not text[at + 1 : at + 2].isdigit():
        return None
    found = pattern("at_address").finditer(text, max(0, at - _LOGIN_CHARS), at + 20)
    return next((match for match in found if match.end() == at + 1), None)


def _find_named(text: str, lowered: str) -> Iterator[Span]:
    """Yield values that stand beside a name like password, api_key or token."""
    for name in NAMES:
        end = 0
        for at in places(lowered, name):
            if at < end or not _is_telling(lowered, at, name):
                continue
            start, end, is_secret = _value_of(text, lowered, at, name)
            if is_secret:
                yield start, end, 3, "password" if name in STRONG else _kind_of(name)


def _value_of(text: str, lowered: str, at: int, name: str) -> tuple[int, int, bool]:
    """Return where the value of the name at a place stands, and whether it is a secret."""
    owned = _has_owner(lowered, at, name)
    for how in ("assigned", "spoken", "flag", "beside", "below"):
        if _may_be(how, lowered, at, name, owned=owned):
            match = pattern("flag" if how == "beside" else how).match(text, at + len(name))
            if match is not None:
                return _judge(how, text, at + len(name), match, name, owned=owned)
    return at, at, False


def _judge(
    how: str, text: str, after: int, match: re.Match[str], name: str, *, owned: bool
) -> tuple[int, int, bool]:
    """Return where a value stands that was found behind a name, and whether it is a secret."""
    group = match.lastindex or 0
    start, value, quoted = match.start(group), match[group], group < match.re.groups
    if name in STRONG and how != "below" and (how != "beside" or owned):
        phrase = value if quoted else _words_at(text, start) or _cut_value(value)
        if is_passphrase(phrase, named=quoted or how != "beside"):
            return start, start + len(phrase), True
    if not quoted:
        value = _cut_value(value)
    end = start + len(value)
    if not quoted and text[end : end + 1] == "(":  # a call
        return start, end, False
    if quoted and value.isalpha() and "," in text[after:start]:  # a list of words
        return start, end, False
    if how in ("beside", "below"):
        return start, end, _is_beside(value, quoted=quoted, owned=owned)
    if name in STRONG:
        return start, end, is_password(value, spoken=how == "spoken", quoted=quoted)
    return start, end, is_key(value, quoted=quoted)


def _has_owner(lowered: str, at: int, name: str) -> bool:
    """Tell whether the word before a name says whose password it is, as in "the db password"."""
    if name not in STRONG or lowered[at - 1 : at] not in (" ", "_", "-"):
        return False
    words = pattern("parts").findall(lowered, max(0, at - _OWNER_CHARS), at)
    return bool(words) and words[-1] in OWNERS


def _words_at(text: str, start: int) -> str:
    """Return the words at a place, up to the end of their sentence or line."""
    words = pattern("words").match(text, start)
    return words[0] if words else ""


def _is_beside(value: str, *, quoted: bool, owned: bool) -> bool:
    """Tell whether a value right behind its name is a password."""
    if owned and (
        is_password(value, spoken=True, quoted=True) if quoted else is_word_beside(value)
    ):
        return True
    return is_strong_password(value)


def _is_telling(lowered: str, at: int, name: str) -> bool:
    """Tell whether a name at a place is one that secrets are given."""
    if name in SHORT:
        return not lowered[at - 1 : at].isalpha()
    if name in STRONG:  # not "1Password"
        return not lowered[at - 1 : at].isdigit()
    if name == "key":
        word = lowered[max(0, at - 16) : at].rstrip("_- ")
        return word.endswith(KEYS)
    return True


def _may_be(how: str, lowered: str, at: int, name: str, *, owned: bool) -> bool:
    """Tell whether a value may follow the name at a place in this way; owned: "the db password"."""
    if how == "flag":  # --password VALUE, and netrc's "login NAME password VALUE"
        word = lowered[max(0, at - 40) : at].rpartition(" ")[2]
        return "--" in word or lowered[max(0, at - 120) : at].split()[-2:-1] == ["login"]
    if how == "spoken":
        return owned or name not in ("pass", "pwd", "pw")
    if how == "below":  # "db pass", and on the next line nothing but the value
        return owned
    if how == "beside":
        return owned or (name in STRONG and name not in SHORT)
    return True


def _cut_value(value: str) -> str:
    """Return an unquoted value without what follows it on its line."""
    if value.startswith("["):
        return value
    for mark in ";&":
        head, _, rest = value.partition(mark)
        if not rest or "=" in rest:
            value = head
    return value.rstrip(".,:)]}").removesuffix("**")


def _kind_of(name: str) -> str:
    return {"key": "api-key", "_auth": "token"}.get(name, name)
