"""The errors that Aforesaid raises on purpose.

AforesaidError
├── InvalidInputError    an argument is invalid; the message says how to correct it
├── NotFoundError        no object has that name or id
├── ConflictError        the object's state does not permit the change
├── UnavailableError     a resource is locked, full, missing or still being set up
│   ├── SchemaError      the store's schema matches no release
│   └── NewerSchemaError the store was written by a newer Aforesaid
└── CorruptError         stored data is damaged

Each entry point maps these classes to its own error codes in one table. A message says what
happened, with the values, why it happened, and what to do now.
"""

from __future__ import annotations


class AforesaidError(Exception):
    """Base class of all errors that Aforesaid raises on purpose."""


class InvalidInputError(AforesaidError):
    """An argument is invalid."""


class NotFoundError(AforesaidError):
    """No object has that id or name."""


class ConflictError(AforesaidError):
    """The state of an object does not permit the change, or an id is ambiguous."""


class UnavailableError(AforesaidError):
    """An external resource is missing, locked, full or not ready yet."""


class BusyError(UnavailableError):
    """Another process is writing to the store."""


class SchemaError(UnavailableError):
    """The store's schema matches no release."""


class NewerSchemaError(UnavailableError):
    """The store was written by a newer Aforesaid, in a format unknown to this one."""


class CorruptError(AforesaidError):
    """Stored data is damaged."""
