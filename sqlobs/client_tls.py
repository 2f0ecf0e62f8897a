"""TLS to a collector: whose certificates are trusted, and which one this program presents.

Tests: `tests/collector/test_certificates.py`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    import ssl

CLIENT_CERTIFICATE: Final = "SQLOBS_COLLECTOR_CLIENT_CERTIFICATE"
"""The variable with the file that holds a client's certificate and key in PEM."""


def client_context() -> ssl.SSLContext:
    """Return the context of a connection; SSL_CERT_FILE names CAs other than the usual ones.

    Raises:
        ConfigError: The client's certificate cannot be read.
    """
    import httpx

    context = httpx.create_ssl_context()
    own = os.environ.get(CLIENT_CERTIFICATE)
    if own:
        try:
            context.load_cert_chain(own)
        except OSError as error:
            raise ConfigError(
                f"{CLIENT_CERTIFICATE}: cannot read {own} ({error.strerror}); it must hold a"
                " certificate and its key in PEM"
            ) from error
    return context
