"""A question becomes an answer, or silence.

Here, along the way: recall.py takes a question (query.py) by ids, by filters alone (pagination.py
ends a page), or by what it asks. That is kept to the time that it names (time_filter.py), then
found, ordered and judged by hybrid_search.py: slips of the keyboard (spelling.py), the vector made
in a thread beside (background.py), what is linked to a named entity (entity_expansion.py), a
reranker (rerank.py), how likely each answers (relevance_filter.py), what is in force before what it
outdates (supersede_filter.py), summaries before what they sum up (summary_order.py), one level of
the tree (topic_rollup.py). What is told keeps to the budget (result_budget.py), with what it is
linked to (graph_expansion.py); what was used is noted (usage_tracker.py). Beside it, inspect.py
tells all of one memory. Not here: scores and weights (domain/retrieval, domain/retrieval), recall
at the prompt (services/sessions/prompt_recall.py).
"""
