"""Fields of a frozen dataclass that are computed on first access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class LazyValue(Generic[T]):
    """A value computed on first access; it is pickled and copied as the value itself."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], T]) -> None:
        self.make = make

    def __reduce__(self) -> tuple[Callable[[T], T], tuple[T]]:
        return _itself, (self.make(),)


class LazyField(Generic[T]):
    """A field that accepts a value or a `LazyValue` and returns a value; the default is None.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Answer:
    ...     text: LazyField[str | None] = LazyField()
    >>> Answer(LazyValue(lambda: "42")).text, Answer("a").text, Answer().text
    ('42', 'a', None)
    """

    _name: str

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> None: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | None:
        if instance is None:
            return None  # what dataclass takes for the default
        value: T | LazyValue[T] = instance.__dict__[self._name]
        if isinstance(value, LazyValue):
            made: T = value.make()
            instance.__dict__[self._name] = made
            return made
        return value

    def __set__(self, instance: object, value: T | LazyValue[T]) -> None:
        instance.__dict__[self._name] = value


def _itself(value: T) -> T:
    return value
