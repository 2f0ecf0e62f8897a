"""Units, evaluations, reports, schemas and the journal's cursor."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import ROW_ID, TEXT

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the first tables."""
    _create_cursor()
    _create_report()
    _create_schema_document()
    _create_unit()
    _create_evaluation()


def downgrade() -> None:
    """Drop them."""
    op.drop_table("evaluation")
    op.drop_table("unit")
    op.drop_table("schema_document")
    op.drop_table("report")
    op.drop_table("cursor")


def _create_cursor() -> None:
    op.create_table(
        "cursor",
        sa.Column("name", TEXT, nullable=False),
        sa.Column("segment", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_cursor")),
    )


def _create_report() -> None:
    op.create_table(
        "report",
        sa.Column("record_id", TEXT, nullable=False),
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("trace_id", TEXT, nullable=False),
        sa.Column("span_id", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("occurred_ns", sa.BigInteger(), nullable=False),
        sa.Column("received_ns", sa.BigInteger(), nullable=False),
        sa.Column("is_negative", sa.Boolean(), nullable=False),
        sa.Column("is_joined", sa.Boolean(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("record_id", name=op.f("pk_report")),
    )
    op.create_index(
        op.f("ix_report_is_joined_received_ns"),
        "report",
        ["is_joined", "received_ns"],
        unique=False,
    )
    op.create_index(
        op.f("ix_report_workspace_trace_id_span_id"),
        "report",
        ["workspace", "trace_id", "span_id"],
        unique=False,
    )


def _create_schema_document() -> None:
    op.create_table(
        "schema_document",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("received_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "version", name=op.f("pk_schema_document")),
    )


def _create_unit() -> None:
    op.create_table(
        "unit",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("trace_id", TEXT, nullable=False),
        sa.Column("span_id", TEXT, nullable=False),
        sa.Column("source", TEXT, nullable=False),
        sa.Column("occurred_ns", sa.BigInteger(), nullable=False),
        sa.Column("received_ns", sa.BigInteger(), nullable=False),
        sa.Column("service_name", TEXT, nullable=False),
        sa.Column("environment", TEXT, nullable=False),
        sa.Column("workflow", TEXT, nullable=False),
        sa.Column("tenant", TEXT, nullable=True),
        sa.Column("target", TEXT, nullable=True),
        sa.Column("dialect", TEXT, nullable=True),
        sa.Column("model", TEXT, nullable=True),
        sa.Column("prompt_version", TEXT, nullable=True),
        sa.Column("schema_version", TEXT, nullable=True),
        sa.Column("capture", TEXT, nullable=True),
        sa.Column("question_digest", TEXT, nullable=True),
        sa.Column("fingerprint", TEXT, nullable=True),
        sa.Column("outcome", TEXT, nullable=True),
        sa.Column("verdict", TEXT, nullable=True),
        sa.Column("failure_code", TEXT, nullable=True),
        sa.Column("syntactic", sa.Boolean(), nullable=True),
        sa.Column("schematic", sa.Boolean(), nullable=True),
        sa.Column("schema_hallucination", sa.Boolean(), nullable=True),
        sa.Column("trace_sampled", sa.Boolean(), nullable=True),
        sa.Column("head_probability", sa.Float(), nullable=True),
        sa.Column("probability", sa.Float(), nullable=True),
        sa.Column("rule", TEXT, nullable=True),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("reason", TEXT, nullable=True),
        sa.Column("state_ns", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit")),
        sa.UniqueConstraint(
            "workspace", "trace_id", "span_id", name=op.f("uq_unit_workspace_trace_id_span_id")
        ),
    )
    op.create_index(op.f("ix_unit_occurred_ns"), "unit", ["occurred_ns"], unique=False)
    op.create_index(
        op.f("ix_unit_state_received_ns"), "unit", ["state", "received_ns"], unique=False
    )


def _create_evaluation() -> None:
    op.create_table(
        "evaluation",
        sa.Column("unit_id", ROW_ID, nullable=False),
        sa.Column("metric", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("label", TEXT, nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("reason", TEXT, nullable=True),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("explanation", TEXT, nullable=True),
        sa.Column("probability", sa.Float(), server_default=sa.text("1.0"), nullable=False),
        sa.Column("duration_s", sa.Float(), nullable=True),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("created_ns", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["unit.id"], name=op.f("fk_evaluation_unit_id_unit"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("unit_id", "metric", "version", name=op.f("pk_evaluation")),
    )
