"""Text to vectors: the shipped model, and a deterministic stand-in for tests."""
