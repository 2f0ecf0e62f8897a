"""Whether a unit came as its application sent it, or was read again from a journal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; all that was stored before came live."""
    op.add_column("unit", sa.Column("provenance", TEXT, nullable=False, server_default="live"))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("unit") as table:
        table.drop_column("provenance")
