"""Stand-ins: transparent proxies, which differ from their original in `type()` only.

A stand-in has the special methods of its original and no others: `isinstance` with the ABCs of
`collections.abc`, `hasattr`, `len`, `copy` and `itertools.tee` behave as for the original. (wrapt's
proxy has every special method: a generator behind it is `Sized`, and `itertools.tee` fails.) All
other attributes are looked up on the original. Tests: `tests/tracing/test_transparency.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from weakref import WeakKeyDictionary

from wrapt import ObjectProxy

Template = TypeVar("Template", bound="Standin")

_OWN: Final = frozenset(
    {
        *("__class__", "__new__", "__init__", "__del__", "__init_subclass__", "__subclasshook__"),
        *("__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__class_getitem__"),
    }
)
"""Special methods that a stand-in defines itself, or that concern classes only."""


_CLASSES: Final[WeakKeyDictionary[type, dict[type, type[Any]]]] = WeakKeyDictionary()
"""The classes made so far, by class of the original and template."""


class StandinType(type):
    """The class of classes of stand-ins.

    The module of such a class is that of the originals' class, while `__module__` of an instance is
    looked up on the original: for a function, the module that defines it.
    """

    _self_module: str

    @property
    def __module__(cls) -> str:  # type: ignore[override]  # a type's own is no property
        return cls._self_module


class Standin:
    """A proxy of one object. Its subclasses are templates: see `standin_class`."""

    __slots__ = ("_self_original",)
    if TYPE_CHECKING:  # annotations of a class would show as those of the original
        _self_original: Any

    def __init__(self, original: object) -> None:
        self._self_original = original

    @property  # type: ignore[misc]  # mypy knows no class that is looked up
    def __class__(self) -> Any:
        return self._self_original.__class__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_self_"):  # it is not fully made
            raise AttributeError(name)
        return getattr(self._self_original, name)

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("_self_"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._self_original, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._self_original, name)


def standin_class(template: type[Template], kind: type) -> type[Template]:
    """Return the class of stand-ins for a class; it is made once.

    It has those methods of the template that the class has, and passes the other special methods of
    the class on to the original.

    Args:
        template: What a stand-in does differently. Its methods never use `super()`, since they are
            copied; those whose names begin with `_self_` are always there.
        kind: The class of the originals.
    """
    classes = _CLASSES.setdefault(kind, {})
    if template not in classes:
        classes[template] = _new_class(template, kind)
    return classes[template]


def _new_class(template: type[Template], kind: type) -> type[Template]:
    # The base has the slots; the template itself would bring methods that the originals lack.
    base = template.__mro__[-3]
    namespace: dict[str, object] = {
        "__slots__": ("__weakref__",) if kind.__weakrefoffset__ else (),
        **{name: _looked_up(name) for name in ("__doc__", "__module__", "__annotations__")},
        "_self_module": kind.__module__,
        **_delegates_to(kind, but={name for part in base.__mro__[:-1] for name in vars(part)}),
        **_methods_of(template, kind),
    }
    if issubclass(kind, type):
        namespace["__signature__"] = property(_signature)
    return cast("type[Template]", StandinType(kind.__name__, (base,), namespace))


def _signature(self: Standin) -> inspect.Signature:
    """Return the signature of a class: since Python 3.13 `inspect` unwraps functions alone."""
    return inspect.signature(self._self_original)


def _delegates_to(kind: type, *, but: Container[str]) -> dict[str, object]:
    """Return the special methods of a class, each delegating to the original; None stays None."""
    found: dict[str, object] = {}
    for name in dir(kind):
        if name.startswith("__") and name.endswith("__") and name not in _OWN and name not in but:
            value = inspect.getattr_static(kind, name, ())
            if value is None or callable(value):
                found[name] = None if value is None else _delegate(name)
    return found


def _methods_of(template: type, kind: type) -> dict[str, object]:
    """Return the methods of a template; those of subclasses override inherited ones."""
    return {
        name: value
        for part in reversed(template.__mro__[:-3])
        for name, value in vars(part).items()
        if inspect.isfunction(value) and (name.startswith("_self_") or hasattr(kind, name))
    }


def _delegate(name: str) -> Callable[..., Any]:
    def method(self: Standin, *args: Any, **kwargs: Any) -> Any:
        original = self._self_original
        # Looked up on the class, as Python does: a class that is an original has methods itself.
        result = getattr(type(original), name)(original, *args, **kwargs)
        return self if result is original else result

    method.__name__ = name
    return method


def _looked_up(name: str) -> property:
    return property(lambda standin: getattr(standin._self_original, name))  # noqa: SLF001 - of this module


if TYPE_CHECKING:
    Proxy = ObjectProxy[Any]
else:
    Proxy = ObjectProxy

__all__ = ["Proxy"]
