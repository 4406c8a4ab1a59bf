"""Patterns of shell commands that are tests, checks or builds, and of their output."""
# ruff: noqa: E501 (tables of patterns)

from __future__ import annotations

#: What runs a command that follows it: environments, package managers, containers, limits.
RUNNERS = (
    r"sudo(?: -[En]+| -u \S+)*",
    r"time(?: -p)?",
    r"command",
    r"exec",
    r"nohup",
    r"nice(?: -n ?-?\d+)?",
    r"ionice(?: -\w+ ?\d*)*",
    r"stdbuf(?: -\S+)*",
    r"caffeinate(?: -\w+)*",
    r"timeout(?: -[ks] \S+| -\S+)* \S+",
    r"env(?: -u \S+| -\S+)*",
    r"xvfb-run(?: -a)?",
    r"npx(?: --?(?:yes|y|no-install|no))*(?: --)?",
    r"bunx(?: --bun)?",
    r"(?:pnpm|yarn|npm|bun) (?:exec|dlx|x)(?: --)?",
    r"uvx(?: --from \S+| --with \S+)*",
    r"pipx run",
    r"(?:uv|poetry|pipenv|pdm|hatch|rye|pixi) run(?: --(?:with|extra|group|env-file|project|directory|python|package|only-group|no-group|env|environment)[ =]\S+| -[pn] \S+| --?[\w-]+)*",
    r"conda run(?: -n \S+| --\S+)*",
    r"bundle exec",
    r"rbenv exec",
    r"mise (?:exec|x)(?: \S+@\S+)* --",
    r"asdf exec",
    r"direnv exec \S+",
    r"nix(?:-shell| develop)(?: \S+)*? (?:-c|--command|--run)",
    r"dotenv(?: -e \S+)*(?: --)?",
    r"doppler run(?: --)?",
    r"docker(?:-compose| compose) (?:exec|run)(?: -\S+)* [\w-]+",
    r"docker exec(?: -\S+)* [\w-]+",
    r"kubectl (?:-\S+ )*exec(?: -\S+)* \S+ --",
    r"[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\$\([^)]*\)|\S*)",
    # a package manager runs a tool that is installed in the project by its bare name
    r"(?:pnpm|yarn|bun)(?= (?:pytest|jest|vitest|mocha|ava|eslint|tsc|prettier|biome|stylelint|vite|webpack|rollup|esbuild|playwright|cypress|turbo|nx|tox|ruff|mypy)\b)",
)
#: Subcommands of these with which they run another command.
RUNNER_SUBCOMMANDS = frozenset("compose develop dlx exec run x".split())  # noqa: SIM905
#: What may precede a command.
PREFIX = rf"^(?:(?:{'|'.join(RUNNERS)})\s+)+"
#: Options between a package manager and its command; the group is kept.
RUNNER_OPTIONS = (
    r"^((?:npm|pnpm|yarn|bun|cargo|go|make|just)(?= ))"
    r"(?: (?:(?:--filter|-F|--prefix|-C|--cwd|--dir|--workspace|-w|--manifest-path|workspace)[ =]\S+"
    r"|-r|-s|--silent|--recursive|--workspaces|--quiet|-q|-j ?\d+|-k|-B))+(?= )"
)
#: Purpose and pattern; the first match is used, and its group is the name of the tool.
KINDS = (
    ("tests", r"^(?:python[\d.]*|py) -m (pytest|unittest)\b"),
    (
        "tests",
        r"^(?:\S*/)?(pytest|py\.test|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|behave|ginkgo)\b",
    ),
    ("tests", r"^((?:npm|pnpm|yarn|bun)) (?:run )?(?:test|t)\b\S*"),
    ("tests", r"^(cargo nextest)\b"),
    (
        "tests",
        r"^((?:cargo|go|dotnet|mix|swift|deno|flutter|dart|sbt|zig|gleam|rails)) test\b",
    ),
    ("tests", r"^(?:\./)?(mvnw?|gradlew?)\b.*\b(?:test|verify|check)\b"),
    ("tests", r"^(make|just|task|rake|invoke|nox) (?:\S+ )*?(?:\S*test\S*|check|spec)\b"),
    ("tests", r"^(playwright|cypress) (?:test|run)\b"),
    ("tests", r"^(bazel) (?:\S+ )*?(?:test|coverage)\b"),
    ("tests", r"^(?:python[\d.]*) (?:\S*manage\.py) (test)\b"),
    ("tests", r"^python[\d.]* (?:-c .*\btest\w*\b|\S*\btest\w*\.py\b)()"),
    (
        "check",
        r"^(terraform (?:-chdir=\S+ )?(?:fmt|validate)|tofu (?:fmt|validate)|helm lint|nginx -t)\b",
    ),
    (
        "check",
        r"^(?:\S*/)?(ansible-lint|yamllint|hadolint|actionlint|kubeconform|tflint|phpstan|swiftlint|ktlint)\b",
    ),
    (
        "check",
        r"^(?:python[\d.]* -m |\S*/)?(ruff|mypy|pyright|flake8|pylint|eslint|tsc|clippy|golangci-lint|shellcheck|black|prettier|biome|stylelint|rubocop|vet)\b",
    ),
    ("check", r"^((?:cargo (?:clippy|check|fmt)|go vet))\b"),
    ("check", r"^(?:npm|pnpm|yarn|bun) (?:run )?(lint|typecheck|type-check|format)\b"),
    ("check", r"^make (lint|types|typecheck|fmt|format)\b"),
    (
        "build",
        r"^((?:cargo|go|npm run|pnpm|pnpm run|yarn|bun run|dotnet|swift|docker|docker compose|zig) build)\b",
    ),
    ("build", r"^(?:\./)?(mvnw?|gradlew?)\b"),
    (
        "build",
        r"^(cmake|ninja|bazel|make|webpack|vite|rollup|esbuild|meson|python -m build|terraform)\b",
    ),
)
#: Each pattern's group is a count.
FAILED_COUNTS = (
    r"(?<!\w)(\d{1,9}) (?:tests? )?failed\b",
    r"(?<!\w)(\d{1,9}) failing\b",
    r"\b(?:failures|Failures|failed|Failed)[=:] ?(\d+)",
    r"(?<!\w)(\d{1,9}) failures?\b",
    r"(?<!\w)(\d{1,9}) errors? in \d",
    r"\b(?:errors|Errors)[=:] ?(\d+)",
    r"Found (\d+) errors?",
)
#: Lines of checks and builds that failed, regardless of the exit status.
FAILED_LINES = (
    r"\berror(?: TS\d+|\[\w+\])?: \S",
    r"\b[1-9]\d* (?:errors?|problems? \([1-9]\d* errors?)\b",
    r"^(?:BUILD FAILED|FAILED|make: \*\*\* |ninja: build stopped|npm (?:ERR!|error) )",
)
PASSED_COUNTS = (
    r"(?<!\w)(\d{1,9}) passed\b",
    r"(?<!\w)(\d{1,9}) passing\b",
    r"\bPassed: +(\d+)",
    r"\bOK \((\d+) tests?",
    r"\bRan (\d+) tests?",
    r"(?<!\w)(\d{1,9}) examples?, 0 failures",
    r"Tests run: (\d+), Failures: 0",
)
#: Patterns of errors, the best description first; a digest quotes the group.
ERROR_LINES = (
    r"^E +((?:\w+\.)*(?:[A-Z]\w+: .+|\w*(?:Error|Exception|Failed|Exit)\b.*))",
    r"^((?:[\w.]+\.)?\w*(?:Error|Exception)(?:: .+)?)$",
    r"^(error(?:\[\w+\])?: .+)",
    r"^\S+:\d+(?::\d+)?: ((?:fatal )?error:? .+)",
    r"(?i)^((?:fatal|panic): .+)",
    r"^E +(assert .+)",
    r"^(npm ERR! .+)",
    r"^\s*(--- FAIL: .+|AssertionError.*)",
    r"^(FAILED \S+.*)",
    r"^(?:/\S+: line \d+: |bash: |sh: )(.*(?:not found|No such file|Permission denied).*)",
    r"(?i)^(?:\S+: )?(.*\b(?:connection refused|permission denied|no such file|not found|cannot|could not|unable to|failed to|timed? ?out)\b.*)",
    r"(?i)^(.*\berror\b.*)",
)
#: The end of the output of a command that was stopped, which is no failure.
INTERRUPTED = (
    r"(?i)^\W*(?:error\W+)?(?:\^C|(?:execution |command |process )?interrupted(?: by (?:the )?user)?"
    r"|keyboardinterrupt|(?:received |signal: |signal )*(?:sigint|interrupt)\b.*"
    r"|(?:cancell?ed|aborted) by (?:the )?user)\W*$"
)
#: Commands whose failure is not an error of the session.
QUIET = frozenset(
    """grep rg egrep find ls cat head tail wc test which diff cmp sed awk sleep kill pkill pgrep ps
    true false stat file tree cd echo printf type [ [[ jq sort uniq xargs curl exit""".split()  # noqa: SIM905
)
#: Quiet commands that write all the same.
WRITES = r">>?\s*(?!/dev/|&|\s)|\b(?:sed|perl) -\w*i|\bcurl\b.* -[a-zA-Z]*[oO]\b"
#: Quiet commands that change something outside of files.
ACTS = r"\b(?:p?kill|killall)\b|\bcurl\b.* (?:-X ?(?:PUT|POST|PATCH|DELETE)|--request|-d\b|--data)"
#: Quiet commands whose failure counts.
STRICT = r"^curl\b"
#: Commands that read a script from standard input.
INTERPRETERS = r"(?:python[\d.]*|node|ruby|perl|php|ba?sh|psql|sqlite3)(?: -)?"
#: Commands that keep what was done, and hardly fix anything.
ROUTINE = r"git (?:-C \S+ )?(?:add|commit|push|pull|fetch|switch|stash)\b"
#: Commands that belong to work in any repository.
EVERYDAY = (
    r"(?:git (?:-C \S+ )?(?:add|branch|checkout|commit|diff|fetch|log|pull|push|restore|show|stash|"
    r"status|switch)|cat|cd|export|find|grep|head|less|ls|pwd|rg|source|tail|wc)\b"
)
TAKES_BACK = r"git (?:-C \S+ )?(?:checkout|restore|reset|revert|stash)\b"
#: Commands that only look.
LOOKS = (
    r"(?:git (?:status|log|diff|show|branch|stash list)"
    r"|docker(?: compose|-compose)? (?:ps|logs|inspect|images|top|config)"
    r"|(?:systemctl|service) (?:\S+ )?(?:status|is-\w+)|env|printenv|pwd|man|set [-+]\w+|df|du|free"
    r"|dpkg -[LlsS]|rpm -q\w*|pacman -Q\w*|apt-cache|pkg-config|ldd|nm|objdump|readelf"
    r"|whoami|id|uname|date|lsof|netstat|ss|ip|ping|nc|dig|nslookup|journalctl|dmesg|wait|exit|fc-\w+"
    r"|(?:psql|mysql|sqlite3) .*['\"](?i:select|show|explain|describe|\\\w)"
    r"|(?!go )\S+(?: -[nCcf] \S+| --(?:namespace|context|profile|project|region)[ =]\S+| -\S+)*"
    r"(?: (?!install|add|remove|rm|update|upgrade|run|exec)[\w-]+)?(?: -\S+)* (?:[\w-]+:)?"
    r"(?:ls|list|show|describe|get|view|history|status|info|search|outdated|why|tree|whoami|doctor|logs"
    r"|inspect|version)(?:-[\w-]+)?(?!:)"
    r"|(?:Compare|Find|Format|Get|Measure|Out|Select|Show|Sort|Test|Where)(?:-[A-Z]\w+)?"
    r"|\S+ (?:--?version|-v|-V|--?help|-?-list\S*))(?:\s|$)"
)
#: Commands that show the beginning of what another one prints, so that it was run to look.
PAGERS = r"(?:head|less|more|wc)\b"
#: Commands that end with conflicts to resolve.
MERGES = r"git (?:-C \S+ )?(?:merge|rebase|cherry-pick|pull|revert|am|stash (?:pop|apply))\b"
#: Commands that remove something.
REMOVES = (
    r"^(?:rmdir|dropdb|dropuser|unlink)\b|^(?:[\w.-]+ ){1,2}(?:[\w-]+[.:])?(?:delete|rm|rmi|remove|drop|destroy|uninstall"
    r"|stop|unload|detach)\b|^git branch -[dD]\b|['\"](?i:drop) "
)
#: Says that a thing does not exist; the group is its name, if that is quoted.
ABSENT = (
    r"(?i)(?:[\"'`](?P<name>[^\"'`]+)[\"'`] )?(?:(?<!command )\bnot ?found\b|does(?: not|n't) exist|could not be found)"
    r"|\bno such (?!file|command|module)\w|\bno [\w ]{2,30} found\b"
)
#: Says that a file is not there.
NO_FILE = r"(?i)no such file|file not found|(?:cannot|can't|could not) (?:open|find|access|read)"
#: Makes a thing.
CREATES = r"\b(?:create\w*|add|new|apply|push|build|run|up|put|import|init|migrate)\b"
#: Requests to a server on the same machine.
ASKS_LOCAL_SERVER = r"^(?:curl|wget|https?)\b.*(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0|\[::1\])"
#: Starts a server.
STARTS = r"(?<!&)&\s*$|\b(?:up|start|restart|serve|dev|run|runserver)\b"
#: Says that a value was refused.
INVALID = r"(?i)\b(?:invalid|must be|not a valid|expected)\b"
#: Commands that correct the form of code.
FORMATS = (
    r":apply\b|(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:fix|fmt|format|correct)(?![a-z])"
    r"|\s(?:--write|-[wA])\b"
)
#: Commands that show a log, which says why another command failed.
LOGS = r"\b(?:logs|journalctl|dmesg|systemctl (?:\S+ )*status|describe \w+|get events)\b|\.log\b"
#: Sets a variable for one command.
ASSIGNMENT = r"(?:env )?[A-Za-z_]\w*="
#: Commands that change the environment: what failed before one and passes after it was fixed by it.
REMEDIES = (
    r"(?i)\b(?:install|add|upgrade|update|login|auth|config|configure|init|export|unset|set|use|enable"
    r"|disable|chmod|chown|mkdir|touch|ln|ssh-keygen|ssh-add|ssh-keyscan|ulimit|sysctl|mount|umount"
    r"|start|stop|restart|daemon-reload|kill|prune|clean|clear|purge|create|migrate|pull|download|fetch"
    r"|sync|unlock|force-unlock|trust|import|link|reset|repair|rebuild|regenerate|source|activate|deactivate"
    r"|rm -r\w*)\b"
)
#: Files whose change may fix more than the code that is being written.
CONFIGURATION_FILES = (
    r"(?:^|/)(?:Dockerfile\S*|[A-Z]\w*file|CMakeLists\.txt|BUILD|WORKSPACE"
    r"|mix\.exs|setup\.py|build\.(?:rs|sbt)|Package\.swift|go\.(?:mod|sum)|requirements\S*\.txt|\.[\w.-]+|[\w.-]*\.config\.\w+"
    r"|[\w.-]+\.(?:toml|ya?ml|json|ini|cfg|conf|lock|gradle|kts|properties|xml|env|tf|cmake|mk|gemspec|csproj|nix))$"
)
#: Extensions of languages that are compiled together, by the extension that stands for them.
FAMILIES = {
    **dict.fromkeys(
        (".tsx", ".jsx", ".js", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"), ".ts"
    ),
    **dict.fromkeys((".h", ".hh", ".hpp", ".cc", ".cpp", ".cxx", ".m", ".mm"), ".c"),
    ".java": ".kt",
}
#: Files of text for readers.
DOCUMENTS = r"(?i)\.(?:md|mdx|rst|adoc)$"
#: Files of program code.
SOURCE_FILES = (
    r"(?i)\.(?:py|pyx|[cm]?[jt]sx?|vue|svelte|astro|go|rs|java|kt|scala|groovy|clj[sc]?|rb|erb|php|cs|fs|vb|c|cc|cpp|cxx|h|hh|hpp"
    r"|m|mm|swift|gd|dart|exs?|erl|elm|hs|ml|mli|lua|pl|pm|r|jl|zig|nim|cr|d|sol|css|scss|html?|heex|hbs"
    r"|sql|sh|bash|zsh|fish|ps1|psm1|tex|proto|graphql|feature|ipynb|v|sv|vhdl?|s|asm|cu|glsl|wgsl|f90|tsv|csv)$"
)
#: What tests report while the code is being written.
ASSERTIONS = (
    r"(?im)assert|^failed \S*test|--- fail|\btests? failed|not equal|, want |expect\(|^\W*expected:"
    r"|\bexpected\b.{0,80}\b(?:but|got|was|received|actual|to (?:be|equal|deeply|match|have))\b"
)
#: Words in the name of a command or script that tests or checks, whatever tool runs it.
NAMED_TEST = r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:[iu]?tests?|specs?|e2e)(?![a-z])"
NAMED_CHECK = (
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:lint|checks?|typecheck|vet|validate|analy[sz]e|audit|fmt|format)(?![a-z])"
    r"|^gh run watch\b"
)
#: A name of a file.
FILE_NAME = r"(?<![\w./\\-])[\w./\\-]*\w\.[a-z]\w{0,5}\b"
TEST_WORDS = r"(?i)\b(?:tests?|specs?|examples?|suites?|scenarios?|passed)\b"
#: Paths of code that is not the project's own.
LIBRARIES = r"site-packages|node_modules|gems/|^/usr/|/lib/|\.cargo/|/go/pkg/|^/app/"
#: Errors of an edit that are caused by its own text, so that another text fixes them.
EDIT_ERRORS = (
    r"(?i)string to replace|old_?string|not (?:been )?read yet|modified since|found \d+ (?:match|occurr)"
    r"|no changes|exactly the same|inputvalidation|does not exist|expected lines|could not find"
    r"|no such file|is a directory|unchanged|no replacement|multiple matches"
)
#: The header of the files in a diff, and a line of one.
DIFF_HEADER = r"(?m)^--- \S.*\n\+\+\+ \S"
DIFF_LINE = r"(?m)^(?:[+-]|@@ |diff -).*$"
#: Lines that end many different errors.
GENERIC_ERRORS = (
    r"(?i)exit(?:ed)?(?: with)?(?: (?:code|status))? [:\d]|complete log of this run"
    r"|^make(?:\[\d+\])?: \*\*\*|traceback \(most recent|could not compile|build failed$"
    r"|command failed$|elifecycle|^npm (?:err!|error)(?: code \w+| errno -?\d+)?$|aborting due to"
    r"|^\W*(?:fatal |npm )?(?:error|failed|failure|fail|err!)\W*$|found \d+ errors?"
    r"|\d+ errors? generated|subprocess-exited-with-error|metadata-generation-failed"
    r"|failed to run custom build command|^failure: build failed with an exception"
    r"|did not (?:run|complete) successfully|finished with status 'error'|non-?zero (?:exit|status)(?: code)?"
    r"|likely not a problem with|see (?:above|below|the log)|returned (?:a )?non-zero"
)
#: Words of a line that says why something failed, rather than that it did.
CAUSES = (
    r"(?i)not found|no such|denied|refused|already in use|no space|certificate|mismatch|\bcannot\b|can't"
    r"|could not|unable to|not recogni[sz]ed|unsupported|not supported|missing|not installed|no module"
    r"|expired|unauthori[sz]ed|forbidden|\block(?:ed)?\b|not registered|no kind|changed significantly"
    r"|format error|unreachable|not (?:a )?(?:running|compatible|available)|requires?\b|conflict|too (?:old|new)"
    r"|incompatible|failed because|brokers? are down|permission|authentication|verification failed|unresolved|unknown|is not in"
    r"|reject|refus|invalid|disabled|too (?:many|long|large|small|deep)|exceed|limit|out of |has changed|does(?: not|n't) |corrupt|unexpected"
    r"|(?<!went )\bwrong|duplicate|overflow|ambiguous|undefined|undeclared|circular|\bcycl(?:e\b|ic)|collision|violat|broken|malformed|illegal"
    r"|not enough|too few|overlap|quota|killed|terminated|unsatisfi|unhealthy|unsigned|untrusted|unmet|dirty|diverge|immutable"
    r"|lost connection|reset by|closed (?:by|unexpectedly)|already (?:exists?|been|defined|running)|not (?:set|configured|allowed|authenticated|specified|ready|responding|in sync)"
    r"|\bbad\b|failed to|timed? ?out|please run|must (?:be|use|run)|exhausted|insufficient|deprecated|outdated|not up to date|stale"
)
#: Words that deny something.
NEGATIONS = (
    r"(?i)\b(?:not?|none|never|nothing|neither|without|only|already|instead"
    r"|un(?!der|til|ion|ique|ix|it|i)\w{4,}|in(?:val|cons|comp|suff|corr|acc|act|exist|sec)\w+"
    r"|dis(?!k|t|play|patch|c)\w+|mis(?!c)\w+|im(?:poss|mut)\w+|non-?\w+)\b|n't\b"
)
#: Marks a line as an error near its beginning.
ERROR_TAGS = (
    r"(?i)^\W*(?:\S+\s+){0,4}?\W*(?:error|fatal|severe|e|err!|critical|panic|exception|x|✘|❌)\b"
)
REPORTS_ERROR = r"(?i)\berr(?:or(?:s|ed)?)?\b|fail|fatal|exception"
#: Says that there is no error.
NO_ERRORS = (
    r"(?i)\b(?:0|no|zero) (?:\w+ )?(?:errors?|failures?|failed|warnings?|unexpected|issues?|problems?|conflicts?)\b"
    r"|\b(?:errors?|failures?|failed|warnings?|unreachable)\s*[=:]\s*0\b"
)
#: A name or code of an error.
ERROR_CODES = r"\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b|\b\w+(?:Error|Exception|Fault|Failure)\b|\bE[A-Z]{4,}\b|\berr[A-Z]\w+"
#: Where to read more about an error.
ADVICE = (
    r"(?i)\b(?:more (?:details?|info\w*|help|log)|learn more|read more|get more|run with"
    r"|see (?:the |also )?(?:https?|docs|full|log)|full (?:log|trace|report)"
    r"|(?:logs?|report) (?:can be|were|was|written|at)|for help|stack ?trace|re-run|try again|ask your"
    r"|this (?:is|error) )|https?://\S+$"
)
SUCCEEDED = r"(?i)(?<!not complete )(?<!not )(?<!\b0 )\b(?:succe(?:ss\w*|eded)|passed|ok|healthy)\b"
DONE = r"(?i)\b(?:done|succe(?:ss|eded)|passed|ok|healthy|started|completed?|finished)\b"
#: Errors of a mistyped command: the right spelling helps nobody else.
USAGE_ERRORS = (
    r"(?i)unrecognized arguments?|un(?:known|recogni[sz]ed)(?: [\w-]+)? (?:flag|option|shorthand|command|directive)|no such option"
    r"|invalid option|no upstream branch|\busage:|did you mean|illegal option"
)
#: The scheme or drive and the folders of a path.
FOLDERS = r"(?:\b\w+://|\b[A-Za-z]:[\\/]|(?<![\w.])(?:~|\.{1,2})?/)(?:[^\s'\"`:,;()\[\]/\\]+[/\\])+"
#: What changes in an error from run to run, and what stands for it.
VARYING = (
    (r"\x1b\[[0-9;?]*[ -/]*[@-~]", ""),
    (r"^#\d+ (?:\d+\.\d+ )?", ""),  # a step of a container build
    (r"^[EWIF]\d{4} [\d:.]+ +\d+ [\w./]+\.go:\d+\] ", ""),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "*"),
    (r"-[a-z0-9]{6,10}-[a-z0-9]{5}\b", "-*"),  # a pod
    (r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "*"),
    (r"\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?", "*"),
    (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b", "*"),
    (r"(?i)\b0x[0-9a-f]+\b", "*"),
    (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", "*"),
    (FOLDERS, ""),
    (r"^\S+\.\w+(?::\d+)+(?: -|:)? ", ""),  # a place in a file at the beginning
    (r"(?<=[\w)])(?::\d+)+(?=[:\s)\]]|$)|\(\d+,\d+\)", ""),  # line and column
    (r"(?i)\b(line|column|col|pid|port|after|in|took) \d[\d.,]*(?:m?s\b)?", r"\1 *"),
    (r"(?i)(?<![\w.])\d+(?:\.\d+)?(?:m?s|[kmg]i?b)\b", "*"),
    (r"(?<![\w.-])\d{4,}(?![\w-])", "*"),
    (r"(?<![\w.])v?\d+(?:\.\d+)+(?:[-+~][\w.+~]*)?", "*"),  # a version
)
