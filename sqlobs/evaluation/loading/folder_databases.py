"""The SQLite files of a benchmark's folder: one a database, or a test suite of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class FolderDatabases:
    """Where the cases of a folder run."""

    dsn: str | Mapping[str, str]
    """A DSN with `{db}` in it; with test suites, the DSN of each file."""
    suites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The further databases of a database's test suite, as `db/file`."""

    @classmethod
    def of(cls, folder: Path, names: Iterable[str]) -> FolderDatabases:
        """Find the files `NAME/NAME.sqlite`, and those beside them, which form its test suite."""
        held = sorted(set(names))
        suites = {name: _neighbours(folder / name, name) for name in held}
        if not any(suites.values()):
            return cls(f"sqlite:///{folder}/{{db}}/{{db}}.sqlite")
        dsns = {name: f"sqlite:///{folder}/{name}/{name}.sqlite" for name in held}
        for name, files in suites.items():
            dsns |= {f"{name}/{file}": f"sqlite:///{folder}/{name}/{file}" for file in files}
        further = {
            name: tuple(f"{name}/{file}" for file in files) for name, files in suites.items()
        }
        return cls(dsns, further)


def _neighbours(folder: Path, name: str) -> list[str]:
    files = (path.name for path in folder.glob("*.sqlite") if path.is_file())
    return sorted(file for file in files if file != f"{name}.sqlite")
