"""What can go wrong, in five families.

AforesaidError
├── InvalidInputError    the caller can mend it: the message says how
├── NotFoundError        nothing by that name or id
├── ConflictError        it is there, but its state forbids this
├── UnavailableError     the world is not ready: locked, full, missing, still setting up
│   ├── SchemaError      the store's tables are those of no release
│   └── NewerSchemaError the store was made by a newer Aforesaid
└── CorruptError         what was read is not what was written

Each entry point maps the families to its own language in one table. A message says what happened
with the values, why, and what to do now.
"""

from __future__ import annotations


class AforesaidError(Exception):
    """The root of all errors that Aforesaid raises on purpose."""


class InvalidInputError(AforesaidError):
    """An argument is outside what is allowed."""


class NotFoundError(AforesaidError):
    """Nothing has that id or name."""


class ConflictError(AforesaidError):
    """The state of what is there forbids the change, or an id is ambiguous."""


class UnavailableError(AforesaidError):
    """Something outside is missing, locked, full or not ready yet."""


class SchemaError(UnavailableError):
    """The store's schema is that of no release."""


class NewerSchemaError(UnavailableError):
    """The store was made by a newer Aforesaid, in a way that this one does not understand."""


class CorruptError(AforesaidError):
    """What was read is damaged."""
