"""A question becomes an answer, or silence."""
