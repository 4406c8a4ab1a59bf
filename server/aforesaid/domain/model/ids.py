"""Ids of memories: monotonic UUIDv7 (RFC 9562, section 5.7), and the short form that people see.

The short form is the end of the id in lower-case Crockford base32. The store keeps the whole
reversed (``code``), so that "ends with" is a range in an index.
"""

from __future__ import annotations

import os

from aforesaid.domain.errors import InvalidInputError

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
SHORT_CHARS = 4
UUID_DIGITS = 32
CODE_CHARS = 26  #: 128 bits in base32
_PAYLOAD_BITS = 122  #: 48 of time, 12 and 62 random
_READ_AS = {"o": "0", "i": "1", "l": "1"}


def next_uuid7(after: str | None, now: int, random_bytes: bytes | None = None) -> str:
    """Return a UUIDv7 for a time (ms) that sorts after the id ``after``.

    If the clock was set back, or two ids are made within one millisecond, the new id is the last
    one plus a random step, so ids sort in the order in which they were issued.
    """
    randomness = int.from_bytes(random_bytes or os.urandom(10), "big") & ((1 << 74) - 1)
    payload = (max(now, 0) << 74) | randomness
    if after is not None:
        last = _payload(after)
        if payload <= last:
            payload = last + 1 + (randomness & 0xFFFF_FFFF)
    return _uuid(payload & ((1 << _PAYLOAD_BITS) - 1))


def _payload(uuid: str) -> int:
    whole = int(uuid.replace("-", ""), 16)
    high = whole >> 80  # 48 bits of time
    middle = (whole >> 64) & 0xFFF
    return (high << 74) | (middle << 62) | (whole & ((1 << 62) - 1))


def _uuid(payload: int) -> str:
    high = payload >> 74
    middle = (payload >> 62) & 0xFFF
    low = payload & ((1 << 62) - 1)
    whole = (high << 80) | (0x7 << 76) | (middle << 64) | (0b10 << 62) | low
    text = f"{whole:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def code_of(uuid: str) -> str:
    """Return a UUID in Crockford base32, last character first (26 characters)."""
    whole = int(uuid.replace("-", ""), 16)
    out = []
    for _ in range(CODE_CHARS):
        out.append(ALPHABET[whole & 31])
        whole >>= 5
    return "".join(out)


def short_form(code: str, neighbours: tuple[str | None, str | None]) -> str:
    """Return the shortest unique end of an id, at least four characters.

    Args:
        code: the whole code, see ``code_of``.
        neighbours: the codes just before and after it among all codes in order.
    """
    length = SHORT_CHARS
    for neighbour in neighbours:
        if neighbour is not None:
            common = 0
            while common < CODE_CHARS and code[common] == neighbour[common]:
                common += 1
            length = max(length, common + 1)
    return code[:length][::-1]


def read_reference(reference: str) -> tuple[str | None, str | None]:
    """Parse an id that a person or model wrote, as (UUID, None) or (None, prefix of a code).

    Brackets, quotes, spaces and case are ignored; o, i and l are read as 0, 1 and 1.

    Raises:
        InvalidInputError: the text is neither a UUID nor the end of an id.
    """
    text = reference.strip().strip("[]()#`'\"").lower()
    plain = text.replace("-", "")
    if len(plain) == UUID_DIGITS and all(letter in "0123456789abcdef" for letter in plain):
        return f"{plain[:8]}-{plain[8:12]}-{plain[12:16]}-{plain[16:20]}-{plain[20:]}", None
    code = "".join(_READ_AS.get(letter, letter) for letter in plain)
    if SHORT_CHARS <= len(code) <= CODE_CHARS and all(letter in ALPHABET for letter in code):
        return None, code[::-1]
    raise InvalidInputError(
        f"{reference[:60]!r} is not a memory id: use an id as shown beside a memory, such as k3f9"
    )
