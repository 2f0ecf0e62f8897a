"""Detects another instrumentation of a model call, so that it is not traced twice.

The official instrumentation (opentelemetry-util-genai) makes no span inside a call that has its
inference data in the context, but fills them. Others cannot be suppressed: if one has patched the
OpenAI client, we add a span after a call without a span of theirs.
Tests: `tests/tracing/test_stages.py` and `test_clients.py`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from opentelemetry.context import get_value, set_value

if TYPE_CHECKING:
    from opentelemetry.context import Context

INFERENCE_KEY: Final = "opentelemetry.genai.client.inference.context"
"""The key of the official instrumentation; its value is the outer call's `InferenceData`."""

_GENAI_MODULE: Final = "opentelemetry.util.genai.invocation"


def is_covered(context: Context) -> bool:
    """Say whether an instrumented model call is open around this one."""
    return get_value(INFERENCE_KEY, context) is not None


def covering(context: Context) -> Context:
    """Return a context that suppresses the official instrumentation."""
    data = _inference_data()
    return context if data is None else set_value(INFERENCE_KEY, data, context)


def is_client_patched() -> bool:
    """Say whether another instrumentation has wrapped the OpenAI client."""
    openai = sys.modules.get("openai")
    client = getattr(openai, "OpenAI", None)
    return hasattr(getattr(client, "request", None), "__wrapped__")


def _inference_data() -> object:
    """Return new inference data if that package is imported, else None."""
    module = sys.modules.get(_GENAI_MODULE)
    kind = getattr(module, "InferenceData", None)
    return None if kind is None else kind()
