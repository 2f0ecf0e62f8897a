"""Attributes that were on an earlier span: the SDK has validated them, and need not again.

It looks at the type and length of each value of each span, which takes longer than all else that a
repeated answer costs. Where its spans hold their attributes otherwise than is known here, they are
set as usual. Tests: `tests/tracing/test_repeated_answers.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from opentelemetry.attributes import BoundedAttributes

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from sqlobs.unit import AttributeValue

_SAMPLE: Final = BoundedAttributes(attributes={"a": "b"})
_KNOWN: Final = getattr(_SAMPLE, "_dict", None) == {"a": "b"} and hasattr(_SAMPLE, "_lock")
"""The SDK keeps validated values in the dictionary that is copied into here, behind this lock."""


def took_all(span: Span, attributes: Mapping[str, AttributeValue]) -> bool:
    """Return whether a span has these attributes and no others, each as it was set."""
    held = getattr(span, "_attributes", None)
    return _KNOWN and type(held) is BoundedAttributes and held._dict == attributes  # noqa: SLF001 - the public mapping compares in Python


def set_again(span: Span, attributes: Mapping[str, AttributeValue]) -> None:
    """Set attributes that an earlier span of the same provider took; numbers may differ."""
    held = getattr(span, "_attributes", None)
    if type(held) is BoundedAttributes:
        with held._lock:  # noqa: SLF001 - there is no public way past the validation
            if not held._dict:  # noqa: SLF001 - as above; else an old one may have to go
                held._dict.update(attributes)  # noqa: SLF001 - as above
                return
    span.set_attributes(attributes)
