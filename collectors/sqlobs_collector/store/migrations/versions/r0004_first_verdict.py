"""The verdict on the first attempt: what first-shot success is counted by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of units stored before, the first attempt is unknown."""
    op.add_column("unit", sa.Column("first_verdict", TEXT, nullable=True))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("unit") as table:
        table.drop_column("first_verdict")
