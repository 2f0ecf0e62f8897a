"""How a judge did on its canaries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "canary",
        sa.Column("judge", TEXT, nullable=False),
        sa.Column("sung_ns", sa.BigInteger(), nullable=False),
        sa.Column("is_sound", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("judge", name=op.f("pk_canary")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("canary")
