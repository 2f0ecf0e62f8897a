"""What requests are erased by, and the record of what was erased."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_DIGESTS = ("user_digest", "conversation_digest")


def upgrade() -> None:
    """Add the columns and make the table; stored units have no digests, their texts are read."""
    for name in _DIGESTS:
        op.add_column("unit", sa.Column(name, TEXT, nullable=True))
        is_known = sa.text(f"{name} IS NOT NULL")
        op.create_index(
            f"ix_unit_{name}", "unit", [name], sqlite_where=is_known, postgresql_where=is_known
        )
    for name in ("erased_ns", "erased_records"):
        column = sa.Column(name, sa.BigInteger(), nullable=False, server_default=sa.text("0"))
        op.add_column("journal", column)
    op.create_table(
        "erased",
        sa.Column("digest", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("erased_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_erased")),
    )
    op.create_index("ix_erased_kind_erased_ns", "erased", ["kind", "erased_ns"])


def downgrade() -> None:
    """Drop them; in place: a copy of the table would lose its triggers."""
    op.drop_table("erased")
    for name in ("erased_records", "erased_ns"):
        op.execute(f"ALTER TABLE journal DROP COLUMN {name}")
    for name in _DIGESTS:
        op.drop_index(f"ix_unit_{name}", "unit")
        op.execute(f"ALTER TABLE unit DROP COLUMN {name}")
