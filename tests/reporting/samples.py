"""Runs to report on: a small one with every kind of ending, a hostile one, and large ones."""

from __future__ import annotations

import random
from dataclasses import replace

from sqlobs.runs.case import (
    CaseResult,
    CheckFinding,
    CheckSummary,
    GenerationRecord,
    JudgeVerdict,
    ResultDifference,
    RunOutcome,
)
from sqlobs.runs.run import Run

LONG = (
    "SELECT b.title, count(l.id) AS loans FROM book AS b LEFT JOIN loan AS l ON l.book_id = b.id"
    " WHERE b.year BETWEEN 1990 AND 2000 AND b.genre = 'poetry' GROUP BY b.title"
    " ORDER BY loans DESC LIMIT 5"
)
HOSTILE = (
    "</script><script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "{{ 7 * 7 }} {% raw %} ${7*7} `x` <!--",
    "nul \x00 and bell \x07",
    "\u202egnp.exe\u202c مرحبا שלום",
    "=cmd|' /C calc'!A0",
    "@SUM(1)\t-1+1",
    "\ud800 half",
    "x" * 40_000,
)

CATEGORIES = {
    (True, True): (),
    (True, False): ("incorrect_filtering_condition", "missing_handling_of_nullable_column"),
    (False, False): ("incorrect_schema_linking", "incorrect_filtering_condition"),
    (False, True): ("different_output_structure", "incorrect_ground_truth_query"),
}


def finding(name, meant, *, sql, code="schema.unknown_column"):
    """Return what the checker says about an invented name."""
    start = sql.index(name)
    return CheckFinding(
        code=code,
        severity="error",
        message=f"Unknown column {name}.",
        identifier=name,
        suggestion=meant,
        start=start,
        end=start + len(name),
        line=1,
        column=start + 1,
    )


def passed(index, **fields):
    """Return a case whose results match."""
    sql = fields.pop("predicted_sql", LONG)
    settings = {
        "reference_sql": LONG,
        "question": "Which five poetry books of the nineties were lent most often?",
        "difficulty": "simple",
        "dialect": "sqlite",
        "em": sql == LONG,
        "scores": {"ex": 1.0, "f1": 1.0, "ves_reward": 1.0},
        "mistake": "perfect",
        "shape": {"joins": 1, "has_group": 1},
        "check": CheckSummary(sql=sql, verdict="ok", syntactic=True, schematic=True),
        "reference": RunOutcome(status="ok", elapsed_ms=2.0, rows=5, columns=("title", "loans")),
        "predicted": RunOutcome(status="ok", elapsed_ms=1.0, rows=5, columns=("title", "loans")),
    }
    return CaseResult(index=index, predicted_sql=sql, **settings | fields)


def mismatched(index, **fields):
    """Return a case whose results differ in one cell of one row, and in one more row."""
    settings = {
        "predicted_sql": LONG.replace("LEFT JOIN", "JOIN").replace("2000", "1999"),
        "bucket": "mismatch",
        "difficulty": "moderate",
        "scores": {"ex": 0.0, "f1": 0.85, "ves_reward": 0.0},
        "mistake": "over_prediction",
        "is_close": True,
        "difference": ResultDifference(
            missing=(("Dune", 7),),
            extra=(("Dune", 8), ("Emma", 1)),
            missing_count=1,
            extra_count=2,
        ),
    }
    return passed(index, **settings | fields)


def refused(index, **fields):
    """Return a case whose prediction names a column that is not there."""
    sql = LONG.replace("b.genre", "b.category")
    settings = {
        "predicted_sql": sql,
        "bucket": "pred_fail",
        "reason": "prediction: no such column: b.category",
        "difficulty": "challenging",
        "scores": {"ex": 0.0, "f1": 0.0, "ves_reward": 0.0},
        "mistake": "wrong",
        "shape": {"joins": 3, "has_group": 0},
        "check": CheckSummary(
            sql=sql,
            verdict="failed",
            syntactic=True,
            schematic=False,
            failure_code="schema.unknown_column",
            findings=(finding("category", "genre", sql=sql),),
        ),
        "predicted": RunOutcome(
            status="error",
            error="no such column: b.category",
            engine_class="SQLITE_ERROR",
            failure_code="schema.unknown_column",
        ),
    }
    return passed(index, **settings | fields)


def reference_failed(index, **fields):
    """Return a case whose reference does not run: nothing is known of the prediction."""
    settings = {
        "bucket": "gold_fail",
        "reason": "reference: no such table: book",
        "scores": {},
        "mistake": None,
        "reference": RunOutcome(status="error", error="no such table: book"),
        "predicted": None,
    }
    return passed(index, **settings | fields)


def denodo(match, subset, overlap, *, same_rows, bird_f1):
    """Return the scores that the Denodo evaluator's columns show."""
    return {
        "results_match": match,
        "subset": subset,
        "overlap": overlap,
        "same_row_count": same_rows,
        "bird_f1": bird_f1,
    }


def small_run(name="run_20260301_120000", **settings):
    """Return a run with one case of every kind of ending."""
    cases = (
        passed(0, id="q0"),
        mismatched(1, id="q1"),
        refused(2, id="q2"),
        reference_failed(3, id="q3"),
        CaseResult(index=4, id="q4", em=True, question="What is love?", difficulty="simple"),
        CaseResult(
            index=5,
            id="q5",
            reference_sql=LONG,
            predicted_sql="",
            em=False,
            bucket="skipped",
            reason="empty_prediction",
            difficulty="simple",
        ),
        passed(6, id="q6", predicted_sql="DROP TABLE book", em=False, bucket="non_select"),
        passed(7, id="q7", em=False, bucket="timeout", reason="prediction: after 30 s"),
        passed(8, id="q8", em=False, bucket="other_error", reason="undetermined: budget"),
    )
    return Run(
        name=name,
        cases=cases,
        settings={"dsn_redacted": "sqlite:///library.db", "exec_timeout": 30, **settings},
        versions={"sqlobs": "1.0", "sqlglot": "30.30"},
        started_at="2026-03-01T12:00:00Z",
    )


def hostile_run():
    """Return a run whose every text tries to be something else."""
    cases = tuple(
        mismatched(
            place,
            id=text,
            question=text,
            difficulty=text,
            db=text,
            reference_sql=f"SELECT '{text}'",
            predicted_sql=f'SELECT "{text}"',
            reason=text,
            mistake=text,
            check=CheckSummary(
                sql=f'SELECT "{text}"',
                verdict="failed",
                schematic=False,
                findings=(finding("SELECT", text, sql=f'SELECT "{text}"', code=text),),
            ),
            difference=ResultDifference(missing=((text, None),), extra=((text, 1.5),)),
            reference=RunOutcome(status="ok", rows=1, columns=(text, text)),
            predicted=RunOutcome(status="error", error=text, columns=(text, ""), failure_code=text),
            generation=GenerationRecord(model=text, error=text),
            judge=JudgeVerdict(judge=text, correct=None, explanation=text, categories=(text,)),
        )
        for place, text in enumerate(HOSTILE)
    )
    return Run(name=HOSTILE[0], cases=cases, settings={HOSTILE[1]: HOSTILE[0]})


def large_run(count, *, seed=7, name="run_20260301_120000"):
    """Return a run of many cases in believable shares, the same for the same seed."""
    draw = random.Random(seed)
    makers = (passed, mismatched, refused, reference_failed)
    cases = []
    for index in range(count):
        maker = draw.choices(makers, (70, 17, 11, 2))[0]
        timings = GenerationRecord(
            model="recorded-model",
            input_tokens=draw.randint(900, 1_600),
            output_tokens=draw.randint(40, 200),
            sql_execution_time=round(draw.expovariate(12), 3),
            vector_store_search_time=round(draw.expovariate(8), 3),
            llm_time=round(draw.gammavariate(4, 0.4), 3),
            total_execution_time=round(draw.gammavariate(5, 0.5), 3),
        )
        cases.append(
            maker(
                index,
                id=f"library-{index:05d}",
                db=draw.choice(("library", "archive", "press")),
                difficulty=draw.choice(("simple", "moderate", "challenging")),
                shape={"joins": draw.randint(0, 4), "has_group": draw.randint(0, 1)},
                generation=timings,
            )
        )
    return Run(name=name, cases=tuple(cases), settings=small_run().settings)


def judged_run(count=120, *, name="judged", seed=5):
    """Return a run with a judge's verdicts: some against execution, some missing."""
    draw = random.Random(seed)
    cases = []
    for case in large_run(count, seed=seed, name=name).cases:
        correct = case.is_match if draw.random() < 0.85 else not case.is_match
        menu = CATEGORIES[case.is_match, correct]
        verdict = JudgeVerdict(
            judge="flex/v1/judge-model",
            correct=None if draw.random() < 0.03 else correct,
            explanation="Step by step: the filter on the year excludes its last one.",
            categories=tuple(draw.sample(menu, min(len(menu), draw.choice((1, 1, 2))))),
        )
        cases.append(replace(case, judge=verdict))
    return Run(name=name, cases=tuple(cases))
