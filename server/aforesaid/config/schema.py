"""The one table of settings: README, the example file and every check are made of it.

Here: each key with its default, bounds and meaning. Not here: where values come from. Hooks import
this module: it stays a table.
"""

from __future__ import annotations

from aforesaid.domain.maintenance.thresholds import Thresholds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Setting:
    """One setting."""

    __slots__ = ("between", "choices", "default", "meaning", "said")

    def __init__(
        self,
        default: Any,
        meaning: str,
        *,
        between: tuple[float, float] | None = None,
        choices: tuple[str, ...] = (),
        said: str = "",
    ) -> None:
        self.default = default  #: its type is the setting's
        self.meaning = meaning
        self.between = between
        self.choices = choices  #: the words it may be, where they are few
        self.said = said  #: the default in words, where its value would say nothing


_LIMITS = Thresholds()
#: Every key. An empty text for a path means: the platform's own place.
KEYS: dict[str, Setting] = {
    "server.transport": Setting(
        "stdio",
        "what `aforesaid serve` speaks where no client holds its input",
        choices=("stdio", "http"),
    ),
    "server.host": Setting("127.0.0.1", "the address where `aforesaid serve --http` listens"),
    "server.port": Setting(7411, "the port there; 0 takes any that is free", between=(0, 65_535)),
    "server.allowed_hosts": Setting([], "further names by which clients reach it"),
    "server.log_level": Setting(
        "info",
        "from which level on lines go to standard error and the log",
        choices=("debug", "info", "warning", "error"),
    ),
    "storage.db_path": Setting(
        "", "the file; the variable `AFORESAID_DB` too", said="user data folder"
    ),
    "storage.backend": Setting("sqlite", "what keeps memories; there is one", choices=("sqlite",)),
    "storage.backups": Setting(
        5, "backups by `aforesaid backup` without a FILE that stay", between=(1, 1_000)
    ),
    "storage.auto_backups": Setting(
        7, "automatic backups that stay, one a day at most; 0 makes none", between=(0, 365)
    ),
    "storage.auto_backup_days": Setting(
        30, "age in days from which an automatic backup goes; the newest stays", between=(1, 3_650)
    ),
    "project.map": Setting({}, 'whose folders are, as { "/path" = "project" }'),
    "project.off": Setting([], "projects without memory: names, keys or folders"),
    "project.default": Setting("default", "name of the project for where there is none"),
    "retrieval.max_results": Setting(5, "results of a recall", between=(1, 50)),
    "retrieval.recall_token_budget": Setting(4000, "tokens of a recall", between=(100, 10_000)),
    "retrieval.preload_token_budget": Setting(
        2000, "tokens of a session's context", between=(100, 10_000)
    ),
    "retrieval.floor": Setting(
        0.0,
        "how likely a result of a recall must answer, where the call says nothing",
        between=(0, 1),
    ),
    "retrieval.dedup_threshold": Setting(
        0.92, "cosine above which two texts are compared for sameness", between=(0.5, 1.0)
    ),
    "retrieval.reranker": Setting(
        "none", "the folder of a cross-encoder that orders the first results anew"
    ),
    "embedding.provider": Setting(
        "local", "who makes vectors", choices=("local", "voyage", "openai")
    ),
    "embedding.model": Setting(
        "", "a folder, a downloaded model, or as the API names it", said="the one that ships"
    ),
    "embedding.cache_dir": Setting("", "where models are downloaded to", said="user cache folder"),
    "embedding.hub": Setting("https://huggingface.co", "where models are downloaded from"),
    "embedding.base_url": Setting("", "another server that speaks like the API", said="its own"),
    "embedding.api_key_env": Setting(
        "", "the variable that holds the key", said="`VOYAGE_API_KEY`, `OPENAI_API_KEY`"
    ),
    "embedding.dimensions": Setting(
        0, "numbers of a vector that the API is asked for; 0 for its own", between=(0, 4_096)
    ),
    "embedding.price_per_million": Setting(
        0.0, "what a million tokens cost you, for estimates; 0 says none", between=(0, 1_000)
    ),
    "hooks.enabled": Setting(True, "all hooks"),
    "hooks.session_start": Setting(True, "what is known is shown when a session starts"),
    "hooks.prompt": Setting(True, "recall at the prompt"),
    "hooks.subagent_start": Setting(True, "subagents are shown this project's section"),
    "hooks.pre_compact": Setting(True, "a session is digested before a compaction"),
    "hooks.session_end": Setting(True, "a session is digested when it ends"),
    "hooks.allow_tools": Setting(True, "our own tools, but forgetting, run unasked"),
    "hooks.headless": Setting(True, "hooks also run where nobody sits before the client"),
    "hooks.prompt_token_budget": Setting(
        400, "tokens that one prompt brings at most", between=(50, 2_000)
    ),
    "digest.max_tokens": Setting(350, "tokens of a digest", between=(50, 2_000)),
    "digest.poll_seconds": Setting(
        30, "the longest that `aforesaid watch` waits between two looks", between=(1, 3_600)
    ),
    "digest.candidates": Setting(
        True, "what you said that outlives a session becomes memories of its own"
    ),
    "digest.commits": Setting(True, "commits made in a session become memories, with their files"),
    "digest.summariser": Setting(
        "none",
        "a language model that reads sessions too",
        choices=("none", "claude-cli", "anthropic"),
    ),
    "digest.model": Setting("", "as the client or the API names it", said="a cheap one"),
    "digest.client": Setting("claude", "the client's command or path"),
    "digest.api_key_env": Setting("ANTHROPIC_API_KEY", "the variable that holds the key"),
    "digest.batch_turns": Setting(20, "turns that are read at once", between=(4, 200)),
    "digest.daily_calls": Setting(50, "questions a day (UTC)", between=(0, 10_000)),
    "digest.timeout_seconds": Setting(120, "of one question", between=(5, 540)),
    "maintenance.enabled": Setting(True, "the store is tended by itself"),
    "maintenance.interval_hours": Setting(24.0, "hours between two such runs", between=(0, 8_760)),
    "maintenance.limit_seconds": Setting(
        600, "of such a run; the next one goes on where it stopped", between=(1, 86_400)
    ),
    "maintenance.topic_merge": Setting(
        _LIMITS.topic_merge,
        "cosine above which two topics are one, if their names allow it",
        between=(0, 1),
    ),
    "maintenance.filing": Setting(
        _LIMITS.filing,
        "cosine at which one neighbour says which topic a memory belongs to",
        between=(0, 1),
    ),
    "maintenance.new_topic": Setting(
        _LIMITS.new_topic, "unfiled memories on one thing that make a topic", between=(2, 1000)
    ),
    "maintenance.topic_link": Setting(
        _LIMITS.topic_link,
        "cosine of two topics above which their facts may be linked",
        between=(0, 1),
    ),
    "maintenance.link": Setting(
        _LIMITS.link,
        "cosine of two facts of different topics above which they are linked",
        between=(0, 1),
    ),
    "maintenance.links_each": Setting(
        _LIMITS.links_each, "such links of one memory", between=(0, 50)
    ),
    "maintenance.link_decay": Setting(
        _LIMITS.link_decay, "share of a link's weight that is left after a day", between=(0, 1)
    ),
    "maintenance.use_link": Setting(
        _LIMITS.use_link,
        "weight that a link gains when both its ends are recalled together",
        between=(0, 1),
    ),
    "maintenance.keep_events": Setting(
        _LIMITS.keep_events,
        "share of an event's confidence that is left after a week without use",
        between=(0, 1),
    ),
    "maintenance.keep_others": Setting(
        _LIMITS.keep_others, "the same of anything else", between=(0, 1)
    ),
    "maintenance.decay_rate": Setting(
        _LIMITS.decay_rate,
        "how fast activation falls a day, at importance 0; at importance 1 it stays",
        between=(0, 1),
    ),
    "maintenance.retention_floor": Setting(
        _LIMITS.retention_floor, "retention that importance 1 keeps for good", between=(0, 1)
    ),
    "maintenance.use_confidence": Setting(
        _LIMITS.use_confidence, "confidence that a recall adds", between=(0, 1)
    ),
    "maintenance.repeat_confidence": Setting(
        _LIMITS.repeat_confidence,
        "confidence that storing the same thing again adds",
        between=(0, 1),
    ),
    "maintenance.link_floor": Setting(
        _LIMITS.link_floor, "weight below which a link goes", between=(0, 1)
    ),
    "maintenance.entity_pair": Setting(
        _LIMITS.entity_pair,
        "memories in which two entities recur together before a link is offered",
        between=(2, 1000),
    ),
    "maintenance.compact_days": Setting(
        _LIMITS.compact_days, "age in days of events that are summed up", between=(1, 3650)
    ),
    "maintenance.compact_least": Setting(
        _LIMITS.compact_least, "events of one week that are summed up", between=(2, 1000)
    ),
    "maintenance.promote": Setting(
        _LIMITS.promote, "cosine above which events may tell the same", between=(0, 1)
    ),
    "maintenance.promote_least": Setting(
        _LIMITS.promote_least,
        "events that tell the same, or sessions that ran the same commands",
        between=(2, 1000),
    ),
    "maintenance.archive_activation": Setting(
        _LIMITS.archive_activation,
        "activation below which what was never recalled is set aside",
        between=(0, 1),
    ),
    "maintenance.archive_days": Setting(
        _LIMITS.archive_days, "age in days from which it is", between=(1, 3650)
    ),
    "maintenance.archive_faded": Setting(
        _LIMITS.archive_faded, "activation below which anything is set aside", between=(0, 1)
    ),
    "maintenance.archive_faded_days": Setting(
        _LIMITS.archive_faded_days, "age in days from which it is", between=(1, 3650)
    ),
    "maintenance.archive_junk_days": Setting(
        _LIMITS.archive_junk_days,
        "age in days from which what says too little and was never recalled is",
        between=(1, 3650),
    ),
    "maintenance.archive_subject": Setting(
        _LIMITS.archive_subject, "cosine at which two events are on one subject", between=(0, 1)
    ),
    "maintenance.cleanup_confidence": Setting(
        _LIMITS.cleanup_confidence,
        "confidence in force below which `aforesaid cleanup` erases",
        between=(0, 1),
    ),
    "maintenance.cleanup_days": Setting(
        _LIMITS.cleanup_days, "days without use before it does", between=(1, 3650)
    ),
    "privacy.redact": Setting(True, "secrets are taken out"),
    "privacy.extra_patterns": Setting([], "regular expressions of what is a secret too"),
    "privacy.private_tag": Setting("private", "spans that are never stored"),
}
_RANKED = (
    "results are ordered by weights learned on labelled questions, which no longer fuse ranks "
    "(docs/adr/0012, 0024): set retrieval.floor for how sure a result must be, retrieval.reranker "
    "to order anew by a model of yours"
)
#: Keys that other designs of this kind have: known, without effect, each with what does it here.
REPLACED: dict[str, str] = {
    "retrieval.fusion": _RANKED,
    "retrieval.fusion_weights": _RANKED,
    "retrieval.weights": _RANKED,
    "retrieval.dense_weight": _RANKED,
    "retrieval.lexical_weight": _RANKED,
    "retrieval.rrf_k": _RANKED,
}
DEFAULTS: dict[str, Any] = {name: key.default for name, key in KEYS.items()}


def variable_of(name: str) -> str:
    """Return the environment variable of a key."""
    return "AFORESAID_" + name.replace(".", "_").upper()


def as_toml(value: Any) -> str:
    """Return a value as TOML says it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, dict):
        pairs = ", ".join(f"{as_toml(str(key))} = {as_toml(one)}" for key, one in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return repr(value)


def bounds_text(key: Setting) -> str:
    """Return which numbers a key may be, in words; empty where any."""
    return "" if key.between is None else f"{key.between[0]:g} to {key.between[1]:g}"


def validate(name: str, value: Any, where: str) -> Any:
    """Return the value of a key if it has the key's type and bounds.

    Raises:
        ValueError: it has not; the text says where, what and which are allowed.
    """
    key = KEYS[name]
    wanted = type(key.default)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise ValueError(
            f"{where}: {name} is {value!r}: {_KINDS[wanted]} is needed, such as "
            f"{as_toml(key.default)}"
        )
    if key.between is not None and not key.between[0] <= value <= key.between[1]:
        raise ValueError(f"{where}: {name} is {value}, use {bounds_text(key)}")
    if key.choices and value not in key.choices:
        raise ValueError(f"{where}: {name} is {value!r}, use {', '.join(key.choices)}")
    if wanted is list and not all(isinstance(one, str) for one in value):
        raise ValueError(f"{where}: {name} is {value!r}, a list of texts is needed")
    if name == "privacy.extra_patterns":
        _check_patterns(value, where)
    if wanted is dict and not all(isinstance(one, str) for one in value.values()):
        raise ValueError(f"{where}: {name} is {value!r}, texts by name are needed")
    return value


def _check_patterns(patterns: list[str], where: str) -> None:
    import re  # a hook reads what was checked before, from the cache

    for one in patterns:
        try:
            re.compile(one)
        except re.error as error:
            raise ValueError(f"{where}: {one!r} is no regular expression: {error}") from None


def from_text(name: str, text: str, where: str) -> Any:
    """Return the value that an environment variable's text means.

    Raises:
        ValueError: it means none that the key may have.
    """
    default = KEYS[name].default
    low = text.strip().lower()
    value: Any = text
    if isinstance(default, bool):
        if low not in _TRUE and low not in _FALSE:
            raise ValueError(f"{where} is {text!r}: use 1 or 0")
        value = low in _TRUE
    elif isinstance(default, (int, float)):
        try:
            value = type(default)(text)
        except ValueError:
            raise ValueError(f"{where} is {text!r}: a number is needed") from None
    elif isinstance(default, (list, dict)):
        value = _several(name, text, where)
    return validate(name, value, where)


def _several(name: str, text: str, where: str) -> Any:
    """Return a list or table written as in the file, or as ``a,b`` and ``folder=project,…``."""
    if text.lstrip()[:1] in ("[", "{"):
        import tomllib  # hooks come here, too, but hardly anybody writes it so

        try:
            return tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError as error:
            if name != "privacy.extra_patterns":  # a pattern may begin so
                raise ValueError(f"{where} is {text!r}: {error}") from None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(KEYS[name].default, list):
        return parts
    pairs = [part.partition("=") for part in parts]
    if not all(left.strip() and right.strip() for left, _, right in pairs):
        raise ValueError(f"{where} is {text!r}: write folder=project, or as in the file")
    return {left.strip(): right.strip() for left, _, right in pairs}


_TRUE = ("1", "true", "on", "yes")
_FALSE = ("0", "false", "off", "no", "")
_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a table",
}
