"""Tokens that an operator creates while the collector runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "token",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("rights", TEXT, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("purpose", TEXT, nullable=False),
        sa.Column("created_ns", sa.BigInteger(), nullable=False),
        sa.Column("expires_ns", sa.BigInteger(), nullable=False),
        sa.Column("revoked_ns", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("token")
