"""Made-up memories of a developer's life, as many as wanted, the same for the same seed.

Texts vary in subject, length and wording, so that indexes meet something like real words; no
two are alike.
"""

# ruff: noqa: E501 - sentences read best whole

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

_SYSTEMS = (
    "billing worker", "export job", "search indexer", "login page", "rate limiter", "webhook relay",
    "image resizer", "audit log", "feature flag service", "cron scheduler", "metrics collector",
    "session cache", "invoice renderer", "payment gateway", "mail sender", "upload endpoint",
    "migration runner", "admin console", "mobile API", "nightly build", "release script",
    "data importer", "permission check", "retry queue", "CSV parser", "GraphQL resolver",
)  # fmt: skip
_TOOLS = (
    "PostgreSQL", "Redis", "NATS JetStream", "RabbitMQ", "SQLite", "Kafka", "Docker Compose",
    "Terraform", "pytest", "ruff", "pnpm", "Vite", "Playwright", "Celery", "FastAPI", "Django",
    "Alembic", "Prometheus", "Grafana", "OpenTelemetry", "Kubernetes", "Nginx", "esbuild", "uv",
)  # fmt: skip
_REASONS = (
    "because replay was needed after the March outage", "since the old one lost messages on restart",
    "as the licence changed", "to cut cold starts below two seconds", "because reviewers asked for it",
    "after the load test stalled at 400 requests a second", "so that on-call can roll back alone",
    "to keep the image under 200 MB", "because the vendor drops support next year",
    "since two teams write to the same table", "to make failures visible in the dashboard",
)  # fmt: skip
_PLACES = (
    "src/{a}/handlers.py", "services/{a}/config.toml", "app/{a}/models.ts", "infra/{a}.tf",
    "tests/{a}/test_flow.py", "deploy/{a}.yaml", "lib/{a}/client.rb", "cmd/{a}/main.go",
)  # fmt: skip
_SHAPES = (
    "{System} uses {tool} instead of {other} {reason}.",
    "The {system} keeps its settings in {place}; {tool} reads them at start, and a change needs a restart.",
    "Run `make {verb}-{slug} N={n}` before touching {place}: {tool} caches the result for {n} minutes.",
    "Fixed a {bug} in the {system}: {tool} returned {n} rows where {m} were expected. The cause was in {place}.",
    "Decided on {day} that the {system} moves from {other} to {tool} {reason}; {n} callers still use the old path.",
    "To release the {system}: freeze, run the {tool} checks, tag v{m}.{n}, then watch the {other} dashboard for {n} minutes.",
    "The user prefers {tool} over {other} for the {system} and wants at most {n} lines per function.",
    "Timeout of the {system} is {n} seconds; above {m} concurrent jobs {tool} starts to reject connections. {More}",
    "Asked to speed up the {system}; changed {place}; {tool} went from {m} ms to {n} ms; open: {reason}.",
)  # fmt: skip
_VERBS = ("build", "check", "seed", "sync", "verify", "drain")
_BUGS = ("race", "leak", "deadlock", "time zone slip", "rounding error", "double send")
_MORE = (
    "The alert stands in the shared runbook, and whoever is on call may raise it once.",
    "Nobody has looked at the slow path since the spring, so measure before changing it.",
    "Two customers depend on the present order of the fields.",
)  # fmt: skip
_TYPES = ("semantic",) * 11 + ("procedural",) * 4 + ("episodic",) * 4 + ("entity",)
_TAGS = ("backend", "ci", "decision", "style", "database", "release", "bug", "performance")


@dataclass(frozen=True)
class Made:
    """One made-up memory."""

    content: str
    type: str
    summary: str | None
    tags: tuple[str, ...]
    importance: float


def make_memories(count: int, seed: int = 7) -> list[Made]:
    """Return so many distinct memories."""
    return list(each_memory(count, seed))


def each_memory(count: int, seed: int = 7) -> Iterator[Made]:
    """Yield so many distinct memories, one at a time."""
    chance = random.Random(seed)
    for number in range(count):
        yield _make(chance, number)


def make_questions(count: int, seed: int = 11) -> list[str]:
    """Return questions about the same things."""
    chance = random.Random(seed)
    shapes = (
        "why does the {system} use {tool}?", "where are the settings of the {system}",
        "how do I release the {system}", "timeout of the {system} under load {tool}",
        "what was the {bug} in the {system}", "which does the user prefer, {tool} or {other}?",
    )  # fmt: skip
    return [chance.choice(shapes).format(**_words(chance, number)) for number in range(count)]


def _make(chance: random.Random, number: int) -> Made:
    words = _words(chance, number)
    content = chance.choice(_SHAPES).format(**words)
    if chance.random() < 0.3:
        content += f" {chance.choice(_MORE)} See {words['place']} and item {number}."
    else:
        content += f" (item {number})"
    summary = content.partition(".")[0][:80] if chance.random() < 0.2 else None
    tags = tuple(sorted(chance.sample(_TAGS, chance.choice((0, 0, 1, 2)))))
    return Made(
        content=content,
        type=chance.choice(_TYPES),
        summary=summary,
        tags=tags,
        importance=round(chance.uniform(0.2, 0.9), 2),
    )


def _words(chance: random.Random, number: int) -> dict[str, object]:
    system = chance.choice(_SYSTEMS)
    tool, other = chance.sample(_TOOLS, 2)
    slug = system.lower().replace(" ", "-")
    return {
        "system": system,
        "System": system[0].upper() + system[1:],
        "slug": slug,
        "tool": tool,
        "other": other,
        "reason": chance.choice(_REASONS),
        "place": chance.choice(_PLACES).format(a=f"{slug.replace('-', '_')}{number % 97}"),
        "verb": chance.choice(_VERBS),
        "bug": chance.choice(_BUGS),
        "day": f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}",
        "n": chance.randint(2, 90),
        "m": chance.randint(100, 990),
        "More": chance.choice(_MORE),
    }
