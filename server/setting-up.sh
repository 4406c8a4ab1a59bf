# shellcheck shell=sh disable=SC2154
# Sourced by the launcher while there is no working environment; root, start and state are set. It runs
# rarely, so it may start other programs. It finds a Python and starts bootstrap/setup_pending.py with it.

# Only these two hooks have something to print or to note.
if [ "${1:-}" = hook ]; then
	case ${2:-} in session-start | session-end) ;; *) exit 0 ;; esac
fi

# Sets python to the newest Python from 3.11 on, or to an empty text. A Python that cannot create an
# environment (Debian packages venv separately) is used only if there is no other and no uv.
find_python() {
	python=
	second=
	has_uv=
	for candidate in uv "$HOME/.local/bin/uv" "$HOME/.cargo/bin/uv" /opt/homebrew/bin/uv /usr/local/bin/uv; do
		command -v "$candidate" >/dev/null 2>&1 && has_uv=yes && break
	done
	if [ -n "${AFORESAID_PYTHON:-}" ]; then
		try_python "$AFORESAID_PYTHON" || python=$second
		return
	fi
	for minor in 15 14 13 12 11; do
		for candidate in "${XDG_DATA_HOME:-$HOME/.local/share}"/uv/python/cpython-3."$minor"*/bin/python3."$minor"; do
			try_python "$candidate" && return
		done
		try_python "$(command -v "python3.$minor")" && return
	done
	try_python "$(command -v python3)" && return
	for minor in 15 14 13 12 11; do
		for candidate in \
			"/opt/homebrew/bin/python3.$minor" "/opt/homebrew/opt/python@3.$minor/bin/python3.$minor" \
			"/usr/local/bin/python3.$minor" "/usr/local/opt/python@3.$minor/bin/python3.$minor" \
			"$HOME/.local/bin/python3.$minor" \
			"${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor".*/bin/python3 \
			"/Library/Frameworks/Python.framework/Versions/3.$minor/bin/python3.$minor" \
			"/usr/bin/python3.$minor"; do
			try_python "$candidate" && return
		done
	done
	for candidate in /opt/homebrew/bin/python3 /usr/local/bin/python3 "$HOME/.local/bin/python3"; do
		try_python "$candidate" && return
	done
	python=$second
}

# Sets python to the interpreter behind the given program, if it is suitable. The program may be a shim
# (such as pyenv's), so the path that the interpreter reports is used.
try_python() {
	[ -n "$1" ] && [ -x "$1" ] || return 1
	# macOS opens a dialog if the developer tools are missing; their Python is 3.9 anyway.
	[ "$1" = /usr/bin/python3 ] && [ -d /System/Library/CoreServices ] && return 1
	found=$("$1" -I -c '
import sys
if sys.version_info < (3, 11):
    sys.exit(1)
from importlib.util import find_spec
print(sys._base_executable)
print("whole" if find_spec("ensurepip") and find_spec("venv") else "part")
' 2>/dev/null </dev/null) || return 1
	case $found in
	*whole)
		python=${found%?whole}
		return 0
		;;
	*) python=${found%?part} ;;
	esac
	[ -n "$has_uv" ] && return 0
	[ -n "$second" ] || second=$python
	return 1
}

# Prints the command that installs Python on this machine.
python_advice() {
	if [ -n "$has_uv" ]; then
		echo "uv python install 3.13"
	elif command -v brew >/dev/null 2>&1 || [ -x /opt/homebrew/bin/brew ]; then
		echo "brew install python@3.13"
	elif command -v apt-get >/dev/null 2>&1; then
		echo "sudo apt install python3 python3-venv"
	elif command -v dnf >/dev/null 2>&1; then
		echo "sudo dnf install python3.12"
	elif command -v pacman >/dev/null 2>&1; then
		echo "sudo pacman -S python"
	else
		echo "the installer of https://www.python.org/downloads"
	fi
}

# Stores this event for the sweep after set-up, in a private file.
leave_note() {
	(
		umask 077
		mkdir -p "$state/notes" &&
			cat >"$state/notes/$(date +%s)000-${CLAUDE_PID:-$PPID}-$1.json"
	) 2>/dev/null
}

# Serves MCP without Python, just enough to report the problem.
serve_advice() {
	while IFS= read -r line; do
		case $line in *'"id":'*) ;; *) continue ;; esac
		id=${line#*\"id\":}
		case $id in
		'"'*) id=${id#\"} id=\"${id%%\"*}\" ;;
		*) id=${id%%[,\}]*} ;;
		esac
		case $line in
		*'"method":"initialize"'*)
			version=2025-06-18
			case $line in *'"protocolVersion":"'*) version=${line#*\"protocolVersion\":\"} version=${version%%\"*} ;; esac
			result='{"protocolVersion":"'$version'","capabilities":{"tools":{}},"serverInfo":{"name":"aforesaid","version":"0"},"instructions":"'$missing'"}'
			;;
		*'"method":"tools/list"'*)
			result='{"tools":[{"name":"memory_stats","description":"'$missing'","inputSchema":{"type":"object"}}]}'
			;;
		*'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"'$missing'"}],"isError":true}' ;;
		*'"method":"ping"'*) result='{}' ;;
		*)
			printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id"
			continue
			;;
		esac
		printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
	done
}

HOME=${HOME:-}
find_python
if [ -n "$python" ]; then
	exec "$python" -I -X utf8 "$start" --setting-up "$@"
fi

missing="Aforesaid found no Python 3.11 or newer${AFORESAID_PYTHON:+ in AFORESAID_PYTHON}. Install one with: $(python_advice). Then start a new session."
case ${1:-} in
hook)
	leave_note "$2"
	[ "$2" = session-start ] && printf '{"systemMessage":"%s"}\n' "$missing"
	exit 0
	;;
serve) serve_advice ;;
*)
	printf '%s\n' "$missing" >&2
	exit 1
	;;
esac
