"""A folder of correct results, as Spider 2.0 has it: `ID.csv`, or `ID_a.csv` and `ID_b.csv`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.evaluation.gold_results import GoldResult
from sqlobs.evaluation.loading.records import read_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_RESULTS: Final = "exec_result"
_ALTERNATIVE: Final = re.compile(r"(?P<id>.+)_[a-z]")
"""As the name `local002_a` of the first of several results."""


@dataclass(frozen=True, slots=True)
class GoldResults:
    """The results of a folder by question."""

    by_id: Mapping[str, tuple[GoldResult, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> GoldResults:
        """Find the files of a folder; a `.jsonl` file beside them says which columns count.

        Raises:
            InputError: the folder has no results, or the conditions are broken.
        """
        results = folder / _RESULTS if (folder / _RESULTS).is_dir() else folder
        paths = sorted(results.glob("*.csv"))
        if not paths:
            raise InputError(f"{folder}: no CSV files, neither there nor in {_RESULTS}")
        conditions = _conditions(folder)
        files: dict[str, list[Path]] = {}
        for path in paths:
            match = _ALTERNATIVE.fullmatch(path.stem)
            is_alternative = match is not None and path.stem not in conditions
            files.setdefault(match["id"] if match and is_alternative else path.stem, []).append(
                path
            )
        return cls({name: _results(held, conditions.get(name, {})) for name, held in files.items()})


def _conditions(folder: Path) -> dict[str, Mapping[str, object]]:
    records = (
        record.fields for path in sorted(folder.glob("*.jsonl")) for record in read_records(path)
    )
    return {str(fields["instance_id"]): fields for fields in records if "instance_id" in fields}


def _results(paths: Sequence[Path], fields: Mapping[str, object]) -> tuple[GoldResult, ...]:
    """Return a question's results; `condition_cols` is one list for all, or a list for each."""
    given = fields.get("condition_cols")
    columns = given if isinstance(given, list) else []
    is_for_each = any(isinstance(entry, list) for entry in columns)
    lists = columns if is_for_each else [columns] * len(paths)
    return tuple(
        GoldResult(
            path=path,
            condition_columns=tuple(place for place in own if isinstance(place, int)),
            ignores_order=fields.get("ignore_order") is True,
        )
        for path, own in zip(paths, [*lists, *([[]] * len(paths))], strict=False)
    )
