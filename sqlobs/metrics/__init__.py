"""Scores of a prediction against a reference, and the statistics of scores: pure functions.

- Execution accuracy and comparison of result tables: `ex` and its variants, `equal_bags`, …
- Partial credit: `partial_credit`, `soft_f1`, `denodo_scores`, `diagnose`.
- Statements: `exact_match`, `tree_match`, `sql_shape`; runtimes: `efficiency`.
- Published evaluators under their own names, to compare with a leaderboard: Spider, Spider 2.0,
  LiveSQLBench, Defog, IBM, txt2sql, NL2SQL360, Ragas.
- Statistics: intervals, paired tests, agreement, weighted and corrected rates, rankings.

Tests: `tests/metrics/test_comparison.py`.
Tests of judge_correction: `tests/judge/test_calibration.py`.
Tests of denodo, soft_f1_score: `tests/metrics/test_contradictions.py`.
Tests of column_alignment, diagnosis, embedding, row_matching: `tests/metrics/test_credit_score.py`.
Tests of row_similarity: `tests/metrics/test_credit_score.py`.
Tests of match: `tests/metrics/test_digest.py`.
Tests of labels, runtime_efficiency: `tests/metrics/test_efficiency_and_labels.py`.
Tests of cells: `tests/metrics/test_comparison.py`.
Tests of column_hashing, number_groups: `tests/metrics/test_large_comparison.py`.
Tests of shared_rows: `tests/metrics/test_laws.py`.
Tests of parsing: `tests/metrics/test_published.py`.
Tests of repeated_samples: `tests/metrics/test_repeated_samples.py`.
Tests of rate_change: `tests/metrics/test_rate_change.py`.
Tests of agreement, intervals, paired_tests, weighting: `tests/metrics/test_statistics.py`.
Tests of sampled_share: `tests/collector/test_honest_rates.py`.
Tests of order_by, ordering, statement_parts: `tests/metrics/test_text_and_tree.py`.
Tests of text_match, tree_comparison: `tests/metrics/test_text_and_tree.py`.
Tests of tolerant_comparison: `tests/metrics/test_tolerance.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.metrics.agreement import (
        BinaryAgreement,
        CorrectedRate,
        Kappa,
        binary_agreement,
        cohen_kappa,
        corrected_rate,
        fleiss_kappa,
        prediction_powered_rate,
    )
    from sqlobs.metrics.cells import CanonicalCells, CellRule, RawCells
    from sqlobs.metrics.comparison import (
        equal_bags,
        equal_sequences,
        equal_sets,
        equal_tied_sequences,
    )
    from sqlobs.metrics.credit_score import CreditSettings, PartialCredit, Technique, partial_credit
    from sqlobs.metrics.denodo import (
        DenodoDetail,
        DenodoScores,
        DenodoSummary,
        denodo_scores,
        denodo_summary,
        overlap,
        subset,
    )
    from sqlobs.metrics.diagnosis import Diagnosis, DiagnosisThresholds, diagnose
    from sqlobs.metrics.digest import Digester, TableDigest, match_of_digests, set_match_of_digests
    from sqlobs.metrics.embedding import Embedder
    from sqlobs.metrics.execution_accuracy import (
        ex,
        ex_non_empty,
        ex_set,
        ex_subset,
        ex_testsuite,
    )
    from sqlobs.metrics.intervals import (
        Bootstrap,
        Interval,
        bootstrap_mean,
        bootstrap_quantile,
        bootstrap_ratio,
        newcombe_interval,
        wilson_interval,
    )
    from sqlobs.metrics.judge_correction import CorrectedEstimate, corrected_estimate
    from sqlobs.metrics.labels import (
        LabelAgreement,
        SqlCorrectness,
        is_valid_and_grounded,
        label_agreement,
    )
    from sqlobs.metrics.match import Match
    from sqlobs.metrics.order_by import ordering_of
    from sqlobs.metrics.ordering import Ordering
    from sqlobs.metrics.paired_tests import (
        CochranQ,
        McNemar,
        PermutationTest,
        benjamini_hochberg,
        cases_needed,
        cochran_q,
        difference_seen,
        holm,
        mcnemar,
        paired_difference_interval,
        paired_permutation,
        wilcoxon,
    )
    from sqlobs.metrics.published.defog import DefogMatch, defog_match, gold_alternatives
    from sqlobs.metrics.published.ibm import (
        IbmScores,
        IbmSqlMatch,
        deciding_ibm_scores,
        ibm_scores,
        ibm_sql_match,
    )
    from sqlobs.metrics.published.ibm_logic import logic_execution_accuracy, logic_statement
    from sqlobs.metrics.published.livesqlbench import livesqlbench_ex, simplified_sql
    from sqlobs.metrics.published.nl2sql360 import query_variance_percent
    from sqlobs.metrics.published.ragas import DataDiff, data_diff
    from sqlobs.metrics.published.spider2 import (
        spider2_number_match,
        spider2_table_match,
        spider2_text_match,
    )
    from sqlobs.metrics.published.txt2sql import Txt2SqlMatch, txt2sql_match
    from sqlobs.metrics.ranking import Contestant, KindMean, Leaderboard, Place, leaderboard
    from sqlobs.metrics.repeated_samples import Majority, majority_result, pass_at_k
    from sqlobs.metrics.runtime_efficiency import (
        Efficiency,
        efficiency,
        efficiency_of_ratios,
        reward,
        reward_efficiency_score,
        timing_order,
        valid_efficiency_score,
        without_outliers,
    )
    from sqlobs.metrics.shared_rows import row_overlap
    from sqlobs.metrics.soft_f1_score import SoftF1, soft_f1
    from sqlobs.metrics.spider.corpus import (
        LevelCounts,
        PartRates,
        SpiderCase,
        hardness_counts,
        spider_corpus,
    )
    from sqlobs.metrics.spider.database import SpiderDatabase
    from sqlobs.metrics.spider.exact_match import ExactMatch, PartScore, exact_set_match
    from sqlobs.metrics.spider.execution import ex_spider2018
    from sqlobs.metrics.spider.hardness import hardness
    from sqlobs.metrics.spider.parser import UnsupportedSqlError
    from sqlobs.metrics.spider.suite import plugged_statements, suite_statement
    from sqlobs.metrics.statement_parts import SqlShape
    from sqlobs.metrics.text_match import (
        canonical_text,
        exact_match,
        exact_match_of_any,
        is_unanswerable,
        same_select_text,
    )
    from sqlobs.metrics.tree_comparison import TreeMatch, sql_shape, tree_match
    from sqlobs.metrics.weighting import (
        StratifiedRate,
        Stratum,
        WeightedRate,
        stratified_rate,
        trimmed_probabilities,
        weighted_rate,
    )

__all__ = [
    "BinaryAgreement",
    "Bootstrap",
    "CanonicalCells",
    "CellRule",
    "CochranQ",
    "Contestant",
    "CorrectedEstimate",
    "CorrectedRate",
    "CreditSettings",
    "DataDiff",
    "DefogMatch",
    "DenodoDetail",
    "DenodoScores",
    "DenodoSummary",
    "Diagnosis",
    "DiagnosisThresholds",
    "Digester",
    "Efficiency",
    "Embedder",
    "ExactMatch",
    "IbmScores",
    "IbmSqlMatch",
    "Interval",
    "Kappa",
    "KindMean",
    "LabelAgreement",
    "Leaderboard",
    "LevelCounts",
    "Majority",
    "Match",
    "McNemar",
    "Ordering",
    "PartRates",
    "PartScore",
    "PartialCredit",
    "PermutationTest",
    "Place",
    "RawCells",
    "SoftF1",
    "SpiderCase",
    "SpiderDatabase",
    "SqlCorrectness",
    "SqlShape",
    "StratifiedRate",
    "Stratum",
    "TableDigest",
    "Technique",
    "TreeMatch",
    "Txt2SqlMatch",
    "UnsupportedSqlError",
    "WeightedRate",
    "benjamini_hochberg",
    "binary_agreement",
    "bootstrap_mean",
    "bootstrap_quantile",
    "bootstrap_ratio",
    "canonical_text",
    "cases_needed",
    "cochran_q",
    "cohen_kappa",
    "corrected_estimate",
    "corrected_rate",
    "data_diff",
    "deciding_ibm_scores",
    "defog_match",
    "denodo_scores",
    "denodo_summary",
    "diagnose",
    "difference_seen",
    "efficiency",
    "efficiency_of_ratios",
    "equal_bags",
    "equal_sequences",
    "equal_sets",
    "equal_tied_sequences",
    "ex",
    "ex_non_empty",
    "ex_set",
    "ex_spider2018",
    "ex_subset",
    "ex_testsuite",
    "exact_match",
    "exact_match_of_any",
    "exact_set_match",
    "fleiss_kappa",
    "gold_alternatives",
    "hardness",
    "hardness_counts",
    "holm",
    "ibm_scores",
    "ibm_sql_match",
    "is_unanswerable",
    "is_valid_and_grounded",
    "label_agreement",
    "leaderboard",
    "livesqlbench_ex",
    "logic_execution_accuracy",
    "logic_statement",
    "majority_result",
    "match_of_digests",
    "mcnemar",
    "newcombe_interval",
    "ordering_of",
    "overlap",
    "paired_difference_interval",
    "paired_permutation",
    "partial_credit",
    "pass_at_k",
    "plugged_statements",
    "prediction_powered_rate",
    "query_variance_percent",
    "reward",
    "reward_efficiency_score",
    "row_overlap",
    "same_select_text",
    "set_match_of_digests",
    "simplified_sql",
    "soft_f1",
    "spider2_number_match",
    "spider2_table_match",
    "spider2_text_match",
    "spider_corpus",
    "sql_shape",
    "stratified_rate",
    "subset",
    "suite_statement",
    "timing_order",
    "tree_match",
    "trimmed_probabilities",
    "txt2sql_match",
    "valid_efficiency_score",
    "weighted_rate",
    "wilcoxon",
    "wilson_interval",
    "without_outliers",
]

_HOMES = {
    "BinaryAgreement": "sqlobs.metrics.agreement",
    "Bootstrap": "sqlobs.metrics.intervals",
    "CanonicalCells": "sqlobs.metrics.cells",
    "CellRule": "sqlobs.metrics.cells",
    "CochranQ": "sqlobs.metrics.paired_tests",
    "Contestant": "sqlobs.metrics.ranking",
    "CorrectedEstimate": "sqlobs.metrics.judge_correction",
    "CorrectedRate": "sqlobs.metrics.agreement",
    "CreditSettings": "sqlobs.metrics.credit_score",
    "DataDiff": "sqlobs.metrics.published.ragas",
    "DefogMatch": "sqlobs.metrics.published.defog",
    "DenodoDetail": "sqlobs.metrics.denodo",
    "DenodoScores": "sqlobs.metrics.denodo",
    "DenodoSummary": "sqlobs.metrics.denodo",
    "Diagnosis": "sqlobs.metrics.diagnosis",
    "DiagnosisThresholds": "sqlobs.metrics.diagnosis",
    "Digester": "sqlobs.metrics.digest",
    "Efficiency": "sqlobs.metrics.runtime_efficiency",
    "Embedder": "sqlobs.metrics.embedding",
    "ExactMatch": "sqlobs.metrics.spider.exact_match",
    "IbmScores": "sqlobs.metrics.published.ibm",
    "IbmSqlMatch": "sqlobs.metrics.published.ibm",
    "Interval": "sqlobs.metrics.intervals",
    "Kappa": "sqlobs.metrics.agreement",
    "KindMean": "sqlobs.metrics.ranking",
    "LabelAgreement": "sqlobs.metrics.labels",
    "Leaderboard": "sqlobs.metrics.ranking",
    "LevelCounts": "sqlobs.metrics.spider.corpus",
    "Match": "sqlobs.metrics.match",
    "Majority": "sqlobs.metrics.repeated_samples",
    "McNemar": "sqlobs.metrics.paired_tests",
    "Ordering": "sqlobs.metrics.ordering",
    "PartRates": "sqlobs.metrics.spider.corpus",
    "PartScore": "sqlobs.metrics.spider.exact_match",
    "PartialCredit": "sqlobs.metrics.credit_score",
    "PermutationTest": "sqlobs.metrics.paired_tests",
    "Place": "sqlobs.metrics.ranking",
    "RawCells": "sqlobs.metrics.cells",
    "SoftF1": "sqlobs.metrics.soft_f1_score",
    "SpiderCase": "sqlobs.metrics.spider.corpus",
    "SpiderDatabase": "sqlobs.metrics.spider.database",
    "SqlCorrectness": "sqlobs.metrics.labels",
    "SqlShape": "sqlobs.metrics.statement_parts",
    "StratifiedRate": "sqlobs.metrics.weighting",
    "Stratum": "sqlobs.metrics.weighting",
    "TableDigest": "sqlobs.metrics.digest",
    "Technique": "sqlobs.metrics.credit_score",
    "TreeMatch": "sqlobs.metrics.tree_comparison",
    "Txt2SqlMatch": "sqlobs.metrics.published.txt2sql",
    "UnsupportedSqlError": "sqlobs.metrics.spider.parser",
    "WeightedRate": "sqlobs.metrics.weighting",
    "benjamini_hochberg": "sqlobs.metrics.paired_tests",
    "binary_agreement": "sqlobs.metrics.agreement",
    "bootstrap_mean": "sqlobs.metrics.intervals",
    "bootstrap_quantile": "sqlobs.metrics.intervals",
    "bootstrap_ratio": "sqlobs.metrics.intervals",
    "canonical_text": "sqlobs.metrics.text_match",
    "cases_needed": "sqlobs.metrics.paired_tests",
    "cochran_q": "sqlobs.metrics.paired_tests",
    "cohen_kappa": "sqlobs.metrics.agreement",
    "corrected_estimate": "sqlobs.metrics.judge_correction",
    "corrected_rate": "sqlobs.metrics.agreement",
    "data_diff": "sqlobs.metrics.published.ragas",
    "deciding_ibm_scores": "sqlobs.metrics.published.ibm",
    "defog_match": "sqlobs.metrics.published.defog",
    "denodo_scores": "sqlobs.metrics.denodo",
    "denodo_summary": "sqlobs.metrics.denodo",
    "diagnose": "sqlobs.metrics.diagnosis",
    "difference_seen": "sqlobs.metrics.paired_tests",
    "efficiency": "sqlobs.metrics.runtime_efficiency",
    "efficiency_of_ratios": "sqlobs.metrics.runtime_efficiency",
    "equal_bags": "sqlobs.metrics.comparison",
    "equal_sequences": "sqlobs.metrics.comparison",
    "equal_sets": "sqlobs.metrics.comparison",
    "equal_tied_sequences": "sqlobs.metrics.comparison",
    "ex": "sqlobs.metrics.execution_accuracy",
    "ex_non_empty": "sqlobs.metrics.execution_accuracy",
    "ex_set": "sqlobs.metrics.execution_accuracy",
    "ex_spider2018": "sqlobs.metrics.spider.execution",
    "ex_subset": "sqlobs.metrics.execution_accuracy",
    "ex_testsuite": "sqlobs.metrics.execution_accuracy",
    "exact_match": "sqlobs.metrics.text_match",
    "exact_match_of_any": "sqlobs.metrics.text_match",
    "exact_set_match": "sqlobs.metrics.spider.exact_match",
    "fleiss_kappa": "sqlobs.metrics.agreement",
    "gold_alternatives": "sqlobs.metrics.published.defog",
    "hardness": "sqlobs.metrics.spider.hardness",
    "hardness_counts": "sqlobs.metrics.spider.corpus",
    "holm": "sqlobs.metrics.paired_tests",
    "ibm_scores": "sqlobs.metrics.published.ibm",
    "ibm_sql_match": "sqlobs.metrics.published.ibm",
    "is_unanswerable": "sqlobs.metrics.text_match",
    "is_valid_and_grounded": "sqlobs.metrics.labels",
    "label_agreement": "sqlobs.metrics.labels",
    "leaderboard": "sqlobs.metrics.ranking",
    "livesqlbench_ex": "sqlobs.metrics.published.livesqlbench",
    "logic_execution_accuracy": "sqlobs.metrics.published.ibm_logic",
    "logic_statement": "sqlobs.metrics.published.ibm_logic",
    "match_of_digests": "sqlobs.metrics.digest",
    "majority_result": "sqlobs.metrics.repeated_samples",
    "mcnemar": "sqlobs.metrics.paired_tests",
    "newcombe_interval": "sqlobs.metrics.intervals",
    "ordering_of": "sqlobs.metrics.order_by",
    "overlap": "sqlobs.metrics.denodo",
    "paired_difference_interval": "sqlobs.metrics.paired_tests",
    "paired_permutation": "sqlobs.metrics.paired_tests",
    "partial_credit": "sqlobs.metrics.credit_score",
    "plugged_statements": "sqlobs.metrics.spider.suite",
    "prediction_powered_rate": "sqlobs.metrics.agreement",
    "query_variance_percent": "sqlobs.metrics.published.nl2sql360",
    "reward": "sqlobs.metrics.runtime_efficiency",
    "reward_efficiency_score": "sqlobs.metrics.runtime_efficiency",
    "pass_at_k": "sqlobs.metrics.repeated_samples",
    "row_overlap": "sqlobs.metrics.shared_rows",
    "same_select_text": "sqlobs.metrics.text_match",
    "set_match_of_digests": "sqlobs.metrics.digest",
    "simplified_sql": "sqlobs.metrics.published.livesqlbench",
    "soft_f1": "sqlobs.metrics.soft_f1_score",
    "spider2_number_match": "sqlobs.metrics.published.spider2",
    "spider2_table_match": "sqlobs.metrics.published.spider2",
    "spider2_text_match": "sqlobs.metrics.published.spider2",
    "spider_corpus": "sqlobs.metrics.spider.corpus",
    "sql_shape": "sqlobs.metrics.tree_comparison",
    "stratified_rate": "sqlobs.metrics.weighting",
    "subset": "sqlobs.metrics.denodo",
    "suite_statement": "sqlobs.metrics.spider.suite",
    "timing_order": "sqlobs.metrics.runtime_efficiency",
    "tree_match": "sqlobs.metrics.tree_comparison",
    "trimmed_probabilities": "sqlobs.metrics.weighting",
    "txt2sql_match": "sqlobs.metrics.published.txt2sql",
    "valid_efficiency_score": "sqlobs.metrics.runtime_efficiency",
    "weighted_rate": "sqlobs.metrics.weighting",
    "wilson_interval": "sqlobs.metrics.intervals",
    "without_outliers": "sqlobs.metrics.runtime_efficiency",
    "wilcoxon": "sqlobs.metrics.paired_tests",
}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
