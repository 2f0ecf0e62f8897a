"""Counts the elements of a body before it is decoded.

Two bytes of protobuf (an empty message) or three of JSON (`{},`) become an object of 50 to 200
bytes. A body with too many elements for its size is rejected.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, cast

from sqlobs_collector.errors import TooLargeError

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor
    from google.protobuf.message import Message

_FREE: Final = 1_000
"""This many elements are always allowed."""
_BYTES_EACH: Final = 4
"""Attributes with keys of two letters and small numbers have 5 bytes for each message, real ones
more than 12."""
_LEAST_BYTES: Final = 2
"""An empty message: its tag and its length."""
_CONTINUED: Final = 0x80
"""The bit of a varint's byte that says that another byte follows."""
_FIXED: Final = {1: 8, 5: 4}
"""The bytes of the wire types of fixed length."""

_Fields = dict[int, "_Fields"]
"""The fields of a message that are messages themselves, by number, with their own such fields."""


def limit_json(body: bytes, *, limit: int) -> None:
    """Reject a JSON body with too many objects, arrays and members.

    Args:
        body: The JSON text.
        limit: How many elements a body may have, whatever its size.

    Raises:
        TooLargeError: It has more, or more than its size justifies.
    """
    most = _most(body, limit)
    if body.count(b"{") + body.count(b"[") > most or body.count(b",") > most:
        raise _too_many(most)


def limit_protobuf(body: bytes, kind: type[Message], *, limit: int) -> None:
    """Reject a protobuf body with too many messages; invalid protobuf is left to the parser.

    Args:
        body: A message on the wire.
        kind: The message's type.
        limit: How many messages a body may have, whatever its size.

    Raises:
        TooLargeError: It has more, or more than its size justifies.
    """
    most = _most(body, limit)
    if len(body) <= most * _LEAST_BYTES:
        return
    try:
        if _has_more(body, kind, most):
            raise _too_many(most)
    except IndexError:  # cut off
        return


def _most(body: bytes, limit: int) -> int:
    return max(_FREE, min(limit, len(body) // _BYTES_EACH))


def _too_many(most: int) -> TooLargeError:
    return TooLargeError(f"the body has more than {most} elements: send fewer in one request")


def _has_more(body: bytes, kind: type[Message], most: int) -> bool:  # noqa: C901 - one loop without calls
    """Return whether a message has more than so many messages inside.

    One loop without calls, which would double its time: it runs for each field of a body.
    """
    count, place, end = 0, 0, len(body)
    # The stubs also allow the C class, which has the same attributes.
    fields = _messages_of(cast("Descriptor", kind.DESCRIPTOR))
    outer: list[tuple[int, _Fields]] = []
    while True:
        while place >= end:
            if not outer:
                return False
            end, fields = outer.pop()
        tag = body[place]
        place += 1
        if tag >= _CONTINUED:
            tag, place = _varint(body, place - 1)
        wire = tag & 7
        if wire == 2:  # noqa: PLR2004 - the wire type of what has a length
            size = body[place]
            place += 1
            if size >= _CONTINUED:
                size, place = _varint(body, place - 1)
            inner = fields.get(tag >> 3)
            if inner is None:
                place += size
                continue
            count += 1
            if count > most:
                return True
            outer.append((end, fields))
            end, fields = min(place + size, end), inner
        elif wire == 0:
            while body[place] >= _CONTINUED:
                place += 1
            place += 1
        elif wire in _FIXED:
            place += _FIXED[wire]
        else:
            return False  # groups, which OTLP does not have: the parser skips or refuses them


@cache
def _messages_of(descriptor: Descriptor) -> _Fields:
    return _filled(descriptor, {})


def _filled(descriptor: Descriptor, known: dict[str, _Fields]) -> _Fields:
    """Return the table of a message type; types may hold themselves, as a list of values does."""
    if descriptor.full_name not in known:
        fields = known[descriptor.full_name] = {}
        for field in descriptor.fields:
            if field.message_type is not None:
                fields[field.number] = _filled(field.message_type, known)
    return known[descriptor.full_name]


def _varint(body: bytes, place: int) -> tuple[int, int]:
    """Return a number and the place behind it."""
    value = shift = 0
    while body[place] >= _CONTINUED:
        value |= (body[place] & 0x7F) << shift
        shift += 7
        place += 1
    return value | body[place] << shift, place + 1
