"""Why a receiver cannot write its journal, for the other processes on the store.

An older collector beside this one says nothing.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("journal", sa.Column("host", TEXT, nullable=True))
    op.add_column("journal", sa.Column("trouble", TEXT, nullable=True))
    op.add_column("journal", sa.Column("seen_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Drop them."""
    for name in ("host", "trouble", "seen_ms"):
        op.drop_column("journal", name)
