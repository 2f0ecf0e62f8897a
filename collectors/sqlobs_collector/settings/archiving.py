"""Settings: the cold tier."""

from __future__ import annotations

from pydantic import Field, field_validator

from sqlobs_collector.settings import values

_SCHEMES = ("file:///", "s3://")


class Archive(values.Section):
    """Files that requests are moved into when their texts have expired."""

    url: str | None = Field(
        default=None,
        description="Directory or bucket of the archive: `file:///path` or `s3://bucket/prefix`,"
        " with the credentials of the environment; unset: nothing is archived.",
    )
    after_days: int = Field(
        default=90,
        ge=1,
        le=36_500,
        description="Days after the receipt of a request until it is moved; at least"
        " `retention.payload_s`, as the archive has no texts.",
    )

    @field_validator("url")
    @classmethod
    def _is_known(cls, url: str | None) -> str | None:
        """Reject other schemes."""
        if url is not None and not url.startswith(_SCHEMES):
            raise ValueError(f"{url!r} is not an address: write file:///path or s3://bucket/prefix")
        return url
