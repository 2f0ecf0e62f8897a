"""Kills a judged evaluation and a judged rescoring: no stored reply is paid for again.

    python -m tests.evaluation.judging_kills [--kills 10] [--cases 60] [--concurrency 4] [--batch]

Files are compared with those of a run that nobody disturbed, except times and the number of calls
that were made again. That number is compared with what the server received. Some replies are
unreadable; they are paid for, too. With `--batch`, the judges use the Batch API.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlobs.judge.replay import ChatReply, ChatRequest, serving
from sqlobs.judge.verdicts.categories import DIFFERENCES, INTERNAL_ERRORS
from tests.evaluation.evaluation_kills import (
    database,
    differing,
    finish,
    inputs,
    keep,
    kill,
    started,
)
from tests.judge.batches import batching

_ANSWER_S = 0.05
"""How long the server thinks, so that calls are in flight at each kill."""
_STEPS = {
    "evaluation": ("flex", "injection"),
    "rescoring": ("equivalence", "efficiency"),
}
"""The judges that each step asks: others, so that the second finds no stored reply."""
_DIRECT = "POST /v1/chat/completions"
_UNREADABLE = 5
"""The judge talks around every fifth question."""


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """What a step came to that was killed several times."""

    name: str
    kills: int
    needed: int
    """Calls of the same step when nobody disturbs it."""
    received: int
    sent_twice: int
    """Lines that were in two batches."""
    repeated: int
    """What the run says about calls that were made again."""
    differing: tuple[str, ...]

    @property
    def is_held(self) -> bool:
        """Every lost call is counted, no other was repeated, and the files are the same."""
        is_counted = self.received - self.needed <= self.repeated and not self.sent_twice
        return is_counted and not self.differing


@dataclass(frozen=True, slots=True)
class _Server:
    """The model's server: its address, its requests so far, and the calls in them."""

    base_url: str
    requests: list
    batches: dict

    def forget(self):
        """Begin to count again."""
        self.requests.clear()
        self.batches.clear()

    def lines(self):
        """Return how often each line was in a batch."""
        return Counter(
            line["custom_id"] for held in self.batches.values() for line in held["lines"]
        )

    def calls(self):
        """Return how many calls the server was asked for, alone or in batches."""
        direct = sum(
            request == _DIRECT or isinstance(request, ChatRequest) for request in self.requests
        )
        return direct + self.lines().total()


def killed_judging(
    folder: Path, *, kills: int, cases: int, concurrency: int, seed: int, is_batch: bool = False
) -> list[JudgedStep]:
    """Evaluate and rescore with judges, undisturbed and with kills."""
    drawn = random.Random(seed)
    shop, given = database(folder / "shop.db"), inputs(folder / "cases.jsonl", cases)
    needed: dict[str, tuple[int, int]] = {}
    found: list[JudgedStep] = []
    with _serving(is_batch) as server:
        for run in (folder / "plain", folder / "hit"):
            for step, judges in _STEPS.items():
                command = [
                    *_cases(step, run, given, shop),
                    *("--judge-url", server.base_url, "--judge-model", "m"),
                    *("--judge-concurrency", str(concurrency)),
                    *(word for name in judges for word in ("--judge", name)),
                    *(["--judge-batch"] if is_batch else []),
                ]
                server.forget()
                if run.name == "plain":
                    finish(command)
                    needed[step] = server.calls(), len(server.requests)
                    keep(run, folder / f"kept {step}")
                    continue
                before = _repeated(run)
                calls, requests = needed[step]
                done = _kill(command, kills, drawn, server.requests, requests)
                finish(command)
                found.append(
                    JudgedStep(
                        name=step,
                        kills=done,
                        needed=calls,
                        received=server.calls(),
                        sent_twice=sum(count > 1 for count in server.lines().values()),
                        repeated=_repeated(run) - before,
                        differing=tuple(differing(run, folder / f"kept {step}")),
                    )
                )
    return found


def main() -> int:
    """Print what each step came to; return 1 if a stored reply was paid for again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        steps = killed_judging(
            Path(folder),
            kills=args.kills,
            cases=args.cases,
            concurrency=args.concurrency,
            seed=args.seed,
            is_batch=args.batch,
        )
    for step in steps:
        sys.stdout.write(
            f"{step}; {step.received - step.needed} calls made again, at most"
            f" {step.kills * args.concurrency} allowed\n"
        )
    is_bounded = all(step.repeated <= step.kills * args.concurrency for step in steps)
    return int(not (is_bounded and all(step.is_held for step in steps)))


@contextmanager
def _serving(is_batch):
    if is_batch:
        with batching() as server:
            server.says, server.waits = _says, 0
            server.direct = lambda fields: time.sleep(_ANSWER_S) or _says(fields)
            yield _Server(server.base_url, server.paths, server.batches)
    else:
        with serving(_respond) as server:
            yield _Server(server.base_url, server.requests, {})


def _respond(request):
    time.sleep(_ANSWER_S)
    return ChatReply(_says(request.fields))


def _says(fields):
    if int(fields["question"].removeprefix("q")) % _UNREADABLE == 0:
        return "Who knows?"
    if "judgement" in fields:
        menu = INTERNAL_ERRORS + DIFFERENCES
        return json.dumps({key: {"issued": False, "explanation": ""} for key in menu})
    is_right = "LIMIT" not in fields["predicted_sql"]
    keys = ("correct", "equivalent", "efficient", "dangerous")
    return json.dumps({"reasoning": "Read.", **dict.fromkeys(keys, is_right)})


def _cases(step: str, run: Path, given: Path, shop: Path) -> list[str]:
    if step == "rescoring":
        return ["--rescore", str(run)]
    return ["--input", str(given), "--dsn", f"sqlite:///{shop}", "--run-dir", str(run)]


def _kill(command, kills, drawn, requests, needed) -> int:
    """Kill the command after random numbers of requests; return how often it was still running."""
    done = 0
    for _ in range(kills):
        process = started(command)
        at = len(requests) + drawn.randint(1, max(1, needed // (kills + 1)))
        while len(requests) < at and process.poll() is None:
            time.sleep(0.002)
        time.sleep(drawn.uniform(0, 2 * _ANSWER_S))
        done += kill(process)
    return done


def _repeated(run: Path) -> int:
    path = run / "eval" / "eval_summary.json"
    found = json.loads(path.read_text()) if path.is_file() else {"settings": {}}
    return found["settings"].get("judge_repeated_calls", 0)


if __name__ == "__main__":
    sys.exit(main())
