"""Kills a generation at random moments: `python -m tests.evaluation.kills --kills 10`.

Prints how many questions were answered, how many calls the model's server received, and how many
calls in flight the command says it repeated. Exits with 1 if a recorded answer was asked for again,
or if a file differs from that of an undisturbed generation, except times.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from sqlobs.judge.replay import ChatReply, serving
from tests.evaluation.evaluation_kills import is_database, kill

_TIMES = re.compile(r'"(?:llm_time|total_execution_time|repeated)": [\d.e-]+|run_\d+_\d+')
_ANSWER_S = 0.05
"""How long the server thinks, so that calls are in flight at each kill."""


@dataclass(frozen=True)
class Killed:
    """What a generation came to that was killed several times."""

    kills: int
    answered: int
    received: int
    repeated: int
    differing: tuple[str, ...]


def killed_generation(
    folder: Path, *, kills: int, questions: int, concurrency: int, seed: int
) -> Killed:
    """Generate, kill the process after random numbers of calls, and finish."""
    drawn = random.Random(seed)
    lines = ({"question": f"What is {n}?", "sql": f"SELECT {n}"} for n in range(questions))
    (folder / "questions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (folder / "prompt.txt").write_text("{question}")

    def respond(request):
        time.sleep(_ANSWER_S)
        return ChatReply(f"SELECT {request.user.removeprefix('What is ').rstrip('?')}")

    with serving(respond) as server:
        generate = [
            *(sys.executable, "-m", "sqlobs", "generate", "--json", "--model", "m"),
            *("--model-url", server.base_url, "--prompt", str(folder / "prompt.txt")),
            *("--input", str(folder / "questions.jsonl"), "--concurrency", str(concurrency)),
        ]
        plain = subprocess.run(
            [*generate, "--output", str(folder / "plain")], check=True, capture_output=True
        )
        expected = _files(json.loads(plain.stdout)["directory"])
        server.requests.clear()
        command = [*generate, "--output", str(folder / "run")]
        done = 0
        for _ in range(kills):
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            at = len(server.requests) + drawn.randint(1, max(1, questions // (kills + 1)))
            while len(server.requests) < at and process.poll() is None:
                time.sleep(0.002)
            time.sleep(drawn.uniform(0, 2 * _ANSWER_S))
            done += kill(process)
        finished = subprocess.run(command, check=True, capture_output=True)
        found = json.loads(finished.stdout)
        received = len(server.requests)
    files = _files(found["directory"])
    return Killed(
        kills=done,
        answered=found["statuses"]["answered"],
        received=received,
        repeated=found["repeated_calls"],
        differing=tuple(
            sorted(
                name
                for name in expected.keys() | files.keys()
                if expected.get(name) != files.get(name)
            )
        ),
    )


def _files(directory: str) -> dict[str, str]:
    """Return the texts of a run's files, without what may differ."""
    return {
        path.name: _TIMES.sub("", path.read_text())
        for path in Path(directory).iterdir()
        if not is_database(path)
    }


def main() -> int:
    """Run the proof and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = killed_generation(
            Path(folder),
            kills=args.kills,
            questions=args.questions,
            concurrency=args.concurrency,
            seed=args.seed,
        )
    again = found.received - args.questions
    sys.stdout.write(
        f"{found}; {again} calls made again, at most {found.kills * args.concurrency} allowed\n"
    )
    is_held = found.answered == args.questions and not found.differing
    return int(not (is_held and again <= found.repeated <= found.kills * args.concurrency))


if __name__ == "__main__":
    sys.exit(main())
