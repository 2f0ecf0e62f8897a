"""What gauges over a week are read from, rather than from each request.

Sums get the time of their latest request. The few evaluations with costs, golden cases or
categories get an index.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_SUMS = ("rollup", "minute_rollup")
_INDEX = "ix_evaluation_sparse"


def upgrade() -> None:
    """Add them: the time is unknown for sums that were made up until now."""
    for table in _SUMS:
        op.add_column(table, sa.Column("last_ns", sa.BigInteger(), nullable=True))
    has_any = sa.text("cost_usd IS NOT NULL OR golden_set IS NOT NULL OR categories IS NOT NULL")
    op.create_index(
        _INDEX,
        "evaluation",
        ["unit_id", "cost_usd"],
        sqlite_where=has_any,
        postgresql_where=has_any,
    )


def downgrade() -> None:
    """Forget them."""
    op.drop_index(_INDEX, "evaluation")
    for table in _SUMS:
        with op.batch_alter_table(table) as batch:
            batch.drop_column("last_ns")
