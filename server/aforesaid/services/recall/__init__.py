"""Recall: a query becomes a ranked list of memories, or an empty one.

recall.py answers by ids, by filters or by a query, which filters.py may narrow to a period.
hybrid_search.py runs the pipeline of a query. query.py has the values, cuts texts to the token
budget and adds linked memories. usage_tracker.py records which results were used; inspect.py shows
everything about one memory. Scores and weights are in domain/retrieval, recall at the prompt in
services/sessions/prompt_recall.py.
"""
