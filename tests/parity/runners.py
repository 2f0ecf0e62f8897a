"""How each family of golden vectors is put to our metrics: vector in, named figures out."""

from __future__ import annotations

from sqlobs.metrics.agreement import binary_agreement, cohen_kappa, corrected_rate, fleiss_kappa
from sqlobs.metrics.cells import CANONICAL, RAW
from sqlobs.metrics.comparison import (
    equal_bags,
    equal_permuted_bags,
    equal_permuted_sequences,
    equal_sequences,
    equal_sets,
)
from sqlobs.metrics.denodo import DenodoDetail, denodo_scores, denodo_summary
from sqlobs.metrics.execution_accuracy import ex_set, ex_test_suite
from sqlobs.metrics.intervals import bootstrap_mean, wilson_interval
from sqlobs.metrics.paired_tests import mcnemar
from sqlobs.metrics.partial_credit import (
    FAILED,
    CreditSettings,
    Technique,
    harmonic_mean,
    partial_credit,
)
from sqlobs.metrics.row_matching import RowMatching
from sqlobs.metrics.soft_f1 import soft_f1
from sqlobs.metrics.weighting import Stratum, stratified_rate, weighted_rate
from sqlobs.types import ResultTable

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
    from tests.parity.vectors import cell

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
    match = ex_test_suite(
        vector.reference, vector.predicted, is_ordered=vector.options["order_matters"]
    )
    return {"match": match.equal}


def denodo(vector):
    """Run Denodo's figures."""
    scores = denodo_scores(vector.reference, vector.predicted)
    return {
        "bird_standard_f1": scores.standard_f1,
        "subsetting_percentage": scores.subset_percent,
        "percent_overlap": scores.overlap_percent,
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
            "Percent Subset": summary.subset_percent,
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
        "hajek_rate": rate.rate,
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


def bootstrap_mean_ci(vector):
    """Run the bootstrap of a mean."""
    drawn = bootstrap_mean(vector.options["values"], confidence=vector.options["conf"], min_cases=2)
    return {
        "mean": drawn.estimate,
        "lo": drawn.interval.low,
        "hi": drawn.interval.high,
        "se": drawn.standard_error,
    }


RUNNERS = {
    "bird_ex": bird_ex,
    "bird_soft_f1": bird_soft_f1,
    "bootstrap_mean_ci": bootstrap_mean_ci,
    "cell_equal": cell_equal,
    "cohen_kappa": run_cohen_kappa,
    "denodo": denodo,
    "denodo_summary": run_denodo_summary,
    "ex_modes": ex_modes,
    "fleiss_kappa": run_fleiss_kappa,
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

LEFT_OUT = {
    "flex_agreement": "recomputed from judge records, by the judge",
    "flex_cell": "rendering for the judge's prompt",
    "flex_table": "rendering for the judge's prompt",
    "flex_verdict": "reading the judge's answer",
    "galileo_sql_correctness": "decided by the checker",
    "galileo_sql_efficiency": "decided by the checker and the judge",
    "galileo_sql_injection": "decided by the checker and the judge",
}
"""Families that are no metric's: they belong to the judge and the checker."""
