"""Base class of frozen, typed value objects, cheap enough for the hook path.

Importing dataclasses and generating 40 classes would cost 35 ms of a 45 ms budget
(docs/adr/0002-values.md). Type checkers see ordinary frozen dataclasses. Once a class has many
instances it gets generated methods of its own (``_specialise``).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_options):  # noqa: ANN003, ANN201 - never seen by mypy
        """Return the class unchanged: only type checkers need the real decorator."""
        return lambda cls: cls


_set_field = object.__setattr__  #: bypasses the frozen __setattr__ below
#: Number of instances at which generated methods pay off: compiling them takes 0.3 ms and saves 2
#: to 5 microseconds for each later instance. Source: docs/adr/0002-values.md.
_SPECIALISE_AT = 100
_instances: dict[type, int] = {}  #: number of instances of each class, counted up to that number


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=True)
class _ValueType(type):
    """Turns annotated fields into slots and stores their defaults on the class."""

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
        if fields:  # generated methods of a base class only know its own fields
            for method in _GENERATED:
                namespace.setdefault(method, vars(Value)[method])
        value_type = super().__new__(cls, name, bases, namespace)
        value_type._fields = (*fields, *own)
        value_type._defaults = defaults
        return value_type


class Value(metaclass=_ValueType):
    """A frozen value object: keyword arguments only, compared by its fields.

    Subclasses annotate their fields. Mutable defaults are shared and must not be modified.
    Modules that define values need ``from __future__ import annotations``.
    """

    def __init__(self, **values: Any) -> None:
        cls = type(self)
        _instances[cls] = _instances.get(cls, 0) + 1
        if _instances[cls] == _SPECIALISE_AT:
            _specialise(cls)
        if len(values) != len(cls._fields):
            values = {**cls._defaults, **values}
        try:
            for field in cls._fields:
                _set_field(self, field, values[field])
        except KeyError as missing:
            raise TypeError(f"{cls.__name__} needs {missing.args[0]}") from None
        if len(values) != len(cls._fields):
            unknown = sorted(values.keys() - set(cls._fields))
            raise TypeError(f"{cls.__name__} has no {', '.join(unknown)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, field) for field in type(self)._fields))

    def __repr__(self) -> str:
        cls, missing = type(self), object()
        shown = ", ".join(
            f"{field}={value!r}"
            for field, value in self.as_dict().items()
            if value != cls._defaults.get(field, missing)
        )
        return f"{cls.__name__}({shown})"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, in order of definition."""
        return {field: getattr(self, field) for field in type(self)._fields}

    def replace(self, **changes: Any) -> Self:
        """Return a copy with these fields changed."""
        cls = type(self)
        if not changes.keys() <= set(cls._fields):
            return cls(**{**self.as_dict(), **changes})  # raises TypeError with the unknown field
        copy = object.__new__(cls)
        for field in cls._fields:
            _set_field(copy, field, changes[field] if field in changes else getattr(self, field))
        return copy


_GENERATED = ("__init__", "as_dict", "replace")


def _specialise(cls: type[Value]) -> None:
    """Generate methods that name each field: equivalent to those of Value, three times as fast.

    Methods that the class overrides are kept. Errors name the same fields in Python's own words.
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
    namespace: dict[str, Any] = {"set_field": _set_field, "defaults": defaults}
    exec(source, namespace)  # noqa: S102 - contains only field names, as in dataclasses
    for name in _GENERATED:
        if getattr(cls, name) is vars(Value)[name]:
            namespace[name].__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, namespace[name])
