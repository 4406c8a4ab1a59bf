"""Embedding models as a store knows them, and cosines of one model on the scale of another.

Here: the model's value, and the scale. Not here: any model (adapters/embedding), when one is
changed for another (services/maintenance/reembed.py). Why: docs/adr/0036-embedding-models.md.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SERVING = "serving"  #: its vectors answer; one model at most
COMING = "coming"  #: its vectors are being made and will answer once all are there; one at most
KEPT = "kept"  #: its vectors answered once
CHANGE_FAILURE = "model_failure"  #: a fact of the store: when, and why, the last change stopped

#: Mean cosine of the shipped model: of a probe's question and the other probes' statements, and its
#: own. Source: ``reference_cosines`` of the shipped file, held by tests/unit/test_cosine_scale.py.
SHIPPED_LOW, SHIPPED_HIGH = 0.027, 0.348

#: Questions, and statements that answer them: what a model's cosines are usually like.
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
    """An embedding model whose vectors a store holds, or will."""

    name: str  #: with the version that is stamped on its vectors: another file is another model
    source: str = ""  #: what opens it; empty for the shipped one
    dimensions: int = 0  #: of a vector; 0 where it is not known yet
    state: str = SERVING
    low: float | None = None  #: its mean cosine of unrelated probes; None: as the shipped model's
    high: float | None = None  #: of probes that belong together
    vectors: int = 0  #: memories that have vectors of it, where they were counted
    missing: int = 0  #: memories that still need some


class ModelVector(bytes):
    """A vector that the store gave out: it knows its model, and searches keep to that one."""

    model: str

    @classmethod
    def by(cls, model: str, vector: bytes) -> ModelVector:
        """Return the vector as one that this model made."""
        made = cls(vector)
        made.model = model
        return made


def calibrate_cosine(cosine: float, low: float | None, high: float | None) -> float:
    """Return a cosine as the shipped model would have said it, for which all weights are made.

    A line through the two means, and from the upper one to 1: equal texts stay equal, and the
    order never changes.
    """
    if low is None or high is None or not low < high < 1:
        return cosine
    if cosine > high:
        return SHIPPED_HIGH + (cosine - high) * (1 - SHIPPED_HIGH) / (1 - high)
    return max(SHIPPED_LOW + (cosine - low) * (SHIPPED_HIGH - SHIPPED_LOW) / (high - low), -1.0)


def scale_in_words(model: Model) -> str:
    """Return what another model than the shipped one means for floors; empty where nothing."""
    low, high = model.low, model.high
    if low is None or high is None:
        return ""
    means = f"{high:.2f} for what belongs together, {low:.2f} for what does not"
    if not low < high:
        return (
            f"its cosines ({means}) do not tell what belongs together: recall by it will mislead; "
            "`aforesaid model use shipped`"
        )
    return (
        f"its cosines ({means}) are read on the shipped model's scale "
        f"({SHIPPED_HIGH:.2f}, {SHIPPED_LOW:.2f}), on which relevance and every threshold were "
        "fitted: the order of results is its own, how sure they are is about right. Where recall "
        "answers what it should not, raise retrieval.floor; where it is silent, "
        "`aforesaid search --min-relevance 0` shows all; retrieval.dedup_threshold may want "
        "another value"
    )


def reference_cosines(
    questions: Sequence[bytes], statements: Sequence[bytes]
) -> tuple[float, float]:
    """Return the mean cosine of probes that do not belong together, and of those that do.

    Args:
        questions: vectors of the probes' questions, float32, of length one.
        statements: of their statements, in the same order.
    """
    asked, said = ([memoryview(one).cast("f") for one in each] for each in (questions, statements))
    own = [_dot(one, said[place]) for place, one in enumerate(asked)]
    others = [
        _dot(one, other)
        for place, one in enumerate(asked)
        for at, other in enumerate(said)
        if at != place
    ]
    return sum(others) / len(others), sum(own) / len(own)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(left * right for left, right in zip(one, other, strict=True))
