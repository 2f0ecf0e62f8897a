"""Which process does what one does for all."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "lease",
        sa.Column("duty", TEXT, nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("owner", TEXT, nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("duty", name=op.f("pk_lease")),
        sa.UniqueConstraint("duty", "token", name=op.f("uq_lease_duty_token")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("lease")
