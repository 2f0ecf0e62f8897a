"""What would otherwise be found by looking at each request, again and again.

Gauges over a week: sums get the time of their latest request, and the few evaluations with costs,
golden cases or categories an index. Retention: units and reports whose texts can expire.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_SUMS = ("rollup", "minute_rollup")
_SPARSE = "cost_usd IS NOT NULL OR golden_set IS NOT NULL OR categories IS NOT NULL"
_INDEXES = (
    ("ix_evaluation_sparse", "evaluation", ("unit_id", "cost_usd"), _SPARSE),
    ("ix_unit_payload", "unit", ("state", "received_ns"), "payload IS NOT NULL"),
    ("ix_report_payload", "report", ("received_ns",), "payload IS NOT NULL"),
)


def upgrade() -> None:
    """Add them: the time is unknown for sums that were made up until now."""
    for table in _SUMS:
        op.add_column(table, sa.Column("last_ns", sa.BigInteger(), nullable=True))
    for name, table, columns, condition in _INDEXES:
        is_in = sa.text(condition)
        op.create_index(name, table, columns, sqlite_where=is_in, postgresql_where=is_in)


def downgrade() -> None:
    """Forget them."""
    for name, table, *_ in _INDEXES:
        op.drop_index(name, table)
    for table in _SUMS:
        with op.batch_alter_table(table) as batch:
            batch.drop_column("last_ns")
