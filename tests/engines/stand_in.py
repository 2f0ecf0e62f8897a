"""An engine for tests of the process around it: what a statement says is what happens."""

from __future__ import annotations

import os
import time

from sqlobs.execution.analyzers.questions import NoVerdictError, Rejection


class Analyzer:
    """Answers by keywords; an accepted statement leaves its tables in the engine's name."""

    engine = f"stand-in {os.getpid()}"

    def rejection(self, sql, tables):
        """Do what the statement says."""
        if "sleep" in sql:
            time.sleep(60)
        if "exit" in sql:
            os._exit(1)
        if "undecided" in sql:
            raise NoVerdictError("as asked")
        if "tables" in sql:
            return Rejection(
                "schema.unknown_column", " ".join(".".join(one.path) for one in tables)
            )
        if "secret" in sql:
            return Rejection("schema.unknown_column", os.environ.get("SQLOBS_SECRET", "nothing"))
        if "ghosts" in sql:
            return Rejection("schema.unknown_table", sql.split()[-1])
        return None
