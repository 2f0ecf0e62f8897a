"""The audit log: who read stored requests and who changed what, a JSON object a line.

`audit.jsonl` in the data directory begins anew each day; the file of an earlier day ends with its
date. A line never has question, SQL or the text of a search: paths only, without their query.
"""

from __future__ import annotations

import getpass
import json
import logging
import os
from contextlib import suppress
from datetime import UTC, datetime
from logging.handlers import TimedRotatingFileHandler
from typing import TYPE_CHECKING, Any, Final

from sqlobs_collector.datadir import OWNER_ONLY

if TYPE_CHECKING:
    from io import TextIOWrapper
    from pathlib import Path

_log = logging.getLogger(__name__)

FILE_NAME: Final = "audit.jsonl"


class AuditLog:
    """Appends to the audit log of a data directory.

    Args:
        data_dir: Where the log is.
        days: How many earlier days are kept; 0 = nothing is written.
    """

    def __init__(self, data_dir: Path, *, days: int) -> None:
        self._file = _Daily(data_dir / FILE_NAME, days=days) if days else None

    def record(
        self,
        action: str,
        *,
        by: str | None,
        workspace: str | None = None,
        status: int | None = None,
        address: str | None = None,
    ) -> None:
        """Append a line.

        Args:
            action: What was done: `GET /v1/requests/…`, or a command.
            by: The name of the token, or of the user who ran the command; None: nobody known.
            workspace: Where.
            status: Of the response.
            address: Where a request came from.
        """
        if self._file is None:
            return
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {
            "time": time,
            "by": by,
            "workspace": workspace,
            "action": action,
            "status": status,
            "address": address,
        }
        self._file.handle(logging.makeLogRecord({"msg": json.dumps(line)}))

    def record_command(self, action: str, *, workspace: str | None = None) -> None:
        """Append what the user of this process did by a command."""
        self.record(action, by=f"user {getpass.getuser()}", workspace=workspace)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._file is not None:
            with suppress(OSError):  # a full disk was reported with the line that it cost
                self._file.close()


class _Daily(TimedRotatingFileHandler):
    """A file for its owner only, and a new one each day."""

    def __init__(self, path: Path, *, days: int) -> None:
        super().__init__(path, when="midnight", utc=True, backupCount=days, delay=True)

    def _open(self) -> TextIOWrapper[Any]:
        return open(self.baseFilename, "a", encoding="utf-8", opener=_opened)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - overrides it
        """Say that a line is missing: requests go on."""
        _log.exception("the audit log %s cannot be written: %s", self.baseFilename, record.msg)


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)
