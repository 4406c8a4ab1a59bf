"""The store in one SQLite file: apsw, FTS5, and sqlite-vec if installed.

Start in store.py; database.py owns connections, schema.py the tables. Hooks load this package.
"""
