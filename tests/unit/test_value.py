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


class Counted(Value):
    """A number with a note."""

    number: int
    note: tuple[str, ...] = ()

    @property
    def double(self) -> int:
        """Return twice the number."""
        return self.number * 2


class Labelled(Counted):
    """One with a label."""

    label: str = "none"


def test_a_value_is_the_same_however_many_there_are_of_its_class() -> None:
    first = Counted(number=1, note=("a",))
    made = [Counted(number=number) for number in range(1_000)]

    assert list(range(1_000)) == [item.number for item in made]
    assert Counted(number=1, note=("a",)) == first
    assert first == made[1].replace(note=("a",))
    assert {"number": 999, "note": ()} == made[-1].as_dict()
    assert "Counted(number=3, note=('b',))" == repr(made[3].replace(note=("b",)))
    assert 8 == made[4].double
    assert hash(first) == hash(made[1].replace(note=("a",)))
    with pytest.raises(AttributeError, match="frozen"):
        made[1].number = 2


def test_an_error_names_the_field_however_many_there_are_of_a_class() -> None:
    made = [Counted(number=number) for number in range(1_000)]

    with pytest.raises(TypeError, match="number"):
        Counted()
    with pytest.raises(TypeError, match="colour"):
        Counted(number=1, colour=2)
    with pytest.raises(TypeError, match="size"):
        made[0].replace(size=2)
    with pytest.raises(TypeError):
        Counted(1)


def test_a_class_made_of_one_with_many_values_has_fields_of_its_own() -> None:
    for number in range(1_000):
        Counted(number=number)

    class Late(Counted):
        """Made when the other's methods are its own already."""

        more: int = 7

    assert {"number": 1, "note": (), "label": "x"} == Labelled(number=1, label="x").as_dict()
    assert {"number": 2, "note": (), "more": 7} == Late(number=1).replace(number=2).as_dict()
