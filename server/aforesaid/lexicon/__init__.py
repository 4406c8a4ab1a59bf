"""Word lists and patterns of natural languages, and of shells: data only, no rules."""
