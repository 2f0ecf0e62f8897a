"""Sums of requests by five minutes, and which of them are to be computed again.

The triggers of migration 0019 note them behind the hour, whose lock they then share: who adds up
an hour waits for its writers, so that a note which is there already need not be made again. Hours
of the last two days are added up again, which makes their sums by five minutes.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT
from sqlobs_collector.store.systems import system_of

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_HOUR_NS = 3600 * 10**9
_DETAILED_HOURS = 48
_WORDS = (
    *("workflow", "model", "prompt_version", "service_version", "environment", "service_name"),
    *("tenant", "outcome", "verdict", "failure_code", "first_verdict", "provenance"),
)
_FLAGS = ("syntactic", "schematic", "hallucinated", "first_hallucinated")
_WEIGHTS = ("weight", "weight_squared", "weight_largest", "cost_usd")
_MINUTE = f"occurred_ns / {300 * 10**9} * 5"
"""The first of five, since 1970."""
_SUMMED = (
    *("workspace", "occurred_ns", *_WORDS, *_FLAGS),
    *("head_probability", "duration_s", "cost_usd"),
)
_SQLITE = {
    "rollup_unit_added_minute": ("AFTER INSERT ON unit", ("NEW",)),
    "rollup_unit_changed_minute": (
        f"AFTER UPDATE OF {', '.join(_SUMMED)} ON unit",
        ("OLD", "NEW"),
    ),
    "rollup_unit_removed_minute": ("AFTER DELETE ON unit", ("OLD",)),
}
_NOTE_UNIT = """
    CREATE OR REPLACE FUNCTION note_unit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM note_hour(OLD.workspace, OLD.occurred_ns / {hour_ns});
        PERFORM note_hour(NEW.workspace, NEW.occurred_ns / {hour_ns});
        {minutes}
        RETURN NULL;
    END $$
"""
_NOTE_UNITS = """
    CREATE OR REPLACE FUNCTION note_units() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM note_hour(each.workspace, each.hour) FROM (
            SELECT DISTINCT workspace, occurred_ns / {hour_ns} AS hour
            FROM changed ORDER BY workspace, hour
        ) AS each;
        {minutes}
        RETURN NULL;
    END $$
"""
_OF_UNIT = """
        PERFORM note_minute(OLD.workspace, OLD.{minute});
        PERFORM note_minute(NEW.workspace, NEW.{minute});
"""
_OF_UNITS = """
        PERFORM note_minute(each.workspace, each.minute) FROM (
            SELECT DISTINCT workspace, {minute} AS minute FROM changed
        ) AS each;
"""
_NOTE_MINUTE = """
    CREATE FUNCTION note_minute(workspace text, minute bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO stale_minute SELECT $1, $2 WHERE NOT EXISTS (
            SELECT 1 FROM stale_minute AS known WHERE known.workspace = $1 AND known.minute = $2
        );
    END $$
"""


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "minute_rollup",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("by_tenant", sa.Boolean(), nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
        *(sa.Column(name, TEXT, nullable=True) for name in _WORDS),
        *(sa.Column(name, sa.Boolean(), nullable=True) for name in _FLAGS),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Float(), nullable=True) for name in _WEIGHTS),
        *(sa.Column(f"took_{number}", sa.BigInteger(), nullable=False) for number in range(15)),
    )
    op.create_index("ix_minute_rollup", "minute_rollup", ("workspace", "by_tenant", "minute"))
    op.create_table(
        "detailed_hour",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "hour", name=op.f("pk_detailed_hour")),
    )
    op.create_table(
        "stale_minute",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_stale_minute", "stale_minute", ("workspace", "minute"))
    system = system_of(op.get_bind())
    system.either(sqlite=_make_triggers_in_sqlite, postgresql=_note_in_postgresql)()
    latest = "(SELECT max(hour) FROM rollup WHERE hours = 1)"
    op.execute(
        "INSERT INTO stale_hour SELECT DISTINCT workspace, hour FROM rollup"  # noqa: S608 - constants
        f" WHERE hours = 1 AND hour > {latest} - {_DETAILED_HOURS} ON CONFLICT DO NOTHING"
    )


def downgrade() -> None:
    """Drop them."""
    system = system_of(op.get_bind())
    system.either(sqlite=_drop_triggers_in_sqlite, postgresql=_note_no_minutes)()
    for name in ("stale_minute", "detailed_hour", "minute_rollup"):
        op.drop_table(name)


def _make_triggers_in_sqlite() -> None:
    for name, (event, rows) in _SQLITE.items():
        op.execute(f"CREATE TRIGGER {name} {event} BEGIN {' '.join(map(_note, rows))} END")


def _note(row: str) -> str:
    place = f"{row}.workspace, {row}.{_MINUTE}"
    return (
        f"INSERT INTO stale_minute SELECT {place} WHERE NOT EXISTS (SELECT 1 FROM stale_minute"  # noqa: S608 - constants
        f" WHERE workspace = {row}.workspace AND minute = {row}.{_MINUTE});"
    )


def _drop_triggers_in_sqlite() -> None:
    for name in _SQLITE:
        op.execute(f"DROP TRIGGER {name}")


def _note_in_postgresql() -> None:
    op.execute(_NOTE_MINUTE)
    _replace_functions(_OF_UNIT.format(minute=_MINUTE), _OF_UNITS.format(minute=_MINUTE))


def _note_no_minutes() -> None:
    _replace_functions("", "")
    op.execute("DROP FUNCTION note_minute")


def _replace_functions(of_unit: str, of_units: str) -> None:
    op.execute(_NOTE_UNIT.format(hour_ns=_HOUR_NS, minutes=of_unit))
    op.execute(_NOTE_UNITS.format(hour_ns=_HOUR_NS, minutes=of_units))
