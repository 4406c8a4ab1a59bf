"""Values: frozen, compared by field, cheap to make."""

from __future__ import annotations

import pytest

from aforesaid.domain.value import Value


class Point(Value):
    """A place on paper."""

    x: int
    y: int = 0


class Named(Point):
    """A place with a name."""

    name: str = ""


def test_fields_have_their_defaults_and_their_order() -> None:
    assert {"x": 1, "y": 0, "name": ""} == Named(x=1).as_dict()
    assert "Named(x=1, y=2, name='a')" == repr(Named(name="a", y=2, x=1))


def test_values_are_equal_by_fields_within_one_class() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Named(x=1)
    assert {Point(x=1)} == {Point(x=1), Point(x=1)}


def test_a_value_cannot_be_changed_but_copied_with_changes() -> None:
    point = Point(x=1, y=2)
    with pytest.raises(AttributeError, match=r"frozen: use replace\(x=...\)"):
        point.x = 3
    with pytest.raises(AttributeError):
        point.z = 3

    assert Point(x=3, y=2) == point.replace(x=3)
    assert 1 == point.x


def test_missing_and_unknown_fields_are_named() -> None:
    with pytest.raises(TypeError, match="Point needs x"):
        Point(y=1)
    with pytest.raises(TypeError, match="Point has no colour, size"):
        Point(x=1, size=2, colour=3)
    with pytest.raises(TypeError):
        Point(1)
