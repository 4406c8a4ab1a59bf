"""The record of an embedding model in a store, and the calibration of its cosines.

Models themselves: adapters/embedding. Changing the model: services/maintenance/reembed.py. Reasons:
docs/adr/0036-embedding-models.md.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SERVING = "serving"  #: active: its vectors are searched; at most one model
COMING = "coming"  #: pending: becomes active once all its vectors are computed; at most one
KEPT = "kept"  #: retired: its vectors are kept, not searched
CHANGE_FAILURE = "model_failure"  #: meta key: when and why the last change of models stopped

#: The model that ships, and all that have shipped: their vectors are replaced without being asked.
SHIPPED_MODEL = "aforesaid-minilm-int8"
SHIPPED_MODELS = (SHIPPED_MODEL, "all-minilm-l6-v2-int8")

#: Mean cosines of a probe's question with the other probes' statements, and with its own. First of
#: the reference, all-MiniLM-L6-v2, on whose scale every threshold was fitted; then of the shipped
#: model. Source: ``reference_cosines``; tests/unit/test_cosine_scale.py checks the second.
REFERENCE_LOW, REFERENCE_HIGH = 0.027, 0.348
SHIPPED_LOW, SHIPPED_HIGH = 0.0313, 0.4250

#: The model that ``aforesaid model use multilingual`` installs, and its scale of cosines. Source:
#: ``python -m bench.languages.scale``, on texts that no bench tests with.
MULTILINGUAL = "multilingual"  #: its name for users
MULTILINGUAL_MODEL = "multilingual-e5-small-q4"
MULTILINGUAL_LOW, MULTILINGUAL_HIGH = 0.7411, 0.8617

#: Pairs of a question and the statement that answers it, to measure typical cosines of a model.
PROBES: tuple[tuple[str, str], ...] = (
    ("which port does the database use", "PostgreSQL listens on port 5433 on the build server."),
    ("how do we release", "A release is cut by tagging the commit, then running make ship."),
    ("what does she like to drink", "Anna prefers green tea over coffee in the afternoon."),
    ("why did we leave Redis", "The queue moved to NATS since Redis lost jobs at restarts."),
    ("when is the offsite", "The team meets in Lisbon in the second week of March."),
    ("where are secrets kept", "Passwords of staging are in the vault under team/payments."),
    ("which formatter is used", "Python code is formatted by ruff with lines of 100 characters."),
    ("what broke the login page", "A cookie without the Secure flag was dropped by the browser."),
    ("who looks after the invoices", "Maria from accounting owns everything about billing."),
    ("how are images resized", "Thumbnails are made by libvips in a worker of its own."),
    ("what is the retry policy", "A failed webhook is sent again five times, with longer pauses."),
    ("which tests are flaky", "The end-to-end test of the checkout fails now and then in CI."),
    ("how is the weather model trained", "Forecasts are fitted on ten years of station data."),
    ("what does the user dislike", "He does not want emojis in commit messages."),
    ("how long are logs kept", "Access logs are deleted after thirty days."),
    ("what is the bakery's recipe", "The dough rests overnight in the fridge before baking."),
)


class Model(Value):
    """An embedding model that a store has, or will have, vectors of."""

    name: str  #: includes the version that its vectors carry; another file is another model
    source: str = ""  #: what it is opened from; empty for the shipped model
    dimensions: int = 0  #: of a vector; 0 while unknown
    state: str = SERVING
    low: float | None = None  #: mean cosine of unrelated probes; None: that of the shipped model
    high: float | None = None  #: mean cosine of probes that belong together
    vectors: int = 0  #: number of memories with vectors of this model, if counted
    missing: int = 0  #: number of memories without, if counted


class ModelVector(bytes):
    """A stored vector with the name of its model; searches compare it only with that model's."""

    model: str

    @classmethod
    def by(cls, model: str, vector: bytes) -> ModelVector:
        """Return a vector (float32) that the named model computed."""
        model_vector = cls(vector)
        model_vector.model = model
        return model_vector


def calibrate_cosine(cosine: float, low: float | None, high: float | None) -> float:
    """Return a cosine on the reference scale, for which all thresholds were fitted.

    Piecewise linear through (low, REFERENCE_LOW), (high, REFERENCE_HIGH) and (1, 1), so the order
    of results never changes. Without a usable ``low`` and ``high`` it returns the cosine itself.
    """
    if low is None or high is None or not low < high < 1:
        return cosine
    if cosine > high:
        return REFERENCE_HIGH + (cosine - high) * (1 - REFERENCE_HIGH) / (1 - high)
    span = REFERENCE_HIGH - REFERENCE_LOW
    return max(REFERENCE_LOW + (cosine - low) * span / (high - low), -1.0)


def is_shipped(name: str) -> bool:
    """Whether a model, by the name on its vectors, ships or has shipped."""
    return name.partition("@")[0] in SHIPPED_MODELS


def known_scale(name: str) -> tuple[float | None, float | None]:
    """Return the low and high mean cosine of a model that needs no probing; None: the reference."""
    if name.partition("@")[0] == SHIPPED_MODEL:
        return SHIPPED_LOW, SHIPPED_HIGH
    if name.partition("@")[0] == MULTILINGUAL_MODEL:
        return MULTILINGUAL_LOW, MULTILINGUAL_HIGH
    return None, None


def scale_in_words(model: Model) -> str:
    """Return a note for users on how a model's cosines are calibrated; empty if they are not."""
    low, high = model.low, model.high
    known = is_shipped(model.name) or known_scale(model.name)[0] is not None
    if low is None or high is None or known:
        return ""
    means = f"mean {high:.2f} for related texts, {low:.2f} for unrelated ones"
    if not low < high:
        return (
            f"its cosines ({means}) do not separate related from unrelated texts, so recall is "
            "unreliable: `aforesaid model use shipped` returns to the shipped model"
        )
    return (
        f"its cosines ({means}) are mapped to the reference scale "
        f"({REFERENCE_HIGH:.2f}, {REFERENCE_LOW:.2f}), for which relevance and every threshold "
        "were fitted. This leaves the order of results unchanged; their relevance is approximate. "
        "If recall returns too much, raise retrieval.floor; if it returns too little, "
        "`aforesaid search --min-relevance 0` shows everything. retrieval.dedup_threshold may need "
        "another value"
    )


def reference_cosines(
    questions: Sequence[bytes], statements: Sequence[bytes]
) -> tuple[float, float]:
    """Return the mean cosine of probes that do not belong together, and of those that do.

    Args:
        questions: vectors of the probes' questions, float32, L2-normalised.
        statements: vectors of their statements, likewise, in the same order.
    """
    related: list[float] = []
    unrelated: list[float] = []
    for i, question in enumerate(questions):
        for j, statement in enumerate(statements):
            cosine = _dot(memoryview(question).cast("f"), memoryview(statement).cast("f"))
            (related if i == j else unrelated).append(cosine)
    return sum(unrelated) / len(unrelated), sum(related) / len(related)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(left * right for left, right in zip(a, b, strict=True))
