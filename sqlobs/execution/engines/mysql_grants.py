"""What a login of MySQL or MariaDB may do on its server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlobs.execution.engines import TargetUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable

GRANTS: Final = "SHOW GRANTS"
"""Gives the login's own rights and those of its active roles, also roles within roles."""

_DANGEROUS: Final = ("FILE", "SUPER", "SHUTDOWN", "CREATE USER", "RELOAD", "ALL PRIVILEGES")
_EVERYWHERE: Final = re.compile(r"GRANT (?P<rights>.+?) ON \*\.\* TO ")
"""What a login may do on the whole server: GRANT SELECT, FILE ON *.* TO `reader`@`%`."""


def require_harmless(grants: Iterable[str]) -> None:
    """Refuse a login that may do too much, by itself or through its roles.

    Args:
        grants: What `GRANTS` gave.

    Raises:
        TargetUnavailableError: It may.
    """
    found = (_EVERYWHERE.match(grant) for grant in grants)
    held = {right.strip() for grant in found if grant for right in grant["rights"].split(",")}
    excess = ", ".join(name for name in _DANGEROUS if name in held)
    if excess:
        raise TargetUnavailableError(
            f"the role may do too much ({excess}); give the target a role with SELECT only"
        )
