"""Which memories answer a question: their order, and how likely each answers.

Ranking: fusion.py joins what words and meaning found, ranking_features.py measures what the texts
and their sessions say, score.py makes one score of all, ranking_weights.py holds what each counts,
explanations.py says why in words. Relevance, a probability apart from the order: term_matching.py,
answer_type.py and synonyms.py read the words, relevance_features.py measures each candidate,
relevance_weights.py holds what the training made of them. For prompts: prompt_relevance.py,
generic_prompt.py. Not here: how candidates are found (services/recall/hybrid_search.py), what chose
the weights (bench/retrieval/learn.py, docs/adr/0024-signals.md,
docs/adr/0025-precision-and-silence.md).
"""
