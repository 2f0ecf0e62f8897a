"""Offline evaluation: cases from files, answers of a system under test, and scored runs.

`load_cases` reads `Case`s; `evaluate_run` scores them and writes a run directory; `evaluate_pair`
scores one prediction against one reference. `generate_run` asks a `System` (a Python callable or an
HTTP service) every question of a set. The scored rows are in `sqlobs.reporting`.

Tests: `tests/evaluation/test_session.py`.
Tests of judged_items: `tests/judge/test_sample.py`.
Tests of own_scores: `tests/evaluation/test_own_metric.py`.
Tests of statements: `tests/evaluation/test_loading.py`.
Tests of vector_memory: `tests/evaluation/test_local_embedding.py`.
Tests of service_targets: `tests/execution/test_engine_contract.py`.
Tests of pairing: `tests/scores/test_scoring.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Databases
    from sqlobs.evaluation.embedding import EndpointEmbedder
    from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
    from sqlobs.evaluation.generation.answer import Answer, System
    from sqlobs.evaluation.generation.call import CallSystem
    from sqlobs.evaluation.generation.http import HttpSettings, HttpSystem
    from sqlobs.evaluation.generation.placeholders import Surroundings
    from sqlobs.evaluation.generation.run import GenerationSettings, generate_run
    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.evaluation.loading.cases import CaseSet, LoadSettings, load_cases
    from sqlobs.evaluation.loading.run_files import read_run_directory, write_run
    from sqlobs.evaluation.local_embedding import LocalEmbedder
    from sqlobs.evaluation.own_metric import MetricCase, metric
    from sqlobs.evaluation.pair import PairEvaluation, evaluate_pair
    from sqlobs.evaluation.service_targets import denodo_target, http_target
    from sqlobs.evaluation.session import evaluate_run
    from sqlobs.evaluation.session_settings import SessionSettings

__all__ = [
    "Answer",
    "CallSystem",
    "Case",
    "CaseSet",
    "Databases",
    "EndpointEmbedder",
    "EvaluatorSettings",
    "GenerationSettings",
    "HttpSettings",
    "HttpSystem",
    "JudgeSettings",
    "LoadSettings",
    "LocalEmbedder",
    "MetricCase",
    "PairEvaluation",
    "SessionSettings",
    "Surroundings",
    "System",
    "denodo_target",
    "evaluate_pair",
    "evaluate_run",
    "generate_run",
    "http_target",
    "load_cases",
    "metric",
    "read_run_directory",
    "write_run",
]

_HOMES = {
    "Answer": "sqlobs.evaluation.generation.answer",
    "CallSystem": "sqlobs.evaluation.generation.call",
    "Case": "sqlobs.evaluation.case",
    "CaseSet": "sqlobs.evaluation.loading.cases",
    "Databases": "sqlobs.evaluation.databases",
    "EndpointEmbedder": "sqlobs.evaluation.embedding",
    "EvaluatorSettings": "sqlobs.evaluation.evaluator_settings",
    "GenerationSettings": "sqlobs.evaluation.generation.run",
    "HttpSettings": "sqlobs.evaluation.generation.http",
    "HttpSystem": "sqlobs.evaluation.generation.http",
    "JudgeSettings": "sqlobs.evaluation.judging",
    "LoadSettings": "sqlobs.evaluation.loading.cases",
    "LocalEmbedder": "sqlobs.evaluation.local_embedding",
    "MetricCase": "sqlobs.evaluation.own_metric",
    "PairEvaluation": "sqlobs.evaluation.pair",
    "SessionSettings": "sqlobs.evaluation.session_settings",
    "Surroundings": "sqlobs.evaluation.generation.placeholders",
    "System": "sqlobs.evaluation.generation.answer",
    "denodo_target": "sqlobs.evaluation.service_targets",
    "evaluate_pair": "sqlobs.evaluation.pair",
    "evaluate_run": "sqlobs.evaluation.session",
    "generate_run": "sqlobs.evaluation.generation.run",
    "http_target": "sqlobs.evaluation.service_targets",
    "load_cases": "sqlobs.evaluation.loading.cases",
    "metric": "sqlobs.evaluation.own_metric",
    "read_run_directory": "sqlobs.evaluation.loading.run_files",
    "write_run": "sqlobs.evaluation.loading.run_files",
}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
