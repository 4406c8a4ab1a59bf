"""The lines of a transcript, as Claude Code 2.1.330 and 2.1.197 write them.

Here: one line shape a method, with the keys that the real clients write (a test compares them with
transcripts of the real clients). Not here: what is said (scripts.py).
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.transcripts.scripts import Script, Step

Line = dict[str, Any]
_MODELS = {"2.1.330": "claude-opus-5-5", "2.1.197": "claude-opus-4-8"}
_REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). STOP what you are doing and wait "
    "for the user to tell you how to proceed."
)
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The "
    "summary below covers the earlier portion of the conversation.\n\n"
)


#: What an agent says at least, before the next prompt.
_QUIET = frozenset({"", "answer", "inject", "interrupt", "reject", "abandon", "resume", "compact"})
_NOTED = {
    "en": "Noted.", "de": "Verstanden.", "es": "Entendido.", "fr": "Compris.",
    "pt": "Entendido.", "zh": "好的。", "ja": "承知しました。",
}  # fmt: skip


def lines_of(script: Script, seed: str = "") -> list[Line]:
    """Return the lines of a session's transcript; a turn without a last word gets a short one."""
    writer = Writer(script.name + seed, script.project, script.client)
    tell(writer, script)
    writer.close()
    return writer.lines


def tell(writer: Writer, script: Script) -> None:
    """Write what happens in a script."""
    noted = Step("answer", _NOTED[script.lang])
    before = ""
    for step in script.steps:
        if step.kind in {"prompt", "resume", "compact"} and before not in _QUIET:
            writer.answer(noted)
        getattr(writer, step.kind)(step)
        before = step.kind
    if before not in {"answer", "interrupt"}:
        writer.answer(noted)  # no client leaves a turn without a word


def written(lines: list[Line]) -> bytes:
    """Return lines as the file holds them."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


class Writer:
    """Writes one session; each method is one thing that happens."""

    def __init__(self, name: str, project: str, client: str) -> None:
        self.lines: list[Line] = []
        self._random = random.Random(f"transcripts:{name}")
        self._client = client
        self._new = client == "2.1.330"
        self._cwd = f"/home/dev/{project}"
        self.id = self._uuid()
        day = timedelta(days=self._random.randrange(200), minutes=self._random.randrange(500))
        self._now = datetime(2026, 2, 2, 7, 30, tzinfo=UTC) + day
        self._leaf: str | None = None
        self._prompt_id = self._uuid()
        self._prompts = 0
        self._request = ""
        self._files: set[str] = set()

    # ------------------------------------------------------------------ values
    def _hex(self, digits: int) -> str:
        return f"{self._random.getrandbits(4 * digits):0{digits}x}"

    def _uuid(self) -> str:
        text = self._hex(32)
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def _stamp(self, most: float = 4.0) -> str:
        self._now += timedelta(milliseconds=self._random.randint(40, int(most * 1000)))
        return self._now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self._now.microsecond // 1000:03d}Z"

    # ------------------------------------------------------------------- lines
    def _aside(self, kind: str, **fields: Any) -> None:
        self.lines.append({"type": kind, **fields, "sessionId": self.id})

    def _chained(self, kind: str, parent: str | None = "", **fields: Any) -> str:
        uuid = self._uuid()
        self.lines.append(
            {
                "parentUuid": self._leaf if parent == "" else parent,
                "isSidechain": False,
                **fields,
                "type": kind,
                "uuid": uuid,
                "timestamp": self._stamp(),
                "userType": "external",
                "entrypoint": "cli",
                "cwd": self._cwd,
                "sessionId": self.id,
                "version": self._client,
                "gitBranch": "main",
            }
        )
        self._leaf = uuid
        return uuid

    def _record_request(self, said: str) -> None:
        """The newer client repeats what it sends: a scan of the text would count it twice."""
        if not self._new:
            return
        block = {"role": "user", "content": [{"type": "text", "text": said}]}
        tail = self._hex(64)
        self._aside("api-request-blob", hash=tail, message=block)
        self._request = self._uuid()
        self._aside(
            "api-request",
            id=self._request,
            timestamp=self._stamp(0.1),
            version=self._client,
            querySource="repl_main_thread",
            shapeHash=self._hex(64),
            params={},
            keep=0,
            tail=[tail],
            cacheControl=[],
            requestDigest=self._hex(64),
        )

    def _user(self, content: object, **fields: Any) -> str:
        message = {"role": "user", "content": content}
        return self._chained("user", promptId=self._prompt_id, message=message, **fields)

    def _assistant(self, block: Line, stop: str) -> str:
        message = {
            "id": "msg_" + self._hex(24),
            "type": "message",
            "role": "assistant",
            "model": _MODELS[self._client],
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 900, "output_tokens": self._random.randint(20, 900)},
        }
        fields: Line = {"message": message, "requestId": "req_" + self._hex(20)}
        if self._new:
            fields |= {"apiBlockIndex": 0, "requestRef": self._request, "madeBy": "model"}
            fields |= {"requestedModel": _MODELS[self._client], "promptCacheRequested": "5m"}
            fields |= {"effort": "medium", "perTurnEffort": "medium"}
            if block["type"] == "tool_use":
                fields["toolInputStreamMs"] = self._random.randint(1, 900)
        return self._chained("assistant", **fields)

    def _tool(self, name: str, given: Line, content: object, result: object, **more: Any) -> None:
        failed = bool(more.pop("failed", False))
        call = "toolu_" + self._hex(24)
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        source = self._assistant(block, "tool_use")
        answer = {"tool_use_id": call, "type": "tool_result", "content": content}
        if failed:
            answer["is_error"] = True
        self._user([answer], toolUseResult=result, sourceToolAssistantUUID=source, **more)

    # ------------------------------------------------------------ conversation
    def prompt(self, step: Step) -> None:
        """A typed prompt."""
        self._typed(step.text)
        self._record_request(step.text)

    def _typed(self, text: str) -> None:
        self._now += timedelta(seconds=self._random.randint(5, 200))
        self._prompt_id = self._uuid()
        self._prompts += 1
        self.lines.append(
            {
                "type": "file-history-snapshot",
                "messageId": self._uuid(),
                "snapshot": {},
                "isSnapshotUpdate": False,
            }
        )
        fields: Line = {"permissionMode": "acceptEdits", "promptSource": "typed"}
        fields["origin"] = {"kind": "human"}
        if self._new:
            fields["turnOrigin"] = "human"
            fields["turnPosition"] = {"promptIndex": self._prompts, "turnIndex": self._prompts}
        self._user(text, **fields)

    def answer(self, step: Step) -> None:
        """What the agent says."""
        self._assistant({"type": "text", "text": step.text}, "end_turn")

    def run(self, step: Step) -> None:
        """A shell command."""
        given = {"command": step.text, "description": "Run it"}
        out = step.output.strip("\n")
        if step.failed:
            text = f"Exit code 1\n{out}"
            self._tool("Bash", given, text, "Error: " + text, failed=True)
            return
        result = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}
        self._tool("Bash", given, out or "(Bash completed with no output)", result)

    def read(self, step: Step) -> None:
        """A file that the agent looks at."""
        path = f"{self._cwd}/{step.text}"
        shown = "".join(f"{n}\t{row}\n" for n, row in enumerate(step.output.split("\n"), 1))
        file = {"filePath": path, "content": step.output, "numLines": 1, "startLine": 1}
        self._tool("Read", {"file_path": path}, shown, {"type": "text", "file": file})

    def edit(self, step: Step) -> None:
        """A change of a file."""
        path = f"{self._cwd}/{step.text}"
        given = {"file_path": path, "old_string": "a", "new_string": "b", "replace_all": False}
        told = f"The file {path} has been updated successfully."
        self._tool("Edit", given, told, {"filePath": path, "structuredPatch": []})

    def write(self, step: Step) -> None:
        """A new file."""
        path = f"{self._cwd}/{step.text}"
        told = f"File created successfully at: {path}"
        result = {"type": "create", "filePath": path, "content": "x\n", "structuredPatch": []}
        self._tool("Write", {"file_path": path, "content": "x\n"}, told, result)

    # -------------------------------------------------------------------- acts
    def inject(self, step: Step) -> None:
        """What a hook puts before the model."""
        text = step.text.replace("\\n", "\n")
        attachment = {
            "type": "hook_additional_context",
            "content": [text],
            "hookName": "SessionStart",
            "toolUseID": "SessionStart",
            "hookEvent": "SessionStart",
        }
        fields: Line = {"attachment": attachment}
        if self._new:
            shown = f"<system-reminder>\nSessionStart hook additional context: {text}\n"
            fields |= {"rendered": [{"content": shown + "</system-reminder>"}]}
            fields["renderedRole"] = "system"
        self._chained("attachment", **fields)
        self._record_request(text)

    def recall(self, step: Step) -> None:
        """The agent asks memory."""
        query, _, found = step.text.partition("|")
        name = "mcp__plugin_aforesaid_memory__recall_memory"
        blocks = [{"type": "text", "text": found.strip()}]
        self._tool(name, {"query": query.strip()}, blocks, found.strip())

    def abandon(self, step: Step) -> None:
        """A prompt that was taken back before any answer."""
        before = self._leaf
        self._typed(step.text)
        self._leaf = before

    def compact(self, step: Step) -> None:
        """The client shortens the conversation; its summary is nobody's words."""
        last = self._leaf
        meta = {"trigger": "auto", "preTokens": 150_000, "durationMs": 9000, "postTokens": 4000}
        self._chained(
            "system",
            parent=None,
            logicalParentUuid=last,
            subtype="compact_boundary",
            content="Conversation compacted",
            isMeta=False,
            level="info",
            compactMetadata=meta,
            slug="brisk-drifting-otter",
        )
        text = _CONTINUED + step.text
        self._user(text, isVisibleInTranscriptOnly=True, isCompactSummary=True)
        self._record_request(text)

    def resume(self, step: Step) -> None:
        """The session ends, and goes on some hours later."""
        self.close()
        self._now += timedelta(hours=int(step.text or "12"))

    def agent(self, step: Step) -> None:
        """A subagent's report comes back as a result."""
        told, _, report = step.text.partition("|")
        given = {"description": told.strip(), "prompt": told.strip(), "subagent_type": "Explore"}
        blocks = [{"type": "text", "text": report.strip()}]
        result = {"status": "completed", "agentId": "a" + self._hex(16), "content": blocks}
        self._tool("Agent", given, blocks, result)

    def reject(self, step: Step) -> None:
        """The user refuses a command."""
        given = {"command": step.text, "description": "Run it"}
        more: Line = {"toolDenialKind": "user-rejected"} if self._new else {}
        refused = "User rejected tool use"
        self._tool("Bash", given, _REJECTED, refused, failed=True, **more)
        text = "[Request interrupted by user for tool use]"
        self._user([{"type": "text", "text": text}], interruptedMessageId="msg_" + self._hex(24))

    def interrupt(self, _: Step) -> None:
        """The user stops the agent."""
        text = "[Request interrupted by user]"
        self._user([{"type": "text", "text": text}], interruptedMessageId="msg_" + self._hex(24))

    def close(self) -> None:
        """The end: lines that the client writes of its own accord."""
        self._aside("mode", mode="normal")
        self._aside("permission-mode", permissionMode="acceptEdits")
        self._aside("last-prompt", leafUuid=self._leaf)
