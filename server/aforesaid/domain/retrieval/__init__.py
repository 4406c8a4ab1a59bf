"""Ranking of memories for a query, and the probability that each is relevant.

Ranking: fusion.py combines full-text and vector results and has the weights, ranking.py adds
features of texts and sessions, and explains a rank. Relevance is a separate probability:
relevance.py computes its features from terms (term_matching.py) and the expected type of answer.
For prompts: prompt_relevance.py.

Candidates are found by services/recall/hybrid_search.py. Weights are trained in bench
(docs/adr/0024-signals.md, docs/adr/0025-precision-and-silence.md).
"""
