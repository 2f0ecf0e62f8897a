"""Series that exist before anything is counted, or beside what is: zeros, ages of schemas."""

from __future__ import annotations

import pytest

from sqlobs import SchemaSource
from tests.tracing.rig import GOOD, SCHEMA, Rig


def labels_of(rig, metric, *labels):
    """The values of these labels of every point of a metric, zeros included."""
    return {tuple(point.attributes.get(label) for label in labels) for point in rig._points(metric)}


def test_the_series_of_a_decorated_function_start_with_the_first_flush(rig):
    """A function that was never called has its zeros, so that its first failure is a rise."""
    rig.sqlobs.trace_generation(name="quiet")(lambda question: GOOD)
    assert rig.sqlobs.flush(10)
    names = ("syntactic", "schematic", "schema_hallucination")
    assert labels_of(
        rig,
        "sqlobs.evaluations",
        "sqlobs.workflow",
        "gen_ai.evaluation.name",
        "gen_ai.evaluation.score.label",
    ) == {("quiet", name, label) for name in names for label in ("pass", "fail", "not_evaluated")}
    assert rig.counts("sqlobs.evaluations") == {}


def test_the_series_of_a_decorated_function_start_with_the_first_collection(rig):
    """Nothing is called and nothing flushed; anyone who reads the metrics finds the zeros."""
    rig.sqlobs.trace_generation(name="quiet")(lambda question: GOOD)
    assert {
        (point.attributes["sqlobs.workflow"], point.value)
        for point in rig._points("sqlobs.evaluations")
    } == {("quiet", 0)}
    rig.sqlobs.trace_generation(name="later")(lambda question: GOOD)
    assert len(labels_of(rig, "sqlobs.evaluations", "sqlobs.workflow")) == 2
    assert len(labels_of(rig, "sqlobs.build.info", "sqlobs.checker.version")) == 1


def test_zeros_and_counts_are_the_same_series(rig):
    """The first request adds to the zeros: both say the same service and process."""
    generate = rig.sqlobs.trace_generation(name="answer")(lambda question: GOOD)
    zeros = list(rig._points("sqlobs.evaluations"))
    generate("How much?")
    rig.sqlobs.flush(10)
    counted = list(rig._points("sqlobs.evaluations"))
    assert [point.attributes for point in counted] == [point.attributes for point in zeros]
    assert sorted(point.value for point in counted) == [0] * 6 + [1] * 3
    assert {len(point.attributes["service.instance.id"]) for point in counted} == {36}


ZEROS = """
    import logging, os, sys, threading
    import sqlobs
    from opentelemetry import metrics
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    logging.basicConfig(stream=sys.stdout)  # the SDK warns of instruments that do not agree
    generate = sqlobs.trace_generation(name="svc", dialect="sqlite")(lambda question: "SELECT")
    print(threading.active_count())
    if {forks}:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            sys.exit()
    reader = InMemoryMetricReader()
    metrics.set_meter_provider(MeterProvider([reader]))

    def counted():
        found = {{
            metric.name: metric.data.data_points
            for resource in reader.get_metrics_data().resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }}
        return sorted(
            (point.attributes["gen_ai.evaluation.name"], point.value)
            for point in found["sqlobs.evaluations"]
            if point.attributes["gen_ai.evaluation.score.label"] == "fail"
        )

    print(counted())
    generate("q")
    sqlobs.flush()
    print(counted())
"""


@pytest.mark.parametrize("forks", [False, True])
def test_zeros_wait_for_the_applications_own_provider(forks):
    """Set after the decoration, in a worker process, too; no thread is started for them."""
    from tests.tracing.interpreter import output_of

    assert output_of(ZEROS.format(forks=forks)) == (
        "1\n"
        "[('schema_hallucination', 0), ('schematic', 0), ('syntactic', 0)]\n"
        "[('schema_hallucination', 0), ('schematic', 0), ('syntactic', 1)]"
    )


def test_a_provider_that_cannot_give_a_meter_leaves_the_decoration_alone(faults):
    """A foreign provider may do anything; the request that follows has its own boundary."""
    from sqlobs.tracing.instance import Sqlobs

    class Broken:
        def get_meter(self, *names, **options):
            raise RuntimeError("no meters today")

    generate = Sqlobs(meter_provider=Broken()).trace_generation(lambda question: GOOD)
    assert faults.new == {"metrics": 1}
    assert generate.__name__ == "<lambda>"


@pytest.mark.parametrize("level", ["configure", "decorator", "context"])
def test_the_age_of_a_schema_source_is_reported_for_every_option_layer(level):
    """With the target that the requests name; once, however many there are."""
    source = SchemaSource(lambda: SCHEMA, initial=SCHEMA)
    with Rig(mode="inline", schema=source if level == "configure" else None) as rig:
        options = {"schema": source} if level == "decorator" else {}
        generate = rig.sqlobs.trace_generation(target="warehouse", **options)(lambda question: GOOD)
        for _ in range(2):
            with rig.sqlobs.context(schema=source if level == "context" else None):
                generate("q")
        rig.sqlobs.flush(10)
        seen = [span.attributes["sqlobs.verdict"] for span in rig.generations]
        assert seen == ["ok", "ok"]
        assert labels_of(rig, "sqlobs.schema.age", "sqlobs.target.name") == {("warehouse",)}
        assert ("warehouse", "table_added") in labels_of(
            rig, "sqlobs.schema.drift", "sqlobs.target.name", "sqlobs.schema.change"
        )


def test_feedback_is_flushed_before_a_lambda_freezes(monkeypatch):
    """Nothing runs between two calls there: what is not sent now may never be."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "f")
    flushed = []
    with Rig(mode="inline") as rig:
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
        runtime = rig.sqlobs.runtime
        monkeypatch.setattr(runtime.senders, "flush", flushed.append)
        context = rig.generation.context
        id_ = f"00-{context.trace_id:032x}-{context.span_id:016x}-01"
        flushed.clear()
        rig.sqlobs.record_feedback(id_, kind="thumb", value="up")
    assert flushed[:1] == [5.0]


def test_set_global_installs_before_the_first_request():
    """The server's span around the first request is made by the provider that we install."""
    program = """
        import sqlobs
        from opentelemetry import trace
        sqlobs.configure(service_name="svc", set_global=True)
        with trace.get_tracer("app").start_as_current_span("server") as span:
            generate = sqlobs.trace_generation(lambda question: sqlobs.current_generation().id)
            print(generate("q").split("-")[1] == f"{span.get_span_context().trace_id:032x}")
        print(type(trace.get_tracer_provider()).__module__)
    """
    from tests.tracing.interpreter import output_of

    assert output_of(program) == "True\nopentelemetry.sdk.trace"
