"""Projects: their registry, whose a repository is, merging two."""
