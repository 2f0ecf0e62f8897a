"""How far each journal was projected, by sequences that are never used twice, and what it lost."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Replace the positions in files, which are of a format that is gone."""
    op.drop_table("cursor")
    op.create_table(
        "journal",
        sa.Column("identity", sa.LargeBinary(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("entries", sa.BigInteger(), nullable=False),
        sa.Column("records", sa.BigInteger(), nullable=False),
        sa.Column("lost_entries", sa.BigInteger(), nullable=False),
        sa.Column("lost_records", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("identity", name=op.f("pk_journal")),
    )


def downgrade() -> None:
    """Bring the positions back, without any."""
    op.drop_table("journal")
    op.create_table(
        "cursor",
        sa.Column("name", TEXT, nullable=False),
        sa.Column("segment", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_cursor")),
    )
