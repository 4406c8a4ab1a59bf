// Aforesaid, a long-term memory, for OpenCode. Written by `aforesaid install --client opencode`, and
// removed by `aforesaid uninstall --client opencode`.
// OpenCode runs no commands at its events; this plugin runs `aforesaid hook EVENT --client opencode`.
// A command gets the event as JSON on standard input; its context is shown to the model. Whatever
// fails or takes too long is skipped.
import { spawn } from "node:child_process"

const COMMAND = ["aforesaid", "hook", "EVENT"]

const run = (event, timeout, input) =>
  new Promise((resolve) => {
    const [program, ...rest] = COMMAND.map((part) => (part === "EVENT" ? event : part))
    let output = ""
    try {
      const child = spawn(program, rest, { stdio: ["pipe", "pipe", "ignore"], timeout })
      child.on("error", () => resolve(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (data) => (output += data))
      child.on("close", () => {
        try {
          resolve(JSON.parse(output).hookSpecificOutput?.additionalContext ?? "")
        } catch {
          resolve("")
        }
      })
      child.stdin.end(JSON.stringify(input))
    } catch {
      resolve("")
    }
  })

export const Aforesaid = async ({ directory }) => {
  const contexts = new Map() // by session: what its start showed
  const subagents = new Set()

  const start = (id) => {
    if (!contexts.has(id)) {
      // OpenCode keeps no system prompt: a resumed session is shown everything, too
      const event = { session_id: id, cwd: directory, source: "startup" }
      contexts.set(id, run("session-start", 10_000, event))
    }
    return contexts.get(id)
  }

  return {
    event: async ({ event }) => {
      const session = event.type === "session.created" && event.properties.info
      if (session && session.parentID) subagents.add(session.id)
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      if (subagents.has(sessionID)) return
      await start(sessionID)
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      const event = { session_id: sessionID, cwd: directory, prompt }
      const text = await run("user-prompt-submit", 5_000, event)
      if (text && typed.length)
        parts.push({ ...typed[0], id: `${typed[0].id}m`, type: "text", text, synthetic: true })
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const text = sessionID && contexts.has(sessionID) && (await contexts.get(sessionID))
      if (text) system.push(text)
    },
    dispose: async () => {
      const ends = [...contexts.keys()].map((id) =>
        run("session-end", 3_000, { session_id: id, cwd: directory, reason: "other" }))
      await Promise.all(ends)
    },
  }
}
