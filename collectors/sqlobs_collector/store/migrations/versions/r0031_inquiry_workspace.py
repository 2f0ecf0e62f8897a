"""The workspace of a judge's inquiry, so that each workspace has its share of the calls.

An older collector beside this one leaves it out; such inquiries share a place in the queue.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_KNOWN = """
    UPDATE enquiry SET workspace = (SELECT unit.workspace FROM unit WHERE unit.id = enquiry.unit_id)
"""


def upgrade() -> None:
    """Add the column with its index."""
    op.add_column("enquiry", sa.Column("workspace", TEXT, nullable=True))
    op.execute(_KNOWN)
    op.create_index("ix_enquiry_workspace_due_ns", "enquiry", ["workspace", "due_ns"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_enquiry_workspace_due_ns", "enquiry")
    op.drop_column("enquiry", "workspace")
