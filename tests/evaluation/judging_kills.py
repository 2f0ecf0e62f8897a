"""Kills a judged evaluation and a judged rescoring: no stored reply is paid for again.

    python -m tests.evaluation.judging_kills [--kills 10] [--cases 60] [--concurrency 4]

Files are compared with those of a run that nobody disturbed, except times and the number of calls
that were made again. That number is compared with what the server received.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from sqlobs.judge.replay import ChatReply, serving
from sqlobs.judge.verdicts.categories import DIFFERENCES, INTERNAL_ERRORS
from tests.evaluation.evaluation_kills import database, differing, finish, inputs, keep, started

_ANSWER_S = 0.05
"""How long the server thinks, so that calls are in flight at each kill."""
_STEPS = {
    "evaluation": ("flex", "injection"),
    "rescoring": ("equivalence", "efficiency"),
}
"""The judges that each step asks: others, so that the second finds no stored reply."""


@dataclass(frozen=True)
class JudgedStep:
    """What a step came to that was killed several times."""

    name: str
    kills: int
    needed: int
    """Calls of the same step when nobody disturbs it."""
    received: int
    repeated: int
    """What the run says about calls that were made again."""
    differing: tuple[str, ...]

    @property
    def is_held(self) -> bool:
        """Every lost call is counted, no other was repeated, and the files are the same."""
        return self.received - self.needed <= self.repeated and not self.differing


def killed_judging(
    folder: Path, *, kills: int, cases: int, concurrency: int, seed: int
) -> list[JudgedStep]:
    """Evaluate and rescore with judges, undisturbed and with kills."""
    drawn = random.Random(seed)
    shop, given = database(folder / "shop.db"), inputs(folder / "cases.jsonl", cases)
    needed: dict[str, int] = {}
    found: list[JudgedStep] = []
    with serving(_respond) as server:
        for run in (folder / "plain", folder / "hit"):
            for step, judges in _STEPS.items():
                command = [
                    *_cases(step, run, given, shop),
                    *("--judge-url", server.base_url, "--judge-model", "m"),
                    *("--judge-concurrency", str(concurrency)),
                    *(word for name in judges for word in ("--judge", name)),
                ]
                server.requests.clear()
                if run.name == "plain":
                    finish(command)
                    needed[step] = len(server.requests)
                    keep(run, folder / f"kept {step}")
                    continue
                before = _repeated(run)
                done = _kill(command, kills, drawn, server.requests, needed[step])
                finish(command)
                found.append(
                    JudgedStep(
                        name=step,
                        kills=done,
                        needed=needed[step],
                        received=len(server.requests),
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
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        steps = killed_judging(
            Path(folder),
            kills=args.kills,
            cases=args.cases,
            concurrency=args.concurrency,
            seed=args.seed,
        )
    for step in steps:
        sys.stdout.write(
            f"{step}; {step.received - step.needed} calls made again, at most"
            f" {step.kills * args.concurrency} allowed\n"
        )
    is_bounded = all(step.repeated <= step.kills * args.concurrency for step in steps)
    return int(not (is_bounded and all(step.is_held for step in steps)))


def _respond(request):
    time.sleep(_ANSWER_S)
    fields = request.fields
    if "judgement" in fields:
        menu = INTERNAL_ERRORS + DIFFERENCES
        return ChatReply(json.dumps({key: {"issued": False, "explanation": ""} for key in menu}))
    is_right = "LIMIT" not in fields["predicted_sql"]
    keys = ("correct", "equivalent", "efficient", "dangerous")
    return ChatReply(json.dumps({"reasoning": "Read.", **dict.fromkeys(keys, is_right)}))


def _cases(step: str, run: Path, given: Path, shop: Path) -> list[str]:
    if step == "rescoring":
        return ["--rescore", str(run)]
    return ["--input", str(given), "--dsn", f"sqlite:///{shop}", "--run-dir", str(run)]


def _kill(command, kills, drawn, requests, needed) -> int:
    """Kill the command after random numbers of calls; return how often it was still running."""
    done = 0
    for _ in range(kills):
        process = started(command)
        at = len(requests) + drawn.randint(1, max(1, needed // (kills + 1)))
        while len(requests) < at and process.poll() is None:
            time.sleep(0.002)
        time.sleep(drawn.uniform(0, 2 * _ANSWER_S))
        done += process.poll() is None
        process.kill()
        process.communicate()
    return done


def _repeated(run: Path) -> int:
    path = run / "eval" / "eval_summary.json"
    found = json.loads(path.read_text()) if path.is_file() else {"settings": {}}
    return found["settings"].get("judge_repeated_calls", 0)


if __name__ == "__main__":
    sys.exit(main())
