"""Sends what is queued when the process ends, in each way that can be hooked.

- the interpreter ends: `atexit`;
- SIGTERM without a handler: our handler, which then lets the signal end the process;
- uvicorn, which raises the signal that stopped it again, so that `atexit` never runs;
- children of `multiprocessing` and of Celery, which end by `os._exit`.

Any other `os._exit`, and SIGKILL, cannot be hooked.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from types import FrameType

EXIT_S: Final = 10.0
"""Longest delay of the exit; servers give their workers 30 s."""
_MARGIN_S: Final = 1.0
_POOLS: Final = ("multiprocessing.util", "billiard.util")
"""Modules whose children end by `os._exit`, without `atexit`; billiard is Celery's."""


_leavers: list[weakref.WeakMethod[Callable[[float], None]]] = []
"""Methods that send what is queued within a time; each is called once, on any thread.

`append` and `pop` need no lock, which a signal could find held.
"""
_hooked_pid: int | None = None
_is_leaving = False


def join(leave: Callable[[float], None], *, handles_sigterm: bool) -> None:
    """Register a bound method, by a weak reference to its object."""
    _leavers.append(weakref.WeakMethod(leave))
    hook_process()
    if handles_sigterm:
        handle_sigterm()


def leave_all() -> None:
    """Call each leaver once, all within `EXIT_S`."""
    global _is_leaving  # noqa: PLW0603 - a process has one end
    until = monotonic() + EXIT_S
    _is_leaving = True
    try:
        while _leavers:
            leave = _leavers.pop()()
            if leave is not None:
                leave(max(0.0, until - monotonic()))
    except Exception as error:  # noqa: BLE001 - the process ends whatever we do
        INTERNAL_ERRORS.caught("exit", error)
    finally:
        _is_leaving = False


def hook_process() -> None:
    """Register the exit hooks of this process, once and late.

    Exit hooks run last in, first out: ours must run before those of the application's provider.
    """
    global _hooked_pid  # noqa: PLW0603 - a process has one end
    _hook_uvicorn()
    if _hooked_pid == os.getpid():
        return
    _hooked_pid = os.getpid()
    atexit.register(leave_all)
    for name in _POOLS:
        util = sys.modules.get(name)
        if util is not None:
            util.Finalize(None, leave_all, exitpriority=100)
    celery = sys.modules.get("celery.signals")
    if celery is not None:
        celery.worker_process_shutdown.connect(lambda **_: leave_all(), weak=False)


# -- SIGTERM --------------------------------------------------------------------------------------


def handle_sigterm() -> None:
    """Handle SIGTERM if it has no handler; any other handler stays.

    Only the main thread can set handlers; on any other thread this does nothing.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


def _on_sigterm(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the interface's
    if _is_leaving:  # already leaving; pools often signal their children twice
        return
    try:
        # On a thread: the interrupted code may hold a lock that the exit needs
        thread = threading.Thread(target=leave_all, name="sqlobs-exit", daemon=True)
        thread.start()
        thread.join(EXIT_S + _MARGIN_S)
    finally:
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)


# -- uvicorn --------------------------------------------------------------------------------------


def _hook_uvicorn() -> None:
    """Leave at the end of a server's shutdown, before it raises its signal again."""
    server: Any = getattr(sys.modules.get("uvicorn.server"), "Server", None)
    shutdown = getattr(server, "shutdown", None)
    if inspect.iscoroutinefunction(shutdown) and not hasattr(shutdown, _MARK):
        server.shutdown = _leaving_after(shutdown)


_MARK: Final = "_sqlobs_leaves"


def _leaving_after(shutdown: Any) -> Any:  # noqa: ANN401 - a method of uvicorn's
    @wraps(shutdown)
    async def shut_down(server: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - likewise
        try:
            await shutdown(server, *args, **kwargs)
        finally:
            # Without a signal the program that runs the server continues
            if getattr(server, "_captured_signals", None):
                await _leave_beside_the_loop()

    setattr(shut_down, _MARK, True)
    return shut_down


async def _leave_beside_the_loop() -> None:
    """Leave on a new thread: those of the loop may all be busy."""
    with ThreadPoolExecutor(1, thread_name_prefix="sqlobs-exit") as executor:
        await asyncio.get_running_loop().run_in_executor(executor, leave_all)


# -- forks ----------------------------------------------------------------------------------------


def _in_child() -> None:
    global _is_leaving  # noqa: PLW0603 - a process has one end
    _is_leaving = False
    _leavers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
