from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sqlobs.errors import ConfigError
from sqlobs.metrics.agreement import (
    binary_agreement,
    cohen_kappa,
    corrected_rate,
    fleiss_kappa,
    prediction_powered_rate,
)
from sqlobs.metrics.intervals import (
    Interval,
    bootstrap_mean,
    bootstrap_quantile,
    bootstrap_ratio,
    newcombe_interval,
    wilson_interval,
)
from sqlobs.metrics.paired_tests import (
    benjamini_hochberg,
    cases_needed,
    cochran_q,
    friedman,
    holm,
    mcnemar,
    paired_difference_interval,
    paired_permutation,
)
from sqlobs.metrics.weighting import (
    Stratum,
    stratified_rate,
    trimmed_probabilities,
    weighted_rate,
)

counts = st.integers(0, 200)


@given(counts, counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(successes, failures, confidence):
    """An independent implementation gives the same interval."""
    total = successes + failures
    if not total:
        assert wilson_interval(successes, total) is None
        return
    ours = wilson_interval(successes, total, confidence=confidence)
    theirs = stats.binomtest(successes, total).proportion_ci(confidence, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_agrees_with_the_binomial_test(only_first, only_second):
    """The exact p is the two-sided binomial test at one half."""
    test = mcnemar(only_first, only_second)
    discordant = only_first + only_second
    expected = stats.binomtest(only_first, discordant).pvalue if discordant else 1.0
    assert test.p_exact == pytest.approx(expected)
    assert test.is_chi_square_fair is (discordant >= 25)
    if discordant:
        assert test.p_chi_square == pytest.approx(stats.chi2.sf(test.chi_square, 1))


def test_newcombe_reproduces_the_published_examples():
    """Newcombe 1998, Statistics in Medicine 17: independent example (a), paired example (a)."""
    independent = newcombe_interval(56, 70, 48, 80)
    assert (independent.low, independent.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    paired = paired_difference_interval(36, 12, 2, 0)
    assert (paired.low, paired.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)
    assert newcombe_interval(0, 0, 1, 2) is None
    assert paired_difference_interval(0, 0, 0, 0) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_a_bootstrap_interval_holds_its_mean_and_can_be_repeated(values):
    """Same seed, same interval; the estimate is the plain mean."""
    first = bootstrap_mean(values, resamples=500, seed=3)
    assert first == bootstrap_mean(values, resamples=500, seed=3)
    assert first.estimate == pytest.approx(sum(values) / len(values))
    if len(values) < 5:
        assert first.interval is None
    else:
        assert first.interval.low - 1e-9 <= first.estimate <= first.interval.high + 1e-9


def test_counts_of_equal_queries_are_drawn_like_the_queries():
    """Scipy draws each query; the quantiles and the error agree within what chance explains."""
    values = [0.0] * 130 + [1.0] * 250 + [0.5] * 20
    ours = bootstrap_mean(values, resamples=20_000)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    )
    assert ours.interval.low == pytest.approx(theirs.confidence_interval.low, abs=0.003)
    assert ours.interval.high == pytest.approx(theirs.confidence_interval.high, abs=0.003)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.03)
    assert ours.estimate == 0.65


def test_the_bootstrap_covers_about_as_often_as_it_says():
    """Over many samples of a known population the interval covers its mean."""
    source = random.Random(1)
    covered = 0
    for trial in range(60):
        sample = [float(source.random() < 0.6) for _ in range(40)]
        interval = bootstrap_mean(sample, resamples=400, seed=trial).interval
        covered += interval.low <= 0.6 <= interval.high
    assert covered >= 50


def test_a_ratio_is_computed_anew_in_each_resample():
    """Micro F1 is a ratio of sums: averaging per-query ratios gives another figure."""
    drawn = bootstrap_ratio([1, 0, 9, 3, 2, 8], [1, 5, 10, 10, 2, 10], method="BCa", resamples=800)
    assert drawn.estimate == 23 / 38
    assert drawn.interval.low < drawn.estimate < drawn.interval.high
    assert bootstrap_ratio([], []) is None


def test_clusters_are_drawn_whole():
    """Repeating each query in its session must not make the interval narrower."""
    values = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    once = bootstrap_mean(values, resamples=2000)
    repeated = bootstrap_mean(values * 10, clusters=[*range(8)] * 10, resamples=2000)
    assert repeated.interval.low == pytest.approx(once.interval.low, abs=1e-9)
    assert repeated.interval.high == pytest.approx(once.interval.high, abs=1e-9)


def test_equal_values_have_an_interval_without_width():
    """Without spread there is nothing to resample, not even for BCa."""
    drawn = bootstrap_mean([0.5] * 9, method="BCa")
    assert drawn.interval == Interval(0.5, 0.5)


def test_a_quantile_has_an_interval_from_five_values_on():
    """Latency percentiles carry their uncertainty as rates do."""
    drawn = bootstrap_quantile([*map(float, range(100))], quantile=0.95, resamples=500)
    assert drawn.estimate == pytest.approx(94.05)
    assert drawn.interval.low <= drawn.estimate <= drawn.interval.high
    assert bootstrap_quantile([1.0], quantile=0.5).interval is None
    assert bootstrap_quantile([], quantile=0.5) is None


def test_flipping_signs_finds_a_difference_and_finds_none_where_none_is():
    """The permutation test is small for a steady difference and 1 for none."""
    better = [0.9, 0.8, 0.95, 0.7, 0.9, 0.85, 0.9, 0.8, 0.9, 0.75]
    worse = [value - 0.2 for value in better]
    test = paired_permutation(better, worse, resamples=3000)
    assert test.difference == pytest.approx(0.2)
    assert test.p < 0.02
    assert paired_permutation(better, better).p == 1.0
    assert paired_permutation([], []) is None


def test_cochran_agrees_with_mcnemar_for_two_systems():
    """For two systems Q is McNemar's statistic without the correction."""
    rows = [[True, False]] * 10 + [[False, True]] * 2 + [[True, True]] * 5
    test = cochran_q(rows)
    assert test.statistic == pytest.approx((10 - 2) ** 2 / 12)
    assert test.p == pytest.approx(stats.chi2.sf(test.statistic, 1))
    assert cochran_q([[True, True]]) is None


def test_friedman_is_corrected_for_ties_and_sees_nothing_where_all_are_equal():
    """The example of Hollander and Wolfe (1973): rounding first base in 22 tries, p 0.0038."""
    rows = [
        *([5.40, 5.50, 5.55], [5.85, 5.70, 5.75], [5.20, 5.60, 5.50], [5.55, 5.50, 5.40]),
        *([5.90, 5.85, 5.70], [5.45, 5.55, 5.60], [5.40, 5.40, 5.35], [5.45, 5.50, 5.35]),
        *([5.25, 5.15, 5.00], [5.85, 5.80, 5.70], [5.25, 5.20, 5.10], [5.65, 5.55, 5.45]),
        *([5.60, 5.35, 5.45], [5.05, 5.00, 4.95], [5.50, 5.50, 5.40], [5.45, 5.55, 5.50]),
        *([5.55, 5.55, 5.35], [5.45, 5.50, 5.55], [5.50, 5.45, 5.25], [5.65, 5.60, 5.40]),
        *([5.70, 5.65, 5.55], [6.30, 6.30, 6.25]),
    ]
    assert friedman(rows) == pytest.approx(0.003805, abs=1e-6)
    assert friedman([[1.0, 1.0, 1.0]]) == 1.0
    assert friedman([]) is None


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_values_are_no_smaller_and_keep_their_order(values):
    """Holm is the more careful one; Benjamini-Hochberg agrees with scipy."""
    careful, found = holm(values), benjamini_hochberg(values)
    assert all(h >= b - 1e-12 >= p - 2e-12 for h, b, p in zip(careful, found, values, strict=True))
    if values:
        assert found == pytest.approx(list(stats.false_discovery_control(values)))


def test_a_gate_says_how_many_cases_it_needs():
    """Power analysis for paired binary outcomes, by hand: (1.645 + 0.842)^2 * 0.1 / 0.03^2."""
    assert cases_needed(discordant_share=0.1, difference=0.03) == 687


def test_kappa_of_few_cases_has_a_bootstrapped_interval_and_of_one_class_none():
    """Below fifty cases the normal approximation is not trusted."""
    kappa = cohen_kappa([[8, 2], [1, 9]], resamples=2000)
    assert kappa.value == pytest.approx(0.7)
    assert kappa.interval.low < 0.7 < kappa.interval.high
    assert cohen_kappa([[5, 0], [0, 0]]).value is None
    assert cohen_kappa([[0, 0], [0, 0]]) is None


def test_errors_of_a_judge_are_a_category_of_their_own():
    """A third row and column keeps failed verdicts in the agreement."""
    kappa = cohen_kappa([[40, 2, 3], [4, 45, 6], [0, 0, 0]])
    assert kappa.observed == pytest.approx(0.85)
    assert -1 <= kappa.interval.low < kappa.value < kappa.interval.high <= 1


def test_fleiss_kappa_of_full_agreement_is_one_or_undefined():
    """With one category only, chance agrees as well."""
    assert fleiss_kappa([[3, 0], [0, 3]] * 5, resamples=200).value == 1.0
    assert fleiss_kappa([[3, 0]] * 5).value is None
    assert fleiss_kappa([]) is None


def test_a_judges_agreement_with_humans_is_reported_by_class():
    """The published table: 12 false accepts, 1 false reject."""
    agreement = binary_agreement([[95, 1], [12, 92]])
    assert agreement.accuracy == 0.935
    assert agreement.pabak == pytest.approx(0.87)
    assert binary_agreement([[0, 0], [0, 0]]).accuracy is None


def test_a_corrected_rate_is_clipped_and_undefined_for_a_judge_by_chance():
    """Rogan-Gladen stays within [0, 1] and never divides by a worthless judge."""
    assert corrected_rate(0.01, [[95, 1], [12, 92]]).rate == 0.0
    assert corrected_rate(0.5, [[50, 50], [50, 50]]) is None
    with_error = corrected_rate(0.7, [[95, 1], [12, 92]], judged=1000)
    assert 0.014 < with_error.standard_error < 0.05


def test_prediction_powered_inference_removes_a_constant_bias():
    """A judge that is always 0.1 too high is corrected exactly."""
    judged = [0.5, 0.7, 0.9, 0.7]
    rate = prediction_powered_rate(judged, judged_labeled=[0.6, 0.8], human=[0.5, 0.7])
    assert rate.rate == pytest.approx(0.6)
    assert rate.standard_error == pytest.approx(math.sqrt(0.08 / 3 / 4))
    assert prediction_powered_rate([0.5], judged_labeled=[0.5], human=[1.0]).standard_error is None
    assert prediction_powered_rate([], judged_labeled=[], human=[]) is None


def test_prediction_powered_inference_weights_labels_that_were_chosen_unequally():
    """Faults were labeled ten times as often: a plain mean would correct far too much."""
    judged, chosen = [1.0, 0.0, 1.0, 1.0], [0.1, 0.1, 1.0]
    found = prediction_powered_rate(
        judged, judged_labeled=[1.0, 1.0, 1.0], human=[1.0, 1.0, 0.0], probabilities=chosen
    )
    assert found.rate == pytest.approx(0.75 - 1 / 21)
    alike = [
        prediction_powered_rate(judged, judged_labeled=[1, 0], human=[0, 0], probabilities=each)
        for each in (None, [0.2, 0.2])
    ]
    assert alike[0].standard_error == pytest.approx(alike[1].standard_error)


def test_trimmed_weights_are_within_their_ratio_and_narrow_the_interval():
    """Only what is too heavy changes; the rate moves toward what was kept more often."""
    chances = [1.0, 1.0, 0.5, 0.01]
    trimmed = trimmed_probabilities(chances, ratio=5)
    assert trimmed == [1.0, 1.0, 0.5, pytest.approx(1 / 7.5)]
    whole, cut = (weighted_rate([1, 1, 1, 0], each) for each in (chances, trimmed))
    assert whole.naive_rate > cut.rate > whole.rate
    assert cut.effective_count > whole.effective_count
    assert trimmed_probabilities([]) == []


def test_weights_undo_unequal_sampling():
    """Over many samples the weighted mean comes to the true one, the naive mean does not."""
    source = random.Random(7)
    estimates, naive = [], []
    for _ in range(300):
        kept = []
        for place in range(400):
            correct = place % 4 != 0
            probability = 0.1 if correct else 0.5
            if source.random() < probability:
                kept.append((float(correct), probability))
        rate = weighted_rate(*zip(*kept, strict=True))
        estimates.append(rate.rate)
        naive.append(rate.naive_rate)
    assert sum(estimates) / 300 == pytest.approx(0.75, abs=0.01)
    assert sum(naive) / 300 < 0.45


def test_impossible_probabilities_are_refused_and_heavy_weights_are_told():
    """A probability of 0 cannot have been kept; one huge weight deserves a look."""
    with pytest.raises(ConfigError):
        weighted_rate([1.0], [0.0])
    assert weighted_rate([1.0] * 5, [1.0, 1.0, 1.0, 1.0, 0.01]).has_heavy_weights
    assert weighted_rate([], []) is None


def test_strata_with_a_single_case_are_pooled():
    """A stratum of one has no spread of its own."""
    rate = stratified_rate([Stratum(100, 50, 40), Stratum(10, 1, 0), Stratum(20, 1, 1)])
    assert rate.rate == pytest.approx(100 / 130 * 0.8 + 30 / 130 * 0.5)
    assert stratified_rate([Stratum(100, 50, 40), Stratum(10, 1, 0)]).rate == 40 / 51
    assert stratified_rate([Stratum(100, 0, 0)]) is None
