"""Text to vectors, by the model that ships, one of a folder, or one behind an API.

Here: onnx.py runs models of folders (card.py says what one holds), api.py asks providers, hub.py
downloads, ahead.py embeds before a transaction, query_map.py turns a question's vector, reranker.py
reads question and text together, windows.py cuts long texts; hashed.py stands for a model in tests.
Not here: which one serves (wiring/embedding.py).
"""
