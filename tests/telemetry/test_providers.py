from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from opentelemetry import metrics as metrics_api
from opentelemetry import trace as trace_api

from sqlobs.config import load_settings
from sqlobs.tracing.sending.collector_client import CollectorClient
from sqlobs.tracing.sending.providers import Providers
from tests.otlp import values_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def client(collector):
    """The way to the collector, with its token."""
    made = CollectorClient(collector.endpoint, headers={"authorization": "Bearer ours"})
    yield made
    made.close()


def use(providers: Providers) -> None:
    """Make one span, one measurement and one log record."""
    with providers.tracer.start_as_current_span("invoke_workflow x"):
        pass
    providers.meter().create_counter("sqlobs.generations").add(1)
    providers.logger.emit(event_name="gen_ai.evaluation.result", attributes={"a": 1})


def run(program: str, **environment: str) -> dict[str, object]:
    """Run a program in a fresh interpreter, because global providers can be set once only."""
    completed = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return ast.literal_eval(completed.stdout)


def test_private_providers_export_where_otel_variables_point(vendor, monkeypatch):
    """One OTLP endpoint gets all three signals, under the vendor's headers and our resource."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-vendor-key=abc")
    providers = Providers(load_settings(service_name="assistant"))
    use(providers)
    assert providers.shutdown(10)
    assert [span.name for span in vendor.spans] == ["invoke_workflow x"]
    assert [metric.name for metric in vendor.metrics] == ["sqlobs.generations"]
    assert [log.event_name for log in vendor.logs] == ["gen_ai.evaluation.result"]
    assert {request.headers["x-vendor-key"] for request in vendor.requests} == {"abc"}
    resources = [
        r for path in ("traces", "metrics", "logs") for r in vendor.resources(f"/v1/{path}")
    ]
    assert {r["service.name"] for r in resources} == {"assistant"}
    assert len({r["service.instance.id"] for r in resources}) == 1


def test_without_otel_variables_spans_and_metrics_go_to_the_collector(
    collector, client, monkeypatch
):
    """One collector is enough; the vendor's key is never sent there."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-vendor-key=canary")
    providers = Providers(load_settings(), client=client)
    use(providers)
    assert providers.shutdown(10)
    assert [span.name for span in collector.spans] == ["invoke_workflow x"]
    assert [metric.name for metric in collector.metrics] == ["sqlobs.generations"]
    assert collector.logs == []
    assert {request.headers["authorization"] for request in collector.requests} == {"Bearer ours"}
    assert b"canary" not in collector.raw


def test_otel_variables_win_over_the_collector(vendor, collector, client, monkeypatch):
    """Spans go to one place: where the standard variables point."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{vendor.endpoint}/v1/traces")
    providers = Providers(load_settings(), client=client)
    use(providers)
    assert providers.shutdown(10)
    assert (len(vendor.spans), len(collector.spans)) == (1, 0)
    assert (len(vendor.metrics), len(collector.metrics)) == (0, 1)


def test_the_exporter_none_means_nowhere(collector, client, monkeypatch):
    """A signal that is switched off is not sent to the collector either."""
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
    providers = Providers(load_settings(), client=client)
    use(providers)
    assert providers.shutdown(10)
    assert collector.requests == []


def test_with_nowhere_to_send_spans_have_ids_and_cost_nothing(caplog):
    """No variable, no collector: silence, and handles that work."""
    providers = Providers(load_settings())
    span = providers.tracer.start_span("x")
    assert span.get_span_context().is_valid
    assert not span.is_recording()
    use(providers)
    assert providers.shutdown(1)
    assert caplog.records == []


def test_global_providers_are_left_as_they_are():
    """Private providers are private: the API's globals stay unset."""
    use(Providers(load_settings()))
    assert type(trace_api.get_tracer_provider()).__module__.startswith("opentelemetry.trace")
    assert type(metrics_api.get_meter_provider()).__module__.startswith("opentelemetry.metrics")


def test_a_disabled_sdk_stops_everything(vendor, collector, client, monkeypatch):
    """OTEL_SDK_DISABLED is obeyed by every signal."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    providers = Providers(load_settings(), client=client)
    use(providers)
    assert providers.shutdown(5)
    assert vendor.requests == collector.requests == []


def test_an_unknown_exporter_is_logged_in_one_sentence(caplog, monkeypatch):
    """A typo in a deployment must not end the application."""
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "oltp")
    providers = Providers(load_settings())
    use(providers)
    providers.attach()
    assert [record.getMessage() for record in caplog.records] == [
        "sqlobs: OTEL_TRACES_EXPORTER: unknown exporter 'oltp'. Install its package"
    ]


def test_failed_exports_are_counted_by_signal(vendor, monkeypatch):
    """A backend that refuses is seen in `sqlobs.export.failures`."""
    vendor.status = 400
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    failed: list[str] = []
    providers = Providers(load_settings(), failed=failed.append)
    use(providers)
    providers.shutdown(10)
    assert sorted(failed) == ["logs", "metrics", "traces"]


def test_stopping_twice_is_silent(vendor, caplog, monkeypatch):
    """The process's exit stops what `shutdown` has stopped: no exporter hears of it again."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    providers = Providers(load_settings())
    use(providers)
    assert providers.shutdown(10)
    assert providers.shutdown(10)
    assert [span.name for span in vendor.spans] == ["invoke_workflow x"]
    assert caplog.messages == []


def test_flushing_stops_at_its_timeout(vendor, monkeypatch):
    """The SDK ignores its timeout: ours is kept by waiting beside it."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    providers = Providers(load_settings())
    use(providers)
    vendor.may_answer.clear()
    assert providers.flush(0.1) is False
    vendor.may_answer.set()
    assert providers.shutdown(10)


@pytest.mark.parametrize("port", [4317, 4318])
def test_otlp_without_a_protocol_follows_the_port(monkeypatch, port):
    """4317 is gRPC's port; everything else is HTTP, as the specification has it."""
    from sqlobs.tracing.sending.exporters import exporter_names

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    expected = {4317: "otlp_proto_grpc", 4318: "otlp_proto_http"}[port]
    assert exporter_names("traces") == [expected]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf")
    assert exporter_names("traces") == ["otlp_proto_http"]
    assert exporter_names("logs") == ["otlp_proto_grpc"]


def test_the_applications_own_providers_are_used_and_lend_their_resource():
    """An application with a tracer provider alone: its spans, our private meter, its name."""
    seen = run(
        """
        from opentelemetry import trace, metrics
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        from sqlobs.config import load_settings
        from sqlobs.tracing.sending.providers import Providers

        providers = Providers(load_settings())  # configured before the application's set-up
        exporter = InMemorySpanExporter()
        theirs = TracerProvider(resource=Resource({"service.name": "theirs"}))
        theirs.add_span_processor(SimpleSpanProcessor(exporter))
        trace.set_tracer_provider(theirs)
        with providers.tracer.start_as_current_span("x"):
            pass
        providers.meter().create_counter("sqlobs.generations").add(1)
        providers.shutdown(5)
        with providers.tracer.start_as_current_span("after our shutdown"):
            pass
        print({
            "spans": [span.name for span in exporter.get_finished_spans()],
            "same": trace.get_tracer_provider() is theirs,
            "service": providers.resource.attributes["service.name"],
            "instance": len(providers.resource.attributes["service.instance.id"]),
            "meter_set": "sdk" in type(metrics.get_meter_provider()).__module__,
        })
        """
    )
    assert seen == {
        "spans": ["x", "after our shutdown"],
        "same": True,
        "service": "theirs",
        "instance": 36,
        "meter_set": False,
    }


def test_set_global_installs_where_nothing_is_set(vendor):
    """`set_global=True` is the one-line set-up of a program that has no SDK of its own."""
    seen = run(
        """
        from opentelemetry import trace, metrics, _logs
        from sqlobs.config import load_settings
        from sqlobs.tracing.sending.providers import Providers

        providers = Providers(load_settings(set_global=True))
        providers.tracer, providers.meter(), providers.logger
        with trace.get_tracer("app").start_as_current_span("the application's own"):
            pass
        providers.shutdown(10)
        print([type(p).__module__.startswith("opentelemetry.sdk") for p in (
            trace.get_tracer_provider(), metrics.get_meter_provider(), _logs.get_logger_provider()
        )])
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT=vendor.endpoint,
    )
    assert seen == [True, True, True]
    assert [span.name for span in vendor.spans] == ["the application's own"]


def test_a_forked_child_is_a_process_of_its_own(vendor):
    """Nothing the parent counted or queued arrives twice; the child has its own instance id."""
    run(
        """
        import os, time
        from sqlobs.config import load_settings
        from sqlobs.tracing.sending.providers import Providers

        providers = Providers(load_settings())

        def use(name):
            with providers.tracer.start_as_current_span(name):
                pass
            providers.meter().create_counter("sqlobs.generations").add(1)

        use("parent")
        child = os.fork()
        if child == 0:
            providers = Providers(load_settings())
            use("child")
            providers.shutdown(10)
            os._exit(0)
        os.waitpid(child, 0)
        time.sleep(0.3)
        providers.shutdown(10)
        print({})
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT=vendor.endpoint,
        OTEL_METRIC_EXPORT_INTERVAL="100",
    )
    assert sorted(span.name for span in vendor.spans) == ["child", "parent"]
    latest = {}
    for request in (r for r in vendor._messages("/v1/metrics")):
        for resource in request.resource_metrics:
            instance = values_of(resource.resource.attributes)["service.instance.id"]
            [metric] = resource.scope_metrics[0].metrics
            latest[instance] = [p.as_int for p in metric.sum.data_points]
    assert sorted(latest.values()) == [[1], [1]]
