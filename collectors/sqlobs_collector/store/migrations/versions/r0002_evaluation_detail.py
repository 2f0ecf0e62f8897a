"""What else an evaluation found: rows, columns, flags."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; rows of the version before have none."""
    op.add_column("evaluation", sa.Column("detail", TEXT, nullable=True))


def downgrade() -> None:
    """Drop the column."""
    with op.batch_alter_table("evaluation") as table:
        table.drop_column("detail")
