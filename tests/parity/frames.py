"""Recompute IBM's four execution metrics on recorded frames.

    python -m tests.parity.frames FILE

`FILE` (may be gzipped): a JSON object a line with `reference_sql`, `references`, `predicted` and
`expected`. Prints n/total a metric, and every disagreement; 1 if there is any.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path

from sqlobs.metrics.published.ibm import deciding_ibm_scores, ibm_scores
from sqlobs.types import ResultTable

METRICS = {
    "execution_accuracy": "execution",
    "non_empty_execution_accuracy": "non_empty_execution",
    "subset_non_empty_execution_accuracy": "subset_non_empty_execution",
    "bird_execution_accuracy": "bird_execution",
}
"""The recorded names and ours."""


def read_frames(path: Path) -> list[dict]:
    """Read a file of recorded frames."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def recomputed(frame: dict) -> dict[str, int]:
    """Return the four metrics; of several references the deciding one's, 0 after a failure."""
    predicted, sqls = frame["predicted"], frame["reference_sql"]
    if predicted is None:
        return dict.fromkeys(METRICS, 0)
    scores = deciding_ibm_scores(
        [
            ibm_scores(_table(reference), _table(predicted), reference_sql=sql)
            for reference, sql in zip(frame["references"], sqls, strict=False)
            if reference is not None
        ]
    )
    return {name: int(getattr(scores, ours)) for name, ours in METRICS.items()}


def main(arguments: list[str] | None = None) -> int:
    """Print agreement and disagreements."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity.frames", description=__doc__)
    parser.add_argument("file", type=Path)
    frames = read_frames(parser.parse_args(arguments).file)
    agreed: Counter[str] = Counter()
    recorded: Counter[str] = Counter()
    for frame in frames:
        ours = recomputed(frame)
        for name, expected in frame["expected"].items():
            recorded[name] += 1
            agreed[name] += ours[name] == expected
            if ours[name] != expected:
                print(f"{frame['id']}  {name}: recorded {expected}, recomputed {ours[name]}")
    for name in METRICS:
        print(f"{name}  {agreed[name]}/{recorded[name]}")
    return 0 if agreed == recorded else 1


def _table(frame: dict) -> ResultTable:
    return ResultTable(tuple(frame["columns"]), tuple(map(tuple, frame["rows"])))


if __name__ == "__main__":
    sys.exit(main())
