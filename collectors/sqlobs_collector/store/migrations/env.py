"""Alembic's entry: runs migrations on the connection that `database` hands over."""

from __future__ import annotations

from alembic import context

from sqlobs_collector.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
