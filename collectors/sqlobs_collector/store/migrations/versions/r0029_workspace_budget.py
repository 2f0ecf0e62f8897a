"""What judges cost by day and workspace, beside the sums of all workspaces.

An older collector beside this one counts in those sums only.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "workspace_budget",
        sa.Column("period", TEXT, primary_key=True),
        sa.Column("workspace", TEXT, primary_key=True),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False, server_default=sa.text("0"))
            for name in ("tokens", "micro_usd", "beyond_own", "beyond_shared")
        ),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("workspace_budget")
