"""Signals belong to the application: what we do at SIGTERM is what it leaves to the default."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from tests.otlp import backend
from tests.tracing.test_processes import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX"),
]

PRELUDE = """
import os, signal, sys, threading
from sqlobs import Schema, configure, trace_generation

SCHEMA = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")

@trace_generation
def generate(question):
    return "SELECT totl FROM orders"
"""


def ended(program, **environment):
    """Run a program; returns its exit code, what it printed, and how many units came."""
    with backend() as collector:
        completed = subprocess.run(
            [sys.executable, "-c", PRELUDE + textwrap.dedent(program)],
            env={**os.environ, "SQLOBS_COLLECTOR_ENDPOINT": collector.endpoint, **environment},
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=50,
            check=False,
        )
        assert completed.stderr == ""
        units = [log for log in collector.logs if log.event_name == "sqlobs.unit"]
        return completed.returncode, completed.stdout.strip(), len(units)


def test_a_program_still_ends_by_the_signal_and_its_units_are_sent():
    """The exit code is the same as without us."""
    program = """
    configure(schema=SCHEMA)
    generate("q")
    os.kill(os.getpid(), signal.SIGTERM)
    """
    assert ended(program) == (-signal.SIGTERM, "", 1)


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_handler_of_the_application_stays(place):
    """Whether it was there before or comes later; units are sent as the program ends."""
    handler = 'signal.signal(signal.SIGTERM, lambda *_: sys.exit(print("mine") or 3))\n'
    parts = [handler, "configure(schema=SCHEMA)\n"]
    program = "".join(parts if place == "before" else reversed(parts))
    program += "generate('q')\nos.kill(os.getpid(), signal.SIGTERM)\n"
    assert ended(program) == (3, "mine", 1)


def test_an_ignored_signal_stays_ignored():
    """`nohup` and supervisors may want it so."""
    program = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    configure(schema=SCHEMA)
    generate("q")
    os.kill(os.getpid(), signal.SIGTERM)
    print("resumed")
    """
    assert ended(program) == (0, "resumed", 1)


@pytest.mark.parametrize(
    ("program", "environment"),
    [
        ("configure(schema=SCHEMA)", {"SQLOBS_FLUSH_ON_SIGTERM": "false"}),
        ("configure(schema=SCHEMA)", {"SQLOBS_COLLECTOR_ENDPOINT": ""}),
        ("t = threading.Thread(target=configure); t.start(); t.join()", {}),
        ("", {}),
    ],
    ids=["switched off", "no collector", "not on the main thread", "not configured"],
)
def test_the_default_is_left_alone_where_we_have_no_say(program, environment):
    """There is no data to send, or the application disabled it."""
    asked = program + "\nprint(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)\n"
    assert ended(asked, **environment)[:2] == (0, "True")


def test_a_lock_that_the_signal_finds_held_delays_the_end_and_does_not_prevent_it():
    """The handler runs on the main thread, between any two steps of it."""
    program = """
    from sqlobs.tracing.worker import exits
    exits.EXIT_S, exits._MARGIN_S = 1.0, 0.5
    configure(schema=SCHEMA)
    from sqlobs.tracing.instance import default_instance
    generate("q")
    with default_instance().runtime.senders._units._changed:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    """
    assert ended(program)[:2] == (-signal.SIGTERM, "")
