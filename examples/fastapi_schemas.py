"""A web service whose customers each have a database of their own: the schema comes per request.

Run it with `uvicorn examples.fastapi_schemas:app`, or see `main` for two requests against it.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

import sqlobs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SCHEMAS = {
    "acme": sqlobs.Schema.from_mapping({"orders": ["id", "revenue"]}, dialect="postgres"),
    "globex": sqlobs.Schema.from_mapping({"sales": ["id", "turnover"]}, dialect="mysql"),
}


class Question(BaseModel):
    """What a user asks."""

    text: str


class Answer(BaseModel):
    """The SQL, what the check says, and the id that feedback refers to."""

    sql: str
    verdict: str
    explanation: str
    feedback_id: str


class Thumb(BaseModel):
    """A user's opinion of an answer."""

    value: str


@sqlobs.trace_generation
async def generate_sql(question: str) -> str:
    """Stand for your model: it knows one of the two schemas only."""
    return "SELECT SUM(revenue) FROM orders"


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Set sqlobs up with the application and deliver everything when it stops."""
    sqlobs.configure(service_name="sales-assistant")
    yield
    sqlobs.shutdown()


app = FastAPI(lifespan=lifespan)


@app.post("/companies/{company}/questions")
async def answer(company: str, question: Question) -> Answer:
    """Answer a customer's question against that customer's schema."""
    if company not in SCHEMAS:
        raise HTTPException(404, "no such company")
    with sqlobs.context(schema=SCHEMAS[company], target=company, tenant=company) as asked:
        sql = await generate_sql(question.text)
    report = await asked.generation.ready()
    return Answer(
        sql=sql,
        verdict=report.verdict if report else "not_evaluated",
        explanation=asked.generation.explain(),
        feedback_id=asked.generation.id,
    )


@app.post("/feedback/{generation_id}", status_code=204, response_model=None)
async def feedback(generation_id: str, thumb: Thumb) -> None:
    """Take a thumb for an answer; it is joined to the answer's trace."""
    sqlobs.record_feedback(generation_id, kind="thumb", value=thumb.value)


def main() -> None:
    """Ask the same question for both customers, and send a thumb."""
    from fastapi.testclient import TestClient

    with TestClient(app) as client:
        for company in (*SCHEMAS, "initech"):
            reply = client.post(f"/companies/{company}/questions", json={"text": "Revenue?"})
            print(company, reply.status_code, reply.json().get("verdict", reply.json()))
            for line in reply.json().get("explanation", "").splitlines():
                print(f"  {line}")
        reply = client.post("/companies/acme/questions", json={"text": "Revenue?"})
        thumb = client.post(f"/feedback/{reply.json()['feedback_id']}", json={"value": "up"})
        print("feedback", thumb.status_code)


if __name__ == "__main__":
    main()
