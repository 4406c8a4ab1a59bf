"""Decides whether a value is a secret or only appears where one could.

Not here: where values are found (filter.py), formats (table.py).
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
#: Quoted words beside "password" in schemas, forms and translations.
_COMMON_WORDS = frozenset(
    (
        *_DEFAULTS,
        *("string", "required", "optional", "hidden", "invalid", "missing", "incorrect", "forgot"),
        *("reset", "enter", "confirm", "undefined", "hashed", "encrypted", "varchar", "number"),
        *("passwort", "contrasena", "default", "visible", "masked", "binary", "changed"),
    )
)
#: Words of sentences, forms and rules about passwords; a passphrase contains none of them.
_PROSE = frozenset(
    """
    the a an of in on at to for from with by and or not is are was were be been has have had must
    should can could will would may might do does did it its this that these those you your our
    their my we they he she i me before after when while if once only both each every all any no
    same as per via than then also never always usually often more less least most too very into
    over under about without within during until up down out off still just now here there how why
    what which who where because so but like such between against through again

    required optional minimum maximum min max length long short characters character chars letters
    letter digits digit numbers number symbols uppercase lowercase case sensitive strong weak field
    fields string text value values type input label hint form page screen box reset change changed
    changes forgot forgotten expired expires invalid incorrect wrong missing empty hashed hash
    hashing encrypted encryption stored storage plain plaintext policy policies manager managers
    protected protection prompt generator strength validation validator login user users account
    accounts database server file files env variable environment config configuration setting
    settings secret secrets token tokens key keys password passwords email mail link set unset none
    default new old current previous confirm confirmation repeat please enter choose create update
    verify check checks test tests example sample placeholder see ask read write use used using
    rotate rotated rotation rotates vault masked hidden visible shown returns string null true false
    must-have days hours minutes months years authentication authorization access data

    der die das den dem und oder mit ist wird nicht ein eine einen im zu auf hat sind mindestens
    zeichen le les des est pas un une pour dans avec et ou sur au el los las es una para con por y
    del lo se su il di che per non o um uma com em
    """.split()  # noqa: SIM905 - a list of words reads better so
)
_VERB_ENDINGS = ("s", "ed", "ing", "ly", "tion", "ment")
_MIN_PHRASE, _MIN_PHRASE_WITH_NUMBER, _MAX_PHRASE = 4, 3, 8  #: words
_MAX_DIGITS_OF_A_NAME = 2
_MIN_DISTINCT = 5
_MIN_STRONG, _MIN_STRONG_BESIDE = 6, 8
_MIN_NAMED = 12
_MIN_STRONG_KEY = 20
_MIN_MIXED = 10
_DIGESTS = ("sha256:", "sha512-", "sha384-", "sha1:", "md5:")
_PATHS = ("/", "./", "~/", "../")


def is_password(value: str, *, spoken: bool, quoted: bool) -> bool:
    """Return whether a value beside "password" is one. ``spoken``: in a sentence, not in code."""
    if is_reference(value, quoted=quoted) or " " in value or pattern("naming").fullmatch(value):
        return False
    if not quoted and pattern("type").fullmatch(value):
        return False
    if len(value) < _MIN_STRONG or value.startswith(_PATHS) or pattern("hash").match(value):
        return False
    digits = any(char.isdigit() for char in value)
    if spoken:
        return digits and not value.isdigit()
    if quoted and value.isalpha():
        return value.lower() not in _COMMON_WORDS
    return digits or any(char in "!#$%^*?+=~|@&" for char in value)


def is_passphrase(value: str, *, named: bool = True) -> bool:
    """Return whether several words are a passphrase, not part of a sentence about passwords.

    Unless ``named`` by ``is``, ``:`` or ``=``, none of the words may look like a verb.
    """
    words = value.split(" " if " " in value else "-")
    if not named and any(word.endswith(_VERB_ENDINGS) for word in words):
        return False
    numbers = sum(word.isdigit() for word in words)
    min_words = _MIN_PHRASE_WITH_NUMBER if numbers else _MIN_PHRASE
    if not min_words <= len(words) <= _MAX_PHRASE or numbers > 1 or len(set(words)) < len(words):
        return False
    return value.isascii() and all(
        word.isdigit() or (word.isalpha() and word.lower() not in _PROSE) for word in words
    )


def is_password_after_owner(value: str) -> bool:
    """Return whether a word after "the root password" is a password: letters mixed with digits."""
    if any(char in "./(){}[]<>:,;\\_" for char in value):
        return False
    return any(map(str.isalpha, value)) and is_password(value, spoken=True, quoted=False)


def is_plain(value: str) -> bool:
    """Return whether a value consists of words, such as ``valid_token``."""
    return pattern("plain").fullmatch(value) is not None and not looks_generated(value)


def is_strong_password(value: str) -> bool:
    """Return whether a word after "password" is a password, because no ordinary word looks so."""
    if len(value) < _MIN_STRONG_BESIDE or any(char in "./(){}[]<>:,;\\_" for char in value):
        return False
    mixed = value != value.lower() and value != value.upper()
    symbols = any(char in "!#$%^*?+=~|@&" for char in value)
    letters = any(char.isalpha() for char in value)
    return letters and (mixed or symbols) and is_password(value, spoken=True, quoted=False)


def is_key(value: str, *, quoted: bool) -> bool:
    """Return whether a value beside "key", "token" or "secret" is a secret."""
    if pattern("aws_secret").fullmatch(value):
        return True
    return len(value) >= _MIN_NAMED and not is_reference(value, quoted=quoted) and is_random(value)


def is_short_key(value: str, *, quoted: bool) -> bool:
    """Return whether a value assigned to "api_key" is one, of whatever length."""
    if is_reference(value, quoted=quoted) or pattern("hash").match(value):
        return False
    return pattern("short_key").fullmatch(value) is not None


def is_strong_key(value: str) -> bool:
    """Return whether a word after "secret" is one, because no ordinary word looks so."""
    if pattern("aws_secret").fullmatch(value):
        return True
    mixed = value != value.lower() and value != value.upper()
    is_path = "/" in value or "." in value
    return len(value) >= _MIN_STRONG_KEY and mixed and not is_path and is_key(value, quoted=False)


def is_random(value: str) -> bool:
    """Return whether a value looks machine-generated: letters and digits mixed in its parts."""
    if value.startswith(_DIGESTS):
        return False
    mixed = 0
    for part in pattern("parts").findall(value):
        if not part.isalpha() and (not part.isdigit() or len(part) >= _MIN_NAMED):
            mixed += len(part)
    return mixed >= _MIN_MIXED


def is_reference(value: str, *, quoted: bool = False) -> bool:
    """Return whether a value is a placeholder, a variable or an expression."""
    if is_placeholder(value) or value.lower() in _DEFAULTS:
        return True
    if pattern("variable").fullmatch(value):
        return True
    code = None if quoted else pattern("code").match(value)
    if code is None:
        return False
    if code[1]:  # a call or a subscript, unless a letter follows the closing bracket
        return pattern("closed").search(value) is None
    return "." in value and sum(map(str.isdigit, value)) <= _MAX_DIGITS_OF_A_NAME


def is_placeholder(value: str) -> bool:
    """Return whether a value is a documentation placeholder."""
    lowered = value.lower()
    if len(set(lowered)) < _MIN_DISTINCT and len(value) > _MIN_DISTINCT:
        return True
    return any(word in lowered for word in _PLACEHOLDERS)


def looks_generated(value: str) -> bool:
    """Return whether the value after a published prefix is not a word, placeholder or repeat."""
    if is_placeholder(value):
        return False
    if any(char.isdigit() for char in value):
        return True
    return value != value.lower() and value != value.upper() and "_" not in value
