"""Stream SQL to the user as the model writes it: the whole text is checked when the stream ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlobs
from sqlobs.testing import capture_spans

if TYPE_CHECKING:
    from collections.abc import Generator

SCHEMA = sqlobs.Schema.from_mapping(
    {"orders": {"order_id": "INTEGER", "total_amount": "NUMERIC"}}, dialect="sqlite"
)
ANSWER = "Here you are:\n```sql\nSELECT AVG(amount)\nFROM orders\n```"


@sqlobs.trace_generation(schema=SCHEMA)
def stream_sql(question: str) -> Generator[str]:
    """Yield the model's text in pieces, as your client gives them."""
    yield from ANSWER.splitlines(keepends=True)


def main() -> None:
    """Print the stream as it comes, then the verdict on its text."""
    with capture_spans() as spans:
        for piece in stream_sql("What is the average order worth?"):
            print(piece, end="")
        print()
        # Somebody closes the page: no call was answered, so nothing is judged.
        stream = stream_sql("And per customer?")
        next(stream)
        stream.close()
    for span in spans.generations:
        seen = span.attributes or {}
        print(seen["sqlobs.outcome"], seen["sqlobs.verdict"], seen.get("sqlobs.failure.code"))


if __name__ == "__main__":
    main()
