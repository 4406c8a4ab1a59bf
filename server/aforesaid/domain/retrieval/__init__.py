"""Ranking of memories for a query, and the probability that each is relevant.

Ranking: fusion.py combines full-text and vector results, ranking_features.py computes features of
texts and sessions, score.py combines all with ranking_weights.py, explanations.py explains a rank.
Relevance is a separate probability: relevance_features.py computes its features from terms
(term_matching.py, synonyms.py) and the expected type of answer (answer_type.py), with
relevance_weights.py. For prompts: prompt_relevance.py, generic_prompt.py.

Candidates are found by services/recall/hybrid_search.py. Weights are trained in bench
(docs/adr/0024-signals.md, docs/adr/0025-precision-and-silence.md).
"""
