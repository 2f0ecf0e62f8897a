"""Bodies whose elements cost more than their bytes, and some that look alike."""

from __future__ import annotations

PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}
MANY = 200_000


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, content: bytes) -> bytes:
    """A field that has a length."""
    return varint(number << 3 | 2) + varint(len(content)) + content


BOMBS = {
    "resources": field(1, b"") * MANY,
    "scopes": field(1, field(2, b"") * MANY),
    "records": field(1, field(2, field(2, b"") * MANY)),
    "attributes": field(1, field(1, field(1, b"") * MANY)),
    "values": field(1, field(2, field(2, field(5, field(5, field(1, b"") * MANY))))),
}
JSON_BOMBS = {
    "resources": b'{"resourceLogs":[' + b"{}," * MANY + b"{}]}",
    "nested": b'{"resourceLogs":' + b"[" * MANY + b"]" * MANY + b"}",
    "counts": b'{"resourceMetrics":[' + b"1," * MANY + b"1]}",
}
BEARABLE = {
    "with a number in each": (PROTOBUF, field(1, b"\x10\x01") * MANY),
    "fields that nobody knows": (
        PROTOBUF,
        field(1, field(2, field(2, (b"\xb2\x01" + b"\x00") * MANY))),
    ),
    "unknown members": (JSON, b'{"x":{' + b'"a":{},' * MANY + b'"a":{}}}'),
}
"""Bodies as large as what is made of them."""
