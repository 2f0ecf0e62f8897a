from __future__ import annotations

import json

import psycopg
import pytest
from prometheus_client import CollectorRegistry

from sqlobs import Schema
from sqlobs.dialects.catalog import checker_version
from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Limits, Target
from sqlobs.scores.registry import ONLINE_SCORES
from sqlobs.semconv.evaluations import LOCAL_ENGINE, ONLINE
from sqlobs_collector.evaluation.evaluation_selection import EvaluationSelection
from sqlobs_collector.evaluation.evaluator import Evaluator
from sqlobs_collector.evaluation.outcomes import UNAVAILABLE_PATIENCE_S
from sqlobs_collector.evaluation.requests import Targets, TargetSettings
from sqlobs_collector.evaluation.schemas import Schemas
from sqlobs_collector.evaluation.scorer import Scorer
from sqlobs_collector.evaluation.scoring import ALL
from sqlobs_collector.evaluation.turn_size import MOST_AT_ONCE, TurnSize
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.settings.evaluating import EVALUATIONS
from sqlobs_collector.settings.judging import FLEX, FLEX_NOREF, FURTHER
from sqlobs_collector.store.dispatcher import RETRY_S
from sqlobs_collector.store.golden import GoldenReader
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.conftest import SHOP
from tests.collector.running import wait_until
from tests.collector.stores import EMBEDDED, on_both
from tests.collector.test_units import Station, send, unit, why
from tests.servers import PostgresServer

store_kind = on_both(pytest.mark.slow)

COMPARED = tuple(ONLINE_SCORES)


class Evaluation(Station):
    """A station with an evaluator at its end."""

    def __init__(
        self,
        tmp_path,
        *,
        targets,
        limits=None,
        session=None,
        golden=None,
        executor=None,
        wanted=None,
        local=None,
        kind=EMBEDDED,
    ):
        super().__init__(tmp_path, kind)
        self.evaluated = CollectorRegistry()
        self._own = Executor(targets, workers=1) if executor is None else None
        self.executor = executor or self._own
        known = {
            target.alias: TargetSettings(
                target.dialect,
                limits or Limits(),
                session or {},
                is_default=target is targets[0],
            )
            for target in targets
        }
        self.scorer = Scorer(
            executor=self.executor,
            targets=Targets(known),
            golden=golden and golden(GoldenReader(self.engine)),
            wanted=EvaluationSelection(wanted or {}),
            schemas=Schemas(StoreReader(self.engine), urls={}),
            local=local,
            clock_ns=lambda: self.now_ns,
        )
        self.evaluator = Evaluator(
            StoreReader(self.engine),
            Store(self.engine),
            self.scorer,
            workers=1,
            flow=PipelineMetrics(self.evaluated),
            clock_ns=lambda: self.now_ns,
        )

    def evaluate(
        self, sql: str, reference: str | None = None, *, number: int = 1, **named
    ) -> dict[str, tuple]:
        body = {"sqlobs.query.text": sql}
        if reference is not None:
            body["sqlobs.reference.query.text"] = reference
        sent = unit(number, body=body, **{"sqlobs__query__capture": "raw", **named})
        self.receive(records.logs(sent))
        self.evaluator.evaluate()
        return self.scores()

    def scores(self) -> dict[str, tuple]:
        rows = self.query("SELECT metric, label, value, reason FROM evaluation")
        return {metric: tuple(rest) for metric, *rest in rows}

    def state(self) -> tuple:
        [(state, reason, *_)] = self.states()
        return state, reason

    def detail(self) -> dict[str, object]:
        [(text,)] = self.query("SELECT detail FROM evaluation WHERE metric = 'execution'")
        return json.loads(text)

    def close(self) -> None:
        if self._own is not None:
            self._own.close()
        super().close()


@pytest.fixture
def evaluation(tmp_path, shop, executor, store_kind):
    """Units run on the shop."""
    target = Target.from_url("shop", f"sqlite:///{shop}")
    built = Evaluation(tmp_path, kind=store_kind, targets=[target], executor=executor)
    yield built
    built.close()


def test_equal_rows_pass_every_comparison(evaluation):
    """Another text, the same rows: EX, set EX and full cells."""
    scores = evaluation.evaluate(
        "SELECT region, SUM(total) FROM orders WHERE region IS NOT NULL GROUP BY region",
        "SELECT region, sum(total) FROM orders GROUP BY region HAVING region <> ''",
    )
    assert scores == dict.fromkeys(("execution", *COMPARED), ("pass", 1.0, None))
    assert evaluation.state() == ("done", None)
    detail = evaluation.detail()
    assert 0 < detail.pop("wait_s") < 60
    assert detail == {
        "rows": "2-9",
        "empty": False,
        "truncated": False,
        "engine_label": "pass",
    }


def test_other_rows_fail_with_partial_credit(evaluation):
    """Two of three cells: precision 1, recall 2/3, F1 0.8."""
    scores = evaluation.evaluate(
        "SELECT total FROM orders WHERE total >= 10", "SELECT total FROM orders WHERE total > 0"
    )
    assert scores["ex"] == scores["ex_set"] == ("fail", 0.0, None)
    assert scores["exp"] == ("pass", 1.0, None)
    assert scores["exr"] == ("fail", pytest.approx(2 / 3), None)
    assert scores["f1"] == ("fail", pytest.approx(0.8), None)


def test_order_counts_where_the_reference_promises_it(evaluation):
    """The same bag in another order is no answer to a ranking; as a set it is."""
    scores = evaluation.evaluate(
        "SELECT total FROM orders WHERE total > 0",
        "SELECT total FROM orders WHERE total > 0 ORDER BY total DESC",
    )
    assert (scores["ex"][0], scores["ex_set"][0]) == ("fail", "pass")


def test_sql_that_the_engine_rejects_fails_with_its_code(evaluation):
    """An invented column: not run, no rows, the engine's label is fail."""
    scores = evaluation.evaluate("SELECT revenue FROM orders", "SELECT total FROM orders")
    assert scores == dict.fromkeys(("execution", *COMPARED), ("fail", 0.0, None))
    assert evaluation.query("SELECT explanation FROM evaluation WHERE metric = 'execution'") == [
        ("schema.unknown_column",)
    ]
    assert evaluation.detail()["engine_label"] == "fail"


def test_without_a_reference_only_the_execution_is_scored(evaluation):
    """An empty result is reported, not judged."""
    scores = evaluation.evaluate("SELECT total FROM orders WHERE id = 4")
    assert scores.pop("execution") == ("pass", 1.0, None)
    assert scores == dict.fromkeys(COMPARED, ("not_evaluated", None, "no_reference"))
    assert evaluation.detail()["empty"] is True
    assert evaluation.state() == ("done", None)


@pytest.mark.parametrize(
    ("sql", "reference", "reason", "state"),
    [
        (
            "SELECT 1",
            "SELECT nothing FROM orders",
            "reference_failed",
            ("done", "reference_failed"),
        ),
        ("SELECT 1", "DELETE FROM orders", "reference_failed", ("done", "reference_failed")),
        (
            "SELECT random() FROM orders",
            "SELECT id FROM orders",
            "nondeterministic",
            ("nondeterministic", "nondeterministic"),
        ),
    ],
)
def test_results_that_cannot_be_compared_do_not_fail(
    evaluation, shop, sql, reference, reason, state
):
    """A reason instead of a guess, and the database as it was."""
    before = shop.read_bytes()
    scores = evaluation.evaluate(sql, reference)
    assert scores["ex"] == ("not_evaluated", None, reason)
    assert evaluation.state() == state
    assert shop.read_bytes() == before


@pytest.mark.parametrize(
    ("sql", "rejection"),
    [
        ("DELETE FROM orders", "not_read_only"),
        ("SELECT 1; SELECT 2", "several_statements"),
        ("SELECT load_extension('x')", "function_not_allowed"),
        ("SELECT name FROM pragma_table_info('orders')", "function_not_allowed"),
    ],
)
def test_a_rejected_statement_scores_0_with_the_rejection(evaluation, shop, sql, rejection):
    """It is not run, so it has no execution; against a reference it fails."""
    before = shop.read_bytes()
    scores = evaluation.evaluate(sql, "SELECT count(*) FROM orders")
    assert scores.pop("execution") == ("not_evaluated", None, "refused")
    assert scores == dict.fromkeys(COMPARED, ("fail", 0.0, None))
    assert evaluation.query("SELECT DISTINCT explanation FROM evaluation") == [(rejection,)]
    assert evaluation.state() == ("refused", "refused")
    assert shop.read_bytes() == before


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ({"sqlobs__outcome": "abstained"}, "abstained"),
        ({"sqlobs__outcome": "clarified"}, "clarified"),
        ({"sqlobs__outcome": "cancelled"}, "cancelled"),
        ({"sqlobs__outcome": "error"}, "call_failed"),
        ({"sqlobs__query__capture": "masked"}, "content_not_captured"),
        ({"sqlobs__query__capture": "redacted"}, "content_not_captured"),
        ({"sqlobs__query__truncated": True}, "truncated"),
        ({"sqlobs__target__name": "elsewhere"}, "no_target"),
    ],
)
def test_what_is_not_run_says_why(evaluation, named, reason):
    """Each skip has a reason of the closed list, on every evaluation."""
    scores = evaluation.evaluate("SELECT 1", **named)
    assert set(scores.values()) == {("not_evaluated", None, reason)}


@pytest.mark.parametrize(
    ("sql", "ex", "state"),
    [
        ("SELECT id FROM orders WHERE id > 0", ("pass", 1.0, None), ("done", None)),
        ("SELECT id FROM orders WHERE id < 4", ("fail", 0.0, None), ("truncated", "truncated")),
    ],
)
def test_digests_of_the_whole_results_decide_where_rows_were_cut(tmp_path, shop, sql, ex, state):
    """Two rows of four are fetched and agree; what the digests leave open stays undecided."""
    station = Evaluation(
        tmp_path,
        targets=[Target.from_url("shop", f"sqlite:///{shop}")],
        limits=Limits(max_rows=2),
    )
    scores = station.evaluate(sql, "SELECT id FROM orders")
    assert (scores["execution"], scores["ex"]) == (("pass", 1.0, None), ex)
    undecided = ("not_evaluated", None, "truncated")
    assert scores["f1"] == (undecided if ex[0] == "fail" else ex)
    assert station.state() == state
    station.close()


def test_a_cut_result_that_no_digest_decides_is_not_evaluated(tmp_path, shop):
    """Numbers that are equal only within the tolerance may round to different digests."""
    station = Evaluation(
        tmp_path,
        targets=[Target.from_url("shop", f"sqlite:///{shop}")],
        limits=Limits(max_rows=2),
    )
    scores = station.evaluate(
        "SELECT id + 0.5 + CASE id WHEN 4 THEN 0.25 ELSE 0 END FROM orders",
        "SELECT id + 0.5 FROM orders",
    )
    assert scores["ex"] == ("not_evaluated", None, "truncated")
    assert station.state() == ("truncated", "truncated")
    station.close()


def test_an_unreachable_target_is_retried_and_then_abandoned(tmp_path, shop):
    """Held while it is away; done when it is back; expired after an hour."""
    path = tmp_path / "later.db"
    station = Evaluation(tmp_path, targets=[Target.from_url("shop", f"sqlite:///{path}")])
    assert station.evaluate("SELECT 1")["execution"] == (
        "not_evaluated",
        None,
        "target_unavailable",
    )
    assert station.state() == ("held", "target_unavailable")
    assert station.evaluator.evaluate() == 0
    station.now_ns += (UNAVAILABLE_PATIENCE_S + 1) * 10**9
    assert station.evaluator.evaluate() == 1
    assert station.state() == ("expired", "target_unavailable")
    station.close()


def test_a_target_that_is_available_again_receives_its_units(tmp_path, shop):
    """Nothing is lost by an outage."""
    path = tmp_path / "later.db"
    station = Evaluation(tmp_path, targets=[Target.from_url("shop", f"sqlite:///{path}")])
    station.evaluate("SELECT count(*) FROM orders")
    path.write_bytes(shop.read_bytes())
    station.later(RETRY_S[0] + 1)
    station.evaluator.evaluate()
    assert station.scores()["execution"] == ("pass", 1.0, None)
    assert station.state() == ("done", None)
    station.close()


def test_a_second_evaluation_replaces_the_first(evaluation):
    """Key (unit, metric, version): repeated work shows once."""
    first = evaluation.evaluate("SELECT 1", "SELECT 1")
    evaluation.change("UPDATE unit SET state = 'queued'")
    evaluation.evaluator.evaluate()
    assert evaluation.scores() == first
    assert evaluation.query("SELECT count(*) FROM evaluation") == [(1 + len(COMPARED),)]


def test_every_state_that_a_unit_enters_is_counted(evaluation):
    """Running too: what is taken out of the queue and what comes out of it can be compared."""
    evaluation.evaluate("SELECT count(*) FROM orders")
    assert evaluation.counts("units", "state", of=evaluation.evaluated) == {
        ("running",): 1,
        ("done",): 1,
    }


def test_stop_leaves_the_rest_of_the_queue_for_the_next_start(evaluation):
    """A service that stops does not work off a long queue first."""
    evaluation.evaluator.start()
    evaluation.evaluator.stop()
    evaluation.evaluator.stop()
    assert evaluation.evaluate("SELECT 1") == {}
    assert evaluation.state() == ("queued", None)


def test_a_service_scores_what_it_receives(launch, shop):
    """From the wire to the scores: `why` shows them, `/metrics` counts them."""
    collector = launch(targets={"shop": {"url": f"sqlite:///{shop}", "default": True}})
    good = {
        "sqlobs.query.text": "SELECT count(*) FROM orders",
        "sqlobs.reference.query.text": "SELECT count(id) FROM orders",
    }
    bad = {"sqlobs.query.text": "SELECT revenue FROM orders"}
    labels = {"sqlobs__query__capture": "raw", "sqlobs__syntactic": True}
    send(
        collector,
        records.logs(
            unit(1, body=good, sqlobs__schematic=True, **labels),
            unit(2, body=bad, sqlobs__schematic=False, **labels),
        ),
    )
    trace = records.trace_id(1).hex()
    [path] = wait_until(
        lambda: [one for one in why(collector, trace) if one["state"] == "done"], within_s=40
    )
    evaluated = {
        step["metric"]: step["label"] for step in path["steps"] if step["step"] == "evaluation"
    }
    assert evaluated == dict.fromkeys(("execution", *COMPARED), "pass")
    page = wait_until(
        lambda: page if 'engine_label="fail"' in (page := collector.metrics()) else None
    )
    who = 'deployment_environment_name="prod"'
    assert (
        f'sqlobs_collector_comparisons_total{{{who},engine_label="fail",service_name="sales",'
        'static_label="fail",workspace="default"} 1.0'
    ) in page
    assert (
        f'sqlobs_collector_evaluations_total{{{who},evaluation="ex",kind="engine",label="pass",'
        'service_name="sales",workspace="default"} 1.0'
    ) in page


@pytest.fixture(scope="module")
def postgres():
    """A PostgreSQL with the shop; the rows of a customer are theirs alone."""
    server = PostgresServer()
    try:
        server.start()
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE shop")
        with psycopg.connect(server.url("shop")) as connection:
            connection.execute(POSTGRES_SHOP)
        yield server
    finally:
        server.stop()


POSTGRES_SHOP = """
CREATE TABLE orders (id int PRIMARY KEY, customer text, total numeric);
INSERT INTO orders VALUES (1, 'acme', 10), (2, 'acme', 20), (3, 'bolt', 5);
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON orders USING (customer = current_setting('app.tenant_id'));
CREATE ROLE reader LOGIN;
GRANT SELECT ON orders TO reader;
"""


@pytest.mark.postgres
def test_a_tenant_s_units_see_the_tenant_s_rows(tmp_path, postgres):
    """The session setting is bound from the unit; without a tenant the target refuses."""
    target = Target.from_url(
        "shop", postgres.url("shop", user="reader"), session=("app.tenant_id",)
    )
    station = Evaluation(tmp_path, targets=[target], session={"app.tenant_id": "$tenant"})
    sql, reference = "SELECT sum(total) FROM orders", "SELECT 30"
    scores = station.evaluate(sql, reference, sqlobs__tenant="acme")
    assert scores["ex"] == ("pass", 1.0, None)
    station.close()


@pytest.mark.postgres
def test_without_a_tenant_nothing_is_run(tmp_path, postgres):
    """Refused, not answered with everybody's rows."""
    target = Target.from_url(
        "shop", postgres.url("shop", user="reader"), session=("app.tenant_id",)
    )
    station = Evaluation(tmp_path, targets=[target], session={"app.tenant_id": "$tenant"})
    scores = station.evaluate("SELECT sum(total) FROM orders")
    assert scores["execution"] == ("not_evaluated", None, "refused")
    assert station.state() == ("refused", "refused")
    station.close()


@pytest.mark.parametrize(
    ("workflow", "metrics"),
    [
        ("reports", {"execution", "f1"}),
        ("search", {"execution"}),
        ("", {"execution"}),
    ],
)
def test_a_workflow_gets_the_evaluations_that_it_is_to_get(
    tmp_path, shop, executor, workflow, metrics
):
    """No others are stored or counted; where none needs a reference, that is not run either."""
    target = Target.from_url("shop", f"sqlite:///{shop}")
    wanted = {"reports": frozenset({"execution", "f1"}), "*": frozenset({"execution"})}
    station = Evaluation(tmp_path, targets=[target], executor=executor, wanted=wanted)
    broken = "SELECT nothing FROM orders"
    scores = station.evaluate("SELECT 1", broken, sqlobs__workflow=workflow)
    assert set(scores) == metrics
    reason = "reference_failed" if "f1" in metrics else None
    assert station.state() == ("done", reason)
    counted = station.counts("evaluations", "evaluation", of=station.evaluated)
    assert set(counted) == {(name,) for name in metrics}
    station.close()


def test_every_evaluation_can_be_chosen_by_name():
    """The names of the configuration are those that are made."""
    assert set(EVALUATIONS) == {*ALL, *ONLINE, LOCAL_ENGINE, FLEX, FLEX_NOREF, *FURTHER}


def test_what_is_not_kept_decides_the_state_all_the_same(tmp_path, shop, executor):
    """A refusal is one, whatever is asked for."""
    target = Target.from_url("shop", f"sqlite:///{shop}")
    wanted = {"*": frozenset({"injection"})}
    station = Evaluation(tmp_path, targets=[target], executor=executor, wanted=wanted)
    assert station.evaluate("SELECT load_extension('x')") == {}
    assert station.state() == ("refused", "refused")
    station.close()


def test_a_service_evaluates_by_workflow(launch, shop):
    """As the configuration says."""
    collector = launch(
        targets={"shop": {"url": f"sqlite:///{shop}", "default": True}},
        evaluate={"metrics": {"reports": ["execution", "ex"]}},
    )
    body = {"sqlobs.query.text": "SELECT 1", "sqlobs.reference.query.text": "SELECT 1"}
    known = {"body": body, "sqlobs__query__capture": "raw"}
    made = [unit(1, sqlobs__workflow="reports", **known), unit(2, **known)]
    send(collector, records.logs(*made))

    def metrics(number: int) -> set[str]:
        [path] = why(collector, records.trace_id(number).hex())
        return {step["metric"] for step in path["steps"] if step["step"] == "evaluation"}

    assert wait_until(lambda: metrics(1)) == {"execution", "ex"}
    assert wait_until(lambda: metrics(2)) == {"execution", *COMPARED}


SCHEMA = Schema.from_ddl(SHOP.partition("INSERT")[0], dialect="sqlite")
OFF = {
    "sqlobs__syntactic_reason": "check_off",
    "sqlobs__schematic_reason": "check_off",
    "sqlobs__verdict": "not_evaluated",
    "sqlobs__dialect": "sqlite",
    "sqlobs__schema__version": SCHEMA.version,
}
INVENTED = "SELECT id FROM ordres"


@pytest.mark.parametrize(
    ("sql", "named", "labels"),
    [
        ("SELECT id FROM orders", {}, ("pass", "pass", "pass")),
        ("SELECT sum(region, total) FROM orders", {}, ("fail", "pass", "pass")),
        (INVENTED, {}, ("pass", "fail", "fail")),
        (INVENTED, {"sqlobs__schema__version": 7}, ("pass", "no_schema", "no_schema")),
        (INVENTED, {"sqlobs__query__capture": "masked"}, ("content_not_captured",) * 3),
        (INVENTED, {"sqlobs__syntactic_reason": "pending"}, ()),
    ],
)
def test_what_an_application_does_not_check_is_checked_here(evaluation, sql, named, labels):
    """`check="off"` leaves it to the collector; what is only late is not checked twice."""
    evaluation.receive(SCHEMA.to_json().encode(), kind="schema", subject=SCHEMA.version)
    scores = evaluation.evaluate(sql, **{**OFF, **named})
    found = [scores[name] for name in ONLINE if name in scores]
    assert tuple(reason or label for label, _, reason in found) == labels
    kinds = "SELECT DISTINCT kind, version, stands_in FROM evaluation WHERE metric = 'schematic'"
    assert evaluation.query(kinds) == ([("static", checker_version(), 1)] if labels else [])
    counted = evaluation.counts("evaluations", "evaluation", "kind", of=evaluation.evaluated)
    assert (("schematic", "static") in counted) == bool(labels)


def test_what_was_checked_here_meets_the_engine(evaluation):
    """The matrix of checker and engine has the label that was found."""
    evaluation.receive(SCHEMA.to_json().encode(), kind="schema", subject=SCHEMA.version)
    evaluation.evaluate(INVENTED, **OFF)
    matrix = evaluation.counts(
        "comparisons", "static_label", "engine_label", of=evaluation.evaluated
    )
    assert matrix == {("fail", "fail"): 1}
    detail = "SELECT explanation, detail FROM evaluation WHERE metric = 'schema_hallucination'"
    code = "schema.unknown_table"
    assert evaluation.query(detail) == [(code, json.dumps({"codes": [code]}))]


@pytest.mark.parametrize(
    ("units", "took_s", "following"),
    [(16, 0.2, 80), (80, 0.1, MOST_AT_ONCE), (16, 0.0, MOST_AT_ONCE), (128, 60.0, 16)],
)
def test_a_turn_has_as_many_units_as_are_evaluated_within_a_second(units, took_s, following):
    """At least 8 for each worker, however slow they are."""
    turn = TurnSize(workers=2)
    assert turn.units == 16
    turn.learn(units, took_s)
    assert turn.units == following


def test_a_schema_that_comes_while_its_unit_is_evaluated_is_not_missed(evaluation):
    """Nobody waited for it yet when it was stored; the unit would wait half a minute."""
    scorer = evaluation.evaluator._scorer
    scored = scorer.scored

    def meanwhile(unit, reports, *, may_wait):
        found = scored(unit, reports, may_wait=may_wait)
        evaluation.receive(SCHEMA.to_json().encode(), kind="schema", subject=SCHEMA.version)
        return found

    scorer.scored = meanwhile
    assert evaluation.evaluate(INVENTED, **OFF) == {}
    assert evaluation.evaluator.evaluate() == 1
    assert evaluation.state() == ("done", None)
    assert evaluation.scores()["schema_hallucination"] == ("fail", 0.0, None)


@pytest.mark.parametrize("comes", [True, False])
def test_a_unit_waits_for_a_schema_that_comes_after_it(evaluation, comes):
    """Schemas are sent beside units, and may arrive later; without one, it waits once."""
    assert evaluation.evaluate(INVENTED, **OFF) == {}
    assert evaluation.state() == ("held", "no_schema")
    assert evaluation.evaluator.evaluate() == 0
    if comes:
        evaluation.receive(SCHEMA.to_json().encode(), kind="schema", subject=SCHEMA.version)
    else:
        evaluation.later(RETRY_S[0] + 1)
    assert evaluation.evaluator.evaluate() == 1
    assert evaluation.state() == ("done", None)
    expected = ("fail", 0.0, None) if comes else ("not_evaluated", None, "no_schema")
    assert evaluation.scores()["schema_hallucination"] == expected
