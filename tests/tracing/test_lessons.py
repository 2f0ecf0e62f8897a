"""Each bug of other SDKs that our notes list, and each issue, as a test named after it."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import logging
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import pytest
from opentelemetry.sdk.trace import SpanProcessor

from sqlobs import SchemaSource, Sqlobs, current_generation
from sqlobs.tracing.wrapping.function import Traced
from tests.tracing import portable
from tests.tracing.rig import BAD, GOOD, Rig

ROOT = Path(__file__).parents[2]


# -- bugs reproduced or read in other products ------------------------------------------------


def test_openinference_chain_ended_a_generators_span_before_its_first_item(rig):
    """The span lasts until the last item, and holds the SQL, not the generator's repr."""

    @rig.sqlobs.trace_generation
    def generate(question):
        with rig.tracer.start_as_current_span("late child"):
            yield BAD

    stream = generate("q")
    assert rig.spans == []
    list(stream)
    assert rig.tree == "invoke_workflow generate(late child)"
    assert rig.generation.attributes["sqlobs.hallucinated.first"] == "totl"


def test_openinference_llm_adopted_the_consumers_spans(rig, caplog):
    """Spans the consumer makes between chunks are its own; `break` loses nothing, logs nothing."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        yield "SELECT total"
        yield " FROM orders"

    async def consume():
        with rig.tracer.start_as_current_span("request"):
            async for _ in generate("q"):
                with rig.tracer.start_as_current_span("consumer"):
                    pass
                break

    with caplog.at_level(logging.WARNING):
        asyncio.run(consume())
        gc.collect()
    assert rig.tree == "request(invoke_workflow generate, consumer)"
    assert caplog.records == []


def test_openllmetry_left_the_callers_context_attached(rig):
    """After the call of a generator function the caller's current span is the caller's."""
    from opentelemetry.trace import get_current_span

    @rig.sqlobs.trace_generation
    def generate(question):
        yield GOOD

    with rig.tracer.start_as_current_span("request") as request:
        stream = generate("q")
        assert get_current_span() is request
        next(stream)
        assert get_current_span() is request
        stream.close()


def test_mlflow_never_ended_a_generator_after_break(rig):
    """A broken-off loop ends the span; chunks are no events."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT"
        yield " 1"

    for _ in generate("q"):
        break
    gc.collect()
    assert rig.verdict == ("cancelled", "not_evaluated")
    assert rig.generation.events == ()


def test_galileo_swallowed_the_users_exception_in_a_generator(rig):
    """The exception of the body reaches the consumer."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT"
        raise LookupError("canary")

    with pytest.raises(LookupError):
        list(generate("q"))
    assert rig.verdict == ("error", "not_evaluated")


def test_datadog_inspected_the_signature_at_every_call(rig, monkeypatch):
    """Signatures are read at decoration time."""

    @rig.sqlobs.trace_generation(schema=lambda question: None, target=lambda question: "t")
    def generate(question):
        return GOOD

    generate("q")
    monkeypatch.setattr(inspect, "signature", None)
    generate("q")
    assert len(rig.generations) == 2


def test_datadog_logged_a_warning_per_call_when_disabled(monkeypatch, caplog):
    """Disabled means silent."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with Rig() as rig, caplog.at_level(logging.DEBUG):
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
    assert [record for record in caplog.records if record.name.startswith("sqlobs")] == []


def test_langfuse_took_keyword_arguments_from_the_user(rig):
    """Every keyword reaches the function, whatever its name; `self` and `cls` are just names."""

    @rig.sqlobs.trace_generation
    def generate(cls, self, **options):
        return cls, self, options

    options = {"sqlobs_session": 1, "langfuse_user": 2, "name": 3, "question": "q"}
    assert generate("a", self="b", **options) == ("a", "b", options)


# -- the fifteen issues -----------------------------------------------------------------------


def test_issue_01_an_async_generator_closed_early_in_another_context(rig, caplog):
    """opentelemetry-python#2606: no token lives across a `yield`, so none is reset elsewhere."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        yield "SELECT"
        yield " 1"

    async def main():
        stream = generate("q")
        await anext(stream)
        await asyncio.create_task(stream.aclose())

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert caplog.records == []
    assert rig.verdict == ("cancelled", "not_evaluated")


def test_issue_02_a_function_that_returns_a_stream_lasts_as_long_as_the_stream(rig):
    """langfuse#7892: latency is that of the stream, children are in its trace."""

    def body():
        for piece in ("SELECT total", " FROM orders"):
            with rig.tracer.start_as_current_span("chunk"):
                pass
            yield piece

    generate = rig.sqlobs.trace_generation(lambda question: body())
    assert "".join(generate("q")) == GOOD
    (generation,) = rig.generations
    last = max(span.end_time for span in rig.spans if span.name == "chunk")
    assert generation.end_time >= last
    assert rig.tree == f"{generation.name}(chunk, chunk)"


def test_issue_03_no_stream_stays_open_for_ever(rig):
    """openlit#1460: end, error, close, `with` and the finaliser each end the span once."""

    class Stream:
        def __init__(self):
            self.pieces = ["SELECT total", " FROM orders"]

        def __iter__(self):
            return self

        def __next__(self):
            if not self.pieces:
                raise StopIteration
            return self.pieces.pop(0)

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            return None

        def close(self):
            return None

    generate = rig.sqlobs.trace_generation(lambda question: Stream())
    list(generate("exhausted"))
    stream = generate("closed twice")
    stream.close(), stream.close()
    with generate("left"):
        pass
    generate("dropped")
    gc.collect()
    outcomes = [span.attributes["sqlobs.outcome"] for span in rig.generations]
    assert outcomes == ["answered", "cancelled", "cancelled", "cancelled"]
    assert rig.counts("sqlobs.generations", "sqlobs.outcome") == {"answered": 1, "cancelled": 3}


def test_issue_04_a_plain_iterator_is_never_consumed_by_us(rig):
    """langfuse#10797: decided by protocol; what the user does not read stays unread."""
    taken = []

    class Endless:
        def __iter__(self):
            return self

        def __next__(self):
            taken.append(1)
            return "x"

    stream = rig.sqlobs.trace_generation(lambda question: Endless())("q")
    assert taken == []
    assert next(stream) == "x"
    stream._self_activity.closed()
    assert len(taken) == 1


def test_issue_05_unknown_objects_are_not_touched(rig):
    """langfuse#5032: arguments and results are not captured; no property of them is run."""

    class Touchy:
        def __getattr__(self, name):
            raise AssertionError(f"touched {name}")

        @property
        def question(self):
            raise AssertionError("touched a property")

        def __iter__(self):
            raise AssertionError("iterated")

        def __len__(self):
            raise AssertionError("measured")

        def __repr__(self):
            raise AssertionError("printed")

    touchy = Touchy()
    generate = rig.sqlobs.trace_generation(sql=lambda answer: GOOD)(lambda question: touchy)
    assert generate(touchy) is touchy
    run = rig.sqlobs.trace_execution(lambda sql: touchy)
    assert run(GOOD) is touchy
    assert rig.verdict == ("answered", "ok")


def test_issue_06_and_07_nothing_on_the_request_path_does_io(rig, monkeypatch):
    """logfire#2187, mlflow#12885: no socket is opened on the calling thread."""
    import socket

    opened = []
    connect = socket.socket.connect

    def spy(self, *arguments):
        opened.append(threading.current_thread())
        return connect(self, *arguments)

    monkeypatch.setattr(socket.socket, "connect", spy)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    instance = Sqlobs(collector="http://127.0.0.1:9", mode="inline")
    instance.trace_generation(lambda question: GOOD)("q")
    assert threading.current_thread() not in opened
    instance.shutdown(0.1)


def test_issue_09_redaction_is_ours_to_do_only_for_our_spans(rig):
    """langfuse#15372: the boundary is said: a foreign child keeps what its maker wrote."""

    def redact(kind, text):
        return "***"

    with Rig(mode="inline", redact=redact) as own:

        @own.sqlobs.trace_generation
        def generate(question):
            with own.tracer.start_as_current_span("theirs") as span:
                span.set_attribute("theirs", "raw")
            return GOOD

        generate("q")
        theirs = next(span for span in own.spans if span.name == "theirs")
        assert theirs.attributes["theirs"] == "raw"
        assert own.generation.attributes["sqlobs.query.text"] == "***"


def test_issue_10_no_marker_or_message_quotes_a_value(rig):
    """logfire#1909: parser messages quote SQL; masked, or left out."""
    generate = rig.sqlobs.trace_generation(lambda question: question)
    for sql in ("SELECT total FROM orders WHERE 'canary' 'canary2", "SELEC 'canary3' FROM orders"):
        generate(sql)
    seen = repr([dict(span.attributes) for span in rig.spans])
    assert "canary" not in seen


def test_issue_11_a_huge_statement_is_cut_and_marked(rig):
    """dd-trace-py#13260: one huge attribute must not cost the batch."""
    huge = f"SELECT total FROM orders WHERE customer IN ({', '.join(['1'] * 9000)})"
    rig.sqlobs.trace_generation(lambda question: huge)("q")
    attributes = rig.generation.attributes
    assert len(attributes["sqlobs.query.text"].encode()) <= 16 * 1024
    assert attributes["sqlobs.query.truncated"] is True


def test_issue_12_generation_attributes_survive_the_limit_of_128(rig):
    """openinference#3527: the SDK evicts the oldest, so ours come last."""

    @rig.sqlobs.trace_generation
    def generate(question):
        from opentelemetry.trace import get_current_span

        get_current_span().set_attributes({f"app.{n}": n for n in range(200)})
        return BAD

    generate("q")
    attributes = rig.generation.attributes
    assert len(attributes) == 128
    assert attributes["sqlobs.verdict"] == "failed"
    assert list(attributes)[-1] == "sqlobs.verdict"


def test_issue_13_tokens_are_never_on_parent_and_child(rig):
    """harness-sdk#1267: `gen_ai.usage.*` is the model call's alone."""

    @rig.sqlobs.trace_llm(model="m")
    def ask(prompt):
        return {"usage": {"input_tokens": 3, "output_tokens": 2}, "model": "m"}

    @rig.sqlobs.trace_generation
    def generate(question):
        ask("p")
        return GOOD

    generate("q")
    with_usage = [
        span.name for span in rig.spans if any("gen_ai.usage" in name for name in span.attributes)
    ]
    assert with_usage == ["chat m"]
    assert rig.generation.attributes["sqlobs.usage.input_tokens"] == 3


def test_issue_14_a_foreign_provider_is_used_and_never_replaced():
    """langfuse#6885: a provider that lacks `add_span_processor` works as well."""
    program = """
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider

        class Foreign(trace.TracerProvider):
            names = []
            inner = TracerProvider()

            def get_tracer(self, *args, **kwargs):
                return self.inner.get_tracer(*args, **kwargs)

        foreign = Foreign()
        from sqlobs import configure, flush, trace_generation, current_generation
        configure(mode="inline")
        trace.set_tracer_provider(foreign)

        @trace_generation
        def generate(question):
            span = trace.get_current_span()
            assert span.name == "invoke_workflow generate", span
            return "SELECT 1"

        assert generate("q") == "SELECT 1"
        flush()
        assert trace.get_tracer_provider() is foreign
        print("ok")
    """
    assert _run(program) == "ok"


def test_issue_15_flush_drains_our_queue_before_the_providers():
    """langsmith-sdk#2438: `flush` has a real deadline and does both."""

    class Slow(SpanProcessor):
        flushed = False

        def force_flush(self, timeout_millis=30000):
            Slow.flushed = len(rig.exporter.get_finished_spans()) == 20
            return True

    with Rig(mode="deferred", processors=[Slow()]) as rig:
        generate = rig.sqlobs.trace_generation(lambda question: GOOD)
        for _ in range(20):
            generate("q")
        assert rig.sqlobs.flush(10)
        assert Slow.flushed


# -- decorated functions stay what they were --------------------------------------------------


def test_a_decorated_function_keeps_its_face(rig):
    """Signature, name, docstring and kind are those of the function."""

    @rig.sqlobs.trace_generation
    async def generate(question: str, *, limit: int = 3) -> str:
        """Turn a question into SQL."""
        return GOOD

    assert str(inspect.signature(generate)) == "(question: 'str', *, limit: 'int' = 3) -> 'str'"
    assert generate.__name__ == "generate"
    assert generate.__doc__ == "Turn a question into SQL."
    assert inspect.iscoroutinefunction(generate)
    assert copy.deepcopy(generate) is generate


def test_decorated_functions_travel_to_other_processes():
    """Pickled by name, functions and methods alike."""
    assert _travelled(portable.generate) is portable.generate
    method = _travelled(portable.Model("m").generate)
    assert method("q") == "SELECT 'm'"
    assert _travelled(portable.Model.generate)(portable.Model("n"), "q") == "SELECT 'n'"
    assert _travelled(portable.Model.outer)("q") == "SELECT 2"
    assert _travelled(portable.short)() == "SELECT 2"
    assert _travelled(portable.model)("q") == "SELECT 'm'"
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(portable.generate, "q").result(60) == "SELECT 1"


def test_redecorating_replaces(rig):
    """A notebook cell that is run again traces once, not twice."""

    def generate(question):
        return GOOD

    once = rig.sqlobs.trace_generation(generate)
    again = rig.sqlobs.trace_generation(name="renamed")(once)
    assert issubclass(type(again), Traced)
    assert again.__wrapped__ is generate
    again("q")
    assert rig.tree == "invoke_workflow renamed"


def test_reloading_a_module_counts_once(rig, tmp_path, monkeypatch):
    """The reloaded function is a new one; nothing is left of the old decoration."""
    import importlib

    (tmp_path / "reloaded_cell.py").write_text(
        "def make(trace):\n    @trace\n    def generate(question):\n        return 'SELECT 1'\n"
        "    return generate\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("reloaded_cell")
    module.make(rig.sqlobs.trace_generation)
    module = importlib.reload(module)
    module.make(rig.sqlobs.trace_generation)("q")
    assert rig.counts("sqlobs.generations", "gen_ai.workflow.name") == {"generate": 1}


def test_decorators_of_different_kinds_stack(rig):
    """Generating and executing in one function is a generation with an execution inside."""

    @rig.sqlobs.trace_generation
    @rig.sqlobs.trace_execution(sql="question")
    def both(question):
        return GOOD

    both(GOOD)
    assert rig.tree == "invoke_workflow both(sqlobs.execute)"


# -- the host is not harmed -------------------------------------------------------------------


def test_a_failing_checker_leaves_the_request_alone(rig, faults, monkeypatch):
    """Both labels are None with reason `error`; value, span and count are there."""
    import sqlobs.check.checker

    def explode(*args, **kwargs):
        raise RuntimeError("canary")

    monkeypatch.setattr(sqlobs.check.checker, "check_sql", explode)

    @rig.sqlobs.trace_generation
    def generate(question):
        report = current_generation().attempt(BAD)
        assert (report.syntactic, report.schematic) == (None, None)
        assert report.verdict == "not_evaluated"
        return GOOD

    assert generate("q") == GOOD
    attributes = rig.generation.attributes
    assert attributes["sqlobs.check.status"] == "error"
    assert attributes["sqlobs.syntactic_reason"] == "error"
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"not_evaluated": 1}
    assert set(faults.new) == {"check"}


@pytest.mark.parametrize("target", ["__init__", "_check_or_queue", "_close"])
def test_a_fault_anywhere_inside_leaves_the_call_alone(rig, faults, monkeypatch, caplog, target):
    """Each hook of ours may raise: the caller gets the same value, one line is logged."""
    from sqlobs.tracing.requests.generation_lifecycle import TracedRequest

    def explode(*args, **kwargs):
        raise ZeroDivisionError("canary")

    monkeypatch.setattr(TracedRequest, target, explode)
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    with caplog.at_level(logging.WARNING):
        assert [generate("q") for _ in range(3)] == [GOOD] * 3
    assert sum(faults.new.values()) == 3
    assert len(caplog.records) == 1
    assert "canary" not in caplog.text


def test_a_schema_source_that_fails_or_hangs_does_not_delay_a_request(rig, faults):
    """Without a schema the label is not evaluated; the call takes no longer."""
    gate = threading.Event()

    def hang():
        gate.wait(30)
        raise OSError("canary")

    source = SchemaSource(hang)
    generate = rig.sqlobs.trace_generation(schema=source, dialect="sqlite")(lambda question: GOOD)
    started = perf_counter()
    assert generate("q") == GOOD
    assert perf_counter() - started < 5
    assert rig.generation.attributes["sqlobs.schematic_reason"] == "no_schema"
    assert set(faults.new) == {"schema"}
    gate.set()


def test_names_unknown_to_a_stale_schema_are_no_verdict(rig):
    """A schema too old to know tomorrow's column calls it nothing, and is refreshed."""
    from tests.tracing.rig import SCHEMA

    now = [0.0]
    loads = []

    def load():
        loads.append(1)
        raise OSError("unreachable")

    source = SchemaSource(load, initial=SCHEMA, ttl_s=10, max_age_s=20, clock=lambda: now[0])
    generate = rig.sqlobs.trace_generation(schema=source)(lambda question: question)
    generate(BAD)
    now[0] = 100.0
    generate(BAD)
    generate(GOOD)
    seen = [
        (span.attributes["sqlobs.verdict"], span.attributes.get("sqlobs.schematic_reason"))
        for span in rig.generations
    ]
    assert seen == [("failed", None), ("not_evaluated", "schema_stale"), ("ok", None)]
    assert loads


def test_an_unreachable_endpoint_does_not_delay_the_host():
    """Requests and exit go on; nothing is printed but one line."""
    program = """
        import os, time
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:9"
        os.environ["OTEL_EXPORTER_OTLP_TIMEOUT"] = "1"
        from sqlobs import configure, trace_generation
        configure(mode="auto", collector="http://127.0.0.1:9")

        @trace_generation
        def generate(question):
            return "SELECT 1"

        started = time.perf_counter()
        assert all(generate("q") == "SELECT 1" for _ in range(50))
        assert time.perf_counter() - started < 10
        print("ok")
    """
    assert _run(program) == "ok"


def test_wrong_set_up_is_one_clear_sentence():
    """Unknown and conflicting dialects are refused where they are written."""
    from sqlobs.errors import ConfigError, DialectError
    from tests.tracing.rig import SCHEMA

    instance = Sqlobs()
    with pytest.raises(DialectError, match="nosuch"):
        instance.trace_generation(dialect="nosuch")
    with pytest.raises(DialectError, match="sqlite"):
        instance.configure(schema=SCHEMA, dialect="mysql")
    with pytest.raises(ConfigError, match="mode"):
        instance.configure(mode="sometimes")


def _travelled(function):
    return pickle.loads(pickle.dumps(function))  # noqa: S301 - our own bytes


def _run(program):
    """Run a program in a fresh interpreter and return what it prints."""
    import textwrap

    completed = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=50,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    assert "Traceback" not in completed.stderr, completed.stderr
    return completed.stdout.strip()
