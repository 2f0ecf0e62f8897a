"""Sums of weights that intervals are computed from, beside the other sums of hours."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_ADDED = {
    "rollup": ("weight_largest",),
    "evaluation_rollup": (
        *("weight_squared_passed", "spread_value", "spread_value_squared", "weight_largest"),
    ),
}


def upgrade() -> None:
    """Add them: unknown for hours that were added up until now."""
    for table, names in _ADDED.items():
        for name in names:
            op.add_column(table, sa.Column(name, sa.Float(), nullable=True))


def downgrade() -> None:
    """Forget them."""
    for table, names in _ADDED.items():
        with op.batch_alter_table(table) as batch:
            for name in names:
                batch.drop_column(name)
