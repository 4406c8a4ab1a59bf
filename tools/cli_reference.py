"""What docs/CLI.md says: every command with its options, what it prints as JSON, exit codes.

Made from the commands themselves; the fields of JSON answers stand here, and a test compares them
with what the commands print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aforesaid.entrypoints.cli.examples import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

_RECALLED = "results, total_matched, token_estimate?, degradations?, not_found?, next_cursor?"
_FOUND = "results, total_matched, degradations?, next_cursor?"
_NODES = "nodes, unfiled?, note?, not_shown?, next_cursor?"
_PLACE = (
    "timestamp, folder, project?, client?, repo?, branch?, remote?, title?, confidence?, source?, "
    "evidence?, ask?"
)
_TENDED = "run?, dry_run, phases, notes"
_TAKEN = "stored, changed, recognised, known, erased_before, redacted, linked, refused, left_out"
_MODEL = "serving, memories, missing, coming, embedded, left, running, failure, kept, note"
_WATCHER = "running, pid?, since?, folder?, digested?, failure?"
#: What each command prints with --json: the fields of its object; "?" marks what may be left out.
JSON: dict[str, str] = {
    "": "version, database, exists, bytes, memories, folder, project, last_digest, waiting, "
    "hooks_seen, servers, wrong, next",
    "remember": "id, type, scope, project?, topic?, entity?, deduplicated?, superseded?, "
    "conflicts?, redacted?, linked?, task_id?, note?",
    "search": _RECALLED,
    "list": _RECALLED,
    "inspect": "id, uuid, state, type, scope, content, provenance, created_at, updated_at, kept, "
    "recall, project?, topic?, depth?, detail_of?, entity?, tags?, task_id?, title?, status?, "
    "priority?, due?, metadata?, summary?, relations?, relations_total?, sums_up?, sums_up_total?, "
    "history?, history_total?, stored_in?, anchors?, stale?, log?, session?, valid_from?, "
    "valid_to?, event_at?; forgotten: id, forgotten_at",
    "explore": _NODES,
    "update": "id, superseded?, changed?, topic?, note?",
    "forget": "id, forgotten?, erased?, preview?, undo?, versions?, derived?, shortened?, tasks?, "
    "sentences?, log_records?, mentioned_by?, more_mentions?, note?, copies?, delete_copies?",
    "undo": "id?, changed?, note?, run?, undone?, left?",
    "link": "source, kind, target, created?, removed?, note?",
    "context": f"{_PLACE}, context",
    "topics": _NODES,
    "entities": _FOUND,
    "entities list": _FOUND,
    "entities search": _FOUND,
    "entities merge": "entity, aliases?, undo",
    "entities rename": "entity, aliases?, undo",
    "entities undo": "undone?, changes?",
    "projects": "projects",
    "projects list": "projects",
    "projects map": "folder, project?, repo?, confidence?, source?, evidence?, "
    "memory_count?, note?, undo?, moved?, stays_behind?, to_move?",
    "projects merge": "source, target, memories, copy?, note?, folders?, tasks?, "
    "topics?, entities?",
    "tasks": "tasks",
    "stats": "total, active, superseded, forgotten, archived, by_type, by_scope, relations, "
    "entities, oldest?, newest?, db_size_bytes, projects, health, use; --quality: total, findings; "
    "--sessions: sessions",
    "cleanup": "found, by_type, by_project, erased?, candidates?",
    "offers": "offers",
    "offers accept": "offer, answer",
    "offers decline": "offer, answer",
    "tend": _TENDED,
    "compact": _TENDED,
    "runs": "runs?, steps?, notes?",
    "digest": "digests, summariser?, batches?, waiting?, calls_today?, failure?",
    "ingest": "known?, running?, older?, waiting?, digested?, unchanged?, empty?, failed?; "
    "--git as import",
    "watch": "said: an object a line",
    "watch start": _WATCHER,
    "watch status": _WATCHER,
    "watch stop": "stopped",
    "import": "stored?, recognised?, erased_before?, refused?, without_folder?, restored?, "
    "redacted?; "
    f"--from: {_TAKEN}; "
    "--on-conflict, Markdown: stored, replaced, kept, both, known, recognised, let_go, linked, "
    "refused, brought?, left_out?, redacted?",
    "export": "written, memories, rows?, files?",
    "model list": "models",
    "model download": "model, folder, commit, bytes, next",
    "model status": _MODEL,
    "model use": _MODEL,
    "model remove": "model, vectors, files",
    "config": "file, settings, problems, notes; --client, --instructions: client, file, form, "
    "text, notes; --client list: clients",
    "config init": "written?, example?",
    "doctor": "wrong?, findings?, found?, taken_out?, copies?",
    "backup": "backup, bytes, removed, memories, verified",
    "restore": "restored, memories, kept, redacted; without FILE: backups",
    "reset": "kept",
    "setup": "environment; --on-path: link, launcher, notes",
    "completion": "shell, script, keep",
    "demo": "steps, failed, folder",
    "version": "aforesaid, python, interpreter, environment, sqlite, apsw, sqlite_vec, "
    "onnxruntime, tokenizers, mcp, model, recall, schema, database, config, state",
}
_HEAD = """# The command line

Made by `tools/generate_reference.py` from the commands; `aforesaid COMMAND --help` says the same.

What is for people is coloured on a terminal alone (not with `NO_COLOR` or `TERM=dumb`), made to fit
its width there: columns give way, lines break at blanks; in a pipe all is whole. Times are the
machine's own, in JSON UTC. `--json` is for programs: one object, whose fields stay; one that is
empty or as by default may be left out (`?` below). Progress and warnings go to standard error.
Nothing that cannot be undone is done without asking, or `--yes`. Completion for one session:
`eval "$(aforesaid completion bash)"`.

| exit code | means |
|---|---|
| 0 | done |
| 1 | done, and something is wrong: `doctor` found it, `import` refused lines |
| 2 | an argument or a setting that cannot be: the message says how to mend it |
| 3 | nothing by that name or id |
| 4 | it is there, and its state forbids this |
| 5 | the world is not ready: locked, full, missing, newer, a file that the system refuses |
| 6 | damaged: `aforesaid doctor`, `aforesaid restore` |
| 70 | a mistake of ours; its place is in the log |
| 130 | ended by Ctrl-C, or a no to what was asked |
"""


def cli_reference() -> str:
    """Return the document."""
    from aforesaid.entrypoints.cli import aforesaid
    from aforesaid.entrypoints.cli.app import COMMANDS

    context = click.Context(aforesaid, info_name="aforesaid")
    lines = [_HEAD, *_command(aforesaid, context, "")]
    for title, names in COMMANDS.items():
        lines.append(f"## {title}\n")
        for name in names:
            command = aforesaid.get_command(context, name)
            assert command is not None
            lines += _command(command, click.Context(command, context, name), name)
    return "\n".join(lines)


def _command(command: click.Command, context: click.Context, name: str) -> Iterator[str]:
    if name:
        usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
        yield f"### `{usage}`\n"
    help_text = (command.help or "").replace("\b\n", "")
    yield "\n\n".join(" ".join(part.split()) for part in help_text.split("\n\n")) + "\n"
    rows = [_option(one) for one in command.get_params(context) if isinstance(one, click.Option)]
    rows = [row for row in rows if row and not row.startswith("| `--help")]
    if rows:
        yield "| option | what |\n|---|---|"
        yield from rows
        yield ""
    if name in EXAMPLES:
        yield "\n".join(["```sh", *EXAMPLES[name], "```\n"])
    if name in JSON:
        yield f"JSON: `{JSON[name]}`\n"
    if isinstance(command, click.Group) and name:
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            if found.hidden:
                continue
            inside = click.Context(found, context, below)
            yield from _command(found, inside, f"{name} {below}")


def _option(option: click.Option) -> str:
    if option.hidden or option.name == "help":
        return ""
    said = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    kind: Any = option.type
    if isinstance(kind, click.Choice) and not option.metavar:
        said += f" {'|'.join(map(str, kind.choices))}"
    elif not option.is_flag:
        said += f" {option.metavar or kind.name.upper()}"
    text = " ".join((option.help or "").split())
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (said, text)) + " |"
