"""Parquet files at a path or an address: `s3://bucket/units.parquet`."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlobs.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator


def located(address: str, option: str) -> tuple[Any, str]:
    """Return the file system of a path or an address, and the path in it.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ConfigError: The address cannot be used.
    """
    try:
        import pyarrow as pa
        from pyarrow import fs
    except ImportError as error:
        raise MissingExtraError(option, extra="metrics") from error
    if "://" not in address:
        return fs.LocalFileSystem(), str(Path(address).absolute())
    try:
        system, path = fs.FileSystem.from_uri(address)
    except (pa.ArrowException, OSError) as error:
        raise ConfigError(f"{option} {address} cannot be used: {error}") from error
    return system, path


@contextmanager
def opened_file(address: str) -> Iterator[Any]:
    """Open a Parquet file for reading.

    Raises:
        ConfigError: It cannot be read.
    """
    system, path = located(address, "--from")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with system.open_input_file(path) as source:
            yield pq.ParquetFile(source)
    except (pa.ArrowInvalid, OSError) as error:
        raise ConfigError(f"cannot read {address}: {' '.join(str(error).split())}") from error
