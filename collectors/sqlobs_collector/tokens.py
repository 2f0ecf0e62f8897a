"""The commands on tokens in the store: `token create`, `token list`, `token revoke`."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs_collector.maintenance import opened
from sqlobs_collector.secrets import Secret, new_token, token_digest
from sqlobs_collector.store.tokens import TokenReader, TokenRow
from sqlobs_collector.store.writing import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.settings.receiving import Right

_DAY_NS: Final = 24 * 3600 * 10**9
_ID_BYTES: Final = 4


def create_token(
    config: CollectorConfig,
    rights: Sequence[Right],
    *,
    workspace: str | None,
    days: int,
    purpose: str,
) -> tuple[str, TokenRow]:
    """Create a token in the store; return it, which nobody can read again, and its row.

    Args:
        config: Of the collector, which may be running.
        rights: What the token allows.
        workspace: Where; None = the only one of `auth.workspaces`.
        days: How long it is valid.
        purpose: Whose it is, for the list.

    Raises:
        ConfigError: The workspace is not one of `auth.workspaces`, or there is no store.
    """
    known = config.auth.workspaces
    chosen = workspace or (known[0] if len(known) == 1 else None)
    if chosen is None or chosen not in known:
        raise ConfigError(
            f"set --workspace to one of auth.workspaces ({', '.join(known)})"
            if known
            else "tokens of the store need auth.workspaces: list the workspaces that they belong to"
        )
    token, now_ns = new_token(), time.time_ns()
    row = TokenRow(
        id=secrets.token_hex(_ID_BYTES),
        workspace=chosen,
        rights=frozenset(rights),
        digest=token_digest(Secret(token)),
        purpose=purpose,
        created_ns=now_ns,
        expires_ns=now_ns + days * _DAY_NS,
    )
    with opened(config) as engine, Store(engine).writing() as writer:
        writer.tokens.add(row)
    return token, row


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A token of the store as it is listed; days are in UTC."""

    id: str
    workspace: str
    rights: list[str]
    purpose: str
    created: str
    expires: str
    state: str
    """`valid`, `expired` or `revoked`."""


def stored_tokens(config: CollectorConfig) -> list[StoredToken]:
    """Return the tokens of the store without their digests, the oldest first.

    Raises:
        ConfigError: There is no store.
    """
    with opened(config) as engine:
        rows = TokenReader(engine).all()
    now_ns = time.time_ns()
    return [
        StoredToken(
            id=row.id,
            workspace=row.workspace,
            rights=sorted(row.rights),
            purpose=row.purpose,
            created=day_of(row.created_ns),
            expires=day_of(row.expires_ns),
            state=_state(row, now_ns),
        )
        for row in rows
    ]


def revoke_token(config: CollectorConfig, token_id: str) -> None:
    """Revoke a token of the store; a second time changes nothing.

    Raises:
        ConfigError: There is no store, or no such token in it.
    """
    with opened(config) as engine, Store(engine).writing() as writer:
        if not writer.tokens.revoke(token_id, at_ns=time.time_ns()):
            raise ConfigError(
                f"no token {token_id} in the store: `sqlobs-collector token list` shows their ids"
            )


def day_of(time_ns: int) -> str:
    """Return the day of a time, in UTC: `2026-01-31`."""
    return datetime.fromtimestamp(time_ns / 10**9, tz=UTC).date().isoformat()


def _state(row: TokenRow, now_ns: int) -> str:
    if row.revoked_ns is not None:
        return "revoked"
    return "expired" if row.expires_ns <= now_ns else "valid"
