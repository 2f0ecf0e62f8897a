"""Which evaluations the backend has got."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NOT_YET = sa.text("emitted_ns IS NULL")


def upgrade() -> None:
    """Add the time of emission; what was evaluated before is not emitted belatedly."""
    op.add_column("evaluation", sa.Column("emitted_ns", sa.BigInteger(), nullable=True))
    op.execute("UPDATE evaluation SET emitted_ns = created_ns")
    op.create_index(
        "ix_evaluation_unemitted",
        "evaluation",
        ["created_ns"],
        sqlite_where=_NOT_YET,
        postgresql_where=_NOT_YET,
    )


def downgrade() -> None:
    """Drop both."""
    op.drop_index("ix_evaluation_unemitted", "evaluation")
    with op.batch_alter_table("evaluation") as table:
        table.drop_column("emitted_ns")
