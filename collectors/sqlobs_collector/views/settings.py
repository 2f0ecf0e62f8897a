"""The settings in effect with their origins, the tokens, and whether targets and judge respond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from sqlobs_collector.secrets import token_digest
from sqlobs_collector.settings.origins import DEFAULT, leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.probing import Finding
    from sqlobs_collector.secrets import Secret
    from sqlobs_collector.settings.origins import KeyPath, Origins

_TOKENS: Final[KeyPath] = ("auth", "tokens")
_DIGEST: Final = "sha256:"
_DIGITS: Final = 8


class SettingView(BaseModel):
    """A setting in effect."""

    key: str
    value: Any
    """Secrets are masked; references to them, such as `env:NAME`, are shown."""
    origin: str
    """`default`, `flag`, or `file` or `environment` with a name."""
    is_default: bool


class TokenView(BaseModel):
    """A token, without its value."""

    name: str
    """Where it is configured: `auth.tokens.alpha.read[0]`."""
    reference: str
    """`env:NAME`, `file:PATH`, the beginning of its hash, or `***`."""
    workspace: str
    rights: list[str]


class ProbeView(BaseModel):
    """What a target or the judge responded just now."""

    subject: str
    sentence: str
    is_usable: bool


class SettingsView(BaseModel):
    """How the collector is configured."""

    settings: list[SettingView]
    tokens: list[TokenView]
    probes: list[ProbeView] | None
    """None: nothing was probed."""


def settings_view(
    config: CollectorConfig,
    origins: Origins,
    workspaces: Sequence[str],
    *,
    is_operator: bool,
    probes: Sequence[Finding] | None,
) -> SettingsView:
    """Return the settings, without targets and tokens of other workspaces.

    Args:
        config: In effect.
        origins: Where its settings come from.
        workspaces: Those that the reader administers.
        is_operator: Whether everything may be shown.
        probes: What targets and judge responded.
    """
    shown = tuple(config.auth.all_workspaces) if is_operator else tuple(workspaces)
    return SettingsView(
        settings=list(_settings(own_targets(config, shown), origins)),
        tokens=list(_tokens(config, shown)),
        probes=None
        if probes is None
        else [
            ProbeView(subject=one.subject, sentence=one.sentence, is_usable=one.is_usable)
            for one in probes
        ],
    )


def own_targets(config: CollectorConfig, workspaces: Sequence[str]) -> CollectorConfig:
    """Return the configuration with the targets that units of some workspaces run on."""
    own = set(workspaces)
    kept = {
        alias: one for alias, one in config.targets.items() if own & config.workspaces_of(alias)
    }
    return config.model_copy(update={"targets": kept})


def _settings(config: CollectorConfig, origins: Origins) -> Iterator[SettingView]:
    for path, value in leaves(config.model_dump(mode="json")):
        if path[: len(_TOKENS)] == _TOKENS:
            continue
        origin = origins.of(path)
        yield SettingView(
            key=".".join(path), value=value, origin=origin, is_default=origin == DEFAULT
        )


def _tokens(config: CollectorConfig, workspaces: Sequence[str]) -> Iterator[TokenView]:
    for workspace in workspaces:
        tokens = config.auth.tokens.get(workspace)
        found: dict[bytes, TokenView] = {}
        for right, secrets in tokens.by_right.items() if tokens else ():
            for number, secret in enumerate(secrets):
                name = f"auth.tokens.{workspace}.{right}[{number}]"
                new = TokenView(
                    name=name, reference=_reference(secret), workspace=workspace, rights=[]
                )
                found.setdefault(token_digest(secret), new).rights.append(right)
        yield from found.values()


def _reference(secret: Secret) -> str:
    text = str(secret)
    return f"{text[: len(_DIGEST) + _DIGITS]}…" if text.startswith(_DIGEST) else text
