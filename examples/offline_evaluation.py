"""Offline evaluation by worked examples: how wrong is a prediction, and how does a run go?

Four parts: partial credit of one pair (precision, recall, F1 of cells), Denodo's figures, the
labels of SQL Correctness, and a whole run over a small database, from questions to the summary.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import sqlobs
from sqlobs.evaluation import (
    EvaluatorSettings,
    LoadSettings,
    SessionSettings,
    evaluate_pair,
    evaluate_run,
    load_cases,
)
from sqlobs.execution import Executor, Limits, Target
from sqlobs.metrics import efficiency, overlap, soft_f1, subset
from sqlobs.reporting import console_block
from sqlobs.types import ResultTable

SCHOOLS = """
CREATE TABLE schools (code INTEGER PRIMARY KEY, phone TEXT, city TEXT, state TEXT, street TEXT);
CREATE TABLE scores (code INTEGER REFERENCES schools, takers INTEGER, above_1500 INTEGER);
"""
TOP = (
    "SELECT s.phone FROM schools s JOIN scores r USING (code)"
    " ORDER BY r.above_1500 * 1.0 / r.takers"
)
PAIRS = {
    "perfect": (f"{TOP} DESC LIMIT 3", f"{TOP} DESC LIMIT 3"),
    "too many rows": (f"{TOP} DESC LIMIT 3", f"{TOP} DESC LIMIT 10"),
    "too few rows": (f"{TOP} DESC LIMIT 3", f"{TOP} DESC LIMIT 1"),
    "too many columns": (
        f"{TOP} DESC LIMIT 10",
        f"{TOP} DESC LIMIT 10".replace("s.phone", "s.phone, s.city, s.state, s.street"),
    ),
    "other rows": (f"{TOP} DESC LIMIT 3", f"{TOP} ASC LIMIT 3"),
    "does not run": (f"{TOP} DESC LIMIT 3", "SELECT telephone FROM schools"),
}
CASES = (
    {
        "id": "count", "difficulty": "simple", "question": "How many schools are there?",
        "gold": "SELECT count(*) FROM schools", "prediction": "SELECT count(code) FROM schools;",
    },
    {
        "id": "best", "difficulty": "moderate", "question": "Which school is best?",
        "gold": f"{TOP.replace('s.phone', '{s.phone, s.city}')} DESC LIMIT 1",
        "prediction": f"{TOP.replace('s.phone', 's.city')} DESC LIMIT 1",
    },
    {
        "id": "near", "difficulty": "moderate", "question": "Phones of the second city's schools?",
        "gold": "SELECT phone FROM schools WHERE city = 'City 1'",
        "prediction": "```sql\nSELECT phone FROM schools WHERE city <> 'City 0'\n```",
    },
    {
        "id": "invented", "difficulty": "challenging", "question": "Average score by state?",
        "gold": "SELECT state, avg(above_1500) FROM schools JOIN scores USING (code) GROUP BY 1",
        "prediction": "SELECT state, avg(sat_score) FROM schools GROUP BY state",
    },
    {"id": "unknown", "difficulty": "simple", "question": "Who won?", "gold": "None",
     "prediction": "None"},
)  # fmt: skip


def make_database(path: Path) -> None:
    """Write twelve schools in three cities; the higher the code the better the scores."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHOOLS)
        schools = [
            (code, f"555-01{code:02}", f"City {code % 3}", "CA", f"{code} Main St")
            for code in range(12)
        ]
        connection.executemany("INSERT INTO schools VALUES (?, ?, ?, ?, ?)", schools)
        scores = [(code, 100, 5 * code) for code in range(12)]
        connection.executemany("INSERT INTO scores VALUES (?, ?, ?)", scores)
        connection.commit()


def partial_credit(url: str) -> None:
    """Show what EX hides: how much of a wrong result is right."""
    print("one pair            EX   EXP   EXR    F1  diagnosis")
    target = Target.from_url("schools", url)
    with Executor([target], workers=1) as executor:
        for name, (reference, predicted) in PAIRS.items():
            found = evaluate_pair(predicted, reference, target, executor=executor)
            figures = "  ".join(f"{value:4.2f}" for value in found.metrics.values())
            mistake = found.diagnosis.mistake if found.diagnosis is not None else "unknown"
            print(f"{name:18} {figures}  {mistake}")


def denodo_figures() -> None:
    """Show the subset, overlap, F1 and reward of the Denodo evaluator's examples."""
    reference = ResultTable(("a", "b", "c"), ((1, 2, 3), (4, 5, 6)))
    predicted = ResultTable(("a", "b", "c"), ((1, 2, 7), (4, 8, 6)))
    print(f"\nsubset   {subset(reference, predicted):.1f} %")
    print(f"overlap  {overlap(reference, predicted):.1f} %")
    print(f"soft F1  {soft_f1(reference, predicted).f1:.3f}")
    timed = efficiency((0.12, 0.13, 0.11), (0.15, 0.14, 0.16), is_correct=True)
    print(f"ratio    {timed.time_ratio:.2f}, reward {timed.reward}")


def correctness_labels(url: str) -> None:
    """Show the labels of SQL Correctness: valid for the dialect, grounded in the schema."""
    schema = sqlobs.Schema.from_database(url)
    print()
    for sql in (
        "SELECT phone FROM schools",
        "SELECT telephone FROM schools",
        "SELECT TOP 3 phone FROM schools",
        "SELECT FROM WHERE",
    ):
        report = sqlobs.check_sql(sql, schema=schema, strict="sql_correctness")
        decided = {"syntactic": report.syntactic, "schematic": report.schematic}
        print(f"{sql:35} {[name for name, passed in decided.items() if passed]}")


def whole_run(url: str, folder: Path) -> None:
    """Evaluate a file of cases: any right statement counts, `None` is an answer."""
    file = folder / "cases.jsonl"
    file.write_text("".join(f"{json.dumps(case)}\n" for case in CASES), encoding="utf-8")
    cases = load_cases(file, LoadSettings(dialect="sqlite", is_template=True)).cases
    asked = EvaluatorSettings(limits=Limits(timeout_s=5))
    run = evaluate_run(cases, folder / "run_example", SessionSettings(place=url, evaluator=asked))
    print(f"\n{console_block(run)}\n")
    for case in run.cases:
        invented = [finding.identifier for finding in case.check.findings] if case.check else []
        found = f" invented: {', '.join(map(str, invented))}" if invented else ""
        print(f"{case.id}: {case.bucket}, {case.mistake or 'no scores'}{found}")


def main() -> None:
    """Run all four parts in a folder that is removed afterward."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_database(folder / "schools.db")
        url = f"sqlite:///{folder}/schools.db"
        partial_credit(url)
        denodo_figures()
        correctness_labels(url)
        whole_run(url, folder)


if __name__ == "__main__":
    main()
