"""The machine: clock, processes, lock files, logs, files of the user's."""
