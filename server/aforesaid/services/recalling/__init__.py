"""A question becomes an answer, or silence.

Here, along the way: recall.py takes a question (question.py) by ids, by filters alone (cursor.py
ends a page), or by what it asks. That is kept to the time that it names (timed.py), then found,
ordered and judged by by_query.py: slips of the keyboard (spelling.py), the vector made in a thread
beside (meanwhile.py), what is linked to a named entity (spoken_of.py), a reranker (rerank.py), how
likely each answers (relevant.py), what is in force before what it outdates (in_force.py), summaries
before what they sum up (summed_up.py), one level of the tree (levels.py). What is told keeps to the
budget (told.py), with what it is linked to (related.py); what was used is noted (uses.py). Beside
it, inspect.py tells all of one memory. Not here: scores and weights (domain/ranking,
domain/relevance), recall at the prompt (services/sessions/prompt_recall.py).
"""
