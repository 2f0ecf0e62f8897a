"""The ends of a process that are known beforehand: at each of them what is left is sent.

- the interpreter ends: `atexit`;
- SIGTERM where nobody handles it: a handler of ours, which then lets the signal end the process;
- uvicorn, which raises the signal again that has stopped it, so that `atexit` never runs;
- children of `multiprocessing` and of Celery, which leave by `os._exit`.

What leaves by `os._exit` or SIGKILL otherwise tells nobody.
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
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from types import FrameType

EXIT_S: Final = 10.0
"""How long the end of a process may wait for what is left; servers allow their workers 30 s."""
_MARGIN_S: Final = 1.0
_POOLS: Final = ("multiprocessing.util", "billiard.util")
"""Their children leave by `os._exit`, past `atexit`; the latter is Celery's."""


class Leaver(Protocol):
    """What has something to send when the process ends."""

    def leave(self, timeout_s: float) -> None:
        """Send what is left, in a time; called once, on any thread."""
        ...


_leavers: list[weakref.ref[Leaver]] = []
"""Those of this process. Only appended to and copied, which needs no lock: a signal may come
anywhere."""
_hooked_pid: int | None = None
_is_leaving = False


def join(leaver: Leaver, *, handles_sigterm: bool) -> None:
    """Have something called when this process ends; it is not kept alive by that."""
    _leavers.append(weakref.ref(leaver))
    hook_process()
    if handles_sigterm:
        handle_sigterm()


def leave_all() -> None:
    """End as the process does: each leaver once, all of them within `EXIT_S`."""
    global _is_leaving  # noqa: PLW0603 - a process has one end
    until = monotonic() + EXIT_S
    _is_leaving = True
    try:
        while _leavers:
            leaver = _leavers.pop()()
            if leaver is not None:
                leaver.leave(max(0.0, until - monotonic()))
    except Exception as error:  # noqa: BLE001 - the process ends whatever we do
        INTERNAL_ERRORS.caught("exit", error)
    finally:
        _is_leaving = False


def hook_process() -> None:
    """Register with what ends this process: once, but late.

    Exit hooks run last in, first out; the application's provider has registered before.
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
        celery.worker_process_shutdown.connect(_leave_celery, weak=False)


def _leave_celery(**_: object) -> None:
    leave_all()


# -- SIGTERM --------------------------------------------------------------------------------------


def handle_sigterm() -> None:
    """Handle SIGTERM where it would end the process at once; a handler of anybody else's stays.

    Only the main thread can: elsewhere nothing changes.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


def _on_sigterm(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the interface's
    if _is_leaving:  # the end is under way and bounded; a pool's children are often told twice
        return
    try:
        # On a thread: what was interrupted here may hold a lock that is needed there
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
            # No signal: the program that runs the server goes on
            if getattr(server, "_captured_signals", None):
                await _leave_beside_the_loop()

    setattr(shut_down, _MARK, True)
    return shut_down


async def _leave_beside_the_loop() -> None:
    """Leave on a thread of our own: those of the loop may all be busy."""
    with ThreadPoolExecutor(1, thread_name_prefix="sqlobs-exit") as executor:
        await asyncio.get_running_loop().run_in_executor(executor, leave_all)


# -- forks ----------------------------------------------------------------------------------------


def _in_child() -> None:
    global _is_leaving  # noqa: PLW0603 - a process has one end
    _is_leaving = False
    _leavers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
