"""What a judge sorts its verdicts into, and the golden file that a reference is from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COLUMNS = ("golden_set", "side", "categories")


def upgrade() -> None:
    """Add the columns; what was stored before has neither."""
    for name in _COLUMNS:
        op.add_column("evaluation", sa.Column(name, TEXT, nullable=True))


def downgrade() -> None:
    """Drop them."""
    with op.batch_alter_table("evaluation") as table:
        for name in _COLUMNS:
            table.drop_column(name)
