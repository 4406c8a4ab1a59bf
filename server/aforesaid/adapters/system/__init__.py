"""The machine: clock, processes, lock files, logs, user files."""
