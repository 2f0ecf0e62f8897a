"""A service as users write one: configured at its import, traced on threads and on the loop."""

from __future__ import annotations

from fastapi import FastAPI

from sqlobs import Schema, configure, context, trace_generation

SCHEMA = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")

configure(service_name="shop", schema=SCHEMA)
app = FastAPI()


@trace_generation
def generate(question: str) -> str:
    """Return a statement of its own for each question."""
    return f"SELECT total FROM orders WHERE id = {len(question)} AND total > {hash(question)}"


def answered(question: str) -> str:
    """Return the id of the request that has answered a question."""
    with context() as ctx:
        generate(question)
    return str(ctx.generation.id)


@app.get("/ready")
def ready() -> str:
    """Answer without a traced request."""
    return "ready"


@app.get("/thread/{question}")
def on_a_thread(question: str) -> str:
    """Answer as functions do that are not async."""
    return answered(question)


@app.get("/loop/{question}")
async def on_the_loop(question: str) -> str:
    """Answer as async functions do."""
    return answered(question)
