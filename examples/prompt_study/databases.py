"""Creates the databases of the study, its questions (`study.jsonl`) and its `targets.txt`.

    python databases.py

SQLite and DuckDB are files. PostgreSQL is the database of `STUDY_POSTGRES`; without it, the 20
questions of the clinic are left out, and standard error says so.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path

HERE = Path(__file__).parent


def statements(name: str) -> list[str]:
    text = (HERE / f"{name}.sql").read_text(encoding="utf-8")
    return [each for each in text.split(";\n") if each.strip()]


def shop() -> str:
    Path("shop.db").unlink(missing_ok=True)
    with sqlite3.connect("shop.db") as connection:
        connection.executescript((HERE / "shop.sql").read_text(encoding="utf-8"))
    connection.close()
    return "sqlite:///shop.db"


def library() -> str:
    import duckdb

    Path("library.duckdb").unlink(missing_ok=True)
    with duckdb.connect("library.duckdb") as connection:
        for statement in statements("library"):
            connection.execute(statement)
    return "duckdb:///library.duckdb"


def clinic(url: str) -> str:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS prescription, visit, doctor, patient")
        for statement in statements("clinic"):
            connection.execute(statement)
    return url


def main() -> None:
    places = {"shop": shop(), "library": library()}
    url = os.environ.get("STUDY_POSTGRES")
    if url:
        places["clinic"] = clinic(url)
    else:
        print("SKIPPED: 20 questions on PostgreSQL; set STUDY_POSTGRES", file=sys.stderr)
    questions = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [line for line in questions if json.loads(line)["db"] in places]
    Path("study.jsonl").write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    targets = "".join(f"{name}={place}\n" for name, place in places.items())
    Path("targets.txt").write_text(targets, encoding="utf-8")


if __name__ == "__main__":
    main()
