from __future__ import annotations

import pytest

from sqlobs.config import Settings, load_settings, variable_of
from sqlobs.errors import ConfigError


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch):
    """The settings of the machine that runs the tests do not leak in."""
    for field in Settings.model_fields:
        monkeypatch.delenv(variable_of(field), raising=False)


def test_an_argument_wins_over_the_environment_and_that_over_the_default(monkeypatch):
    """Precedence is argument, environment, default; None means not given."""
    assert load_settings().mode == "auto"
    monkeypatch.setenv("SQLOBS_MODE", "deferred")
    assert load_settings(mode=None).mode == "deferred"
    assert load_settings(mode="inline").mode == "inline"


def test_the_variables_have_the_names_of_the_contract():
    """The names that users write into their deployment are pinned."""
    assert {field: variable_of(field) for field in Settings.model_fields} == {
        "service_name": "SQLOBS_SERVICE_NAME",
        "dialect": "SQLOBS_DIALECT",
        "mode": "SQLOBS_MODE",
        "check": "SQLOBS_CHECK",
        "native": "SQLOBS_NATIVE",
        "strict": "SQLOBS_STRICT",
        "fallback_mode": "SQLOBS_FALLBACK_MODE",
        "detect_refusals": "SQLOBS_DETECT_REFUSALS",
        "mark_failures_as_errors": "SQLOBS_MARK_FAILURES_AS_ERRORS",
        "prices": "SQLOBS_PRICES",
        "set_global": "SQLOBS_SET_GLOBAL",
        "capture_sql": "SQLOBS_CAPTURE_SQL",
        "capture_content": "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
        "collector_endpoint": "SQLOBS_COLLECTOR_ENDPOINT",
        "collector_capture": "SQLOBS_COLLECTOR_CAPTURE",
        "collector_headers": "SQLOBS_COLLECTOR_HEADERS",
        "digest_key": "SQLOBS_DIGEST_KEY",
        "check_max_bytes": "SQLOBS_CHECK_MAX_BYTES",
        "check_queue_size": "SQLOBS_CHECK_QUEUE_SIZE",
        "unit_queue_bytes": "SQLOBS_UNIT_QUEUE_BYTES",
        "spool_dir": "SQLOBS_SPOOL_DIR",
        "spool_bytes": "SQLOBS_SPOOL_BYTES",
        "spool_age_s": "SQLOBS_SPOOL_AGE_S",
        "flush_on_sigterm": "SQLOBS_FLUSH_ON_SIGTERM",
        "sdk_disabled": "OTEL_SDK_DISABLED",
    }


def test_the_environment_alone_configures_everything(monkeypatch):
    """Lists, headers, secrets and switches are read from text."""
    variables = {
        "SQLOBS_COLLECTOR_ENDPOINT": "http://127.0.0.1:4318/",
        "SQLOBS_COLLECTOR_CAPTURE": "masked",
        "SQLOBS_COLLECTOR_HEADERS": "Authorization=Bearer%20t0k, x-workspace=a",
        "SQLOBS_DIGEST_KEY": "k",
        "SQLOBS_CAPTURE_SQL": "",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
        "OTEL_SDK_DISABLED": "True",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.collector_endpoint == "http://127.0.0.1:4318"
    assert settings.collector_capture == "masked"
    assert {k: v.get_secret_value() for k, v in settings.collector_headers.items()} == {
        "authorization": "Bearer t0k",
        "x-workspace": "a",
    }
    assert settings.digest_key is not None
    assert settings.digest_key.get_secret_value() == "k"
    assert settings.capture_sql == "masked", "an empty variable is an unset one"
    assert settings.capture_content is True
    assert settings.sdk_disabled is True


@pytest.mark.parametrize("value", ["no_content", "event_only", "false", "nonsense"])
def test_content_stays_off_spans_unless_spans_are_named(monkeypatch, value):
    """Every value of the convention that does not name spans keeps questions off them."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
    assert load_settings().capture_content is False


def test_a_typo_in_the_disabling_variable_does_not_disable(monkeypatch):
    """OpenTelemetry's rule: anything but `true` is false."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "yess")
    assert load_settings().sdk_disabled is False


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("SQLOBS_MODE", "fast", "SQLOBS_MODE: use 'auto', 'inline' or 'deferred'"),
        (
            "SQLOBS_COLLECTOR_ENDPOINT",
            "localhost:4318",
            "SQLOBS_COLLECTOR_ENDPOINT: is not a URL; write it as http://host:4318",
        ),
        (
            "SQLOBS_COLLECTOR_HEADERS",
            "secret-without-name",
            "SQLOBS_COLLECTOR_HEADERS: write it as name=value,name=value (values percent-encoded)",
        ),
        (
            "SQLOBS_UNIT_QUEUE_BYTES",
            "1",
            "SQLOBS_UNIT_QUEUE_BYTES: input should be greater than or equal to 1024",
        ),
    ],
)
def test_a_bad_variable_is_named_in_one_sentence(monkeypatch, variable, value, sentence):
    """The message says which variable is wrong and what to write, and quotes no value."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert str(caught.value) == sentence


def test_a_bad_argument_is_named_as_an_argument():
    """Messages distinguish arguments from variables; an unknown one is rejected."""
    with pytest.raises(ConfigError) as caught:
        load_settings(mode="fast", color="red", collector_endpoint="localhost")
    assert str(caught.value) == (
        "argument mode: use 'auto', 'inline' or 'deferred'; "
        "argument collector: is not a URL; write it as http://host:4318; "
        "argument color: unknown setting"
    )


def test_the_output_contains_no_secret():
    """A settings object may be logged: it shows neither the key nor the token."""
    settings = load_settings(digest_key="canary1", collector_headers={"authorization": "canary2"})
    assert "canary" not in repr(settings)
    assert "canary" not in str(settings.model_dump())
