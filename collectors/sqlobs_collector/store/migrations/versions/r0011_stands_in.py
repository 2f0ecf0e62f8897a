"""Whether an evaluation stands in for a label that the application left open."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nothing that was stored before does."""
    op.add_column(
        "evaluation",
        sa.Column("stands_in", sa.Boolean(), nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("evaluation") as table:
        table.drop_column("stands_in")
