"""The files of an archive: a directory or a bucket, written whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from sqlobs.errors import ConfigError, MissingExtraError
from sqlobs_collector.archive.schemas import schema_of
from sqlobs_collector.datadir import make_durable

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind: TypeAlias = Literal["unit", "evaluation", "report"]
KINDS: Final[tuple[Kind, ...]] = ("unit", "evaluation", "report")
_ENDING: Final = ".parquet"
_DRAFT: Final = ".tmp"
_LEVEL: Final = 6
_EPOCH: Final = date(1970, 1, 1)


class FileName(NamedTuple):
    """Which file: `KIND/WORKSPACE/2026-01-31.parquet`."""

    kind: Kind
    workspace: str
    day: str
    """In UTC."""

    @property
    def path(self) -> str:
        """The path below the archive's address."""
        return f"{self.kind}/{quote(self.workspace, safe='')}/{self.day}{_ENDING}"


class ArchiveFiles:
    """Reads and replaces the files at an address.

    Args:
        url: `file:///path` or `s3://bucket/prefix`.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ConfigError: The address cannot be used.
    """

    def __init__(self, url: str) -> None:
        try:
            import pyarrow as pa
            from pyarrow import fs
        except ImportError as error:
            raise MissingExtraError("archive.url", extra="metrics") from error
        try:
            self._system, self._base = fs.FileSystem.from_uri(url)
        except (pa.ArrowException, OSError) as error:
            raise ConfigError(f"archive.url cannot be used: {error}") from error
        self._is_local = isinstance(self._system, fs.LocalFileSystem)

    def names(self, kind: Kind, workspace: str | None = None) -> list[FileName]:
        """Return the files of a kind, by workspace and day."""
        from pyarrow import fs

        where = "" if workspace is None else f"/{quote(workspace, safe='')}"
        chosen = fs.FileSelector(
            f"{self._base}/{kind}{where}", recursive=True, allow_not_found=True
        )
        paths = (one.path.split("/") for one in self._system.get_file_info(chosen) if one.is_file)
        return sorted(
            FileName(kind, unquote(parts[-2]), parts[-1].removesuffix(_ENDING))
            for parts in paths
            if parts[-1].endswith(_ENDING)
        )

    def table(self, name: FileName, columns: list[str] | None = None) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return a file as an Arrow table, its checksums verified; an empty one if there is none.

        Raises:
            OSError: It is damaged, or cannot be read.
        """
        import pyarrow.parquet as pq

        schema = schema_of(name.kind)
        try:
            with self._system.open_input_file(self._path(name)) as file:
                return pq.read_table(file, columns=columns, page_checksum_verification=True)
        except FileNotFoundError:
            empty = schema.empty_table()
            return empty if columns is None else empty.select(columns)

    def count(self, name: FileName) -> int:
        """Return the number of rows of a file."""
        import pyarrow.parquet as pq

        with self._system.open_input_file(self._path(name)) as file:
            rows: int = pq.read_metadata(file).num_rows
        return rows

    @contextmanager
    def replacing(self, name: FileName) -> Iterator[Any]:
        """Write a file that takes the place of the one of that name when all of it is durable.

        Yields a writer of Arrow tables. A file without rows is deleted.

        Raises:
            OSError: It cannot be written, or what was written cannot be read; the one before stays.
        """
        import pyarrow.parquet as pq

        path = self._path(name)
        draft, folder = path + _DRAFT, path.rpartition("/")[0]
        self._system.create_dir(folder, recursive=True)
        written = _Counting(
            pq.ParquetWriter(
                draft,
                schema_of(name.kind),
                filesystem=self._system,
                compression="zstd",
                compression_level=_LEVEL,
                write_page_checksum=True,
            )
        )
        with written.writer:
            yield written
        self._verify(draft, written.rows)
        self._sync(draft)
        if written.rows:
            self._system.move(draft, path)
            self._sync(folder)
        else:
            self._system.delete_file(draft)
            self.delete(name)

    def delete(self, name: FileName) -> None:
        """Delete a file, if it is there."""
        try:
            self._system.delete_file(self._path(name))
        except FileNotFoundError:
            return

    def _verify(self, path: str, rows: int) -> None:
        import pyarrow.parquet as pq

        with self._system.open_input_file(path) as file:
            found = pq.read_table(file, page_checksum_verification=True).num_rows
        if found != rows:
            raise OSError(f"{path} has {found} rows, {rows} were written")

    def _sync(self, path: str) -> None:
        """Make a file or a folder durable; a bucket has done it when it responds."""
        if self._is_local:
            make_durable(path)

    def _path(self, name: FileName) -> str:
        return f"{self._base}/{name.path}"


def day_name(day: int) -> str:
    """Return the name of a day, counted from 1970: `2026-01-31`."""
    return (_EPOCH + timedelta(days=day)).isoformat()


class _Counting:
    """A writer that knows how many rows it wrote."""

    def __init__(self, writer: Any) -> None:  # noqa: ANN401 - pyarrow has no types
        self.writer = writer
        self.rows = 0

    def write(self, table: Any) -> None:  # noqa: ANN401 - as above
        """Append a table."""
        if table.num_rows:
            self.writer.write_table(table.cast(self.writer.schema))
            self.rows += table.num_rows
