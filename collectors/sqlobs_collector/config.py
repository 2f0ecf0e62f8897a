"""The collector's configuration: one section per stage, validated before any port opens."""

from __future__ import annotations

import difflib
import re
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeGuard, get_args, get_origin

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator

from sqlobs.errors import ConfigError
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.settings.archiving import Archive
from sqlobs_collector.settings.console import Console
from sqlobs_collector.settings.evaluating import Evaluate, Golden, Sampling, TargetConfig
from sqlobs_collector.settings.judging import Judge
from sqlobs_collector.settings.masking import Masking
from sqlobs_collector.settings.notifying import Notify
from sqlobs_collector.settings.oidc import Oidc
from sqlobs_collector.settings.origins import Origins
from sqlobs_collector.settings.quotas import Quota  # noqa: TC001 - pydantic reads it
from sqlobs_collector.settings.receiving import (
    Audit,
    Auth,
    Emit,
    Feedback,
    Forward,
    Journal,
    Listen,
    Receive,
    Retention,
    Tls,
)
from sqlobs_collector.settings.roles import ROLES, Roles
from sqlobs_collector.settings.storing import Store
from sqlobs_collector.settings.values import Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic_core import ErrorDetails

    from sqlobs_collector.addresses import Address

ENVIRONMENT_PREFIX: Final = "SQLOBS_COLLECTOR__"
"""`SQLOBS_COLLECTOR__JOURNAL__MAX_BYTES=1GiB` sets `journal.max_bytes`."""

_QUOTED: Final = re.compile(r"'\w[^']*'")

_DAY_S: Final = 86_400
DIGEST_KEY: Final = "SQLOBS_DIGEST_KEY"
"""The variable from which applications read their digest key."""


class CollectorConfig(Section):
    """The configuration of `sqlobs-collector serve`."""

    roles: Roles = Field(
        default=frozenset(ROLES),
        description="What this process does: `receive`, `evaluate`, `judge`, `emit`, `console`,"
        " `singleton`. Several processes share one store on PostgreSQL; default: all roles.",
    )
    listen: Listen = Listen()
    data_dir: Path = Field(
        default=Path("sqlobs-collector-data"),
        description="Directory of journal and embedded store; used by one collector at a time.",
    )
    store: Store = Store()
    tls: Tls = Tls()
    auth: Auth = Auth()
    receive: Receive = Receive()
    masking: Masking = Masking()
    feedback: Feedback = Feedback()
    journal: Journal = Journal()
    forward: Forward = Forward()
    emit: Emit = Emit()
    targets: dict[str, TargetConfig] = Field(
        default_factory=dict, description="Databases that units may be executed on, by alias."
    )
    golden: Golden = Golden()
    sampling: Sampling = Sampling()
    quotas: dict[str, Quota] = Field(
        default_factory=dict, description="How much workspaces may use, by workspace."
    )
    evaluate: Evaluate = Evaluate()
    judge: Judge = Judge()
    notify: Notify = Notify()
    retention: Retention = Retention()
    archive: Archive = Archive()
    audit: Audit = Audit()
    oidc: Oidc = Oidc()
    console: Console = Console()

    @model_validator(mode="after")
    def _can_share(self) -> CollectorConfig:
        """Reject a part of the roles where other processes cannot have the others."""
        if self.roles == frozenset(ROLES):
            return self
        if self.store.url is None:
            raise ValueError(
                "roles: the other roles need a store that processes can share: set store.url to a"
                " PostgreSQL database, or remove the setting to run all roles in one process"
            )
        if self.roles & {"evaluate", "console"} and self.golden.digest_key is None:
            raise ValueError(
                "roles: processes that share a store look golden cases up by the same key: set"
                " golden.digest_key, or SQLOBS_DIGEST_KEY, to the same value for all of them"
            )
        return self

    @model_validator(mode="after")
    def _binds_targets(self) -> CollectorConfig:
        """Reject a target with an unknown workspace, or without one if there are several."""
        workspaces = self.auth.all_workspaces
        for alias, target in self.targets.items():
            if target.workspaces is None and len(workspaces) > 1:
                raise ValueError(
                    f"targets.{alias} has no workspaces but auth.tokens has several: list the"
                    " workspaces whose units may run on it, for example `workspaces:"
                    f" [{workspaces[0]}]`"
                )
            strange = set(target.workspaces or ()) - {*workspaces, DEFAULT_WORKSPACE}
            if strange:
                raise ValueError(
                    f"targets.{alias}.workspaces lists {min(strange)}, which is missing in"
                    " auth.tokens"
                )
        return self

    @model_validator(mode="after")
    def _grants_known_workspaces(self) -> CollectorConfig:
        """Reject a grant in a workspace that nothing is sent into."""
        known = self.auth.all_workspaces
        for group, workspaces in self.oidc.grants.items():
            if strange := set(workspaces) - set(known):
                raise ValueError(
                    f"oidc.grants.{group} names the workspace {min(strange)}, which is missing in"
                    f" auth.tokens and auth.workspaces: use {' or '.join(known)}"
                )
        return self

    @model_validator(mode="after")
    def _limits_known_workspaces(self) -> CollectorConfig:
        """Reject settings of a workspace that nothing is sent into."""
        known = self.auth.all_workspaces
        for section, named in (
            ("quotas", self.quotas),
            ("sampling.workspaces", self.sampling.workspaces),
            ("judge.workspaces", self.judge.workspaces),
        ):
            if strange := set(named) - set(known):
                raise ValueError(
                    f"{section}.{min(strange)} names a workspace that is missing in auth.tokens and"
                    f" auth.workspaces: use {' or '.join(known)}"
                )
        return self

    @model_validator(mode="after")
    def _archives_no_texts(self) -> CollectorConfig:
        """Reject an archive that requests would enter before their texts expire."""
        kept_days, after_days = self.retention.payload_s / _DAY_S, self.archive.after_days
        if self.archive.url is not None and after_days < kept_days:
            raise ValueError(
                f"archive.after_days is {after_days}, but texts are kept for {kept_days:g} days"
                " (retention.payload_s): the archive has no texts, so set it to at least that"
            )
        return self

    @model_validator(mode="after")
    def _has_one_default(self) -> CollectorConfig:
        """Reject two default targets of the same workspace."""
        defaults = [alias for alias, target in self.targets.items() if target.default]
        for one, other in combinations(defaults, 2):
            if shared := self.workspaces_of(one) & self.workspaces_of(other):
                raise ValueError(
                    f"targets.{one} and targets.{other} are both the default of {min(shared)};"
                    " choose one"
                )
        return self

    @model_validator(mode="after")
    def _sends_elsewhere(self) -> CollectorConfig:
        """Reject a backend that is this collector: records would loop."""
        for section, url in (("forward", self.forward.url), ("emit", self.emit.url)):
            for name in Listen.model_fields:
                listens: Address = getattr(self.listen, name)
                if url is not None and listens.answers(url.host or "", url.port):
                    message = (
                        f"{section}.url is the collector's own listen.{name}: set it to the"
                        " address of the backend"
                    )
                    raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _has_a_port_for_each(self) -> CollectorConfig:
        """Reject the same address for two servers."""
        for one, other in combinations(Listen.model_fields, 2):
            first, second = getattr(self.listen, one), getattr(self.listen, other)
            if first.answers(second.host, second.port) or second.answers(first.host, first.port):
                message = (
                    f"listen.{one} and listen.{other} are both {first}: give each its own port"
                )
                raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _is_closed(self) -> CollectorConfig:
        """Reject addresses that other machines can reach without a token."""
        open_to_others = [
            name for name in Listen.model_fields if not getattr(self.listen, name).is_loopback
        ]
        if open_to_others and self.auth.is_open and not self.auth.insecure:
            message = (
                f"listen.{open_to_others[0]} is reachable from other machines but auth.tokens is"
                " empty: configure a token, listen on 127.0.0.1, or set auth.insecure"
            )
            raise ValueError(message)
        return self

    def workspaces_of(self, alias: str) -> frozenset[str]:
        """Return the workspaces whose units may run on a target."""
        return frozenset(self.targets[alias].workspaces or self.auth.all_workspaces)


def load(
    path: Path | None, *, environ: Mapping[str, str], flags: Mapping[str, object]
) -> CollectorConfig:
    """Load the configuration: flags override the environment, which overrides the file.

    Raises:
        ConfigError: The file cannot be read, or a key is unknown or has an invalid value.
    """
    return load_with_origins(path, environ=environ, flags=flags)[0]


def load_with_origins(
    path: Path | None, *, environ: Mapping[str, str], flags: Mapping[str, object]
) -> tuple[CollectorConfig, Origins]:
    """Load the configuration, and where each of its settings comes from.

    Args:
        path: The YAML file, if there is one.
        environ: The process environment; names with `ENVIRONMENT_PREFIX` are read, and
            `DIGEST_KEY`.
        flags: Values by dotted key, such as `journal.max_bytes`.

    Raises:
        ConfigError: The file cannot be read, or a key is unknown or has an invalid value.
    """
    given = _Given()
    if path:
        given.put_file(path)
    if DIGEST_KEY in environ:
        given.put_digest_key()
    for name, text in sorted(environ.items()):
        if name.startswith(ENVIRONMENT_PREFIX):
            key = name.removeprefix(ENVIRONMENT_PREFIX).lower().split("__")
            given.put(key, _value(text, origin=name), place=name, origin=f"environment {name}")
    for dotted, value in flags.items():
        given.put(dotted.split("."), value, place=dotted, origin="flag")
    try:
        config = CollectorConfig.model_validate(given.settings)
    except ValidationError as error:
        sentences = "; ".join(_sentence(detail) for detail in error.errors())
        raise ConfigError(f"{path or 'configuration'}: {sentences}") from error
    return config, given.origins


class _Given:
    """The settings that were given, and where."""

    def __init__(self) -> None:
        self.settings: dict[str, object] = {}
        self.origins = Origins()

    def put_file(self, path: Path) -> None:
        """Add the settings of a file."""
        self.settings = _read(path)
        self.origins.note((), self.settings, f"file {path}")

    def put_digest_key(self) -> None:
        """Let the applications' variable stand for a key that the file does not set."""
        golden = self.settings.get("golden", {})
        if isinstance(golden, dict) and "digest_key" not in golden:
            origin = f"environment {DIGEST_KEY}"
            self.put(["golden", "digest_key"], f"env:{DIGEST_KEY}", place=DIGEST_KEY, origin=origin)

    def put(self, key: Sequence[str], value: object, *, place: str, origin: str) -> None:
        """Set one key, over what the file sets.

        Raises:
            ConfigError: Above it is a single setting.
        """
        section = self.settings
        for part in key[:-1]:
            inner = section.setdefault(part, {})
            if not isinstance(inner, dict):
                raise ConfigError(f"{place}: {part} is a single setting, not a section")
            section = inner
        section[key[-1]] = value
        self.origins.note(tuple(key), value, origin)


def effective(config: CollectorConfig) -> str:
    """Return the whole configuration as YAML, secrets masked."""
    document: str = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
    return document


def documented_keys() -> dict[str, str]:
    """Return the description of every key, by its dotted name."""
    return dict(_descriptions(CollectorConfig, ()))


def _read(path: Path) -> dict[str, object]:
    try:
        document = yaml.safe_load(path.read_text())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid YAML: {_flaw(error)}") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ConfigError(
            f"{path} must contain a mapping of settings, not a {type(document).__name__}"
        )
    return document


def _value(text: str, *, origin: str) -> object:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{origin} is not valid YAML: {_flaw(error)}") from None


def _flaw(error: Exception) -> str:
    """Return the YAML error and its position, without the text, which may contain a password."""
    problem = getattr(error, "problem", None) or getattr(error, "reason", "")
    mark = getattr(error, "problem_mark", None)
    place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    return _QUOTED.sub("'…'", str(problem)) + place


def _sentence(detail: ErrorDetails) -> str:
    key = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"unknown setting {key}{_closest(key)}"
    if detail["type"] == "list_type":
        return f"{key} must be a list: write it in brackets, for example [NAME]"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{key}: {message}" if key else message


def _closest(key: str) -> str:
    known = difflib.get_close_matches(key, [*documented_keys(), *CollectorConfig.model_fields], n=1)
    return (
        f"; did you mean {known[0]}?" if known else "; `sqlobs-collector validate` lists them all"
    )


def _descriptions(model: type[BaseModel], path: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        entry = get_args(inner)[-1] if get_origin(inner) is dict else None
        if _is_section(inner):
            yield from _descriptions(inner, (*path, name))
        elif _is_section(entry):
            yield from _descriptions(entry, (*path, name, f"<{entry.entry}>"))
        else:
            yield ".".join((*path, name)), field.description or ""


def _is_section(annotation: object) -> TypeGuard[type[Section]]:
    return isinstance(annotation, type) and issubclass(annotation, Section)
