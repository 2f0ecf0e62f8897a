"""What a run's directory remembers of the command that made it: `inputs.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

INPUTS: Final = "inputs.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInputs:
    """What decides about a run's cases and does not stand in its other files."""

    left_out: Mapping[str, int] = field(default_factory=dict)
    """Records of the input that are no cases of the run, by reason."""
    gold_results: Path | None = None
    """The directory of correct results."""
    spider_tables: Path | None = None
    """Spider's `tables.json`."""

    @classmethod
    def read(cls, directory: Path) -> RunInputs:
        """Read what a run's directory remembers; nothing if it has no such file.

        Raises:
            InputError: the file is broken, or names a file or directory that does not exist.
        """
        path = directory / INPUTS
        if not path.is_file():
            return cls()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            counts = {str(name): int(count) for name, count in found["left_out"].items()}
            results, tables = found["gold_results"], found["spider_tables"]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{path} is broken; delete it, or evaluate with --input") from None
        return cls(
            left_out=counts,
            gold_results=None if results is None else Path(results),
            spider_tables=None if tables is None else Path(tables),
        )

    def given(self, *, gold_results: Path | None, spider_tables: Path | None) -> RunInputs:
        """Return the inputs with what a command gives; what it omits stays as it was.

        Raises:
            InputError: what is remembered does not exist anymore.
        """
        return RunInputs(
            left_out=self.left_out,
            gold_results=gold_results or _existing(self.gold_results, "--gold-results DIR"),
            spider_tables=spider_tables or _existing(self.spider_tables, "--spider-tables FILE"),
        )

    def write(self, directory: Path) -> None:
        """Write them below a run's directory; without any, there is no file."""
        path = directory / INPUTS
        if self == RunInputs():
            path.unlink(missing_ok=True)
            return
        document = {
            "left_out": dict(self.left_out),
            "gold_results": _written(self.gold_results),
            "spider_tables": _written(self.spider_tables),
        }
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _written(path: Path | None) -> str | None:
    return None if path is None else str(path.resolve())


def _existing(path: Path | None, option: str) -> Path | None:
    if path is not None and not path.exists():
        raise InputError(
            f"the run was evaluated with {path}, which does not exist; give its place with {option}"
        )
    return path
