"""How each family of golden vectors is put to our metrics: vector in, named figures out."""

from __future__ import annotations

from sqlobs import Schema, check_sql
from sqlobs.evaluation.execution_match import execution_match
from sqlobs.evaluation.run_directory import newest_name
from sqlobs.failure_codes import group_of
from sqlobs.judge.verdicts.rendering import Rendering, render_cell, render_table
from sqlobs.judge.verdicts.verdict import read_verdict
from sqlobs.metrics.agreement import binary_agreement, cohen_kappa, corrected_rate, fleiss_kappa
from sqlobs.metrics.cells import CANONICAL, RAW
from sqlobs.metrics.comparison import (
    equal_bags,
    equal_sequences,
    equal_sets,
)
from sqlobs.metrics.credit_score import (
    FAILED,
    CreditSettings,
    Technique,
    harmonic_mean,
    partial_credit,
)
from sqlobs.metrics.denodo import DenodoDetail, denodo_scores, denodo_summary
from sqlobs.metrics.execution_accuracy import ex_set, ex_testsuite
from sqlobs.metrics.intervals import bootstrap_mean, wilson_interval
from sqlobs.metrics.paired_tests import mcnemar
from sqlobs.metrics.permuted_comparison import (
    equal_permuted_bags,
    equal_permuted_sequences,
)
from sqlobs.metrics.published.defog import defog_match, gold_alternatives
from sqlobs.metrics.published.ibm import ibm_scores, ibm_sql_match
from sqlobs.metrics.published.livesqlbench import livesqlbench_ex
from sqlobs.metrics.published.nl2sql360 import query_variance_percent
from sqlobs.metrics.published.spider2 import spider2_table_match
from sqlobs.metrics.published.txt2sql import txt2sql_match
from sqlobs.metrics.row_matching import RowMatching
from sqlobs.metrics.runtime_efficiency import (
    efficiency,
    efficiency_of_ratios,
    reward_efficiency_score,
    valid_efficiency_score,
)
from sqlobs.metrics.soft_f1_score import soft_f1
from sqlobs.metrics.spider.database import SpiderDatabase
from sqlobs.metrics.spider.exact_match import exact_set_match
from sqlobs.metrics.spider.hardness import hardness
from sqlobs.metrics.text_match import exact_match
from sqlobs.metrics.weighting import Stratum, stratified_rate, weighted_rate
from sqlobs.runs.case import CaseResult
from sqlobs.runs.summary import RunSummary
from sqlobs.types import ExecutionOutcome, ResultTable

# The votes of the agreement study's three experts on 200 items, as (0, 1) counts per item.
VOTES = {(3, 0): 87, (2, 1): 15, (1, 2): 16, (0, 3): 82}


class TableEmbedder:
    """Embeds by looking texts up."""

    def __init__(self, vectors):
        self.vectors = vectors

    def embed(self, texts):
        """Return the vector of each text."""
        return [self.vectors[text] for text in texts]


def sqlmorph(vector):
    """Run one of the seven techniques."""
    options = vector.options
    technique = Technique(vector.metric.removeprefix("sqlmorph."))
    if "pred_error" in options or "gold_error" in options:
        credit = FAILED
    else:
        settings = CreditSettings(
            penalize_extra_pred_cols=options.get("penalize_extra_pred_cols", True),
            column_similarity=options.get("column_similarity"),
            similarity_above=options.get("threshold", 0.7),
            embedder=TableEmbedder(options.get("row_embeddings", {})),
            matching=RowMatching(assignment=options.get("assignment", "greedy")),
        )
        credit = partial_credit(
            vector.reference, vector.predicted, technique=technique, settings=settings
        )
    return {"EX": credit.ex, "EXP": credit.exp, "EXR": credit.exr, "F1": credit.f1}


def sqlmorph_f1(vector):
    """Run the harmonic mean."""
    return {"F1": harmonic_mean(vector.options["EXP"], vector.options["EXR"])}


def bird_ex(vector):
    """Run BIRD's EX."""
    return {"ex": ex_set(vector.reference, vector.predicted).equal}


def bird_soft_f1(vector):
    """Run BIRD's Soft-F1."""
    score = soft_f1(vector.reference, vector.predicted)
    return {
        "f1": score.f1,
        "tp": score.true_positives,
        "fp": score.false_positives,
        "fn": score.false_negatives,
    }


def ex_modes(vector):
    """Run the five ways to compare rows."""
    tables = vector.reference, vector.predicted
    return {
        "set": equal_sets(*tables).equal,
        "bag": equal_bags(*tables).equal,
        "ordered": equal_sequences(*tables).equal,
        "bag_colperm": equal_permuted_bags(*tables).equal,
        "ordered_colperm": equal_permuted_sequences(*tables).equal,
    }


def cell_equal(vector):
    """Compare cells under the raw or the canonical rule."""
    from sqlobs.testing.vectors import cell

    pairs = [tuple(map(cell, pair)) for pair in vector.options["pairs"]]
    if vector.options.get("mode") == "raw":
        return {"equal": [_one_cell_equal(one, other, RAW) for one, other in pairs]}
    equal = [CANONICAL.equal(one, other) for one, other in pairs]
    assert equal == [_one_cell_equal(one, other, CANONICAL) for one, other in pairs]
    return {"equal": equal}


def _one_cell_equal(one, other, cells):
    tables = [ResultTable(("a",), ((value,),)) for value in (one, other)]
    return equal_sets(*tables, cells=cells).equal


def testsuite_result_eq(vector):
    """Run the test-suite's comparison."""
    match = ex_testsuite(
        vector.reference, vector.predicted, is_ordered=vector.options["order_matters"]
    )
    return {"match": match.equal}


def denodo(vector):
    """Run Denodo's figures."""
    scores = denodo_scores(vector.reference, vector.predicted)
    return {
        "bird_standard_f1": scores.standard_f1,
        "subsetting_percentage": scores.subset,
        "percent_overlap": scores.overlap,
        "have_same_row_count": scores.same_row_count,
        "results_match": scores.results_match,
    }


def run_denodo_summary(vector):
    """Run Denodo's summary by difficulty."""
    details = [
        DenodoDetail(
            detail["difficulty"],
            detail["results_match"],
            detail["subset"],
            detail["total_execution_time"],
        )
        for detail in vector.options["details"]
    ]
    return {
        name: {
            "Percent Correct Queries": summary.correct_percent,
            "Percent Subset": summary.subset,
            "Number of Samples": summary.sample_count,
            "Mean Time (s)": summary.mean_time_s,
            "Time Std Dev": summary.time_deviation_s,
        }
        for name, summary in denodo_summary(details).items()
    }


def wilson_ci(vector):
    """Run Wilson's interval."""
    k, n = vector.options["k"], vector.options["n"]
    interval = wilson_interval(k, n, confidence=vector.options["conf"])
    return {"p": k / n, "lo": interval.low, "hi": interval.high}


def run_mcnemar(vector):
    """Run McNemar's test."""
    test = mcnemar(vector.options["b"], vector.options["c"])
    return {
        "p_exact": test.p_exact,
        "chi2_cc": test.chi_square,
        "p_chi2_cc": test.p_chi_square,
        "discordant": test.discordant,
    }


def run_cohen_kappa(vector):
    """Run Cohen's kappa."""
    kappa = cohen_kappa(vector.options["table"])
    return {
        "kappa": kappa.value,
        "po": kappa.observed,
        "pe": kappa.expected,
        "se": kappa.standard_error,
        "lo": kappa.interval.low,
        "hi": kappa.interval.high,
    }


def run_fleiss_kappa(vector):
    """Run Fleiss' kappa on the experts' votes."""
    counts = [list(votes) for votes, items in VOTES.items() for _ in range(items)]
    assert (len(counts), sum(counts[0])) == (vector.options["subjects"], vector.options["raters"])
    kappa = fleiss_kappa(counts)
    return {"kappa": kappa.value, "PA": kappa.observed, "PE": kappa.expected}


def run_weighted_rate(vector):
    """Run the weighted rate."""
    rate = weighted_rate(vector.options["y"], vector.options["pi"])
    return {
        "ht_total": rate.total,
        "N_hat": rate.population,
        "hajek_rate": rate.hajek,
        "ht_rate_known_N20": rate.rate_of(20),
        "hajek_se": rate.standard_error,
        "kish_n_eff": rate.effective_count,
        "naive_rate": rate.naive_rate,
    }


def run_stratified_rate(vector):
    """Run the stratified rate."""
    strata = [Stratum(part["N"], part["n"], part["k"]) for part in vector.options["strata"]]
    rate = stratified_rate(strata)
    return {"rate": rate.rate, "se": rate.standard_error, "naive": rate.naive_rate}


def judge_corrected_rate(vector):
    """Run the correction of a judge's rate."""
    table = vector.options["cm"]
    agreement = binary_agreement(table)
    return {
        "se": agreement.sensitivity,
        "sp": agreement.specificity,
        "rate": corrected_rate(vector.options["apparent"], table).rate,
    }


def flex_cell(vector):
    """Run the rendering of a cell for a judge."""
    options = vector.options
    return {"text": render_cell(options["value"], max_characters=options["max_chars"])}


def flex_table(vector):
    """Run the rendering of a table of consecutive numbers for a judge."""
    options = {"head": 10, "max_rows": 20, "max_chars": 30, "n_rows": 0, "n_cols": 1}
    options.update(vector.options)
    rendering = Rendering(
        edge_rows=options["head"],
        max_rows=options["max_rows"],
        max_characters=options["max_chars"],
        has_header=False,
    )
    rows = tuple((number,) * options["n_cols"] for number in range(options["n_rows"]))
    lines = render_table(ResultTable(("n",) * options["n_cols"], rows), rendering).splitlines()
    gap = lines.index("...") if "..." in lines else -1
    return {
        "text": "\n".join(lines),
        "lines": len(lines),
        "data_lines": len(lines) - 1,
        "head": lines[:2],
        "gap_index": gap,
        "after_gap": lines[gap + 1],
        "first_after_gap": lines[gap + 1],
        "last": lines[-1],
        "last_data": lines[-2] if len(lines) > 1 else None,
        "shape": lines[-1],
    }


def flex_verdict(vector):
    """Run the reading of a judge's answer."""
    found = read_verdict(vector.options["content"])
    return {"verdict": found.correct if found else "error"}


def bootstrap_mean_ci(vector):
    """Run the bootstrap of a mean."""
    drawn = bootstrap_mean(vector.options["values"], confidence=vector.options["conf"], min_cases=2)
    return {
        "mean": drawn.estimate,
        "lo": drawn.interval.low,
        "hi": drawn.interval.high,
        "se": drawn.standard_error,
    }


def run_spider(vector):
    """Run the exact set match."""
    match = exact_set_match(
        vector.reference_sql, vector.predicted_sql, database=_spider_database(vector)
    )
    return {
        "exact": match.is_exact,
        "failed_parts": list(match.failed_parts),
        **run_hardness(vector),
    }


def run_hardness(vector):
    """Run the level of hardness."""
    return {"hardness": hardness(vector.reference_sql, database=_spider_database(vector))}


def _spider_database(vector):
    keys = [tuple(pair) for pair in vector.options["foreign_keys"]]
    return SpiderDatabase.of(vector.options["schema"], keys)


def bird_rves(vector):
    """Run R-VES from ratios."""
    found = efficiency_of_ratios(vector.options["ratios"])
    return {
        "kept": found.kept_count,
        "time_ratio": found.time_ratio,
        "reward": found.reward,
        "score": found.reward_score,
    }


def bird_rves_aggregate(vector):
    """Run R-VES over queries."""
    return {"r_ves": reward_efficiency_score(vector.options["rewards"])}


def bird_ves_aggregate(vector):
    """Run VES over queries."""
    return {"ves": valid_efficiency_score(vector.options["time_ratios"])}


def denodo_ves(vector):
    """Run Denodo's reward from timings."""
    options = vector.options
    found = efficiency(
        options["gold_times"], options["pred_times"], is_correct=bool(options["results_match"])
    )
    return {"time_ratio": found.time_ratio, "reward": found.reward}


def ibm_execution(vector):
    """Run IBM's four metrics."""
    scores = ibm_scores(
        vector.reference, vector.predicted, reference_sql=vector.options["gold_sql"]
    )
    return {
        "execution_accuracy": scores.execution,
        "non_empty_execution_accuracy": scores.non_empty_execution,
        "subset_non_empty_execution_accuracy": scores.subset_non_empty_execution,
        "bird_execution_accuracy": scores.bird_execution,
    }


def ibm_sql_equivalence(vector):
    """Run the comparisons of statements without running them."""
    match = ibm_sql_match(vector.reference_sql, vector.predicted_sql)
    return {
        "sql_exact_match": match.exact_match,
        "sqlglot_equivalence": match.sqlglot_equivalence,
        "sqlglot_optimized_equivalence": match.sqlglot_optimized_equivalence,
        "sqlparse_equivalence": match.sqlparse_equivalence,
    }


def run_txt2sql(vector):
    """Run txt2sql's rules."""
    match = txt2sql_match(vector.reference, vector.predicted)
    return {
        "execution_match": match.execution,
        "intent_match": match.intent,
        "essence_match": match.essence,
        "soft_f1_ordered": soft_f1(vector.reference, vector.predicted).f1,
    }


def run_defog(vector):
    """Run defog's two rules."""
    options = vector.options
    match = defog_match(
        vector.reference,
        vector.predicted,
        category=options["query_category"],
        question=options["question"],
    )
    return {"exact_match": match.is_exact, "correct": match.is_correct}


def defog_gold_expansion(vector):
    """Expand a template."""
    return {"queries": gold_alternatives(vector.reference_sql)}


def run_spider2_table_match(vector):
    """Run Spider 2.0's table match."""
    matches = spider2_table_match(
        vector.reference,
        vector.predicted,
        condition_columns=vector.options.get("condition_cols", ()),
        ignores_order=vector.options.get("ignore_order", False),
    )
    return {"score": matches}


def run_livesqlbench_ex(vector):
    """Run LiveSQLBench's EX."""
    is_ordered = vector.options.get("order", False)
    return {"ex": livesqlbench_ex(vector.reference, vector.predicted, is_ordered=is_ordered)}


def nl2sql360_qvt(vector):
    """Run query variance testing."""
    return {"qvt": query_variance_percent(vector.options["groups"].values())}


def pipeline_em(vector):
    """Run the exact match of canonical text."""
    return {"em": exact_match(vector.reference_sql, vector.predicted_sql)}


def pipeline_esm(vector):
    """Run the execution match with a database that lacks the table `missing`."""
    found = execution_match(
        vector.options["gold"],
        vector.options["pred"],
        is_read_only=lambda sql: sql.split()[0].upper() in ("SELECT", "<EXCEEDS"),
        run=_run,
    )
    return {"esm": found.is_match, "bucket": found.bucket}


def _run(sql):
    if sql.startswith("<exceeds"):
        return ExecutionOutcome("timeout", error="too slow")
    if "missing" in sql:
        return ExecutionOutcome("error", error="no such table: missing")
    return ExecutionOutcome("ok", ResultTable(("c",), ((int(sql.split()[-1]),),)))


def _row(reference_sql, predicted_sql, bucket):
    return CaseResult(
        index=0,
        reference_sql=reference_sql,
        predicted_sql=predicted_sql,
        em=exact_match(reference_sql, predicted_sql),
        bucket=bucket,
    )


def run_pipeline_summary(vector):
    """Run the summary over cases that add up to the counts."""
    options = vector.options
    answered = options["total"] - options["both_none"] - options["empty_preds"]
    exact = options["em_pass"] - options["both_none"]
    matched = options["esm_ok"] - options["both_none"]
    cases = [
        *[_row(None, None, "ok")] * options["both_none"],
        *[_row("SELECT 1", "", "skipped")] * options["empty_preds"],
        *[
            _row(
                "SELECT 1",
                "SELECT 1" if place < exact else "SELECT 2",
                "ok" if place < matched else "mismatch",
            )
            for place in range(answered)
        ],
    ]
    summary = RunSummary.of(cases)
    rates = {"EM": summary.exact, "ESM": summary.execution}
    return {
        "total": summary.total,
        "empty_preds": summary.empty_predictions,
        "unanswerable": summary.unanswerable,
        "buckets": summary.buckets,
        **{
            name: {
                "pass": rate.passed,
                "rate": rate.percent,
                "attempted": rate.attempted,
                "rate_attempted": rate.percent_of_attempted,
            }
            for name, rate in rates.items()
        },
    }


def pipeline_latest_run(vector):
    """Find the newest run; the order of the list is that of their last change."""
    names = vector.options["dirs"]
    return {"run_dir": newest_name({name: float(place) for place, name in enumerate(names)})}


def sql_correctness(vector):
    """Return the labels that hold, under the definition of the SQL Correctness document."""
    dialect, tables = vector.options["dialect"], vector.options["schema"]
    schema = None if tables is None else Schema.from_mapping(tables, dialect=dialect)
    report = check_sql(
        vector.options["sql"],
        schema=schema,
        dialect=dialect,
        native=False,
        strict="sql_correctness",
    )
    holds = {"syntactic": report.syntactic, "schematic": report.schematic}
    return {"labels": [label for label, value in holds.items() if value]}


def groups(sql):
    """Return the groups of codes that are found in a statement, hints among them."""
    report = check_sql(sql, strict="sql_correctness")
    return {group_of(finding.code) for finding in report.findings}


def sql_efficiency(vector):
    """Return 1 for a statement without a finding on its efficiency."""
    return {"score": int("efficiency" not in groups(vector.options["sql"]))}


def sql_injection(vector):
    """Return 1 for a statement with a finding on its safety."""
    return {"score": int("safety" in groups(vector.options["sql"]))}


RUNNERS = {
    "bird_rves": bird_rves,
    "bird_rves_aggregate": bird_rves_aggregate,
    "bird_ves_aggregate": bird_ves_aggregate,
    "defog": run_defog,
    "defog_gold_expansion": defog_gold_expansion,
    "denodo_ves": denodo_ves,
    "ibm_execution": ibm_execution,
    "ibm_sql_equivalence": ibm_sql_equivalence,
    "livesqlbench_ex": run_livesqlbench_ex,
    "nl2sql360_qvt": nl2sql360_qvt,
    "pipeline_em": pipeline_em,
    "pipeline_esm": pipeline_esm,
    "pipeline_latest_run": pipeline_latest_run,
    "pipeline_summary": run_pipeline_summary,
    "spider2_table_match": run_spider2_table_match,
    "spider_em": run_spider,
    "spider_hardness": run_hardness,
    "txt2sql": run_txt2sql,
    "bird_ex": bird_ex,
    "bird_soft_f1": bird_soft_f1,
    "bootstrap_mean_ci": bootstrap_mean_ci,
    "cell_equal": cell_equal,
    "cohen_kappa": run_cohen_kappa,
    "denodo": denodo,
    "denodo_summary": run_denodo_summary,
    "ex_modes": ex_modes,
    "fleiss_kappa": run_fleiss_kappa,
    "flex_cell": flex_cell,
    "galileo_sql_correctness": sql_correctness,
    "galileo_sql_efficiency": sql_efficiency,
    "galileo_sql_injection": sql_injection,
    "flex_table": flex_table,
    "flex_verdict": flex_verdict,
    "judge_corrected_rate": judge_corrected_rate,
    "mcnemar": run_mcnemar,
    "sqlmorph.f1": sqlmorph_f1,
    "stratified_rate": run_stratified_rate,
    "testsuite_result_eq": testsuite_result_eq,
    "weighted_rate": run_weighted_rate,
    "wilson_ci": wilson_ci,
    **{f"sqlmorph.{technique.lower()}": sqlmorph for technique in Technique},
}
"""Which runner answers which family of vectors."""

LEFT_OUT = {"flex_agreement": "recomputed from judge records, by the judge"}
"""Families that are no metric's."""
