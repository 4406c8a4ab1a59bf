"""A statement becomes a memory; a memory changes, is forgotten, comes back."""
