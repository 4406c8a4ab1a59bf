"""What is said in a simulated year: ways to state a fact, to change it, to ask for it; noise.

Here: texts alone. Not here: who says what when (world.py).
"""

# ruff: noqa: E501 - sentences read best whole

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

Choose = Callable[[random.Random], str]


def _one_of(*values: str) -> Choose:
    return lambda chance: chance.choice(values)


def _number(low: int, high: int, step: int = 1) -> Choose:
    return lambda chance: str(chance.randrange(low, high, step))


@dataclass(frozen=True)
class Attribute:
    """Something that one value holds of at a time. ``{s}`` is the subject, ``{v}`` the value."""

    name: str
    plain: tuple[str, ...]  #: ways to state it; the first is how it is stated first
    change: tuple[str, ...]  #: ways to say that it changed; ``{o}`` is the value before
    ask: tuple[str, ...]
    value: Choose


ATTRIBUTES = (
    Attribute(
        "port",
        ("The {s} listens on port {v}.", "Port {v} is where the {s} listens."),
        ("The {s} was moved from port {o} to port {v}.", "The {s} now listens on port {v} instead of {o}."),
        ("Which port does the {s} listen on?", "port of the {s}"),
        _number(3000, 9900, 7),
    ),
    Attribute(
        "database",
        ("The {s} keeps its data in {v}.", "{v} is the database of the {s}."),
        ("The {s} was migrated from {o} to {v}.", "The {s} keeps its data in {v} now, no longer in {o}."),
        ("Where does the {s} keep its data?", "database of the {s}"),
        _one_of("PostgreSQL", "SQLite", "MongoDB", "DynamoDB", "CockroachDB", "MySQL", "Cassandra", "ClickHouse"),
    ),
    Attribute(
        "timeout",
        ("Requests of the {s} time out after {v} seconds.", "The timeout of the {s} is {v} seconds."),
        ("The timeout of the {s} was raised from {o} to {v} seconds.", "The {s} now gives up after {v} seconds instead of {o}."),
        ("After how long does the {s} time out?", "timeout {s}"),
        _number(3, 95),
    ),
    Attribute(
        "owner",
        ("The owner of the {s} is {v}.", "{v} owns the {s}."),
        ("{v} took over the {s} from {o}.", "The {s} is owned by {v} now; {o} changed teams."),
        ("Who owns the {s}?", "whom do I ask about the {s}"),
        _one_of("Marta", "Joaquim", "Priya", "Tomasz", "Chen", "Amira", "Lars", "Noor", "Sven", "Ines"),
    ),
    Attribute(
        "region",
        ("The {s} runs in {v}.", "{v} is the region of the {s}."),
        ("The {s} moved from {o} to {v}.", "The {s} no longer runs in {o} but in {v}."),
        ("In which region does the {s} run?", "region of the {s}"),
        _one_of("eu-west-1", "eu-central-1", "us-east-2", "us-west-1", "ap-south-1", "eu-north-1", "sa-east-1"),
    ),
    Attribute(
        "settings",
        ("The settings of the {s} are in {v}.", "{v} holds the settings of the {s}."),
        ("The settings of the {s} were moved from {o} to {v}.", "{o} was replaced by {v}, which holds the settings of the {s} now."),
        ("Where are the settings of the {s}?", "settings file {s}"),
        lambda chance: f"{chance.choice(('config', 'etc', 'deploy', 'settings'))}/{chance.choice(('base', 'main', 'prod', 'app', 'service'))}{chance.randrange(90)}.{chance.choice(('toml', 'yaml', 'json', 'ini'))}",
    ),
    Attribute(
        "tests",
        ("Tests of the {s} are run with {v}.", "{v} runs the tests of the {s}."),
        ("Tests of the {s} were converted from {o} to {v}.", "Tests of the {s} are run with {v} now instead of {o}."),
        ("What are the tests of the {s} run with?", "test runner of the {s}"),
        _one_of("pytest", "Vitest", "Jest", "JUnit", "RSpec", "Playwright", "Cypress", "nose2"),
    ),
    Attribute(
        "release",
        ("The {s} is released on {v}.", "{v} is the day on which the {s} is released."),
        ("The release of the {s} moved from {o} to {v}.", "The {s} is released on {v} now, no longer on {o}."),
        ("On which day is the {s} released?", "release day {s}"),
        _one_of("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays"),
    ),
    Attribute(
        "retention",
        ("Logs of the {s} are kept for {v} days.", "The {s} keeps its logs for {v} days."),
        ("Logs of the {s} are kept for {v} days now, not {o}.", "The {s} keeps its logs for {v} days instead of {o}."),
        ("How long are logs of the {s} kept?", "log retention of the {s}"),
        _number(5, 400, 5),
    ),
    Attribute(
        "queue",
        ("The {s} gets its jobs from {v}.", "{v} hands jobs to the {s}."),
        ("The {s} switched from {o} to {v} for its jobs.", "The {s} gets its jobs from {v} instead of {o}."),
        ("Where does the {s} get its jobs from?", "job queue of the {s}"),
        _one_of("RabbitMQ", "NATS", "Kafka", "SQS", "Redis Streams", "Celery", "Pulsar"),
    ),
)  # fmt: skip

SUBJECTS = (
    "billing worker", "export job", "search indexer", "login page", "rate limiter", "webhook relay",
    "image resizer", "audit log", "flag service", "cron scheduler", "metrics collector",
    "session cache", "invoice renderer", "payment gateway", "mail sender", "upload endpoint",
    "migration runner", "admin console", "mobile API", "data importer", "permission check",
    "retry queue", "CSV parser", "GraphQL resolver", "price engine", "stock sync",
)  # fmt: skip
PROJECTS = (
    "tollgate", "harbour", "lantern", "quarry", "meadow", "copper", "juniper", "falcon", "sextant",
    "marble",
)  # fmt: skip

PREFERENCES = (
    ("The user wants commit messages in the imperative, under 60 characters.", "Commit messages: imperative, 60 characters at most, says the user.", "How should commit messages look?"),
    ("The user prefers uv over pip for every Python project.", "Use uv instead of pip, the user asked for it again.", "uv or pip?"),
    ("The user wants answers without emojis.", "No emojis in answers, please.", "May answers have emojis?"),
    ("The user reviews every migration before it is run.", "Ask the user before running any migration.", "Who reviews migrations?"),
    ("The user prefers tabs in Makefiles and four spaces elsewhere.", "Indentation: four spaces, tabs in Makefiles alone.", "How is code indented?"),
    ("The user works from Lisbon, in the time zone of Portugal.", "The user's time zone is Lisbon.", "In which time zone does the user work?"),
    ("The user wants tests written before the code.", "Write the test first, then the code: the user insists.", "When are tests written?"),
    ("The user dislikes abbreviations in names of variables.", "Spell out names of variables, no abbreviations.", "May variables be abbreviated?"),
    ("The user wants British spelling in documentation.", "Documentation is in British English.", "Which spelling does documentation use?"),
    ("The user never wants force pushes to shared branches.", "No force push to a branch that others use.", "Are force pushes fine?"),
    ("The user reads short summaries first and details on request.", "Begin with a short summary, give details when asked.", "How long should a summary be at first?"),
    ("The user wants type hints on all public functions.", "Public functions have type hints, always.", "Where do type hints go?"),
)  # fmt: skip

LESSONS = (
    ("The integration tests of {p} need Docker running.", "Once more: without Docker running the integration tests of {p} fail.", "The integration tests of {p} failed until Docker was running.", "What do the integration tests need?"),
    ("After a change of the schema of {p} the client must be generated again.", "The client of {p} had to be generated again after the schema changed.", "Generated the client of {p} again, since the schema had changed.", "What must be done after a change of the schema?"),
    ("The first build of {p} on a fresh clone fails unless the submodules are fetched.", "A fresh clone of {p} does not build before its submodules are fetched.", "Fetched the submodules of {p}: a fresh clone fails to build without them.", "Why does the first build on a fresh clone fail?"),
    ("The staging environment of {p} restarts at four each night.", "At four in the night the staging environment of {p} restarts, which broke the run.", "The run of {p} broke again: staging restarts at four each night.", "When does staging restart?"),
    ("Tests of {p} that use the clock fail in the last hour of a month.", "In the last hour of the month tests of {p} that use the clock failed.", "Tests of {p} that use the clock failed, as always in the last hour of a month.", "When do tests that use the clock fail?"),
)  # fmt: skip

NOISE = (
    "Ran the tests of the {s}, {n} passed.", "Looked at {f}, nothing to change there.",
    "The build of the {s} took {n} seconds this time.", "Opened {f} to understand the {s}.",
    "The user said thanks and went for lunch.", "Tried a small change in {f} and took it back.",
    "The {s} showed {n} warnings in the log today.", "Works now.", "Continue tomorrow with the {s}.",
    "The linter complained about {n} lines of {f}.", "Formatted {f}.", "All green again.",
    "The user asked to wait for the review of the {s}.", "Renamed a variable in {f}.",
    "A flaky test of the {s} passed at the second try.", "Read {n} lines of {f}.",
    "The pull request of the {s} has {n} comments.", "Nothing else to do here for now.",
    "Pushed {n} commits for the {s}.", "The {s} answered in {n} ms when it was tried.",
    "Merged main into the branch of the {s}, {n} conflicts.", "Added a log line to {f}.",
    "The user was not sure about {f} and let it be.", "The coffee machine is broken today.",
    "Went through {f} line by line without a finding.", "CI needed {n} minutes for the {s} this morning.",
    "The user is on a train and has bad reception.", "Typed out a draft for the {s} and threw it away.",
    "Got {n} type errors in {f}, gone after a restart.", "Left {f} as it is for now.",
    "The reviewer liked the change to the {s}.", "Sorted the imports of {f}.", "Looks fine to me.",
    "Checked out the branch of the {s} again.", "Had to run the {s} twice before it came up.",
    "The user laughed about a comment in {f}.", "Waiting for feedback on the {s}.", "Done for today.",
    "Moved the cursor to line {n} of {f}.", "The {s} printed {n} lines and stopped.",
    "Squashed {n} commits of the {s}.", "Counted {n} open comments on the {s}.",
    "Compared {f} with the version of last week.", "The laptop was slow, {n} tabs were open.",
)  # fmt: skip
#: What is true of one moment alone, and sounds like what lasts.
MOMENTS = (
    "Started the {s} on port {n} for a try.", "The {s} timed out once after {n} seconds.",
    "Deleted logs of the {s} older than {n} days by hand.", "Asked {o} about the {s}; no answer yet.",
    "The {s} was down in {r} for {n} minutes.", "Ran one test of the {s} with {t} to compare.",
    "The {s} goes out on a {d} this once, since the user is away.",
    "Copied {n} rows of the {s} into SQLite to look at them.",
    "Overrode a setting of the {s} in {f} for one run.", "The {s} lost {n} jobs of its queue today.",
    "{o} looked after the {s} this afternoon.", "Pointed the {s} at a queue of its own for a try.",
    "Port {n} was busy, so the {s} was started on another one for an hour.",
    "Saw a timeout of {n} seconds in the {s} while the network was down.",
    "Removed {n} old log files of the {s} to free the disk.",
    "{o} answered a question about the {s} in the chat.",
    "Requests of the {s} went through {r} during the outage.",
    "Installed {t} to see how the {s} would do with it.",
    "A release of the {s} slipped from {d} to the day after because of the holiday.",
    "Exported {n} rows of the {s} to CSV for the user.",
    "Commented out a setting of the {s} in {f} while debugging.",
    "{n} jobs of the {s} were handed over by hand this evening.",
    "{o} and the user talked about who might own the {s} one day.",
    "The {s} was slow in {r} around noon.",
)  # fmt: skip
#: The same for the years that are reported, by another hand: nothing was tuned on these.
OTHER_NOISE = (
    "Grepped for callers of the {s}; {n} hits, skimmed the first screen.",
    "Scrolled past {f} while searching for something else.",
    "We paired on the {s} for a bit and then broke off for a call.",
    "The editor shows {f} without squiggles.",
    "Second attempt at the patch for {f} applied cleanly.",
    "Typo in {f} fixed.", "Rebasing the {s} branch, {n} commits left to replay.",
    "User zoomed in on a chart of the {s} during the call.", "Still chewing on the {s}.",
    "Dependencies were reinstalled, the {s} compiles.", "Stashed half-finished edits to {f}.",
    "The user is staring at a stack trace from the {s} with {n} frames.",
    "Screenshots of the {s} were pasted into the chat.", "Blank lines at the end of {f} trimmed.",
    "Breakpoint hit in {f}, line {n}.", "We talked through the {s} diff and nobody objected.",
    "Collapsed two nested ifs in {f}.", "A snapshot got updated while working on the {s}.",
    "Coverage report for the {s} came out at the same figure as an hour ago.",
    "Twenty minutes spent on {f} with little to show for it.",
    "User pasted {n} lines of output from the {s} and asked what I make of them.",
    "Picking the {s} up where we stopped before the break.", "Dry run of the {s} finished quietly.",
    "Last to touch line {n} of {f} was {o}, says git blame.",
    "Reply from CI pending; the {s} pipeline has {n} others in front of it.",
    "The user dictated a docstring for {f} and corrected it twice.",
    "Hover docs checked for a call made from {f}.",
    "Closing the tab with {f}, on to the next ticket.",
    '"Tell me when the {s} has finished building", the user wrote.',
    "Profiled the {s} with a stopwatch in hand, for fun.",
    "Took the PR for the {s} out of draft.", "Approvals on the {s} change: one in, one to go.",
    "That was a quick one: {f} lacked a comma.",
    "Printed the environment while chasing a hiccup in the {s}, then cleared the terminal.",
    "Halfway through {f}.", "User happy with how the demo of the {s} went this week.",
    "Context nearly full, summarised progress on the {s} for the next turn.",
    "Began to {w} {f} and was interrupted by a phone call.",
    "{n} files touched so far, {f} among them.",
    "Ticket for the {s} dragged to the review column.", "Standup ran over by {n} minutes.",
    "Brief power cut at the user's place, session resumed.", 'User typed "go on" and I went on.',
    "It is raining, the user jokes about staying in.", "Weekend plans came up in the chat.",
)  # fmt: skip
OTHER_MOMENTS = (
    "Forwarding local port {n} to the {s} until this debugging session is over.",
    "A curl against the {s} on localhost:{n} got an empty reply.",
    "The {s} sits on an in-memory database while we bisect.",
    "Wiped the scratch MongoDB that the {s} had been filling during the demo.",
    "With the timeout bumped to {n} seconds for the load test, the {s} got through.",
    "Second request to the {s} went through after we had cancelled the first at {n} seconds.",
    "{o} grabbed the ticket about the {s} since everyone else was in a meeting.",
    "{o} has the {s} branch checked out at the moment, hands off until the push is through.",
    "Someone in {r} is load testing the {s}, graphs look wild.",
    "A throwaway copy of the {s} was brought up in {r} and torn down within the hour.",
    "Ping from {r} to the {s}: {n} ms, no loss.",
    "We diffed {f} against the values the {s} had loaded in memory, {n} lines apart.",
    "My uncommitted copy of {f} points the {s} at a mock.",
    "Left myself a to-do about the {s} in {f}, to go before the commit.",
    "{t} picked up only {n} of the tests for the {s} because of a stray filter I had typed.",
    "Watch mode of {t} is open in the left pane, rerunning the {s} on every save.",
    "{t} is stuck on the {s}, {n} tests pending.",
    "Tagging of the {s} was rehearsed with {o} on {d}, nothing published.",
    "Hotfix of the {s} cherry-picked on {d} evening, {o} watched over a screen share.",
    "No deploy of the {s} before this {d}, the user has a call with the client first.",
    "Turned the logs of the {s} up to trace for {n} seconds, then down again.",
    "Logs of the {s} from the past {n} hours were zipped and sent to {o}.",
    "Backlog of the {s} stands at {n} messages, shrinking.",
    "Peeked at {n} dead letters of the {s} without acknowledging them.",
    "Consumers of the {s} are paused while {o} replays a batch.",
    "The {s} is behind by {n} jobs since the broker restarted an hour ago.",
    "Skip {f} for this pass, the user is editing it.",
    "The user wants a second look at {f} once the meeting is over.",
    "Tests for the {s} are marked as skipped in my working copy till the merge lands.",
    "CI is red for the {s} owing to an expired token, being renewed as we speak.",
    "Memory of the {s} peaked at {n} MB in that run.",
    "The user asked for terse replies until the incident with the {s} is closed.",
    "{o} is out this {d}, try again the day after.",
    "Staging is frozen until the demo at three ends.", "VPN to {r} is down right now.",
)  # fmt: skip
PEOPLE = ("Marta", "Joaquim", "Priya", "Tomasz", "Chen", "Amira", "Lars", "Noor", "Sven", "Ines")
REGIONS = ("eu-west-1", "eu-central-1", "us-east-2", "ap-south-1", "eu-north-1")
RUNNERS = ("pytest", "Vitest", "Jest", "JUnit", "RSpec")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
FILES = (
    "src/{a}/handlers.py", "services/{a}/main.go", "app/{a}/models.ts", "tests/{a}/test_flow.py",
    "deploy/{a}.yaml", "lib/{a}/client.rb",
)  # fmt: skip
DIGESTS = (
    "Asked to {w} the {s}. Changed {f}; {n} tests pass. {c}",
    "Worked on the {s}: {w} it in {f}. {c} Left open: a review by the user.",
    "The user wanted to {w} the {s}; done in {f} after {n} tries. {c}",
    "Investigated why the {s} was slow; the cause was in {f}. {c}",
)  # fmt: skip
WORK = ("speed up", "clean up", "extend", "document", "test", "refactor", "simplify", "secure")
COMMITS = (
    "Commit: {w} {s}.", "No commit yet.", "Two commits, pushed.", "Commands: make check (ok).",
    "Commands: make check, make ship (ok).",
)  # fmt: skip
