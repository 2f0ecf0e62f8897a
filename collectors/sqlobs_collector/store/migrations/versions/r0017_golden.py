"""The golden set, the review queue, findings that people call wrong, and calibrations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import ROW_ID, TEXT

revision = "0017"
down_revision = "0014"
branch_labels = None
depends_on = None

_ID = ROW_ID


def upgrade() -> None:
    """Make the tables."""
    _golden()
    _review()
    _trust()


def downgrade() -> None:
    """Drop them."""
    for name in ("calibration", "wrong_finding", "review_label", "review_lease", "review_item"):
        op.drop_table(name)
    op.drop_table("golden_change")
    op.drop_table("golden_case")


def _golden() -> None:
    op.create_table(
        "golden_case",
        sa.Column("id", _ID, nullable=False),
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("digest", TEXT, nullable=False),
        sa.Column("question", TEXT, nullable=True),
        sa.Column("target", TEXT, server_default=sa.text("''"), nullable=False),
        sa.Column("sql", TEXT, nullable=False),
        sa.Column("owner", TEXT, nullable=False),
        sa.Column("source", TEXT, nullable=False),
        sa.Column("generation_id", TEXT, nullable=True),
        sa.Column("is_in_force", sa.Boolean(), nullable=False),
        sa.Column("created_ns", sa.BigInteger(), nullable=False),
        sa.Column("changed_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_golden_case")),
        sa.UniqueConstraint(
            "workspace", "digest", "target", name=op.f("uq_golden_case_workspace_digest_target")
        ),
    )
    op.create_table(
        "golden_change",
        sa.Column("id", _ID, nullable=False),
        sa.Column("case_id", _ID, nullable=False),
        sa.Column("at_ns", sa.BigInteger(), nullable=False),
        sa.Column("author", TEXT, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("sql", TEXT, nullable=False),
        sa.Column("detail", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["golden_case.id"],
            name=op.f("fk_golden_change_case_id_golden_case"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_golden_change")),
    )
    op.create_index(
        op.f("ix_golden_change_case_id_at_ns"), "golden_change", ["case_id", "at_ns"], unique=False
    )


def _review() -> None:
    op.create_table(
        "review_item",
        sa.Column("id", _ID, nullable=False),
        sa.Column("unit_id", _ID, nullable=False),
        sa.Column("judge", TEXT, nullable=False),
        sa.Column("origin", TEXT, nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=True),
        sa.Column("results_equal", sa.Boolean(), nullable=True),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("added_ns", sa.BigInteger(), nullable=False),
        _of_unit("review_item"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_item")),
        sa.UniqueConstraint("unit_id", "judge", name=op.f("uq_review_item_unit_id_judge")),
    )
    op.create_table(
        "review_lease",
        sa.Column("item_id", _ID, nullable=False),
        sa.Column("rater", TEXT, nullable=False),
        sa.Column("until_ns", sa.BigInteger(), nullable=False),
        _of_item("review_lease"),
        sa.PrimaryKeyConstraint("item_id", "rater", name=op.f("pk_review_lease")),
    )
    op.create_table(
        "review_label",
        sa.Column("item_id", _ID, nullable=False),
        sa.Column("rater", TEXT, nullable=False),
        sa.Column("is_correct", sa.Boolean(), nullable=False),
        sa.Column("critique", TEXT, nullable=False),
        sa.Column("categories", TEXT, nullable=True),
        sa.Column("labeled_ns", sa.BigInteger(), nullable=False),
        _of_item("review_label"),
        sa.PrimaryKeyConstraint("item_id", "rater", name=op.f("pk_review_label")),
    )


def _trust() -> None:
    op.create_table(
        "wrong_finding",
        sa.Column("unit_id", _ID, nullable=False),
        sa.Column("metric", TEXT, nullable=False),
        sa.Column("author", TEXT, nullable=False),
        sa.Column("verdict", TEXT, nullable=False),
        sa.Column("critique", TEXT, nullable=False),
        sa.Column("said_ns", sa.BigInteger(), nullable=False),
        _of_unit("wrong_finding"),
        sa.PrimaryKeyConstraint("unit_id", "metric", "author", name=op.f("pk_wrong_finding")),
    )
    op.create_table(
        "calibration",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("judge", TEXT, nullable=False),
        sa.Column("document", TEXT, nullable=False),
        sa.Column("author", TEXT, nullable=False),
        sa.Column("made_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "judge", name=op.f("pk_calibration")),
    )


def _of_unit(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_unit_id_unit")
    return sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=name, ondelete="CASCADE")


def _of_item(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_item_id_review_item")
    return sa.ForeignKeyConstraint(["item_id"], ["review_item.id"], name=name, ondelete="CASCADE")
