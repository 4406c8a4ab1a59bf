"""Frozen, typed values at a cost that the hook path can bear.

Here: the one base class of all values. Not here: any value itself.
Why not dataclasses: importing them and generating 40 classes costs 35 ms of a 45 ms budget
(docs/adr/0002-values.md). Type checkers see ordinary frozen dataclasses. A class of which many
values are made gets methods of its own then (``_quicken``).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_options):  # noqa: ANN003, ANN201 - never seen by mypy
        """Return the class as it is: the real one is for type checkers only."""
        return lambda cls: cls


_set_field = object.__setattr__  #: the one way past the frozen __setattr__ below
#: Values of a class from which on methods of its own are worth what compiling them takes. Source:
#: docs/adr/0002-values.md: 0.3 ms, and 2 to 5 microseconds less for each value made afterwards.
_MANY = 100
_made: dict[type, int] = {}  #: values of each class, until there are many


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=True)
class _ValueType(type):
    """Makes slots of the annotated fields, and keeps their defaults aside."""

    _fields: tuple[str, ...]
    _defaults: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _ValueType:
        fields: list[str] = []
        defaults: dict[str, Any] = {}
        for base in bases:
            fields += getattr(base, "_fields", ())
            defaults.update(getattr(base, "_defaults", {}))
        own = list(namespace.get("__annotations__", ()))
        for field in own:
            if field in namespace:
                defaults[field] = namespace.pop(field)
        namespace["__slots__"] = tuple(own)
        if fields:  # what a base was given when many of it were made is for its own fields
            for method in _QUICKENED:
                namespace.setdefault(method, vars(Value)[method])
        made = super().__new__(cls, name, bases, namespace)
        made._fields = (*fields, *own)
        made._defaults = defaults
        return made


class Value(metaclass=_ValueType):
    """A frozen value: keyword arguments only, compared by its fields.

    Subclasses annotate their fields; a mutable default is shared, so it must not be changed.
    Modules that define values need ``from __future__ import annotations``.
    """

    def __init__(self, **given: Any) -> None:
        cls = type(self)
        _made[cls] = _made.get(cls, 0) + 1
        if _made[cls] == _MANY:
            _quicken(cls)
        if len(given) != len(cls._fields):
            given = {**cls._defaults, **given}
        try:
            for field in cls._fields:
                _set_field(self, field, given[field])
        except KeyError as missing:
            raise TypeError(f"{cls.__name__} needs {missing.args[0]}") from None
        if len(given) != len(cls._fields):
            unknown = sorted(given.keys() - set(cls._fields))
            raise TypeError(f"{cls.__name__} has no {', '.join(unknown)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, field) for field in type(self)._fields))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={getattr(self, field)!r}" for field in type(self)._fields)
        return f"{type(self).__name__}({shown})"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, in order of definition."""
        return {field: getattr(self, field) for field in type(self)._fields}

    def replace(self, **changes: Any) -> Self:
        """Return a copy with these fields changed."""
        cls = type(self)
        if not changes.keys() <= set(cls._fields):
            return cls(**{**self.as_dict(), **changes})  # says which field there is not
        made = object.__new__(cls)
        for field in cls._fields:
            _set_field(made, field, changes[field] if field in changes else getattr(self, field))
        return made


_QUICKENED = ("__init__", "as_dict", "replace")


def _quicken(cls: type[Value]) -> None:
    """Give a class methods that name its fields one by one: the same, three times as fast.

    What it overrides itself stays. Errors name the same field in Python's own words.
    """
    fields, defaults = cls._fields, cls._defaults
    parameters = ", ".join(
        f"{field}=defaults[{field!r}]" if field in defaults else field for field in fields
    )
    source = f"""
def __init__(self, *, {parameters}):
    {"; ".join(f"set_field(self, {field!r}, {field})" for field in fields)}

def as_dict(self):
    return {{{", ".join(f"{field!r}: self.{field}" for field in fields)}}}

def replace(self, **changes):
    return type(self)(**{{{", ".join(f"{field!r}: self.{field}" for field in fields)}, **changes}})
"""
    made: dict[str, Any] = {"set_field": _set_field, "defaults": defaults}
    exec(source, made)  # noqa: S102 - of names of fields alone, as dataclasses do it
    for name in _QUICKENED:
        if getattr(cls, name) is vars(Value)[name]:
            made[name].__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, made[name])
