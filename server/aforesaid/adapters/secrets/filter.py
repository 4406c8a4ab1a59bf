"""Redacts secrets, found by the formats that vendors publish or by the names beside them.

Here: running the rules. Not here: the rules (table.py), judging a value (values.py), private spans
(domain/text/sanitize.py). Why no library is used: docs/adr/0008-secret-filter.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aforesaid.domain.text.sanitize import MARK

from .multiline import Span, find_blocks, find_in_tables, find_literal, merge_spans
from .numbers import find_numbers
from .table import ALPHABETS, KEYS, MARKED, NAMES, OWNERS, PASSWORD_WORDS, SHAPED, SHORT, pattern
from .values import (
    is_key,
    is_passphrase,
    is_password,
    is_password_after_owner,
    is_plain,
    is_random,
    is_reference,
    is_short_key,
    is_strong_key,
    is_strong_password,
    looks_generated,
)

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
    ("pair", "login", "password"),
    ("pair", "credential", "password"),
)
_STRONG_ONLY = ("wifi", "community", "at_address")  #: the value must be a strong password
_LOGIN_CHARS = 80  #: searched before the "@" of an address
_OPTIONS = (
    "mysql",
    "login",
    "redis",
    "identified",
    "pair",
)  #: the value must look like a password
_MIN_MARKED = 20  #: characters of the shortest prefix together with its value
_MIN_WRAPPED = 4  #: characters before a line end at which a value may continue
_MAX_LINES = 50
_OWNER_CHARS = 16
_API_KEYS = ("apikey", "accesskey", "secretkey")
_API_KEY_CHARS = 12
_EXTRA_RANK = 99  #: a kind from the table wins over a user's pattern
#: Weak evidence: the value must also look random.
_GENERIC = ("api-key", "raw", "bearer", "basic", "docker", "cookie")

_marked: list[tuple[str, str, int, str]] = []  #: kind, alphabet, minimum length, prefix


class SecretRedactor:
    """A ``SecretFilter`` that runs a table of rules; patterns are compiled at first use."""

    def __init__(self, extra: Sequence[str] = ()) -> None:
        """Set the user's own patterns.

        Args:
            extra: valid regular expressions (config/schema.py checks them).
        """
        self._extra = tuple(extra)

    def redact(self, text: str) -> tuple[str, list[str]]:
        """Return the text with each secret as ``[redacted: KIND]``, and the kinds in order.

        A text without secrets, or already redacted, is returned unchanged.
        """
        spans = merge_spans([*_find_all(text), *_find_extra(text, self._extra)])
        if not spans:
            return text, []
        parts, position = [], 0
        for span in spans:
            parts += [text[position : span.start], f"[redacted: {span.kind}]"]
            position = span.end
        return "".join([*parts, text[position:]]), [span.kind for span in spans]


def _find_all(text: str) -> list[Span]:
    """Return the secrets of a text, including those split by invisible characters or line ends."""
    visible, positions = (text, None) if text.isascii() else _remove("unseen", text)
    spans = _find(visible)
    may_be_split = any(mark in visible for mark in ('"', "'", "\\\n"))
    joined, joined_positions = _remove("joint", visible) if may_be_split else (visible, None)
    if joined_positions:
        spans += _translate([*_find_by_prefix(joined), *_find_by_pattern(joined)], joined_positions)
    return _translate(spans, positions) if positions else spans


def _remove(name: str, text: str) -> tuple[str, list[int] | None]:
    """Return a text without the matches of a pattern, and each character's original position.

    The positions are None if nothing was removed.
    """
    parts: list[str] = []
    positions: list[int] = []
    end = 0
    for match in pattern(name).finditer(text):
        parts.append(text[end : match.start()])
        positions += range(end, match.start())
        end = match.end()
    if not end:
        return text, None
    return "".join([*parts, text[end:]]), [*positions, *range(end, len(text))]


def _translate(spans: list[Span], positions: list[int]) -> list[Span]:
    """Return the spans in terms of the original text."""
    return [
        span._replace(start=positions[span.start], end=positions[span.end - 1] + 1)
        for span in spans
    ]


def _find(text: str) -> list[Span]:
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters get longer in lower case, and positions must match
        lowered = text.translate(_ASCII_LOWER)
    return [
        *find_blocks(text, lowered),
        *find_in_tables(text, lowered),
        *_find_by_prefix(text),
        *_find_by_pattern(text),
        *_find_headers(text, lowered),
        *_find_named(text, lowered),
        *find_numbers(text, lowered),
    ]


def _find_extra(text: str, patterns: Sequence[str]) -> Iterator[Span]:
    """Yield the matches of the user's own patterns outside ``[redacted: …]`` marks."""
    if not patterns:
        return
    marks = [mark.span() for mark in pattern("mark", MARK).finditer(text)]
    for expression in patterns:
        for match in pattern(f"extra {expression}", expression).finditer(text):
            start, end = match.span()
            if start < end and not any(start < last and first < end for first, last in marks):
                yield Span(start, end, _EXTRA_RANK, "extra")


def _starts_word(text: str, index: int) -> bool:
    """Return whether a word may start here: no letter or digit precedes, or an escape does."""
    if not index or not text[index - 1].isalnum():
        return True
    before = text[max(0, index - 3) : index]
    return before[-2:] in ("\\n", "\\r", "\\t") or before[:1] == "%"


# --- by format ---------------------------------------------------------------------------------


def _find_by_prefix(text: str) -> Iterator[Span]:
    """Yield values with a published prefix."""
    if len(text) < _MIN_MARKED:
        return
    if not _marked:
        for line in MARKED.split("\n"):
            kind, *rest = line.split() or [""]
            _marked.extend((kind, rest[0], int(rest[1]), prefix) for prefix in rest[2:])
    for kind, alphabet, min_chars, prefix in _marked:
        end = 0
        for start in find_literal(text, prefix) if prefix in text else ():
            if start < end or not _starts_word(text, start):
                continue
            match = pattern(alphabet, ALPHABETS[alphabet]).match(text, start + len(prefix))
            value = match[0] if match else ""
            # Skip a prefix inside this value: its value would be a part of this one.
            end = start + len(prefix) + len(value)
            if len(value) >= _MIN_WRAPPED and text[end : end + 1] == "\n":
                end = _wrapped_end(text, end, alphabet)
                value = text[start + len(prefix) : end]
            if len(value) < min_chars or not looks_generated(value):
                continue
            if kind not in _GENERIC or is_random(value):
                yield Span(start, end, 1, kind)


def _wrapped_end(text: str, end: int, alphabet: str) -> int:
    """Return the end of a value that was wrapped into lines, given the end of its first line."""
    for _ in range(_MAX_LINES):
        line = pattern(f"wrapped {alphabet}", r"\n[ \t]{0,8}(?=\S)" + ALPHABETS[alphabet])
        match = line.match(text, end)
        if not match or not is_random(match[0]) or text.startswith(("=", ":"), match.end()):
            break
        end = match.end()
    return end


def _find_by_pattern(text: str) -> Iterator[Span]:
    """Yield values that match a pattern around a literal."""
    for kind, literal, offsets, source in SHAPED:
        if literal not in text:
            continue
        end, shape = 0, pattern(source, source)
        for index in find_literal(text, literal):
            if index < end:
                continue
            match = _match_around(shape, text, index, offsets)
            if match is None or is_reference(match[shape.groups], quoted=True):
                continue
            end = match.end(shape.groups)
            rank = 2 if kind == "url-password" else 1
            yield Span(match.start(shape.groups), end, rank, kind)


def _match_around(
    shape: re.Pattern[str], text: str, index: int, offsets: tuple[int, ...]
) -> re.Match[str] | None:
    """Return the first match that begins one of the offsets before an index."""
    for offset in offsets:
        start = index - offset
        if start < 0 or (text[start].isalnum() and not _starts_word(text, start)):
            continue
        match = shape.match(text, start)
        if match:
            return match
    return None


# --- by context --------------------------------------------------------------------------------


def _find_headers(text: str, lowered: str) -> Iterator[Span]:
    """Yield values sent in a header, or passed to a command as credentials."""
    for name, literal, kind in _HEADERS:
        for index in find_literal(lowered, literal):
            if name == "at_address":
                match = _match_before_address(text, index)
            else:
                match = pattern(name).match(text, index)
            if match is None and name == "user" and index:  # "--user" contains "-u" at 1
                match = pattern(name).match(text, index - 1)
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
                yield Span(match.start(group), match.end(group), 2, kind)


def _match_before_address(text: str, index: int) -> re.Match[str] | None:
    """Return the login before the "@" of an IP address."""
    if not text[index + 1 : index + 2].isdigit():
        return None
    matches = pattern("at_address").finditer(text, max(0, index - _LOGIN_CHARS), index + 20)
    return next((match for match in matches if match.end() == index + 1), None)


def _find_named(text: str, lowered: str) -> Iterator[Span]:
    """Yield values next to a name such as password, api_key or token."""
    for name in NAMES:
        end = 0
        for index in find_literal(lowered, name):
            if index < end or not _names_secret(lowered, index, name):
                continue
            start, end, is_secret = _value_of(text, lowered, index, name)
            if is_secret:
                kind = "password" if name in PASSWORD_WORDS else _kind_of(name)
                yield Span(start, end, 3, kind)


def _value_of(text: str, lowered: str, index: int, name: str) -> tuple[int, int, bool]:
    """Return start and end of the value of the name at an index, and whether it is a secret."""
    owned = _has_owner(lowered, index, name)
    after = index + len(name)
    for form in ("assigned", "spoken", "flag", "beside", "below"):
        if _is_form_possible(form, lowered, index, name, owned=owned):
            match = pattern("flag" if form == "beside" else form).match(text, after)
            if match is not None:
                return _judge(form, text, after, match, name, owned=owned)
    return index, index, False


def _judge(
    form: str, text: str, after: int, match: re.Match[str], name: str, *, owned: bool
) -> tuple[int, int, bool]:
    """Return start and end of the matched value, and whether it is a secret."""
    group = match.lastindex or 0
    start, value, quoted = match.start(group), match[group], group < match.re.groups
    if name in PASSWORD_WORDS and form != "below" and (form != "beside" or owned):
        phrase = value if quoted else _words_at(text, start) or _trim_value(value)
        if is_passphrase(phrase, named=quoted or form != "beside"):
            return start, start + len(phrase), True
    if not quoted:
        value = _trim_value(value)
    end = start + len(value)
    if not quoted and text[end : end + 1] == "(":  # a call
        return start, end, False
    if quoted and value.isalpha() and "," in text[after:start]:  # a list of words
        return start, end, False
    if form in ("beside", "below"):
        is_adjacent = _is_adjacent_password(value, quoted=quoted, owned=owned)
        return start, end, is_strong_key(value) if name == "secret" else is_adjacent
    if name in PASSWORD_WORDS:
        return start, end, is_password(value, spoken=form == "spoken", quoted=quoted)
    is_secret = is_key(value, quoted=quoted)
    if form == "assigned" and not is_secret and _names_api_key(text, after):
        is_secret = is_short_key(value, quoted=quoted)
    return start, end, is_secret


def _names_api_key(text: str, end: int) -> bool:
    """Return whether the name that ends at an index is an API key, not the key of a table."""
    name = text[max(0, end - _API_KEY_CHARS) : end].lower()
    return name.replace("_", "").replace("-", "").replace(" ", "").endswith(_API_KEYS)


def _has_owner(lowered: str, index: int, name: str) -> bool:
    """Return whether the word before a name says what the password is for ("the db password")."""
    if name not in PASSWORD_WORDS or lowered[index - 1 : index] not in (" ", "_", "-"):
        return False
    words = pattern("parts").findall(lowered, max(0, index - _OWNER_CHARS), index)
    return bool(words) and words[-1] in OWNERS


def _words_at(text: str, start: int) -> str:
    """Return the words at an index, up to the end of their sentence or line."""
    words = pattern("words").match(text, start)
    return words[0] if words else ""


def _is_adjacent_password(value: str, *, quoted: bool, owned: bool) -> bool:
    """Return whether a value directly after its name is a password."""
    if owned and (
        is_password(value, spoken=True, quoted=True) if quoted else is_password_after_owner(value)
    ):
        return True
    return is_strong_password(value)


def _names_secret(lowered: str, index: int, name: str) -> bool:
    """Return whether a name at an index names a secret, given the characters before it."""
    if name in SHORT:
        return not lowered[index - 1 : index].isalpha()
    if name in PASSWORD_WORDS:  # not "1Password"
        return not lowered[index - 1 : index].isdigit()
    if name == "key":
        word = lowered[max(0, index - 16) : index].rstrip("_- ")
        return word.endswith(KEYS)
    return True


def _is_form_possible(form: str, lowered: str, index: int, name: str, *, owned: bool) -> bool:
    """Return whether a value may follow the name in this form; owned: as in "the db password"."""
    if form == "flag":  # --password VALUE, and netrc's "login NAME password VALUE"
        word = lowered[max(0, index - 40) : index].rpartition(" ")[2]
        return "--" in word or lowered[max(0, index - 120) : index].split()[-2:-1] == ["login"]
    if form == "spoken":
        return owned or name not in ("pass", "pwd", "pw")
    if form == "below":  # "db pass", and on the next line nothing but the value
        return owned
    if form == "beside":
        return owned or name == "secret" or (name in PASSWORD_WORDS and name not in SHORT)
    return True


def _trim_value(value: str) -> str:
    """Return an unquoted value without the rest of its line."""
    if value.startswith("["):
        return value
    for mark in ";&":
        head, _, rest = value.partition(mark)
        if not rest or "=" in rest:
            value = head
    return value.rstrip(".,:)]}").removesuffix("**")


def _kind_of(name: str) -> str:
    return {"key": "api-key", "_auth": "token"}.get(name, name)
