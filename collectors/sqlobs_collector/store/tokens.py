"""Tokens that an operator creates while the collector runs; only their digests are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import insert, select, update

from sqlobs_collector.store.tables import TOKEN

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from sqlobs_collector.settings.receiving import Right


class TokenRow(NamedTuple):
    """A token; times are Unix times in nanoseconds."""

    id: str
    """Public: `token list` shows it, `token revoke` takes it."""
    workspace: str
    rights: frozenset[Right]
    digest: bytes
    """SHA-256 of the token."""
    purpose: str
    created_ns: int
    expires_ns: int
    revoked_ns: int | None = None


class TokenReader:
    """Reads the tokens."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[TokenRow]:
        """Return all tokens, also those that are no longer valid, the oldest first."""
        query = select(TOKEN).order_by(TOKEN.c.created_ns, TOKEN.c.id)
        with self._engine.connect() as connection:
            return [
                TokenRow(**{**row, "rights": frozenset(row["rights"].split(","))})
                for row in connection.execute(query).mappings()
            ]


class TokenWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, token: TokenRow) -> None:
        """Store a new token."""
        values = {**token._asdict(), "rights": ",".join(sorted(token.rights))}
        self._connection.execute(insert(TOKEN).values(**values))

    def revoke(self, token_id: str, *, at_ns: int) -> bool:
        """Revoke a token; return whether there is such a token. The first revocation counts."""
        is_it = TOKEN.c.id == token_id
        first = update(TOKEN).where(is_it, TOKEN.c.revoked_ns.is_(None)).values(revoked_ns=at_ns)
        self._connection.execute(first)
        return self._connection.execute(select(TOKEN.c.id).where(is_it)).first() is not None
