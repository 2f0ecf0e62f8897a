"""The release of the service that made a unit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it: unknown until now."""
    op.add_column("unit", sa.Column("service_version", TEXT, nullable=True))


def downgrade() -> None:
    """Forget it."""
    with op.batch_alter_table("unit") as table:
        table.drop_column("service_version")
