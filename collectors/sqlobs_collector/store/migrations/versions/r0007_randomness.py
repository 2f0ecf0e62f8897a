"""The randomness that a trace's first sampler drew by itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was stored before goes by the trace id, as it did."""
    op.add_column("unit", sa.Column("randomness", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("unit") as table:
        table.drop_column("randomness")
