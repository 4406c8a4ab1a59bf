"""Embedding models: the shipped one, one in a folder, or one behind an API.

onnx.py runs the model of a folder, which model_card.py describes; api.py calls providers,
download.py downloads models, multilingual/ installs the multilingual one, prefetch.py embeds before
a transaction, reranker.py scores pairs, chunking.py splits long texts.
Not here: choosing the active model (wiring/embedder_loader.py).
"""
