"""The compose files: what the product says about each container's command and configuration."""

from __future__ import annotations

import re

import pytest
import yaml

from sqlobs_collector.cli import _parser
from sqlobs_collector.settings.roles import ROLES
from tests.deploy.conftest import DEPLOY

COMPOSE = DEPLOY / "compose"
FILES = ("embedded", "shared")
JOURNALED = {"receive", "console"}
"""The roles that acknowledge records, which must outlive the container."""


def services(name):
    return yaml.safe_load((COMPOSE / f"{name}.yaml").read_text())["services"]


def collectors(name):
    """The containers of the collector, by service."""
    return {
        key: each for key, each in services(name).items() if "postgres" not in each.get("image", "")
    }


@pytest.fixture
def command_in(tmp_path):
    """A container's command, with its configuration and secrets at places on this machine."""
    (tmp_path / "store-url").write_text("postgresql://sqlobs:secret@postgres/sqlobs\n")

    def translate(service):
        arguments = list(service["command"])
        path = arguments[arguments.index("--config") + 1]
        (source,) = [mount.split(":")[0] for mount in service["volumes"] if f":{path}:ro" in mount]
        text = (COMPOSE / source).read_text()
        for name in re.findall(r"file:/run/secrets/([\w-]+)", text):
            assert name in service["secrets"]
            if name != "store-url":
                (tmp_path / name).write_text(f"the {name}\n")
        here = tmp_path / "collector.yaml"
        here.write_text(text.replace("/run/secrets", str(tmp_path)))
        return [str(here) if part == path else part for part in arguments]

    return translate


@pytest.mark.parametrize("name", FILES)
def test_the_collector_accepts_each_command_with_its_configuration(name, command_in, validated):
    """By the command itself; the containers have all roles together."""
    roles = set()
    for service in collectors(name).values():
        arguments = command_in(service)
        if arguments[0] == "migrate":
            assert _parser().parse_args(arguments).to is None
            continue
        found = yaml.safe_load(validated(arguments))
        roles |= set(found["roles"])
        has_volume = any(":/var/lib/sqlobs" in volume for volume in service["volumes"])
        assert has_volume is bool(JOURNALED & set(found["roles"]))
        published = {port.rpartition(":")[2] for port in service.get("ports", ())}
        assert published <= {found["listen"][one].rpartition(":")[2] for one in found["listen"]}
    assert roles == set(ROLES)


@pytest.mark.parametrize("name", FILES)
def test_containers_have_no_privileges(name):
    """A read-only root file system, no capabilities, and ports on this machine only."""
    for service in collectors(name).values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


@pytest.mark.parametrize("name", FILES)
def test_what_a_compose_file_names_is_there(name):
    """Files to mount, volumes, secrets, services to wait for, and the Dockerfile."""
    document = yaml.safe_load((COMPOSE / f"{name}.yaml").read_text())
    for service in document["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            is_file = source.startswith(".")
            assert (COMPOSE / source).is_file() if is_file else source in document["volumes"]
        assert set(service.get("secrets", ())) <= document["secrets"].keys()
        assert service.get("depends_on", {}).keys() <= document["services"].keys()
        if "build" in service:
            assert (
                COMPOSE / service["build"]["context"] / service["build"]["dockerfile"]
            ).is_file()


def test_each_receiver_has_a_volume_of_its_own():
    """Two processes cannot share a journal."""
    receivers = [
        each for each in services("shared").values() if each.get("command", [])[-1:] == ["receive"]
    ]
    volumes = {volume for each in receivers for volume in each["volumes"] if "receiver" in volume}
    assert (len(receivers), len(volumes)) == (2, 2)


def test_three_evaluators_share_the_queue():
    """They keep nothing, so that one service has several containers."""
    assert services("shared")["evaluator"]["deploy"] == {"replicas": 3}
