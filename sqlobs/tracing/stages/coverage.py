"""Whether somebody else's instrumentation covers a model call, so that it is not traced twice.

The official instrumentation (opentelemetry-util-genai) keeps silent inside a call that has its
inference data in the context, and fills them. Others cannot be told; where one has patched the
OpenAI client, a span of ours is made only after a call in which no span of theirs was seen.
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
    """Say whether an instrumented model call is under way around us."""
    return get_value(INFERENCE_KEY, context) is not None


def covering(context: Context) -> Context:
    """Return a context inside which the official instrumentation keeps silent."""
    data = _inference_data()
    return context if data is None else set_value(INFERENCE_KEY, data, context)


def is_client_patched() -> bool:
    """Say whether an instrumentation that cannot be silenced has wrapped the OpenAI client."""
    openai = sys.modules.get("openai")
    client = getattr(openai, "OpenAI", None)
    return hasattr(getattr(client, "request", None), "__wrapped__")


def _inference_data() -> object:
    """Return fresh inference data where that package is in use; None where it is not."""
    module = sys.modules.get(_GENAI_MODULE)
    kind = getattr(module, "InferenceData", None)
    return None if kind is None else kind()
