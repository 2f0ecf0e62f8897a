"""A traced function: same signature, same kind, same results, picklable.

What kind of callable it is, is decided when it is decorated, never per call.
"""

from __future__ import annotations

import inspect
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from wrapt import BoundFunctionWrapper, FunctionWrapper

from sqlobs.tracing.conditions.arguments import Arguments, Parameters
from sqlobs.tracing.faults import FAULTS
from sqlobs.tracing.wrapping.streams import is_stream, proxied

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlobs.tracing.wrapping.activity import Activity, Operation

    _Function = FunctionWrapper[..., Any]
    _Method = BoundFunctionWrapper[..., Any]
else:  # wrapt 1 is generic for type checkers only
    _Function = FunctionWrapper
    _Method = BoundFunctionWrapper


def traced(function: Callable[..., Any], operation: Operation) -> TracedFunction:
    """Decorate a callable; one that is traced by the same kind of operation is traced anew."""
    while isinstance(function, TracedFunction) and type(function.operation) is type(operation):
        function = function.__wrapped__
    return TracedFunction(function, operation)


class TracedMethod(_Method):
    """A traced function bound to its instance or class."""

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        method: Any = self.__wrapped__
        if inspect.ismethod(method):
            return getattr, (method.__self__, method.__name__)
        return _by_name, (method.__module__, method.__qualname__)  # read off the class

    def __copy__(self) -> TracedMethod:
        return self

    def __deepcopy__(self, memo: Any) -> TracedMethod:
        return self


class TracedFunction(_Function):
    """A callable whose calls are activities."""

    __bound_function_wrapper__ = TracedMethod

    def __init__(self, function: Callable[..., Any], operation: Operation) -> None:
        plain = _plain(function)
        self._self_operation = operation.named_after(plain)
        super().__init__(function, _wrapper_for(plain, self._self_operation))

    @property
    def operation(self) -> Operation:
        """What the function was declared with."""
        operation: Operation = self._self_operation
        return operation

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Pickle by name, as functions are: the other process has decorated its own.

        What has no name (a partial, a callable object) travels as it is, and runs untraced there.
        """
        function = self.__wrapped__
        if not hasattr(function, "__qualname__"):
            return _itself, (function,)
        return _by_name, (function.__module__, function.__qualname__)

    def __copy__(self) -> TracedFunction:
        return self

    def __deepcopy__(self, memo: Any) -> TracedFunction:
        return self


def _itself(function: object) -> object:
    return function


def _by_name(module: str, qualname: str) -> object:
    __import__(module)
    found: object = sys.modules[module]
    for name in qualname.split("."):
        found = getattr(found, name)
    return found


def _plain(function: Any) -> Callable[..., Any]:
    """Return the function inside a classmethod or staticmethod object."""
    inner: Callable[..., Any] = (
        function.__func__ if isinstance(function, classmethod | staticmethod) else function
    )
    return inner


def _wrapper_for(function: Callable[..., Any], operation: Operation) -> Callable[..., Any]:
    """Return what wrapt calls: (wrapped, instance, args, kwargs)."""
    parameters = Parameters(function)
    wrapper = _call_async if _is_async(function) else _call
    return partial(wrapper, operation, parameters)


def _is_async(function: Callable[..., Any]) -> bool:
    while isinstance(function, partial):
        function = function.func
    if inspect.iscoroutinefunction(function):
        return True
    if inspect.isroutine(function) or inspect.isclass(function):
        return False
    return inspect.iscoroutinefunction(getattr(type(function), "__call__", None))  # noqa: B004 - reads the method


def _call(
    operation: Operation,
    parameters: Parameters,
    wrapped: Callable[..., Any],
    instance: object,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    try:
        given = args if instance is None else parameters.complete(instance, args)
        activity = operation.begin(Arguments(parameters, given, kwargs))
    except Exception as error:  # noqa: BLE001 - the boundary: the call goes on untraced
        FAULTS.caught("begin", error)
        return wrapped(*args, **kwargs)
    frame = activity.frame()
    entry = frame.enter()
    try:
        value = wrapped(*args, **kwargs)
    except BaseException as error:
        frame.leave(entry)
        activity.raised(error)
        raise
    frame.leave(entry)
    if type(value) is str:  # the usual case, without a look at what else it may be
        activity.returned(value)
        if activity.waiting is not None:
            activity.waiting.wait()
        return value
    delivered = _delivered(value, activity)
    if activity.waiting is not None:
        activity.waiting.wait()
    return delivered


async def _call_async(
    operation: Operation,
    parameters: Parameters,
    wrapped: Callable[..., Any],
    instance: object,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    try:
        given = args if instance is None else parameters.complete(instance, args)
        activity = operation.begin(Arguments(parameters, given, kwargs))
    except Exception as error:  # noqa: BLE001 - the boundary: the call goes on untraced
        FAULTS.caught("begin", error)
        return await wrapped(*args, **kwargs)
    return await _awaited(activity, wrapped(*args, **kwargs))


async def _awaited(activity: Activity, awaitable: Awaitable[Any]) -> Any:
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
    if activity.waiting is not None:
        await activity.waiting.wait_async()
    return delivered


def _delivered(value: Any, activity: Activity) -> Any:
    """Return what the caller gets: the value, or a proxy of what goes on after the return."""
    try:
        return _followed(value, activity)
    except Exception as error:  # noqa: BLE001 - the boundary: the caller gets the value at least
        FAULTS.caught("return", error)
        activity.returned(value)
        return value


def _followed(value: Any, activity: Activity) -> Any:
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


def _settled(activity: Activity, future: Any) -> None:
    """End the activity of a function that gave a future or a task."""
    if future.cancelled():
        activity.closed()
    elif (error := future.exception()) is not None:
        activity.raised(error)
    else:
        activity.returned(future.result())
