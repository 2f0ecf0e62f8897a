"""A SQLite file with replies and budget, from which a killed run resumes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.budget import Amount, BudgetLimits, micro_usd
from sqlobs.judge.endpoint.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
  span TEXT PRIMARY KEY, tokens INTEGER NOT NULL, micro_usd INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS open_calls (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS interrupted_calls (key TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS open_batches (mark TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_DEBIT: Final = """
UPDATE spent SET tokens = tokens + :tokens, micro_usd = micro_usd + :micro_usd
WHERE span = :span
  AND (:most_tokens IS NULL OR tokens + :tokens <= :most_tokens)
  AND (:most_micro_usd IS NULL OR micro_usd + :micro_usd <= :most_micro_usd)
"""


class SqliteStore:
    """A `ReplyCache` and a `Ledger` in one file; several processes may share it.

    Every write is a separate transaction in WAL mode without a sync: it survives a process crash,
    but not always a machine crash.
    """

    def __init__(self, path: str | Path) -> None:
        """Open or create the file.

        Raises:
            ConfigError: It cannot be opened or is not a SQLite file.
        """
        self._begun: str | None = None
        """The window whose row exists."""
        try:
            self._connection = sqlite3.connect(
                path, isolation_level=None, timeout=10, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise ConfigError(f"the judge's store {path} cannot be used: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def get(self, key: str) -> Reply | None:
        """Return the reply for a key; None if there is none."""
        found = self._connection.execute("SELECT reply FROM replies WHERE key = ?", (key,))
        row = found.fetchone()
        return None if row is None else Reply(**json.loads(row[0]))

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply."""
        self._connection.execute(
            "INSERT OR REPLACE INTO replies VALUES (?, ?)",
            (key, json.dumps({name: getattr(reply, name) for name in Reply.__slots__})),
        )

    def forget(self, key: str) -> None:
        """Drop a reply."""
        self._connection.execute("DELETE FROM replies WHERE key = ?", (key,))

    def begin(self, key: str) -> None:
        """Note that a call is about to be sent, so that a kill does not hide it."""
        self._connection.execute("INSERT OR IGNORE INTO open_calls VALUES (?)", (key,))

    def end(self, key: str) -> None:
        """Note that the call has ended."""
        self._connection.execute("DELETE FROM open_calls WHERE key = ?", (key,))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all of a block, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def interrupted(self) -> int:
        """Return how many calls kills have cut off in the life of this file.

        Calls that are open now count, too: call this before any is made, in the only process that
        uses the file.
        """
        self._connection.executescript(
            "BEGIN; INSERT INTO interrupted_calls SELECT key FROM open_calls;"
            " DELETE FROM open_calls; COMMIT;"
        )
        [count] = self._connection.execute("SELECT count(*) FROM interrupted_calls").fetchone()
        return int(count)

    def open_batch(self, mark: str) -> None:
        """Note that the debit of a batch is open."""
        self._connection.execute("INSERT INTO open_batches VALUES (?)", (mark,))

    def close_batch(self, mark: str) -> bool:
        """Note that the debit of a batch is settled; return False if it was not open."""
        closed = self._connection.execute("DELETE FROM open_batches WHERE mark = ?", (mark,))
        return closed.rowcount == 1

    def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Debit the amount if the window then stays within the limits."""
        self._begin(window)
        changed = self._connection.execute(
            _DEBIT,
            {
                "span": window,
                "tokens": amount.tokens,
                "micro_usd": amount.micro_usd,
                "most_tokens": limits.tokens,
                "most_micro_usd": None if limits.usd is None else micro_usd(limits.usd),
            },
        )
        return changed.rowcount == 1

    def settle(self, window: str, difference: Amount) -> None:
        """Correct the debit."""
        self._begin(window)
        self._connection.execute(
            "UPDATE spent SET tokens = tokens + ?, micro_usd = micro_usd + ? WHERE span = ?",
            (difference.tokens, difference.micro_usd, window),
        )

    def used(self, window: str) -> Amount:
        """Return the usage of a window."""
        row = self._connection.execute(
            "SELECT tokens, micro_usd FROM spent WHERE span = ?", (window,)
        ).fetchone()
        return Amount(*row) if row else Amount(0, 0)

    def total(self) -> Amount:
        """Return the usage of all windows."""
        row = self._connection.execute(
            "SELECT coalesce(sum(tokens), 0), coalesce(sum(micro_usd), 0) FROM spent"
        ).fetchone()
        return Amount(*row)

    def _begin(self, window: str) -> None:
        if window == self._begun:
            return
        self._begun = window
        self._connection.execute("INSERT OR IGNORE INTO spent VALUES (?, 0, 0)", (window,))
