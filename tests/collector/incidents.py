"""Incidents with a planted cause, written to a real store and explained.

    python -m tests.collector.incidents --incidents 200
    python -m tests.collector.incidents --incidents 200 --hard

Each incident has its own workspace: a day of requests of two or three workflows, some models,
prompt versions and tenants, then one cause that makes its requests invent names. A third of them
has an innocent change at the same time. The explanation is right if the planted group is named
first.

With `--hard`, requests invent names at rates that differ by workflow and swing with the time of day,
the shares of the models drift, and a planted tenant may be any that has enough requests for an alert
of its own, down to about one in a hundred.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs_collector.explaining.explanation import Explainer
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.dispatcher import ORDINARY
from sqlobs_collector.store.incidents import IncidentReader
from sqlobs_collector.store.rows import UnitRow
from sqlobs_collector.store.writing import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

CAUSES = ("model", "prompt_version", "schema_version", "tenant", "service_version")
START_NS = 1_800_000_000 * 10**9
HOUR_NS = 3600 * 10**9
BASELINE_H = 24
LONGEST_H = 6
FAILURES_OF_AN_ALERT = 10


@dataclass
class World:
    """A service with its traffic, and what happens to it."""

    rng: random.Random
    cause: str
    per_hour: int
    is_hard: bool = False
    workflows: list[str] = field(init=False)
    models: list[str] = field(init=False)
    tenants: list[str] = field(init=False)
    planted: str = field(init=False)
    rate: float = field(init=False)
    """Share of the planted group's requests that invent names."""
    noise: float = field(init=False)
    reach: float = field(init=False)
    """Share of the requests that the new version gets."""
    has_bystander: bool = field(init=False)
    usual: dict[str, float] = field(init=False)
    """Of each workflow: what its noise is multiplied by."""
    swing: float = field(init=False)
    """Where the day begins, in radians."""

    def __post_init__(self) -> None:
        rng = self.rng
        self.workflows = [f"workflow-{n}" for n in range(rng.randint(2, 3))]
        self.models = [f"model-{n}" for n in range(rng.randint(2, 3))]
        self.tenants = [f"tenant-{n}" for n in range(rng.randint(5, 30))]
        self.rate = rng.uniform(0.3, 1.0)
        self.noise = rng.uniform(0, 0.01)
        self.reach = rng.uniform(0.2, 1.0)
        self.has_bystander = rng.random() < 1 / 3
        spread = (0.3, 3.0) if self.is_hard else (1.0, 1.0)
        self.usual = {name: rng.uniform(*spread) for name in self.workflows}
        self.swing = rng.uniform(0, 2 * math.pi)
        self.planted = {
            "model": rng.choice(self.models),
            "tenant": rng.choice(self.candidates),
            "prompt_version": "prompt-new",
            "schema_version": "schema-new",
            "service_version": "release-new",
        }[self.cause]

    @property
    def candidates(self) -> list[str]:
        """The tenants that may be to blame: the largest, or all that can cause an alert."""
        if not self.is_hard:
            return self.tenants[:4]
        whole = sum(1 / n for n in range(1, len(self.tenants) + 1))
        failures = self.per_hour * LONGEST_H * self.rate / whole
        return [
            name
            for n, name in enumerate(self.tenants, start=1)
            if failures / n >= 2 * FAILURES_OF_AN_ALERT
        ]

    def requests(self, since_h: float, until_h: float) -> Iterator[dict[str, object]]:
        """Yield requests in the order of time; hour 0 is when the incident begins."""
        count = round((until_h - since_h) * self.per_hour)
        for at_h in sorted(self.rng.uniform(since_h, until_h) for _ in range(count)):
            yield self._request(at_h)

    def _request(self, at_h: float) -> dict[str, object]:
        rng, is_after = self.rng, at_h >= 0
        workflow = rng.choice(self.workflows)
        drift = 0.02 * (at_h + BASELINE_H) if self.is_hard else 0.0
        said = {
            "workflow": workflow,
            "model": rng.choices(self.models, weights=self._weights(drift))[0],
            "tenant": rng.choices(self.tenants, [1 / n for n in range(1, len(self.tenants) + 1)])[
                0
            ],
            "prompt_version": f"{workflow}-prompt-{rng.randint(1, 2)}",
            "schema_version": "schema-old",
            "service_version": "release-old",
        }
        if is_after:
            self._change(said)
        is_planted = is_after and said[self.cause] == self.planted
        is_bad = rng.random() < (self.rate if is_planted else self._noise(workflow, at_h))
        return {**said, "occurred_ns": START_NS + round(at_h * HOUR_NS), "hallucinated": is_bad}

    def _weights(self, drift: float) -> list[float]:
        """Return the shares of the models: the last one takes from the first."""
        weights = [float(n) for n in range(len(self.models), 0, -1)]
        return [weights[0] - drift, *weights[1:-1], weights[-1] + drift]

    def _noise(self, workflow: str, at_h: float) -> float:
        swing = 0.7 * math.sin(2 * math.pi * at_h / 24 + self.swing) if self.is_hard else 0.0
        return self.noise * self.usual[workflow] * (1 + swing)

    def _change(self, said: dict[str, object]) -> None:
        if self.cause == "prompt_version" and said["workflow"] == self.workflows[0]:
            self._roll_out(said, "prompt_version", self.planted, self.reach)
        if self.cause == "schema_version":
            said["schema_version"] = self.planted
        if self.cause == "service_version":
            self._roll_out(said, "service_version", self.planted, self.reach)
        if self.has_bystander:
            innocent = "prompt_version" if self.cause == "service_version" else "service_version"
            self._roll_out(said, innocent, "bystander", 0.4)

    def _roll_out(self, said: dict[str, object], name: str, value: str, share: float) -> None:
        if self.rng.random() < share:
            said[name] = value


def row(number: int, workspace: str, request: dict[str, object]) -> UnitRow:
    """Return a unit as the projector writes it."""
    is_bad = request["hallucinated"]
    known = dict.fromkeys(UnitRow._fields)
    told = {
        "workspace": workspace,
        "trace_id": f"{number + 1:032x}",
        "span_id": f"{number + 1:016x}",
        "source": "unit",
        "received_ns": request["occurred_ns"],
        "service_name": "shop",
        "environment": "prod",
        "outcome": "answered",
        "verdict": "failed" if is_bad else "ok",
        "failure_code": "schema.unknown_table" if is_bad else None,
        "syntactic": True,
        "schematic": not is_bad,
        "state": "sampled_out",
        "state_ns": request["occurred_ns"],
        "provenance": "live",
        "priority": ORDINARY,
    }
    return UnitRow(**{**known, **told, **request})


def is_seen(request: dict[str, object], world: World) -> bool:
    """Return whether the alert counts a request: any failure, or those of the group it is about."""
    is_of_group = not world.is_hard or request[world.cause] == world.planted
    return bool(request["hallucinated"]) and is_of_group


def explained(store: Store, explainer: Explainer, world: World, workspace: str) -> dict:
    """Write an incident and return the explanation that an alert's link gives."""
    after = list(world.requests(0, LONGEST_H))
    alert_ns = max(
        START_NS + round(world.rng.uniform(0.2, 0.7) * HOUR_NS),
        [one["occurred_ns"] for one in after if is_seen(one, world)][FAILURES_OF_AN_ALERT],
    )
    requests = [
        *world.requests(-BASELINE_H, 0),
        *(one for one in after if one["occurred_ns"] < alert_ns),
    ]
    with store.writing() as writer:
        writer.units.put(row(number, workspace, one) for number, one in enumerate(requests))
    labels = 'alertname="SqlobsSchemaHallucination",service_name="shop"'
    return explainer.explain(workspace, {"labels": labels, "at": f"{alert_ns / 1e9:.6f}"})


def first_named(found: dict) -> tuple[str | None, str | None]:
    """Return the group that is named first."""
    if not found["explanations"]:
        return None, None
    best = found["explanations"][0]
    return best["dimension"], best["value"]


def run(
    incidents: int, *, per_hour: int, seed: int, is_hard: bool = False
) -> tuple[int, Counter, list[str]]:
    """Return how many causes were found, the counts by cause, and a line for each miss."""
    right, counts, missed = 0, Counter(), []
    with tempfile.TemporaryDirectory() as directory:
        engine = open_store(Path(directory))
        store, explainer = Store(engine), Explainer(IncidentReader(engine))
        for number in range(incidents):
            cause = CAUSES[number % len(CAUSES)]
            world = World(random.Random(f"{seed}:{number}"), cause, per_hour, is_hard)
            found = explained(store, explainer, world, f"w{number}")
            is_right = first_named(found) == (cause, world.planted)
            right += is_right
            counts[cause, is_right] += 1
            if not is_right:
                missed.append(f"{number}: planted {cause} {world.planted}: {found['summary']}")
        engine.dispose()
    return right, counts, missed


def main() -> None:
    """Print how often the planted cause was named first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--incidents", type=int, default=200)
    parser.add_argument("--per-hour", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hard", action="store_true", help="drift, and small tenants")
    args = parser.parse_args()
    right, counts, missed = run(
        args.incidents, per_hour=args.per_hour, seed=args.seed, is_hard=args.hard
    )
    of_cause = {cause: (counts[cause, True], counts[cause, False]) for cause in CAUSES}
    lines = [f"{cause}: {good} of {good + bad}" for cause, (good, bad) in of_cause.items()]
    share = f"{right} of {args.incidents} ({right / args.incidents:.1%})"
    sys.stdout.write("\n".join([*missed, *lines, f"planted cause named first: {share}", ""]))


if __name__ == "__main__":
    main()
