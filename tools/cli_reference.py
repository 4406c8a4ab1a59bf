"""Generates docs/CLI.md: every command with its options and JSON fields, and the exit codes.

Commands and options come from the CLI itself. The JSON fields are listed here, and a test compares
them with what the commands print.
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
_TAKEN = (
    "stored, changed, recognised, known, erased_before, redacted, linked, for_all, by_project, "
    "refused, left_out, note?"
)
_MODEL = "serving, memories, missing, coming, embedded, left, running, failure, kept, note"
_WATCHER = "running, pid?, since?, folder?, digested?, failure?"
#: The fields that each command prints with --json; "?" marks optional ones.
JSON: dict[str, str] = {
    "": "version, database, exists, bytes, memories, folder, project, last_digest, waiting, "
    "hooks_seen, off, servers, running, wrong, next",
    "remember": "id, message, type, scope, project?, topic?, entity?, deduplicated?, superseded?, "
    "conflicts?, redacted?, linked?, task_id?, note?",
    "search": _RECALLED,
    "list": _RECALLED,
    "why": _RECALLED,
    "fix": _RECALLED,
    "inspect": "id, uuid, state, type, scope, content, provenance, created_at, updated_at, kept, "
    "recall, project?, topic?, depth?, detail_of?, entity?, tags?, task_id?, title?, status?, "
    "priority?, due?, metadata?, summary?, relations?, relations_total?, sums_up?, sums_up_total?, "
    "history?, history_total?, stored_in?, anchors?, stale?, log?, session?, valid_from?, "
    "valid_to?, event_at?; forgotten: id, forgotten_at",
    "explore": _NODES,
    "update": "id, message, superseded?, changed?, before?, after?, topic?, note?",
    "confirm": "confirmed",
    "forget": "id?, message?, results?, forgotten?, erased?, preview?, undo?, versions?, derived?, "
    "shortened?, tasks?, sentences?, log_records?, mentioned_by?, more_mentions?, note?, copies?, "
    "delete_copies?",
    "undo": "id?, message?, changed?, before?, after?, note?, run?, undone?, left?, results?",
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
    "stats": "total, active, superseded, forgotten, archived, compacted, by_type, by_scope, "
    "relations, entities, oldest?, newest?, db_size_bytes, projects, health, use; "
    "--quality: total, findings; --sessions: sessions",
    "cleanup": "found, by_type, by_project, erased?, candidates?",
    "offers": "offers",
    "offers accept": "offer, answer",
    "offers decline": "offer, answer",
    "guards": "guards",
    "guards add": "id, checks, mode",
    "guards remove": "id, removed",
    "guards test": "broken, clients",
    "tend": _TENDED,
    "compact": _TENDED,
    "runs": "runs?, steps?, notes?",
    "digest": "digests, summariser?, batches?, waiting?, calls_today?, failure?",
    "ingest": "known?, running?, older?, waiting?, digested?, unchanged?, empty?, failed?; "
    "--git as import",
    "watch": "said: one object per line",
    "watch start": _WATCHER,
    "watch status": _WATCHER,
    "watch stop": "stopped",
    "import": "stored?, recognised?, erased_before?, for_all?, by_project?, refused?, "
    "without_folder?, restored?, redacted?, note?; "
    f"--from: {_TAKEN}; "
    "--on-conflict, Markdown: stored, replaced, kept, both, known, recognised, let_go, linked, "
    "refused, brought?, left_out?, redacted?",
    "export": "written, memories, in_force?, rows?, files?",
    "model list": "models",
    "model download": "model, folder, commit, bytes, next",
    "model status": _MODEL,
    "model use": _MODEL,
    "model remove": "model, vectors, files",
    "config": "file, settings, problems, notes; --client, --instructions: client, file, form, "
    "text, notes; --client list: clients",
    "config init": "written?, example?",
    "config get": "setting, value, from, meaning",
    "config set": "setting, value, written",
    "config unset": "setting, written",
    "doctor": "wrong?, findings?, found?, taken_out?, copies?",
    "backup": "backup, bytes, removed, memories, verified",
    "restore": "restored, memories, kept, redacted, erased; without FILE: backups, copies",
    "reset": "kept",
    "setup": "environment; --on-path: link, launcher, notes",
    "completion": "shell, script, keep",
    "demo": "steps, failed, folder",
    "version": "aforesaid, python, interpreter, environment, sqlite, apsw, sqlite_vec, "
    "onnxruntime, tokenizers, mcp, model, recall, schema, database, config, state",
}
_HEAD = """# The command line

Generated from the commands by `tools/generate_reference.py`; `aforesaid COMMAND --help` prints the
same.

Output for people is fitted to the terminal's width and coloured, unless `NO_COLOR` or `TERM=dumb`
is set; in a pipe it is plain and nothing is cut. It shows local times; JSON has UTC.

With `--json`, a command prints one object for programs. Its fields are stable; a field marked `?`
may be missing if it is empty or has its default value. Progress and warnings go to standard error.

Anything that cannot be undone asks first, unless `--yes` is given. For completion in the current
session: `eval "$(aforesaid completion bash)"`.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | the command ran, but found a problem (`doctor`) or some items failed (`import`, `ingest`) |
| 2 | an invalid argument or setting; the message says how to correct it |
| 3 | nothing has that name or id |
| 4 | not possible in the current state |
| 5 | the store or a file is unavailable: locked, full, missing, too new, or without permission |
| 6 | damaged data: see `aforesaid doctor` and `aforesaid restore` |
| 70 | a bug in Aforesaid; its location is in the log |
| 130 | interrupted with Ctrl-C, or a question was answered with no |
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
    usage = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    kind: Any = option.type
    if isinstance(kind, click.Choice) and not option.metavar:
        usage += f" {'|'.join(map(str, kind.choices))}"
    elif not option.is_flag:
        usage += f" {option.metavar or kind.name.upper()}"
    text = " ".join((option.help or "").split())
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (usage, text)) + " |"
