"""The training of the embedding model that ships."""
