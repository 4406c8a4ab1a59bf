"""Import and export: other programs, git history, JSON lines, exports of other stores."""
