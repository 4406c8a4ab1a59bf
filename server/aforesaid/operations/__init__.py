"""Use cases that may touch adapters: sessions, prompts, maintenance, backups, imports."""
