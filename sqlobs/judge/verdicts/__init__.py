"""The judges: their inputs, their prompts, and the parsing of their verdicts.

Tests: `tests/judge/test_verdict.py`.
Tests of records: `tests/judge/test_calibration.py`.
Tests of context: `tests/judge/test_contradictions.py`.
Tests of categories: `tests/judge/test_dataset.py`.
Tests of flex: `tests/judge/test_endpoint.py`.
Tests of judging, prompt: `tests/judge/test_fallback.py`.
Tests of disguise, reference_free, suspicion, voting: `tests/judge/test_injection.py`.
Tests of alternatives, ensemble, roster: `tests/judge/test_panels.py`.
"""
