"""The arguments of a traced call by name, for options that are callables.

Signatures are read when a function is decorated, never per call: `inspect.signature` takes about
20 µs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache

MISSING = object()
"""The argument was not passed and has no default."""

_ALL = ("**",)
"""A callable with `**kwargs` gets all arguments by name."""
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Parameters:
    """The parameters of a traced function."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._signature = _signature_of(function)
        self._by_name = {} if self._signature is None else dict(self._signature.parameters)
        self.names: tuple[str, ...] = tuple(self._by_name)
        self._positions = {
            parameter.name: place
            for place, parameter in enumerate(self._by_name.values())
            if parameter.kind in _BY_POSITION
        }

    def read(self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
        """Return one argument, or its default, or `MISSING`; cheap enough for every call."""
        if name in kwargs:
            return kwargs[name]
        place = self._positions.get(name)
        if place is not None and place < len(args):
            return args[place]
        if name not in self._by_name:
            return MISSING
        default = self._by_name[name].default
        return MISSING if default is inspect.Parameter.empty else default

    def bind(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        """Return all arguments by name, defaults and the entries of `**kwargs` included.

        Raises:
            TypeError: The arguments do not match the signature.
        """
        if self._signature is None:
            return dict(kwargs)
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        for parameter in self._by_name.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                arguments.update(arguments.pop(parameter.name))
        return arguments


class Arguments:
    """The arguments of one call, bound on first access."""

    __slots__ = ("_args", "_bound", "_kwargs", "_parameters")

    def __init__(
        self,
        parameters: Parameters | None,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> None:
        self._parameters = parameters
        self._args = args
        self._kwargs = kwargs if kwargs is not None else {}
        self._bound: dict[str, object] | None = None

    def read(self, name: str) -> object:
        """Return one argument by name, or `MISSING`."""
        if self._parameters is None:
            return MISSING
        return self._parameters.read(name, self._args, self._kwargs)

    @property
    def by_name(self) -> dict[str, object]:
        """All arguments by name."""
        if self._bound is None:
            parameters = self._parameters
            self._bound = {} if parameters is None else parameters.bind(self._args, self._kwargs)
        return self._bound

    def call(self, option: Callable[..., object]) -> object:
        """Call a user's callable with the arguments it names, or with the mapping of all."""
        names = () if self._parameters is None else self._parameters.names
        wanted = _wanted(option, names)
        if wanted is None:
            return option(self.by_name)
        everything = self.by_name
        if wanted is _ALL:
            return option(**everything)
        return option(**{name: everything[name] for name in wanted if name in everything})


@lru_cache(maxsize=1024)
def _wanted(option: Callable[..., object], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the arguments that a callable accepts; None: its one parameter gets all of them."""
    signature = _signature_of(option)
    if signature is None:
        return None
    parameters = list(signature.parameters.values())
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return _ALL
    required = [
        parameter for parameter in parameters if parameter.default is inspect.Parameter.empty
    ]
    if len(required) == 1 and required[0].name not in names:
        return None
    return tuple(parameter.name for parameter in parameters)


def _signature_of(function: Callable[..., object]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # builtins without a signature
        return None
