"""Settings: where units and what is found out about them are stored."""

from __future__ import annotations

from typing import Final

from pydantic import Field, field_validator

from sqlobs_collector.secrets import Secret  # noqa: TC001 - pydantic reads it
from sqlobs_collector.settings import values

_SCHEMES: Final = ("postgresql://", "postgres://")


class Store(values.Section):
    """The store of units, evaluations, labels and golden cases."""

    url: values.KnownSecret | None = Field(
        default=None,
        description="PostgreSQL database (14 or later) of the store, as"
        " `postgresql://user@host/name`, behind PgBouncer in transaction mode with"
        " `?pgbouncer=true`; may be `env:`. Unset: a SQLite file in `data_dir`.",
    )

    @field_validator("url")
    @classmethod
    def _is_postgresql(cls, url: Secret | None) -> Secret | None:
        """Reject other databases."""
        if url is not None:
            server_url(url)
        return url


def server_url(given: Secret) -> str:
    """Return the address of a PostgreSQL database.

    Raises:
        ValueError: It is another one's, or the reference cannot be resolved.
    """
    url = given.reveal()
    if not url.startswith(_SCHEMES):
        raise ValueError(
            "the store must be a PostgreSQL database: write postgresql://user@host/name, or"
            " remove the setting for a SQLite file in data_dir"
        )
    return url
