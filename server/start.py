"""Dispatches to an entry point. Python compiles this file at every start, so it is kept small."""

import sys

server = __file__[: -len("start.py") - 1]
if sys.flags.no_site:
    # without site, sys.prefix is not the environment's: use the interpreter's path
    prefix = sys.executable.rsplit("/", 2)[0]
    python = f"python{sys.version_info[0]}.{sys.version_info[1]}{sys.abiflags}"
    sys.path += (server, f"{prefix}/lib/{python}/site-packages")
else:
    sys.path.insert(0, server)

if None in (sys.stdin, sys.stdout, sys.stderr):
    from aforesaid.bootstrap.standard_streams import open_missing

    open_missing()

arguments = sys.argv[1:]
command = arguments[0] if arguments else ""
if command not in ("serve", "--setting-up"):
    # Imports create no garbage; collecting it would take a tenth of the time of a hook or command.
    import gc

    gc.set_threshold(50_000)
try:
    if command == "hook" and arguments[1:] and arguments[1][:1] != "-":
        from aforesaid.bootstrap.quick_imports import QuickFinder

        sys.meta_path.insert(0, QuickFinder(server))
        from aforesaid.entrypoints.hooks import main
    elif arguments == ["serve"]:
        from aforesaid.bootstrap import paths

        if paths.started_by_client():
            from aforesaid.bootstrap.handshake_server import main
        else:
            from aforesaid.entrypoints.cli import main
    elif command == "serve" and "--handed-over" in arguments:
        from aforesaid.entrypoints.mcp.server import main
    elif arguments == ["--version"] or command == "completion":
        from aforesaid.entrypoints.fast_paths import main
    elif command == "--setting-up":
        from aforesaid.bootstrap.setup_pending import main
    else:
        from aforesaid.entrypoints.cli import main
    code = main(arguments)
except ImportError as error:
    from aforesaid.bootstrap.import_errors import report

    code = report(error, arguments)
if command not in ("serve", "--setting-up"):
    # skip the interpreter's finalisation, which takes a hook 1 ms and a command 10 ms
    import os

    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # a closed pipe or a full disk
        if command != "hook":
            sys.exit(code)  # the interpreter reports it
    os._exit(code)
sys.exit(code)
