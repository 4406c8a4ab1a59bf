"""The table of settings: each key with its default, bounds and description.

The table in docs/SETTINGS.md, the example file and all validation are derived from it. Hooks
import this module, so it must stay cheap to import.
"""

from __future__ import annotations

from aforesaid.domain.maintenance.thresholds import Thresholds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Setting:
    """Default, description and permitted values of one key."""

    __slots__ = ("bounds", "choices", "default", "default_text", "description")

    def __init__(
        self,
        default: Any,
        description: str,
        *,
        bounds: tuple[float, float] | None = None,
        choices: tuple[str, ...] = (),
        default_text: str = "",
    ) -> None:
        self.default = default  #: its type is the setting's type
        self.description = description
        self.bounds = bounds  #: inclusive
        self.choices = choices  #: permitted values; empty if any is
        self.default_text = default_text  #: the default in words, if the value alone is unclear


_LIMITS = Thresholds()
_SHARE = (0.0, 1.0)
_DAYS = (1, 3_650)
_COUNT = (2, 1_000)
#: Settings of maintenance whose defaults are fields of ``Thresholds``: description and bounds.
_THRESHOLDS: dict[str, tuple[str, tuple[float, float]]] = {
    "topic_merge": (
        "cosine above which two topics are merged if their names are compatible",
        _SHARE,
    ),
    "filing": ("cosine at which a single neighbour determines the topic of a memory", _SHARE),
    "new_topic": ("number of unfiled memories on one subject that form a new topic", _COUNT),
    "topic_link": ("cosine of two topics above which their facts may be linked", _SHARE),
    "link": ("cosine of two facts of different topics above which they are linked", _SHARE),
    "links_each": ("maximum number of such links of one memory", (0, 50)),
    "link_decay": ("share of a link's weight that remains after a day", _SHARE),
    "use_link": (
        "weight that a link gains when both of its memories are recalled together",
        _SHARE,
    ),
    "keep_events": ("share of an event's confidence that remains after a week without use", _SHARE),
    "keep_others": (
        "share of any other memory's confidence that remains after a week without use",
        _SHARE,
    ),
    "decay_rate": (
        "daily decay rate of activation at importance 0; there is no decay at importance 1",
        _SHARE,
    ),
    "retention_floor": ("retention that a memory of importance 1 never falls below", _SHARE),
    "use_confidence": ("confidence that a memory gains with each recall", _SHARE),
    "repeat_confidence": (
        "confidence that a memory gains when the same statement is stored again",
        _SHARE,
    ),
    "link_floor": ("weight below which a link is removed", _SHARE),
    "entity_pair": (
        "number of memories that mention two entities together before a link is suggested",
        _COUNT,
    ),
    "compact_days": ("age in days at which events are compacted", _DAYS),
    "compact_least": ("minimum number of events in a week for compaction", _COUNT),
    "promote": ("cosine above which events may be treated as the same event", _SHARE),
    "promote_least": (
        "events that must agree to make a fact, or sessions to suggest a procedure from commands",
        _COUNT,
    ),
    "archive_activation": (
        "activation below which a memory that was never recalled counts as decayed",
        _SHARE,
    ),
    "archive_days": ("minimum age in days for `archive_activation` to apply", _DAYS),
    "archive_faded": ("activation below which any memory counts as decayed", _SHARE),
    "archive_faded_days": ("minimum age in days for `archive_faded` to apply", _DAYS),
    "archive_junk_days": (
        "age in days at which a low-value memory that was never recalled is archived",
        _DAYS,
    ),
    "archive_subject": ("cosine at which two events are about the same subject", _SHARE),
    "cleanup_confidence": (
        "decayed confidence below which `aforesaid cleanup` erases a memory",
        _SHARE,
    ),
    "cleanup_days": ("minimum days without use for `cleanup_confidence` to apply", _DAYS),
}
#: Every setting by its key. An empty path stands for the platform's default location.
KEYS: dict[str, Setting] = {
    "server.transport": Setting(
        "stdio",
        "transport of `aforesaid serve`; always stdio if a client pipes its input",
        choices=("stdio", "http"),
    ),
    "server.host": Setting("127.0.0.1", "address that `aforesaid serve --http` listens on"),
    "server.port": Setting(
        7411,
        "port that `aforesaid serve --http` listens on; 0 picks a free one",
        bounds=(0, 65_535),
    ),
    "server.allowed_hosts": Setting([], "additional host names that the HTTP server accepts"),
    "server.log_level": Setting(
        "info",
        "lowest level that is written to standard error and the log",
        choices=("debug", "info", "warning", "error"),
    ),
    "storage.db_path": Setting(
        "",
        "database file; the variable `AFORESAID_DB` sets it, too",
        default_text="user data folder",
    ),
    "storage.backend": Setting("sqlite", "storage backend", choices=("sqlite",)),
    "storage.backups": Setting(
        5, "how many backups made by `aforesaid backup` without FILE are kept", bounds=(1, 1_000)
    ),
    "storage.auto_backups": Setting(
        7,
        "how many automatic backups are kept, at most one a day; 0 disables them",
        bounds=(0, 365),
    ),
    "storage.auto_backup_days": Setting(
        30,
        "age in days at which an automatic backup is deleted; the newest is always kept",
        bounds=(1, 3_650),
    ),
    "project.map": Setting({}, 'assigns folders to projects: { "/path" = "project" }'),
    "project.off": Setting([], "projects in which memory is off: names, keys or folders"),
    "project.default": Setting("default", "project name to use where none is detected"),
    "retrieval.max_results": Setting(5, "maximum number of results of a recall", bounds=(1, 50)),
    "retrieval.recall_token_budget": Setting(
        4000, "token budget of a recall", bounds=(100, 10_000)
    ),
    "retrieval.preload_token_budget": Setting(
        2000, "token budget of the session context", bounds=(100, 10_000)
    ),
    "retrieval.floor": Setting(
        0.0,
        "minimum relevance of a result, unless the call sets one",
        bounds=(0, 1),
    ),
    "retrieval.dedup_threshold": Setting(
        0.92, "cosine above which two texts are checked for being duplicates", bounds=(0.5, 1.0)
    ),
    "retrieval.reranker": Setting(
        "none", "folder of a cross-encoder that reorders the first results"
    ),
    "embedding.provider": Setting(
        "local", "source of embeddings", choices=("local", "voyage", "openai")
    ),
    "embedding.model": Setting(
        "",
        "embedding model: a folder, a downloaded model, or the API's name for one",
        default_text="the shipped model",
    ),
    "embedding.cache_dir": Setting(
        "", "folder for downloaded models", default_text="user cache folder"
    ),
    "embedding.hub": Setting("https://huggingface.co", "URL that models are downloaded from"),
    "embedding.base_url": Setting(
        "", "URL of another server with the same API", default_text="the provider's"
    ),
    "embedding.api_key_env": Setting(
        "", "variable that holds the API key", default_text="`VOYAGE_API_KEY`, `OPENAI_API_KEY`"
    ),
    "embedding.dimensions": Setting(
        0, "vector dimensions to request from the API; 0 for the model's own", bounds=(0, 4_096)
    ),
    "embedding.price_per_million": Setting(
        0.0, "price of a million tokens, for cost estimates; 0 for no estimate", bounds=(0, 1_000)
    ),
    "hooks.enabled": Setting(True, "enable hooks; false disables all of them"),
    "hooks.session_start": Setting(True, "show the session context when a session starts"),
    "hooks.prompt": Setting(True, "show relevant memories with a prompt"),
    "hooks.action": Setting(
        True, "show what is remembered about a file or command when the agent edits or runs it"
    ),
    "hooks.subagent_start": Setting(
        True, "show the project's section of the session context to subagents"
    ),
    "hooks.pre_compact": Setting(True, "digest a session before it is compacted"),
    "hooks.session_end": Setting(True, "digest a session when it ends"),
    "hooks.allow_tools": Setting(
        True, "allow Aforesaid's tools without asking, except `forget_memory`"
    ),
    "hooks.headless": Setting(True, "run hooks in headless sessions, too"),
    "hooks.prompt_token_budget": Setting(
        400, "maximum tokens of memories shown with one prompt", bounds=(50, 2_000)
    ),
    "digest.max_tokens": Setting(350, "maximum tokens of a session digest", bounds=(50, 2_000)),
    "digest.poll_seconds": Setting(
        30, "maximum seconds between two checks of `aforesaid watch`", bounds=(1, 3_600)
    ),
    "digest.candidates": Setting(True, "store your lasting statements as separate memories"),
    "digest.commits": Setting(
        True, "store commits made in a session as memories, with their files"
    ),
    "digest.summariser": Setting(
        "none",
        "language model that summarises sessions",
        choices=("none", "claude-cli", "anthropic"),
    ),
    "digest.model": Setting(
        "", "name of the summariser's model in the client or API", default_text="a low-cost model"
    ),
    "digest.client": Setting("claude", "command or path of the client, for `claude-cli`"),
    "digest.api_key_env": Setting("ANTHROPIC_API_KEY", "variable that holds the API key"),
    "digest.batch_turns": Setting(20, "turns per request to the summariser", bounds=(4, 200)),
    "digest.daily_calls": Setting(
        50, "maximum requests to the summariser per UTC day", bounds=(0, 10_000)
    ),
    "digest.timeout_seconds": Setting(
        120, "timeout of one request to the summariser in seconds", bounds=(5, 540)
    ),
    "maintenance.enabled": Setting(True, "run maintenance automatically"),
    "maintenance.interval_hours": Setting(
        24.0, "hours between two automatic runs", bounds=(0, 8_760)
    ),
    "maintenance.limit_seconds": Setting(
        600,
        "time limit of an automatic run in seconds; the next one continues where it stopped",
        bounds=(1, 86_400),
    ),
    **{
        f"maintenance.{name}": Setting(getattr(_LIMITS, name), description, bounds=bounds)
        for name, (description, bounds) in _THRESHOLDS.items()
    },
    "privacy.redact": Setting(True, "remove secrets from what is stored"),
    "privacy.extra_patterns": Setting([], "regular expressions of additional secrets"),
    "privacy.private_tag": Setting(
        "private", "name of the tag around text that must not be stored"
    ),
}
_RANKED = (
    "results are ordered by weights learned from labelled queries, not by rank fusion "
    "(docs/adr/0012, 0024). Set retrieval.floor for a minimum relevance, or retrieval.reranker "
    "to reorder results with your own model"
)
#: Keys that similar programs have: they have no effect, and the text says what to use instead.
REPLACED: dict[str, str] = {
    "retrieval.fusion": _RANKED,
    "retrieval.fusion_weights": _RANKED,
    "retrieval.weights": _RANKED,
    "retrieval.dense_weight": _RANKED,
    "retrieval.lexical_weight": _RANKED,
    "retrieval.rrf_k": _RANKED,
}
DEFAULTS: dict[str, Any] = {name: setting.default for name, setting in KEYS.items()}


def as_toml(value: Any) -> str:
    """Return a value in TOML syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, dict):
        pairs = ", ".join(f"{as_toml(str(key))} = {as_toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return repr(value)


def bounds_text(setting: Setting) -> str:
    """Return the permitted range such as ``0 to 1``; empty if the setting has none."""
    return "" if setting.bounds is None else f"{setting.bounds[0]:g} to {setting.bounds[1]:g}"


def validate(name: str, value: Any, source: str) -> Any:
    """Return the value of a key after checking its type, bounds and choices.

    Args:
        name: the key, one of ``KEYS``.
        value: as read; a whole number is accepted for a float.
        source: where the value was read, for the message: ``path:line``, or a variable's name.

    Raises:
        ValueError: the value is not permitted; the message says what is.
    """
    setting = KEYS[name]
    expected = type(setting.default)
    if expected is float and type(value) is int:
        value = float(value)
    if type(value) is not expected:
        example = "" if expected is bool else f", such as {as_toml(setting.default)}"
        raise ValueError(f"{source}: {name} is {value!r}: use {_TYPE_NAMES[expected]}{example}")
    if setting.bounds is not None and not setting.bounds[0] <= value <= setting.bounds[1]:
        raise ValueError(f"{source}: {name} is {value}: use {bounds_text(setting)}")
    if setting.choices and value not in setting.choices:
        raise ValueError(f"{source}: {name} is {value!r}: use {' or '.join(setting.choices)}")
    if expected is list and not all(isinstance(item, str) for item in value):
        raise ValueError(f"{source}: {name} is {value!r}: use a list of strings")
    if expected is dict and not all(isinstance(item, str) for item in value.values()):
        raise ValueError(f"{source}: {name} is {value!r}: every value must be a string")
    if name == "privacy.extra_patterns":
        _check_patterns(value, source)
    return value


def _check_patterns(patterns: list[str], source: str) -> None:
    import re  # not on the hook path: a hook reads checked values from the cache

    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(
                f"{source}: {pattern!r} is not a valid regular expression: {error}"
            ) from None


def from_text(name: str, text: str, source: str) -> Any:
    """Return the value of a key from the text of an environment variable.

    Args:
        name: the key, one of ``KEYS``.
        text: a list may be written ``a,b``, a table ``folder=project,…``, both also as TOML.
        source: the variable's name, for the message.

    Raises:
        ValueError: the text cannot be parsed, or the value is not permitted.
    """
    default = KEYS[name].default
    lowered = text.strip().lower()
    value: Any = text
    if isinstance(default, bool):
        if lowered not in _TRUE and lowered not in _FALSE:
            raise ValueError(f"{source} is {text!r}: use 1 or 0")
        value = lowered in _TRUE
    elif isinstance(default, (int, float)):
        try:
            value = type(default)(text)
        except ValueError:
            raise ValueError(f"{source} is {text!r}: use {_TYPE_NAMES[type(default)]}") from None
    elif isinstance(default, (list, dict)):
        value = _parse_collection(name, text, source)
    return validate(name, value, source)


def _parse_collection(name: str, text: str, source: str) -> Any:
    if text.lstrip()[:1] in ("[", "{"):
        import tomllib  # hooks reach this function, too, but TOML in a variable is rare

        try:
            return tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError as error:
            if name != "privacy.extra_patterns":  # a pattern may begin with a bracket
                raise ValueError(f"{source} is {text!r}: {error}") from None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(KEYS[name].default, list):
        return parts
    pairs = [part.partition("=") for part in parts]
    if not all(left.strip() and right.strip() for left, _, right in pairs):
        raise ValueError(f"{source} is {text!r}: write folder=project, or a TOML table")
    return {left.strip(): right.strip() for left, _, right in pairs}


_TRUE = ("1", "true", "on", "yes")
_FALSE = ("0", "false", "off", "no", "")
_TYPE_NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a table",
}
