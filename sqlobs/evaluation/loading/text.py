"""The text and the lines of a file that somebody else wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte-order mark.

    Raises:
        InputError: the file cannot be opened, or is not UTF-8 text.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}, line {line}: not UTF-8 text (byte 0x{content[error.start]:02x})"
        ) from None


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file; empty ones count, a final line break makes none.

    Only line feeds part lines: a literal may hold other characters that Unicode breaks lines at.

    Raises:
        InputError: the file cannot be opened, or is not UTF-8 text.
    """
    text = read_text(path).replace("\r\n", "\n")
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
