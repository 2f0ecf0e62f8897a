"""Worker processes: bounded, killed for good, replaced, and never left behind."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sqlobs.execution import process as processes
from sqlobs.execution.conversation import converse
from sqlobs.execution.executor import Executor
from sqlobs.execution.messages import (
    BRIEF_BYTES,
    HEADER,
    Admitted,
    Chunk,
    Finished,
    Open,
    ProtocolError,
    Ready,
    Repeated,
    Run,
    Stopped,
    Unavailable,
    decode_report,
    encode,
)
from sqlobs.execution.outcome import Execution, ExecutionRequest
from sqlobs.execution.pool import Pool
from sqlobs.execution.process import (
    PoolClosedError,
    WorkerDiedError,
    WorkerOverrunError,
    WorkerProcess,
)
from sqlobs.execution.target import Limits, Target
from sqlobs.execution.worker import Worker
from sqlobs.metrics.ordering import Ordering
from sqlobs.metrics.tree_comparison import sql_shape
from tests.execution.attacks import ENDLESS
from tests.execution.conftest import BURN

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY = 1024 * 1024 * 1024


def run(executor: Executor, sql: str, **limits: float) -> Execution:
    """Run one statement on the target `shop`."""
    return executor.run(
        ExecutionRequest(sql=sql, target="shop", limits=Limits(**limits))
    ).prediction


def children() -> set[int]:
    """Return the processes, zombies included, whose parent we are."""
    found = set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                found.add(int(entry.name))
    return found


def descriptors() -> int:
    """Return how many files we have open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    """A worker that has started."""
    process = WorkerProcess(memory_bytes=MEMORY)
    assert process.receive(time.monotonic() + 60) == Ready()
    yield process
    process.kill()


def test_kills_leave_no_process_and_no_descriptor(shop_file: Path):
    """Whatever happened in between, closing gives back everything."""
    processes, files = children(), descriptors()
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=2) as executor:
        assert len(children() - processes) == 3
        during = descriptors()
        for _ in range(5):
            assert run(executor, BURN, timeout_s=0.05).engine_class == "killed"
            assert run(executor, "SELECT 1").outcome.status == "ok"
        assert len(children() - processes) == 3
        assert descriptors() == during
    assert (children(), descriptors()) == (processes, files)


def test_the_number_of_workers_is_bounded(shop_file: Path):
    """Many callers share them; each gets its own answer."""
    before = children()
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=2) as executor:
        answers: dict[int, object] = {}

        def ask(number: int) -> None:
            answers[number] = run(executor, f"SELECT {number}").outcome.table.rows

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        assert len(children() - before) == 3
        for thread in threads:
            thread.join()
    assert answers == {number: ((number,),) for number in range(20)}


def test_memory_is_bounded_and_a_bomb_costs_one_worker(shop_file: Path):
    """An allocation beyond the worker's memory fails there; the next statement runs."""
    target = Target.from_url("shop", f"sqlite:///{shop_file}")
    with Executor([target], workers=1) as executor:
        execution = run(
            executor,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
            " SELECT group_concat(whole) FROM n, long_texts",
            max_cell_bytes=1_000_000_000,
            timeout_s=20,
        )
        assert execution.failure_code == "execution.timeout"
        assert execution.engine_class == "SQLITE_NOMEM"
        assert run(executor, "SELECT 1").outcome.table.rows == ((1,),)


def test_a_killed_worker_is_replaced(shop_file: Path):
    """Only the running statement is lost, and it is reported."""
    before = children()
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:

        def shoot() -> None:
            time.sleep(0.5)
            for pid in children() - before:
                os.kill(pid, signal.SIGKILL)

        run(executor, "SELECT 1")
        thread = threading.Thread(target=shoot)
        thread.start()
        execution = run(executor, ENDLESS, timeout_s=20)
        thread.join()
        assert (execution.outcome.status, execution.reason) == ("not_run", "error")
        assert run(executor, "SELECT 1").outcome.table.rows == ((1,),)


def test_workers_end_with_their_parent(shop_file: Path, tmp_path: Path):
    """A parent that is killed leaves no worker, not even one that is busy in one long step."""
    program = f"""
import os, threading
from sqlobs.execution import process as processes
from sqlobs.execution.conversation import converse
from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits, Target
executor = Executor([Target.from_url("shop", "sqlite:///{shop_file}")], workers=1)
executor.run(ExecutionRequest(sql="SELECT 1", target="shop"))
print(*[w.pid for w in executor._pool._idle], flush=True)
executor.run(ExecutionRequest(sql={BURN!r}, target="shop", limits=Limits(timeout_s=600)))
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    time.sleep(0.5)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while any(is_running(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Return whether a process exists that is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_process_inherits_no_file_or_environment(worker: WorkerProcess):
    """No environment, no descriptor, a session of its own, limits on all it could use up."""
    process = Path(f"/proc/{worker.pid}")
    names = {pair.split(b"=")[0] for pair in (process / "environ").read_bytes().split(b"\0")}
    assert names - {b"TZ"} == {b""}
    opened = {str(link.readlink()) for link in (process / "fd").iterdir()}
    assert {name.partition(":")[0] for name in opened} == {"/dev/null", "socket", "pipe"}
    assert os.getsid(worker.pid) == worker.pid
    limits = (process / "limits").read_text()
    for name, value in (
        ("Max address space", str(MEMORY)),
        ("Max core file size", "0"),
        ("Max file size", str(8 * 1024 * 1024)),
        ("Max open files", "64"),
    ):
        line = next(line for line in limits.splitlines() if line.startswith(name))
        assert line.split()[len(name.split())] == value


def test_a_worker_that_does_not_answer_overruns(worker: WorkerProcess):
    """Silence ends at the deadline, a kill may be repeated."""
    with pytest.raises(WorkerOverrunError):
        worker.receive(time.monotonic() + 0.01)
    worker.kill()
    worker.kill()
    with pytest.raises(WorkerDiedError):
        worker.send(Run("shop", (), {}))


def test_a_closed_pool_kills_returned_workers():
    """Closing does not wait for the borrowed, and does not forget them."""
    before = children()
    pool = Pool(1, memory_bytes=MEMORY)
    with pool.lent("shop", connections=8) as worker:
        pool.close()
        assert children() - before == {worker.pid}
    assert children() == before


def test_a_block_that_fails_costs_its_worker():
    """Nobody knows what state such a worker is in."""
    pool = Pool(1, memory_bytes=MEMORY)
    with pytest.raises(RuntimeError), pool.lent("shop", connections=8) as worker:
        raise RuntimeError
    with pool.lent("shop", connections=8) as other:
        assert other.pid != worker.pid
    pool.close()


def framed(body: bytes) -> bytes:
    """Return a frame of any content."""
    return HEADER.pack(len(body)) + body


@pytest.mark.parametrize(
    "body",
    [
        b"cos\nsystem\n(S'touch /tmp/owned'\ntR.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"csqlobs.execution.worker\nmain\n(tR.",
        b"not a pickle",
        b"",
        encode(Open(Target(alias="a", system="sqlite", url=""), {}))[HEADER.size :],
        b"\x80\x05K\x01.",
        pickle.dumps(()),
        pickle.dumps((1,)),
        pickle.dumps(("eval", "1")),
        pickle.dumps((0, (True, None, "more"), frozenset(), None, None)),
        pickle.dumps((0, (True, None), frozenset(), None, (1, 2))),
    ],
)
def test_a_worker_cannot_make_its_parent_do_anything(body: bytes):
    """Only reports and cells are read; all else is a broken protocol."""
    with pytest.raises(ProtocolError):
        decode_report(body)


def test_a_frame_beyond_its_size_is_not_read(worker: WorkerProcess):
    """The parent's memory is not the worker's to fill."""
    worker._buffer += framed(b"x" * 100)
    with pytest.raises(WorkerDiedError, match="message size limit"):
        worker.receive(time.monotonic() + 1, max_bytes=50)


@contextmanager
def _own_cpu_limit():
    """Take back what a worker allows itself: this process continues and would be ended by it."""
    before = resource.getrlimit(resource.RLIMIT_CPU)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)


def conversation(orders: list[object]) -> list[object]:
    """Return what a worker, served in this process, says to some orders."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for order in orders:
            ours.sendall(encode(order))
        ours.shutdown(socket.SHUT_WR)
        worker = Worker(theirs)
        with _own_cpu_limit():
            worker.serve()
        worker.close()
        theirs.close()
        stream = ours.makefile("rb")
        reports = []
        while header := stream.read(HEADER.size):
            reports.append(decode_report(stream.read(*HEADER.unpack(header))))
        stream.close()
        return reports


def test_the_words_of_a_conversation(shop_file: Path):
    """Ready, ready, and for each statement whether it starts and how it ended."""
    own, variables = resource.getrlimit(resource.RLIMIT_CPU), dict(os.environ)
    target = Target.from_url("shop", f"sqlite:///{shop_file}")
    limits = Limits()
    statements = (("SELECT id FROM orders ORDER BY id", limits), ("DELETE FROM orders", limits))
    reports = conversation([Open(target, {"DECLARED": "1"}), Run("shop", statements, {})])
    finished = reports.pop(5)
    shape = sql_shape(statements[0][0], dialect="sqlite")
    assert reports == [
        Ready(),
        Ready(),
        Ready(),
        Admitted(Ordering(is_ordered=True, keys=(0,)), volatile=frozenset(), shape=shape),
        Chunk([(1,), (2,), (3,)]),
        Stopped("not_read_only", "delete"),
    ]
    assert finished == Finished(("id",), is_truncated=False, elapsed_s=finished.elapsed_s)
    assert (resource.getrlimit(resource.RLIMIT_CPU), dict(os.environ)) == (own, variables)


def test_a_target_that_cannot_be_opened_is_reported(tmp_path: Path):
    """The worker continues; the next order may be better."""
    missing = Target.from_url("shop", f"sqlite:///{tmp_path}/none.db")
    assert conversation([Open(missing, {})]) == [
        Ready(),
        Unavailable("cannot open the file: no such file or directory"),
    ]


def streamed(executor: Executor, *statements: str, **limits: float) -> list[Execution]:
    """Run statements on the target `shop` in one go."""
    pairs = [(sql, Limits(**limits)) for sql in statements]
    return list(executor.stream(pairs, target="shop"))


def test_a_stream_gives_what_came_of_each_statement_in_order(shop_file: Path):
    """One that must be killed, one that is rejected and one that fails cost the others nothing."""
    statements = ("SELECT 1", BURN, "SELECT 2", "DELETE FROM orders", "SELECT nothing", ENDLESS)
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:
        found = streamed(executor, *statements, "SELECT 3", timeout_s=0.2)
        assert [execution.outcome.status for execution in found] == [
            *("ok", "timeout", "ok", "refused", "error", "timeout", "ok"),
        ]
        assert found[1].engine_class == "killed"
        assert [found[place].outcome.table.rows for place in (0, 2, 6)] == [
            *(((1,),), ((2,),), ((3,),)),
        ]
        lost = executor.stream([("SELECT 1", Limits())], target="other")
        assert [execution.reason for execution in lost] == ["no_target"]


def test_a_statement_that_comes_again_in_a_stream_is_run_once(shop_file: Path):
    """Samples of a model repeat; chance, a failure and a long answer are asked for each time."""
    long = f"SELECT '{'x' * BRIEF_BYTES}'"
    statements = ("SELECT 1", "SELECT random()", "SELECT nothing", long, "SELECT 1") * 3
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:
        found = streamed(executor, *statements)
        answers = [one.outcome.table and one.outcome.table.rows for one in found]
    alike = ((1,),), None, (("x" * BRIEF_BYTES,),), ((1,),)
    assert [(a, *rest) for a, _, *rest in zip(*[iter(answers)] * 5, strict=True)] == [alike] * 3
    assert len(set(answers[1::5])) == 3
    assert [one is found[0] for one in found] == [True, *[False] * 3, True] * 3
    assert len({id(one) for one in found}) == 10


def test_a_statement_with_other_limits_is_another_one(shop_file: Path):
    """The limits may have cut its rows."""
    cut, whole = Limits(max_rows=1), Limits()
    orders = "SELECT id FROM orders"
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:
        stream = executor.stream(
            [(orders, limits) for limits in (whole, cut, whole)], target="shop"
        )
        counts = [len(one.outcome.table.rows) for one in stream]
    assert counts == [3, 1, 3]


def test_a_worker_that_repeats_what_it_never_said_is_given_up(
    shop_file: Path, worker: WorkerProcess
):
    """Its word alone gives no statement the answer of another."""
    target = Target.from_url("shop", f"sqlite:///{shop_file}")
    worker.is_ready = True
    worker.opened[target.alias] = None
    worker._buffer += encode(Ready()) + encode(Repeated())
    statements = [("SELECT 1", Limits()), ("SELECT 1", Limits())]
    [execution] = converse(worker, target, statements, {}, is_patient=True)
    assert (execution.outcome.status, worker.is_broken) == ("not_run", True)


def test_a_stream_holds_no_more_than_the_socket(shop_file: Path):
    """Who takes slowly gets every row; who gives up frees the worker's place."""
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n"
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:
        stream = executor.stream([(many, Limits())] * 6, target="shop")
        first = next(stream)
        time.sleep(0.1)
        assert len(first.outcome.table.rows) == len(next(stream).outcome.table.rows) == 20_000
        stream.close()
        assert run(executor, "SELECT 1").outcome.status == "ok"


def test_an_interrupt_ends_what_runs(shop_file: Path):
    """Waiting callers get an immediate error when the last worker has ended."""
    before = children()
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:
        thread = threading.Timer(0.3, executor.interrupt)
        thread.start()
        with pytest.raises(PoolClosedError):
            streamed(executor, ENDLESS, "SELECT 1", timeout_s=30)
        thread.join()
    assert children() == before


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are started from now on may parse for 30 milliseconds of CPU."""
    here = "from sqlobs.execution.worker import main; main()"
    assert here in processes._BOOT
    hurry = "from sqlobs.execution import worker; worker.PARSING_S = 0.03; worker.main()"
    monkeypatch.setattr(processes, "_BOOT", processes._BOOT.replace(here, hurry))


@pytest.mark.usefixtures("hurried")
def test_a_statement_that_takes_too_long_to_parse_is_rejected(shop_file: Path):
    """Anyone who reads it is killed; the next statement is read by another."""
    slow = "FROM orders" + " |> SELECT 1" * 60
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:
        assert run(executor, slow).refusal == "too_complex"
        assert run(executor, "SELECT 1").outcome.table.rows == ((1,),)
        found = streamed(executor, "SELECT 2", slow, "SELECT 3", timeout_s=5)
    assert [(one.outcome.status, one.refusal) for one in found] == [
        *(("ok", None), ("refused", "too_complex"), ("ok", None)),
    ]


@pytest.mark.usefixtures("hurried")
def test_a_worker_that_gets_no_processor_blames_no_statement(
    shop_file: Path, worker: WorkerProcess
):
    """What a statement may take of the processor does not depend on who else wants it."""
    target = Target.from_url("shop", f"sqlite:///{shop_file}")
    worker.is_ready = True
    os.kill(worker.pid, signal.SIGSTOP)
    going_on = threading.Timer(0.5, os.kill, (worker.pid, signal.SIGCONT))
    going_on.start()
    [execution] = converse(worker, target, [("SELECT 1", Limits())], {})
    going_on.join()
    assert execution.outcome.status == "ok"


def test_an_interrupt_gives_no_statement_a_verdict(shop_file: Path, worker: WorkerProcess):
    """A worker that was shot did not die of what it read or ran."""
    target = Target.from_url("shop", f"sqlite:///{shop_file}")
    worker.is_ready = True
    talk = converse(worker, target, [("SELECT 1", Limits()), (ENDLESS, Limits())], {})
    assert next(talk).outcome.status == "ok"
    threading.Timer(0.2, worker.shoot).start()
    with pytest.raises(PoolClosedError):
        next(talk)
    with pytest.raises(PoolClosedError):
        list(converse(worker, target, [("SELECT 1", Limits())], {}))
