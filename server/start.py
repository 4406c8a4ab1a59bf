"""Starts the part of Aforesaid that its arguments name; compiled anew each time, so kept tiny."""

import sys

server = __file__[: -len("start.py") - 1]
if sys.flags.no_site:
    # sys.prefix knows nothing of the environment without site; the interpreter's path does.
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
try:
    if command == "hook" and arguments[1:] and arguments[1][:1] != "-":
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
        # what a light command imports makes no garbage, and looking for some takes a tenth of it
        import gc

        gc.set_threshold(50_000)
        from aforesaid.entrypoints.cli import main
    code = main(arguments)
except ImportError as error:
    from aforesaid.bootstrap.import_errors import report

    code = report(error, arguments)
if command not in ("serve", "--setting-up"):
    # What was written is written; an orderly end of the interpreter costs a hook a millisecond, a
    # command ten.
    import os

    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads, or the disk is full
        if command != "hook":
            sys.exit(code)  # the interpreter says what it must
    os._exit(code)
sys.exit(code)
