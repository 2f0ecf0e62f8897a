"""The Helm chart, rendered and sent by Helm itself; `make test-deploy` installs it."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
import yaml

from sqlobs_collector.settings.roles import ROLES
from tests.backends.conftest import program
from tests.deploy.cluster import Cluster
from tests.deploy.conftest import DEPLOY
from tests.deploy.test_systemd import SECRETS

pytestmark = [pytest.mark.backends, pytest.mark.slow]

CHART = DEPLOY / "helm/sqlobs-collector"
INSTALL = '''
import asyncio, json, sys
import helm_sdkpy
url, chart, values = sys.argv[1:]
kubeconfig = f"""
apiVersion: v1
kind: Config
current-context: here
contexts: [{{name: here, context: {{cluster: here, user: nobody}}}}]
clusters: [{{name: here, cluster: {{server: '{url}'}}}}]
users: [{{name: nobody, user: {{}}}}]
"""
configuration = helm_sdkpy.Configuration(namespace="observability", kubeconfig=kubeconfig)
install = helm_sdkpy.Install(configuration).run(
    "sales", chart, values=json.loads(values), wait=False, timeout=30
)
try:
    asyncio.run(install)
except helm_sdkpy.HelmError as error:
    raise SystemExit(str(error))
'''
EVERYTHING = {
    "judge": {"enabled": True},
    "emitter": {"enabled": True},
    "evaluator": {"autoscaling": {"enabled": True}},
    "networkPolicy": {"egress": [{"to": [{"podSelector": {"matchLabels": {"app": "postgres"}}}]}]},
    "config": {
        "targets": {"shop": {"url": "env:SHOP_URL", "default": True}},
        "judge": {"base_url": "https://judge.example/v1", "model": "m"},
        "emit": {"url": "http://backend:4318"},
    },
    "env": [{"name": "SHOP_URL", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "url"}}}],
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "imagePullSecrets": [{"name": "registry"}],
}


def install(values):
    """Install the chart; returns the objects that a cluster gets, and what Helm says."""
    cluster = Cluster()
    try:
        done = subprocess.run(
            [program("deploy", "python"), "-c", INSTALL, cluster.url, CHART, json.dumps(values)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        cluster.stop()
    return [one for one in cluster.created if one["kind"] != "Secret"], done


@pytest.fixture(scope="module", params=[{}, EVERYTHING], ids=["defaults", "everything"])
def objects(request):
    found, done = install(request.param)
    assert done.returncode == 0, done.stderr
    return found


@pytest.fixture(scope="module")
def everything():
    return install(EVERYTHING)[0]


def pods(objects):
    """The templates of pods that serve a role, by the role."""
    templates = [each.get("spec", {}).get("template") for each in objects if each["kind"] != "Job"]
    found = [template for template in templates if template is not None]
    return {each["spec"]["containers"][0]["args"][-1]: each["spec"] for each in found}


@pytest.mark.parametrize("version", ["1.27", "1.34"])
def test_each_object_has_the_fields_that_kubernetes_knows(objects, version, tmp_path):
    """Validated strictly: a field that is misplaced or misspelled fails."""
    (tmp_path / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    validate = program("deploy", "kubernetes-validate")
    done = subprocess.run(
        [validate, "--strict", "-k", version, tmp_path / "objects.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_kinds_and_names_of_what_is_installed(everything):
    assert sorted((each["kind"], each["metadata"]["name"]) for each in everything) == [
        ("ConfigMap", "sales"),
        ("Deployment", "sales-emitter"),
        ("Deployment", "sales-evaluator"),
        ("Deployment", "sales-judge"),
        ("Deployment", "sales-singleton"),
        ("HorizontalPodAutoscaler", "sales-evaluator"),
        ("Job", "sales-migrate"),
        ("NetworkPolicy", "sales"),
        ("PodDisruptionBudget", "sales-receiver"),
        ("Service", "sales"),
        ("Service", "sales-console"),
        ("Service", "sales-receivers"),
        ("Service", "sales-singleton"),
        ("StatefulSet", "sales-console"),
        ("StatefulSet", "sales-receiver"),
    ]


def test_the_collector_accepts_what_each_pod_runs(everything, tmp_path, validated, monkeypatch):
    """The configuration of the ConfigMap with the pod's arguments and variables."""
    (configured,) = [each for each in everything if each["kind"] == "ConfigMap"]
    path = tmp_path / "collector.yaml"
    path.write_text(configured["data"]["collector.yaml"])
    known = {**SECRETS, "SQLOBS_READ_TOKEN": "another", "SHOP_URL": "sqlite:////shop.db"}
    roles = set()
    for pod in pods(everything).values():
        (container,) = pod["containers"]
        for variable in container["env"]:
            monkeypatch.setenv(variable["name"], known[variable["name"]])
        arguments = [
            str(path) if part == "/etc/sqlobs/collector.yaml" else part
            for part in container["args"]
        ]
        roles |= set(yaml.safe_load(validated(arguments))["roles"])
    assert roles == set(ROLES)


def test_processes_that_acknowledge_records_have_a_volume_that_outlives_them(objects):
    sets = [each for each in objects if each["kind"] == "StatefulSet"]
    assert {each["spec"]["template"]["spec"]["containers"][0]["args"][-1] for each in sets} == {
        "receive",
        "console",
    }
    for each in sets:
        kept = each["spec"]["persistentVolumeClaimRetentionPolicy"]
        assert set(kept.values()) == {"Retain"}
        assert [claim["metadata"]["name"] for claim in each["spec"]["volumeClaimTemplates"]] == [
            "data"
        ]


def test_pods_have_no_privileges(objects):
    for each in objects:
        if "template" in each.get("spec", {}):
            pod = each["spec"]["template"]["spec"]
            assert pod["securityContext"]["runAsNonRoot"]
            assert not pod["automountServiceAccountToken"]
            (container,) = pod["containers"]
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"receiver": {"replicas": 0}}, "minimum"),
        ({"recevier": {}}, "additional properties 'recevier' not allowed"),
        ({"config": {"roles": ["receive"]}}, "'not' failed"),
    ],
)
def test_wrong_values_are_rejected_before_anything_is_sent(values, words):
    """By `values.schema.json`."""
    sent, done = install(values)
    assert sent == []
    assert done.returncode == 1
    assert words in done.stderr


def test_hadolint_finds_nothing_in_the_dockerfile():
    done = subprocess.run(
        [program("deploy", "hadolint"), DEPLOY / "Dockerfile"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_build_s_commands_install_a_collector(tmp_path):
    """Outside a container: the first stage's commands, with directories of this test."""
    root = DEPLOY.parent
    rules = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for path in (rule[1:] for rule in rules if rule.startswith("!")):
        (tmp_path / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", root / path, tmp_path / "src" / path], check=True)
    lines = (DEPLOY / "Dockerfile").read_text().replace("\\\n", "").splitlines()
    stage = lines[: [number for number, line in enumerate(lines) if line.startswith("FROM ")][1]]
    subprocess.run([program("deploy", "python"), "-m", "venv", tmp_path / "tools"], check=True)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}/tools/bin:/usr/bin:/bin",
        "EXTRAS": "collector,fast,oidc,postgres",
    }
    for command in (line.removeprefix("RUN ") for line in stage if line.startswith("RUN ")):
        here = command.replace("/opt/sqlobs", str(tmp_path / "opt"))
        done = subprocess.run(
            ["sh", "-c", here], cwd=tmp_path / "src", env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    version = subprocess.run(
        [tmp_path / "opt/bin/sqlobs-collector", "--version"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert version.stdout
