"""Is this value a secret, or does it only stand where one could?

Here: judging one value. Not here: where values are found (filter.py), formats (table.py).
"""

from __future__ import annotations

from .table import pattern

_PLACEHOLDERS = (
    "example", "your", "xxxx", "****", "....", "changeme", "change_me", "change-me", "placeholder",
    "redacted", "dummy", "insert", "replace", "process.env", "os.environ", "secrets.", "env.",
    "<", "${", "$(", "{{",
)  # fmt: skip
_DEFAULTS = frozenset(
    ("password", "passwd", "pass", "secret", "guest", "admin", "root", "user", "postgres", "test")
)
#: What stands, quoted, where schemas, forms and translations speak of passwords.
_COMMON_WORDS = frozenset(
    (
        *_DEFAULTS,
        *("string", "required", "optional", "hidden", "invalid", "missing", "incorrect", "forgot"),
        *("reset", "enter", "confirm", "undefined", "hashed", "encrypted", "varchar", "number"),
        *("passwort", "contrasena", "default", "visible", "masked", "binary", "changed"),
    )
)
_MOST_DIGITS_OF_A_NAME = 2
_LEAST_DISTINCT = 5
_LEAST_STRONG, _LEAST_STRONG_BESIDE = 6, 8
_LEAST_NAMED = 12
_LEAST_MIXED = 10
_DIGESTS = ("sha256:", "sha512-", "sha384-", "sha1:", "md5:")
_PATHS = ("/", "./", "~/", "../")


def is_password(value: str, *, spoken: bool, quoted: bool) -> bool:
    """Tell whether what is called a password is one. Spoken: in a sentence, not in code."""
    if is_reference(value, quoted=quoted) or " " in value:
        return False
    if len(value) < _LEAST_STRONG or value.startswith(_PATHS) or pattern("hash").match(value):
        return False
    digits = any(char.isdigit() for char in value)
    if spoken:
        return digits and not value.isdigit()
    if quoted and value.isalpha():
        return value.lower() not in _COMMON_WORDS
    return digits or any(char in "!#$%^*?+=~|@&" for char in value)


def is_strong_password(value: str) -> bool:
    """Tell whether a word right behind the word password is one: no word of a sentence is so."""
    if len(value) < _LEAST_STRONG_BESIDE or any(char in "./(){}[]<>:,;\\_" for char in value):
        return False
    mixed = value != value.lower() and value != value.upper()
    odd = any(char in "!#$%^*?+=~|@&" for char in value)
    letters = any(char.isalpha() for char in value)
    return letters and (mixed or odd) and is_password(value, spoken=True, quoted=False)


def is_key(value: str, *, quoted: bool) -> bool:
    """Tell whether what is called a key, token or secret is one."""
    return (
        len(value) >= _LEAST_NAMED and not is_reference(value, quoted=quoted) and is_random(value)
    )


def is_random(value: str) -> bool:
    """Tell whether a value was made by a machine: letters and digits mixed within its parts."""
    if value.startswith(_DIGESTS):
        return False
    mixed = 0
    for part in pattern("parts").findall(value):
        if not part.isalpha() and (not part.isdigit() or len(part) >= _LEAST_NAMED):
            mixed += len(part)
    return mixed >= _LEAST_MIXED


def is_reference(value: str, *, quoted: bool = False) -> bool:
    """Tell whether a value only stands for one: a placeholder, a variable, an expression."""
    if is_placeholder(value) or value.lower() in _DEFAULTS:
        return True
    if pattern("variable").fullmatch(value):
        return True
    if quoted or sum(char.isdigit() for char in value) > _MOST_DIGITS_OF_A_NAME:
        return False
    return any(mark in value for mark in ".([") and pattern("code").match(value) is not None


def is_placeholder(value: str) -> bool:
    """Tell whether a value is what documentation writes in place of one."""
    lowered = value.lower()
    if len(set(lowered)) < _LEAST_DISTINCT and len(value) > _LEAST_DISTINCT:
        return True
    return any(word in lowered for word in _PLACEHOLDERS)


def looks_made(value: str) -> bool:
    """Tell whether what follows a published prefix is no word, no placeholder and no repeat."""
    if is_placeholder(value):
        return False
    if any(char.isdigit() for char in value):
        return True
    return value != value.lower() and value != value.upper() and "_" not in value
