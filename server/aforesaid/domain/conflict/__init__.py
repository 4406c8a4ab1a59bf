"""When one memory contradicts or supersedes another."""
