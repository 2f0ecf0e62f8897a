from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sqlobs.errors import ConfigError
from sqlobs_collector.assembly import targets_of
from sqlobs_collector.cli import main
from sqlobs_collector.config import CollectorConfig, documented_keys, effective, load
from sqlobs_collector.secrets import Secret, token_digest

COLLECTORS = Path(__file__).parents[2] / "collectors"


def from_text(tmp_path: Path, text: str, *, environ=None, flags=None) -> CollectorConfig:
    path = tmp_path / "collector.yaml"
    path.write_text(text)
    return load(path, environ=environ or {}, flags=flags or {})


def test_flags_win_over_the_environment_over_the_file(tmp_path):
    """Each source overrides single keys of the one below, not whole sections."""
    config = from_text(
        tmp_path,
        "journal: {max_bytes: 1MiB, grace_s: 1}\nreceive: {queue_bytes: 5}",
        environ={
            "SQLOBS_COLLECTOR__JOURNAL__MAX_BYTES": "2MiB",
            "SQLOBS_COLLECTOR__RECEIVE__QUEUE_BYTES": "6",
            "SQLOBS_COLLECTOR_ENDPOINT": "http://is-the-library's",
        },
        flags={"receive.queue_bytes": 7},
    )
    assert config.journal.max_bytes == 2 * 2**20
    assert (config.journal.grace_s, config.receive.queue_bytes) == (1, 7)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("journal: {max_byte: 1}", "journal.max_byte; did you mean journal.max"),
        ("zzz: 1", "zzz; `sqlobs-collector validate` lists them all"),
        ("journal: {max_bytes: many}", "journal.max_bytes: could not parse value and unit"),
        ("journal: {grace_s: -1}", "journal.grace_s: Input should be greater than or equal to 0"),
        (
            "listen: {http: '4318'}",
            "listen.http: '4318' is not a valid address; write it as host:port",
        ),
        ("listen: {http: 'a:99999'}", "listen.http: 'a:99999' is not a valid address"),
        ("forward: {url: backend}", "forward.url: Input should be a valid URL"),
        ("targets: {a: {url: 'nothing://x'}}", "targets.a: cannot execute on 'nothing' without"),
        (
            "targets: {a: {url: 'sqlite:////a', dialect: mysql}}",
            "targets.a: the database speaks sqlite, not mysql",
        ),
        (
            "targets: {a: {url: 'x://h', dialect: SQLish}}",
            "targets.a: unknown SQL dialect 'SQLish'",
        ),
        (
            "targets: {a: {url: 'postgresql://h/d', dialect: 'postgres:99'}}",
            "targets.a: 'postgres:99': '99' is no known version of postgres: use 11",
        ),
        (
            "targets: {a: {url: 'sqlite:////a', policy: {denied_columns: ['']}}}",
            "targets.a: denied_columns takes names as non-empty strings, not ''",
        ),
        (
            "targets: {a: {url: 'sqlite:////a', policy: {tables: [x]}}}",
            "targets.a.policy.tables",
        ),
        (
            "targets: {a: {url: 'sqlite:////a', session: {app.tenant_id: $tenant}}}",
            "targets.a: session: session settings are supported for PostgreSQL, Redshift and ClickHouse",
        ),
        (
            "targets: {a: {url: 'bigquery://p/d', cost: {max_bytes: 1GB}}}",
            "targets.a: bigquery charges for the bytes that a statement reads: set cost.daily_bytes",
        ),
        (
            "targets: {a: {url: 'sqlite:////a', environment: [NOT_SET_ANYWHERE]}}",
            "targets.a: environment: the variable NOT_SET_ANYWHERE is not set",
        ),
        (
            "targets: {a: {url: 'x://h', dialect: sqlite, connect_args: {k: 'env:NOT_SET_ANYWHERE'}}}",
            "the environment variable NOT_SET_ANYWHERE is not set",
        ),
        (
            "targets: {a: {url: 'postgresql://h/a', multi_tenant: true}}",
            "targets.a: multi_tenant needs a session setting with the value $tenant",
        ),
        (
            "listen: {admin: 'localhost:4318'}",
            "listen.http and listen.admin are both 127.0.0.1:4318: give each its own port",
        ),
        (
            "forward: {url: 'http://localhost:4318'}",
            "forward.url is the collector's own listen.http: set it to",
        ),
        (
            "emit: {url: 'http://[::1]:4319/x'}",
            "emit.url is the collector's own listen.admin: set it to the address of the backend",
        ),
        (
            "listen: {grpc: '0.0.0.0:9'}\nauth: {insecure: true}\nforward: {url: 'http://127.0.0.1:9'}",
            "forward.url is the collector's own listen.grpc: set it to the address of the backend",
        ),
        ("targets: {a: {url: 'env:SQLOBS_NO_SUCH'}}", "targets.a.url: the environment variable"),
        (
            "targets: {a: {url: 'sqlite:////a', default: true}, b: {url: 'sqlite:////b', default: true}}",
            "targets.a and targets.b are both the default of default; choose one",
        ),
        (
            "evaluate: {metrics: {reports: [ex, exx]}}",
            "evaluate.metrics.reports.1: unknown evaluation 'exx': use one of execution, ex, ex_set",
        ),
        ("evaluate: {metrics: {'*': []}}", "evaluate.metrics.*: List should have at least 1 item"),
        ("- a", "must contain a mapping of settings, not a list"),
        ("a: [", "is not valid YAML"),
        ("journal: 1", "journal: Input should be a valid dictionary"),
        ("auth: {tokens: {a: {read: ['env:SQLOBS_NO_SUCH']}}}", "SQLOBS_NO_SUCH is not set"),
        ("auth: {tokens: {a: {read: ['file:/no/such']}}}", "cannot read /no/such"),
        ("auth: {tokens: {a: {ingest: ['sha256:00']}}}", "64 hex digits"),
        (
            "auth: {tokens: {a: [t]}}",
            "auth.tokens.a: list the tokens by right, for example {ingest: [env:NAME], read: ",
        ),
        (
            "auth: {tokens: [t]}",
            "auth.tokens: list tokens by workspace and right, for example {alpha: {in",
        ),
        (
            "targets: {x: {url: 'sqlite:////x', workspaces: default}}",
            "targets.x.workspaces must be a list: write it in brackets, for example [NAME]",
        ),
        (
            "auth: {tokens: {a: t}}",
            "auth.tokens.a: list the tokens by right, for example {ingest: [env",
        ),
        (
            "auth: {tokens: {a: {read: t}}}",
            "auth.tokens.a: list the tokens by right, for example {inges",
        ),
        ("auth: {tokens: {a: {}}}", "auth.tokens.a: the workspace has no token: list the tokens"),
        ("auth: {tokens: {a: {read: []}}}", "auth.tokens.a: the workspace has no token: list the"),
        ("auth: {tokens: {a: {read: ['']}}}", "auth.tokens.a.read.0: the token is empty"),
        ("auth: {tokens: {a: {write: [t]}}}", "auth.tokens.a.write; did you mea"),
        (
            "auth: {tokens: {a: {read: [t]}, b: {ingest: [t]}}}",
            "auth: tokens.a and tokens.b share a token: use a different token for each workspace",
        ),
        (
            "auth: {tokens: {a: {read: [t]}, b: {read: [u]}}}\ntargets: {x: {url: 'sqlite:////x'}}",
            "targets.x has no workspaces but auth.tokens has several: list the workspaces whose units may run on it, for example `workspaces: [a]`",
        ),
        (
            "targets: {x: {url: 'sqlite:////x', workspaces: [alpha]}}",
            "targets.x.workspaces lists alpha, which is missing in auth.tokens",
        ),
        (
            "targets: {x: {url: 'sqlite:////x', workspaces: []}}",
            "targets.x.workspaces: List should",
        ),
        ("forward: {headers: {x: 'env:SQLOBS_NO_SUCH'}}", "forward.headers.x: the environment"),
        ("emit: {headers: {x: 'file:/no/such'}}", "emit.headers.x: cannot read /no/such"),
        ("receive: {max_body_bytes: 2GiB}", "receive.max_body_bytes: Input should be less than"),
        ("retention: {payload_s: 100000000000}", "retention.payload_s: Input should be less than"),
        (
            "targets: {a: {url: postgresql://u:canary@h/x: y}}",
            "is not valid YAML: expected ',' or '}', but got ':'",
        ),
        ("a: *canary", "is not valid YAML: found undefined alias '…' (line 1, column 4)"),
        (
            "judge: {model: x}",
            "judge: judge.model is set but judge.base_url is not: set it",
        ),
        ("judge: {canaries: true}", "judge: judge.canaries is set but judge.base_url is not: set"),
        ("listen: {http: '0.0.0.0:4318'}", "listen.http is reachable from other machines"),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_names_it(tmp_path, text, sentence):
    """The message names the file, the key and what would be right, on one line."""
    with pytest.raises(ConfigError) as caught:
        from_text(tmp_path, text)
    message = str(caught.value)
    assert sentence in message
    assert str(tmp_path) in message
    assert "\n" not in message
    assert "canary" not in message


def test_a_target_s_dialect_can_be_given_if_its_url_does_not_determine_it():
    """Drivers of SQLAlchemy that are unknown by name get their dialect from the setting."""
    targets = {
        "a": {"url": "firebolt://h/a", "dialect": "PostgreSQL"},
        "b": {"url": "postgresql://h/b", "dialect": "postgres", "session": {"t": "$tenant"}},
    }
    targets["b"]["multi_tenant"] = True
    config = load(None, environ={}, flags={"targets": targets})
    known = targets_of(config)
    assert [(one.system, one.dialect, one.session) for one in known] == [
        ("sqlalchemy", "postgres", ()),
        ("postgresql", "postgres", ("t",)),
    ]


def test_another_program_on_this_machine_may_be_the_backend():
    """Only the addresses that the collector listens on are rejected."""
    for url in ("http://localhost:14318", "http://backend:4318", "https://backend"):
        assert str(load(None, environ={}, flags={"forward.url": url}).forward.url) == f"{url}/"


def test_an_unknown_sqlobs_variable_is_rejected(tmp_path):
    """A misspelled variable must not be passed over in silence."""
    with pytest.raises(ConfigError, match=r"journal\.max_byte"):
        load(None, environ={"SQLOBS_COLLECTOR__JOURNAL__MAX_BYTE": "1"}, flags={})


def test_a_variable_that_is_not_yaml_is_named():
    """Its text is not repeated: it may hold a secret."""
    with pytest.raises(ConfigError) as caught:
        load(None, environ={"SQLOBS_COLLECTOR__DATA_DIR": "[canary"}, flags={})
    assert str(caught.value) == (
        "SQLOBS_COLLECTOR__DATA_DIR is not valid YAML: expected ',' or ']', but got '<stream end>' "
        "(line 1, column 8)"
    )


def test_other_machines_may_connect_only_with_a_token_or_auth_insecure():
    """Beyond loopback only with a credential, or on the user's word."""
    open_address = {"listen.http": "0.0.0.0:4318"}
    assert load(None, environ={}, flags={**open_address, "auth.insecure": True})
    assert load(None, environ={}, flags={**open_address, "auth.tokens": {"a": {"ingest": ["t"]}}})


def test_secrets_are_never_printed(tmp_path):
    """`validate` shows references, and masks literals; so does every repr."""
    config = from_text(
        tmp_path,
        "auth: {tokens: {a: {read: [canary-token, 'env:HOME']}}}\n"
        "forward: {url: 'http://canary:canary@b/v1', headers: {x-key: canary-header}}\n"
        "emit: {url: 'https://canary@b:1/otlp/canary/v1?api-key=canary#canary'}\n"
        "judge: {base_url: 'https://j:8/openai/canary/v1beta?k=canary', model: m, api_key: canary}\n"
        "targets: {t: {url: 'postgresql://canary:canary@h/canary?password=canary'}}",
    )
    printed = effective(config) + repr(config)
    assert "canary" not in printed
    assert yaml.safe_load(effective(config))["auth"]["tokens"]["a"]["read"] == ["***", "env:HOME"]
    shown = yaml.safe_load(effective(config))
    assert (shown["forward"]["url"], shown["emit"]["url"]) == (
        "http://***@b/v1",
        "https://***@b:1/otlp/***/v1?***",
    )
    assert shown["judge"]["base_url"] == "https://j:8/openai/***/v1beta?***"


def test_every_key_is_documented():
    """The README lists each key with its description."""
    assert all(documented_keys().values())
    listed = (COLLECTORS / "README.md").read_text()
    rows = {f"| `{key}` | {meaning} |" for key, meaning in documented_keys().items()}
    assert [row for row in sorted(rows) if row not in listed.splitlines()] == []


def test_the_shipped_file_holds_every_key_with_its_default():
    """`collectors/config.yaml` can be copied and edited: it changes nothing as it is."""
    path = COLLECTORS / "config.yaml"
    shipped = load(path, environ={}, flags={})
    assert shipped == CollectorConfig()
    assert yaml.safe_load(path.read_text()) == yaml.safe_load(effective(shipped))


def test_validate_prints_the_configuration_in_effect(tmp_path, capsys, monkeypatch):
    """The output is the whole configuration, and is itself a configuration."""
    monkeypatch.setenv("SQLOBS_COLLECTOR__JOURNAL__GRACE_S", "5")
    assert main(["validate", "--data-dir", str(tmp_path), "--forward", "http://b:1"]) == 0
    printed = capsys.readouterr().out
    again = from_text(tmp_path, printed)
    assert (again.journal.grace_s, again.data_dir, str(again.forward.url)) == (
        5,
        tmp_path,
        "http://b:1/",
    )


def test_validate_reads_the_golden_file_too(tmp_path, capsys):
    """What `serve` would refuse is rejected before."""
    (tmp_path / "golden.jsonl").write_text('{"question": "How many?"}\n')
    for name, sentence in (("golden.jsonl", "golden.jsonl:1 needs `sql`"), ("none", "cannot read")):
        path = tmp_path / "collector.yaml"
        path.write_text(f"golden: {{file: {tmp_path / name}}}")
        assert main(["validate", "--config", str(path)]) == 2
        assert sentence in capsys.readouterr().err


def test_a_token_is_made_with_the_line_for_the_file(capsys):
    """The printed digest is the one that the token is recognized by."""
    assert main(["token"]) == 0
    token, digest = (line.split(None, 1)[1] for line in capsys.readouterr().out.splitlines())

    assert token_digest(Secret(token)) == token_digest(Secret(digest))


def test_the_documented_targets_on_warehouses_are_valid_and_masked(tmp_path, monkeypatch):
    """The examples of docs/execution.md; texts in `connect_args` may be secrets."""
    page = (COLLECTORS.parent / "docs" / "execution.md").read_text()
    example = page.split("```yaml\n", 1)[1].split("```", 1)[0]
    for name in ("CLICKHOUSE_PASSWORD", "DATABRICKS_TOKEN", "REDSHIFT_PASSWORD"):
        monkeypatch.setenv(name, "swordfish")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/secrets/reader.json")
    config = from_text(tmp_path, example)
    targets = {target.alias: target for target in targets_of(config)}
    assert sorted(targets) == ["bigquery", "clickhouse", "databricks", "redshift", "snowflake"]
    assert targets["clickhouse"].access.connect_args == {"password": "swordfish"}
    assert targets["bigquery"].access.cost.max_bytes == 10_000_000_000
    assert targets["snowflake"].access.connect_args["private_key_file"] == "/secrets/reader.p8"
    shown = effective(config)
    assert "swordfish" not in shown
    assert "/secrets/reader.p8" not in shown
    assert "env:CLICKHOUSE_PASSWORD" in shown
