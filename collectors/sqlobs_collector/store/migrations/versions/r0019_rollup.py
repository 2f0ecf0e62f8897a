"""Duration and cost of requests, sums by period, and the indexes that lists and counts read.

Triggers note which hours have changed, whichever statement changes a unit or an evaluation.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT
from sqlobs_collector.store.systems import system_of

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_HOUR_NS = 3600 * 10**9
_WHO = ("workflow", "model", "prompt_version", "service_version", "environment", "service_name")
_WORDS = ("outcome", "verdict", "failure_code", "first_verdict", "provenance")
_FLAGS = ("syntactic", "schematic", "hallucinated", "first_hallucinated")
_AMOUNTS = ("duration_s", "cost_usd")
_FILTERED = (
    *("workflow", "model", "prompt_version", "tenant", "service_version", "environment"),
    *("service_name", *_WORDS, *_FLAGS, "head_probability", "probability"),
)
_INDEXES = {
    "ix_unit_listed": (
        ("workspace", "occurred_ns", *_FILTERED, *_AMOUNTS),
        None,
    ),
    "ix_unit_tenant": (
        ("workspace", "tenant", "occurred_ns", *(one for one in _FILTERED if one != "tenant")),
        "tenant IS NOT NULL",
    ),
    "ix_unit_code": (
        (
            *("workspace", "failure_code", "occurred_ns"),
            *(one for one in _FILTERED if one != "failure_code"),
        ),
        "failure_code IS NOT NULL",
    ),
    "ix_unit_failed": (
        ("workspace", "occurred_ns", "question_key", *_FILTERED),
        "verdict = 'failed'",
    ),
    "ix_unit_question": (
        (
            *("workspace", "question_key", "occurred_ns"),
            *("prompt_version", "model", "service_version"),
        ),
        "question_key IS NOT NULL",
    ),
}
_COUNTED = ("workspace", "occurred_ns", *_FILTERED, *_AMOUNTS)
_EVALUATED = ("metric", "version", "label", "value", "kind", "probability", "stands_in")
_NOTE = "INSERT INTO stale_hour (workspace, hour)"
_ONCE = "ON CONFLICT DO NOTHING"
"""Not OR IGNORE: in a trigger, an upsert that fires it would turn that into an error."""
_SQLITE = {
    "rollup_unit_added": ("AFTER INSERT ON unit", ("NEW",)),
    "rollup_unit_changed": (f"AFTER UPDATE OF {', '.join(_COUNTED)} ON unit", ("OLD", "NEW")),
    "rollup_unit_removed": ("AFTER DELETE ON unit", ("OLD",)),
    "rollup_evaluation_added": ("AFTER INSERT ON evaluation", ("NEW",)),
    "rollup_evaluation_changed": (
        f"AFTER UPDATE OF {', '.join(_EVALUATED)}, created_ns ON evaluation",
        ("NEW",),
    ),
    "rollup_evaluation_removed": ("AFTER DELETE ON evaluation", ("OLD",)),
}
# Rows that a statement inserts or deletes are noted together, hour by hour in order: two writers
# never wait for each other in a circle. Who adds up an hour (`systems.lock_hour`) waits for its
# writers, whose notes it would otherwise delete with its own.
_POSTGRESQL = f"""
    CREATE FUNCTION note_hour(workspace text, hour bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared({0x5901}, hashtext(workspace || ' ' || hour));
        {_NOTE} VALUES (workspace, hour) {_ONCE};
    END $$;
    CREATE FUNCTION note_unit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM note_hour(OLD.workspace, OLD.occurred_ns / {_HOUR_NS});
        PERFORM note_hour(NEW.workspace, NEW.occurred_ns / {_HOUR_NS});
        RETURN NULL;
    END $$;
    CREATE FUNCTION note_evaluation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM note_hour(unit.workspace, unit.occurred_ns / {_HOUR_NS})
        FROM unit WHERE unit.id = NEW.unit_id;
        RETURN NULL;
    END $$;
    CREATE FUNCTION note_units() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM note_hour(each.workspace, each.hour) FROM (
            SELECT DISTINCT workspace, occurred_ns / {_HOUR_NS} AS hour
            FROM changed ORDER BY workspace, hour
        ) AS each;
        RETURN NULL;
    END $$;
    CREATE FUNCTION note_evaluations() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM note_hour(each.workspace, each.hour) FROM (
            SELECT DISTINCT unit.workspace, unit.occurred_ns / {_HOUR_NS} AS hour
            FROM changed JOIN unit ON unit.id = changed.unit_id ORDER BY unit.workspace, hour
        ) AS each;
        RETURN NULL;
    END $$;
    CREATE TRIGGER rollup_unit_added AFTER INSERT ON unit REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_units();
    CREATE TRIGGER rollup_unit_changed AFTER UPDATE OF {", ".join(_COUNTED)} ON unit
    FOR EACH ROW EXECUTE FUNCTION note_unit();
    CREATE TRIGGER rollup_unit_removed AFTER DELETE ON unit REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_units();
    CREATE TRIGGER rollup_evaluation_added AFTER INSERT ON evaluation
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_evaluations();
    CREATE TRIGGER rollup_evaluation_changed
    AFTER UPDATE OF {", ".join(_EVALUATED)}, created_ns ON evaluation
    FOR EACH ROW EXECUTE FUNCTION note_evaluation();
    CREATE TRIGGER rollup_evaluation_removed AFTER DELETE ON evaluation
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_evaluations();
"""  # noqa: S608 - constants
_FUNCTIONS = ("note_unit", "note_units", "note_evaluation", "note_evaluations", "note_hour")


def upgrade() -> None:
    """Make them; every hour with units is stale."""
    for name in _AMOUNTS:
        op.add_column("unit", sa.Column(name, sa.Float(), nullable=True))
    for name, (columns, condition) in _INDEXES.items():
        where = None if condition is None else sa.text(condition)
        op.create_index(name, "unit", columns, sqlite_where=where, postgresql_where=where)
    _make_rollup()
    _make_evaluation_rollup()
    op.create_table(
        "stale_hour",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "hour", name=op.f("pk_stale_hour")),
    )
    system = system_of(op.get_bind())
    system.either(sqlite=_make_triggers_in_sqlite, postgresql=_make_triggers_in_postgresql)()
    hour = f"occurred_ns / {_HOUR_NS}"
    op.execute(f"INSERT INTO stale_hour SELECT DISTINCT workspace, {hour} FROM unit")  # noqa: S608 - a constant


def downgrade() -> None:
    """Drop them."""
    system = system_of(op.get_bind())
    system.either(sqlite=_drop_triggers_in_sqlite, postgresql=_drop_triggers_in_postgresql)()
    for name in ("stale_hour", "evaluation_rollup", "rollup"):
        op.drop_table(name)
    for name in _INDEXES:
        op.drop_index(name, "unit")
    for name in _AMOUNTS:  # in place: a copy of the table would lose its triggers
        op.execute(f"ALTER TABLE unit DROP COLUMN {name}")


def _make_triggers_in_sqlite() -> None:
    for name, (event, rows) in _SQLITE.items():
        op.execute(f"CREATE TRIGGER {name} {event} BEGIN {' '.join(_notes(event, rows))} END")


def _make_triggers_in_postgresql() -> None:
    op.execute(_POSTGRESQL)


def _drop_triggers_in_sqlite() -> None:
    for name in _SQLITE:
        op.execute(f"DROP TRIGGER {name}")


def _drop_triggers_in_postgresql() -> None:
    for name in _FUNCTIONS:
        op.execute(f"DROP FUNCTION {name} CASCADE")


def _notes(event: str, rows: tuple[str, ...]) -> list[str]:
    if event.endswith("unit"):
        return [
            f"{_NOTE} VALUES ({row}.workspace, {row}.occurred_ns / {_HOUR_NS}) {_ONCE};"
            for row in rows
        ]
    return [
        f"{_NOTE} SELECT workspace, occurred_ns / {_HOUR_NS} FROM unit"  # noqa: S608 - constants
        f" WHERE id = {row}.unit_id {_ONCE};"
        for row in rows
    ]


def _make_rollup() -> None:
    op.create_table(
        "rollup",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("by_tenant", sa.Boolean(), nullable=False),
        sa.Column("hours", sa.Integer(), nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        *(sa.Column(name, TEXT, nullable=True) for name in (*_WHO, "tenant", *_WORDS)),
        *(sa.Column(name, sa.Boolean(), nullable=True) for name in _FLAGS),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        *(
            sa.Column(name, sa.Float(), nullable=True)
            for name in ("weight", "weight_squared", "cost_usd")
        ),
        *(sa.Column(f"took_{number}", sa.BigInteger(), nullable=False) for number in range(15)),
    )
    op.create_index("ix_rollup", "rollup", ("workspace", "by_tenant", "hours", "hour"))


def _make_evaluation_rollup() -> None:
    op.create_table(
        "evaluation_rollup",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("hours", sa.Integer(), nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        *(sa.Column(name, TEXT, nullable=True) for name in (*_WHO, *_WORDS)),
        sa.Column("metric", TEXT, nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("passed", sa.BigInteger(), nullable=False),
        *(
            sa.Column(name, sa.Float(), nullable=True)
            for name in ("value_sum", "weight", "weight_passed", "weight_value", "weight_squared")
        ),
        sa.Column("last_ns", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_evaluation_rollup", "evaluation_rollup", ("workspace", "hours", "hour"))
