"""Whether a request, and its first attempt, invented a name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Name the flag by its direction, and add that of the first attempt: unknown until now."""
    op.alter_column("unit", "schema_hallucination", new_column_name="hallucinated")
    op.add_column("unit", sa.Column("first_hallucinated", sa.Boolean(), nullable=True))


def downgrade() -> None:
    """Undo both."""
    with op.batch_alter_table("unit") as table:
        table.drop_column("first_hallucinated")
        table.alter_column("hallucinated", new_column_name="schema_hallucination")
