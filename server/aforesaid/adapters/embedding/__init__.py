"""Text to vectors, by the model that ships, one of a folder, or one behind an API.

Here: onnx.py runs models of folders (model_card.py says what one holds), api.py asks providers,
download.py downloads, prefetch.py embeds before a transaction, query_projection.py turns a
question's vector, reranker.py reads question and text together, chunking.py cuts long texts;
hashed.py stands for a model in tests. Not here: which one serves (wiring/embedder_loader.py).
"""
