"""Words and patterns of natural languages: data, no rules. The lowest layer."""
