"""The store in one SQLite file: apsw, FTS5, and sqlite-vec where it can be had.

Start in store.py; database.py owns connections, schema.py the tables. Hook processes load this
package: nothing here imports more than apsw and the lean standard library.
"""
