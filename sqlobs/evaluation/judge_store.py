"""The replies that the judges of a run gave, and what they cost, in a file of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.judge.endpoint.store import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

STORE: Final = "judge.db"
_BEGIN: Final = """
BEGIN;
DELETE FROM replies WHERE key IN (SELECT key FROM unreadable);
DELETE FROM unreadable;
COMMIT;
"""


class JudgeStore(SqliteStore):
    """A store that drops an unreadable reply only when the next evaluation begins.

    An interrupted run that dropped it at once would pay for another one when it resumes.
    """

    def __init__(self, folder: Path, *, is_resumed: bool) -> None:
        """Open or create the file.

        Args:
            folder: The folder of the run's other files.
            is_resumed: Whether an interrupted evaluation continues.

        Raises:
            ConfigError: It cannot be opened or is not a SQLite file.
        """
        super().__init__(folder / STORE)
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS unreadable (key TEXT PRIMARY KEY) WITHOUT ROWID"
        )
        if not is_resumed:
            self._connection.executescript(_BEGIN)
        self.repeated = self.interrupted()
        """Calls that interruptions of this run cut off, and that are made again."""

    def forget(self, key: str) -> None:
        """Let the next evaluation ask again."""
        self._connection.execute("INSERT OR IGNORE INTO unreadable VALUES (?)", (key,))
