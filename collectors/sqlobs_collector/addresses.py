"""The addresses that the collector listens on."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import ip_address

from sqlobs.errors import ConfigError

_MAX_PORT = 65535
_ANY = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port to bind; port 0 lets the system choose."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parse `host:port` or `[ipv6]:port`.

        Raises:
            ValueError: The text has another form.
        """
        host, separator, port = text.rpartition(":")
        if not separator or not host or not port.isdecimal() or int(port) > _MAX_PORT:
            message = f"{text!r} is not a valid address; write it as host:port"
            raise ValueError(message)
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def loopback(self) -> str | None:
        """The numeric loopback address at which this machine reaches it; None if there is none."""
        if self.host in {"localhost", "0.0.0.0"}:  # noqa: S104 - compared with, not bound
            return "127.0.0.1"
        if self.host == "::":
            return "::1"
        return self.host if self.is_loopback else None

    def answers(self, host: str, port: int | None) -> bool:
        """Return whether a local client that uses this host and port reaches this address."""
        given = Address(host.strip("[]"), port or 0)
        is_any = self.host in _ANY
        is_here = given.host == self.host or (given.is_loopback and (is_any or self.is_loopback))
        return given.port == self.port != 0 and is_here

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def bind(address: Address, *, setting: str) -> socket.socket:
    """Return a socket bound to an address, not yet listening.

    Args:
        address: The address to bind.
        setting: The configuration key of the address, for the error message.

    Raises:
        ConfigError: The address is in use or does not belong to this machine.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
    except OSError as error:
        listener.close()
        raise unavailable(address, setting=setting, cause=error.strerror or str(error)) from error
    return listener


def unavailable(address: Address, *, setting: str, cause: str) -> ConfigError:
    """Return the error for an address that the collector cannot listen on."""
    return ConfigError(
        f"cannot listen on {address} ({cause.lower()}): stop the program that uses it, or set"
        f" {setting} to another address"
    )
