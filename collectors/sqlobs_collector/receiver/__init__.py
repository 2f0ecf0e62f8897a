"""The receivers: OTLP over HTTP and gRPC, one intake behind both."""

from __future__ import annotations
