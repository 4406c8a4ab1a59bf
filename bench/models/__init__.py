"""Changing the embedding model: how long it takes, what it holds, what clients notice of it."""
