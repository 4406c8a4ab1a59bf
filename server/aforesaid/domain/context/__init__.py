"""The texts shown at a session's start (session context) and with a prompt (prompt recall)."""
