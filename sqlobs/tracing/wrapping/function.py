"""A traced function: same signature, same kind, same results, picklable.

The kind of callable is determined at decoration, never per call.
Tests: `tests/tracing/test_transparency.py`, `test_kinds.py` and `test_decorated_functions.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from copy import copy, deepcopy
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast

from sqlobs.tracing.completion_signal import wait_for_async
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import Arguments, Parameters
from sqlobs.tracing.wrapping.standin import Standin, standin_class
from sqlobs.tracing.wrapping.streams import is_stream, proxied

if TYPE_CHECKING:
    from sqlobs.tracing.wrapping.activity import Activity, Operation


def traced(function: Any, operation: Operation[Any]) -> Any:
    """Decorate a callable; a second decorator of the same kind replaces the first.

    A classmethod or staticmethod stays one, of a traced function.
    """
    if isinstance(function, classmethod | staticmethod):
        return type(function)(traced(function.__func__, operation))
    while issubclass(type(function), Traced) and type(function.operation) is type(operation):
        function = function.__wrapped__
    template = TracedCoroutineFunction if _is_async(function) else TracedFunction
    return standin_class(template, type(function))(function, operation)


class Traced(Standin):
    """A callable whose calls are activities."""

    __slots__ = ("_self_operation", "_self_parameters")
    if TYPE_CHECKING:
        _self_operation: Operation[Any]
        _self_parameters: Parameters

    def __init__(self, function: Callable[..., Any], operation: Operation[Any]) -> None:
        self._self_original = function
        self._self_operation = operation.named_after(function)
        self._self_parameters = Parameters(function)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        function: Callable[..., Any] = self._self_original
        return function

    @property
    def operation(self) -> Operation[Any]:
        """The operation of the decorator."""
        return self._self_operation

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Pickle by name, as functions are: the other process decorates its own.

        A callable without a name (a partial, an object) is pickled itself, and runs untraced.
        """
        function = self._self_original
        if not hasattr(function, "__qualname__"):
            return _itself, (function,)
        if inspect.ismethod(function):
            return getattr, (function.__self__, function.__name__)
        from pkgutil import resolve_name

        return resolve_name, (f"{function.__module__}:{function.__qualname__}",)

    def __copy__(self) -> Traced:
        return self._self_over(copy(self._self_original))

    def __deepcopy__(self, memo: Any) -> Traced:
        return self._self_over(deepcopy(self._self_original, memo))

    def _self_over(self, function: Callable[..., Any]) -> Traced:
        """Return the same decorator over a copy; plain functions are their own copies."""
        is_same = function is self._self_original
        return self if is_same else type(self)(function, self._self_operation)


class Bindable(Traced):
    """A callable that may be a method."""

    __slots__ = ()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        original, function = self._self_original, cast("Any", self)
        if isinstance(original, FunctionType):
            return self if instance is None else MethodType(function, instance)
        bound = original.__get__(instance, owner)
        return self if bound is original else traced(bound, self._self_operation)


class TracedFunction(Bindable):
    """A callable that returns a value or a stream."""

    __slots__ = ()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function; a stream that it returns is traced to its end."""
        function = self._self_original
        try:
            arguments = Arguments(self._self_parameters, args, kwargs)
            activity = self._self_operation.begin(arguments)
        except Exception as error:  # noqa: BLE001 - the boundary: the call runs untraced
            INTERNAL_ERRORS.caught("begin", error)
            return function(*args, **kwargs)
        frame = activity.frame()
        entry = frame.enter()
        try:
            value = function(*args, **kwargs)
        except BaseException as error:
            frame.leave(entry)
            activity.raised(error)
            raise
        frame.leave(entry)
        if type(value) is str:  # the usual case skips the tests for streams
            activity.returned(value)
        else:
            value = _delivered(value, activity)
        if activity.waiting is not None:
            activity.waiting.wait()
        return value


class TracedCoroutineFunction(Bindable):
    """A callable whose calls are awaited."""

    __slots__ = ()

    async def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function and await it; a stream that it returns is traced to its end."""
        function = self._self_original
        try:
            arguments = Arguments(self._self_parameters, args, kwargs)
            activity = self._self_operation.begin(arguments)
        except Exception as error:  # noqa: BLE001 - the boundary: the call runs untraced
            INTERNAL_ERRORS.caught("begin", error)
            return await function(*args, **kwargs)
        return await _awaited(activity, function(*args, **kwargs))


def _itself(function: object) -> object:
    return function


def _is_async(function: Callable[..., Any]) -> bool:
    while isinstance(function, partial):
        function = function.func
    if inspect.iscoroutinefunction(function):
        return True
    if inspect.isroutine(function) or inspect.isclass(function):
        return False
    return inspect.iscoroutinefunction(getattr(type(function), "__call__", None))  # noqa: B004 - reads the method


async def _awaited(activity: Activity[Any], awaitable: Awaitable[Any]) -> Any:
    frame = activity.frame()
    entry = frame.enter()
    try:
        value = await awaitable
    except BaseException as error:
        frame.leave(entry)
        activity.raised(error)
        raise
    frame.leave(entry)
    delivered = _delivered(value, activity)
    await wait_for_async(activity.waiting)
    return delivered


def _delivered(value: Any, activity: Activity[Any]) -> Any:
    """Return the value, or a stand-in if the activity continues after the return."""
    try:
        return _followed(value, activity)
    except Exception as error:  # noqa: BLE001 - the boundary: the caller gets the value at least
        INTERNAL_ERRORS.caught("return", error)
        activity.returned(value)
        return value


def _followed(value: Any, activity: Activity[Any]) -> Any:
    kind = type(value)
    if is_stream(value):
        return proxied(value, activity)
    if inspect.iscoroutine(value):
        return _awaited(activity, value)
    if hasattr(kind, "add_done_callback"):
        value.add_done_callback(partial(_settled, activity))
        return value
    activity.returned(value)
    return value


def _settled(activity: Activity[Any], future: Any) -> None:
    """End the activity of a function that returned a future or a task."""
    if future.cancelled():
        activity.closed()
    elif (error := future.exception()) is not None:
        activity.raised(error)
    else:
        activity.returned(future.result())
