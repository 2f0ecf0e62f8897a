"""How often a unit's evaluation was begun."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was stored before starts afresh."""
    op.add_column(
        "unit", sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False)
    )


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("unit") as table:
        table.drop_column("attempts")
