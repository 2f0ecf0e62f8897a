"""examples/observability: what is shipped is what is generated, and its parts fit together."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import yaml

from sqlobs.monitoring.files import generate
from sqlobs.monitoring.inhibition import inhibit_rules
from sqlobs.monitoring.settings import RuleSettings
from sqlobs_collector.config import load
from tests.servers import installed


@pytest.fixture
def example(repository):
    """The directory of the example."""
    return repository / "examples" / "observability"


def test_the_shipped_files_are_what_the_generator_writes(example):
    """`sqlobs rules generate --output examples/observability/generated` changes nothing."""
    shipped = {path.name: path.read_text() for path in (example / "generated").iterdir()}
    assert shipped == generate(RuleSettings())


def test_alertmanager_mutes_what_the_collector_s_own_notifier_mutes(example):
    document = yaml.safe_load((example / "alertmanager.yml").read_text())
    assert document["inhibit_rules"] == inhibit_rules()


def test_every_file_that_a_container_mounts_is_there(example):
    """A missing file would become an empty directory in the container."""
    services = yaml.safe_load((example / "compose.yaml").read_text())["services"]
    mounts = [volume.split(":") for each in services.values() for volume in each.get("volumes", ())]
    assert all((example / source).exists() for source, *_ in mounts if source.startswith("."))
    assert (example / ".." / ".." / services["collector"]["build"]["dockerfile"]).exists()


def test_prometheus_scrapes_what_the_collector_serves_under_the_rules_job(example, monkeypatch):
    """Host, port and job agree between three files."""
    for name in ("SQLOBS_INGEST_TOKEN", "SQLOBS_READ_TOKEN"):
        monkeypatch.setenv(name, name)
    collector = load(example / "collector.yaml", environ={}, flags={})
    (scrape,) = yaml.safe_load((example / "prometheus.yml").read_text())["scrape_configs"]
    assert scrape["job_name"] == RuleSettings().job
    services = yaml.safe_load((example / "compose.yaml").read_text())
    [secret] = services["services"]["prometheus"]["secrets"]
    assert scrape["authorization"] == {"credentials_file": f"/run/secrets/{secret}"}
    variable = services["secrets"][secret]["environment"]
    [token] = collector.auth.tokens["default"].read
    assert token.reference == f"env:{variable}"
    assert variable in services["services"]["collector"]["environment"]
    assert scrape["static_configs"] == [{"targets": [f"collector:{collector.listen.admin.port}"]}]


def test_grafana_finds_dashboard_and_traces(example):
    """Exemplars lead to a data source that is provisioned; the dashboard lies where it is sought."""
    sources = yaml.safe_load((example / "grafana/datasources/sqlobs.yaml").read_text())
    by_uid = {each["uid"]: each for each in sources["datasources"]}
    (target,) = by_uid["prometheus"]["jsonData"]["exemplarTraceIdDestinations"]
    assert by_uid[target["datasourceUid"]]["type"] == "jaeger"
    (provider,) = yaml.safe_load((example / "grafana/dashboards/sqlobs.yaml").read_text())[
        "providers"
    ]
    services = yaml.safe_load((example / "compose.yaml").read_text())["services"]
    assert f"./generated:{provider['options']['path']}:ro" in services["grafana"]["volumes"]


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("promtool", ("check", "config", "prometheus.yml")),
        ("amtool", ("check-config", "alertmanager.yml")),
    ],
)
def test_the_servers_own_tools_find_their_configuration_sound(
    example, tmp_path, program, arguments
):
    """Prometheus, with the rules it names and the token that compose mounts, and Alertmanager."""
    place = shutil.copytree(example, tmp_path / "example")
    (tmp_path / "token").write_text("t")
    configured = (place / "prometheus.yml").read_text()
    mounted = configured.replace("/run/secrets/sqlobs-read-token", str(tmp_path / "token"))
    (place / "prometheus.yml").write_text(mounted)
    done = subprocess.run(
        [installed(program), *arguments], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
