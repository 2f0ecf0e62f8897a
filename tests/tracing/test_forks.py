"""A child that is forked while threads of sqlobs work waits for no lock that they held."""

from __future__ import annotations

import os
import threading
import time

import pytest

from sqlobs import Schema, SchemaSource, check_sql
from sqlobs import fork_guard as turns
from sqlobs.check.engine.profile import Profile
from sqlobs.check.native import engine_of
from sqlobs.tracing.worker.background_worker import BackgroundWorker
from sqlobs.tracing.worker.task import Errand

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SCHEMA = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")


def in_child(work, timeout_s=5.0):
    """Do something in a forked child; whether it says yes, in time."""
    pid = os.fork()
    if not pid:
        answer = False
        try:
            answer = bool(work())
        finally:
            os._exit(0 if answer else 1)
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return False


@pytest.fixture
def task():
    """A task of the worker that is in progress, and the list that it fills at its end."""
    begun, done = threading.Event(), []

    def work():
        begun.set()
        time.sleep(0.3)
        done.append("all")

    worker = BackgroundWorker(capacity=10)
    worker.submit(Errand(work))
    assert begun.wait(5)
    yield worker, done
    worker.close()


def test_a_fork_waits_for_the_task_of_the_worker(task):
    """What it imports and locks is whole in the child, and the worker continues in the parent."""
    worker, done = task
    assert in_child(lambda: done == ["all"])
    worker.submit(Errand(lambda: done.append("more")))
    assert worker.flush(5)
    assert done == ["all", "more"]


def test_a_fork_waits_for_a_limited_time(task, monkeypatch):
    """A worker that waits for a server delays a fork by a moment only."""
    _, done = task
    monkeypatch.setattr(turns, "FORK_S", 0.05)
    assert in_child(lambda: not done)


def test_a_task_may_fork():
    """A task is in its turn, and forks itself: neither process waits for itself."""
    said, worker = [], BackgroundWorker(capacity=10)
    worker.submit(Errand(lambda: said.append(in_child(lambda: True))))
    assert worker.flush(10)
    assert said == [True]
    worker.close()


def test_a_fork_waits_for_the_load_of_a_schema():
    """gunicorn --preload with a source in the module: the child has the schema."""
    begun = threading.Event()

    def load():
        begun.set()
        time.sleep(0.3)
        return SCHEMA

    source = SchemaSource(load)
    assert begun.wait(5)
    assert in_child(lambda: source.wait(2) and source.get() == SCHEMA)


def test_the_sqlite_of_a_child_is_its_own():
    """A thread of the parent was inside its SQLite."""
    assert check_sql("SELECT total FROM orders", schema=SCHEMA).decided_by == "native"
    with engine_of(
        SCHEMA, Profile.named("sqlite"), True
    )._lock:  # as a thread that does not exist in the child
        assert in_child(
            lambda: check_sql("SELECT totl FROM orders", schema=SCHEMA).decided_by == "native"
        )


def test_a_child_waits_for_a_load_of_its_own(monkeypatch):
    """The parent's load took longer than a fork waits: the child begins another."""
    monkeypatch.setattr(turns, "FORK_S", 0.05)
    pids, begun = [], threading.Event()

    def load():
        pids.append(os.getpid())
        begun.set()
        time.sleep(0.3)
        return SCHEMA

    source = SchemaSource(load)
    assert begun.wait(5)
    assert in_child(lambda: source.wait(2) and pids[-1] == os.getpid())
    assert source.wait(2)
