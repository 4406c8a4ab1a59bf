"""The query map: learning from labelled questions how a question's vector is turned.

Here: the examples (examples.py), the fit (fit.py), maps that never saw a question
(leave_one_out.py). Not here: how the product applies the map
(server/aforesaid/adapters/embedding/query_projection.py). Why: docs/adr/0031-query-map.md.
"""
