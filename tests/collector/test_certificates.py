"""TLS on every listener: certificates that are renewed while it runs, and clients that show one."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import grpc
import httpx
import pytest
import trustme
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from sqlobs.admin import ask_admin
from sqlobs.client_tls import CLIENT_CERTIFICATE
from sqlobs.errors import ConfigError, InputError
from sqlobs.tracing.sending.collector_client import CollectorClient, _tls_context
from sqlobs_collector import config as configuration
from sqlobs_collector.otlp.signals import SIGNALS
from tests.collector import records
from tests.collector.test_units import unit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.collector.running import RunningCollector

HOST = "127.0.0.1"
LOGS = next(signal for signal in SIGNALS if signal.name == "logs")


def issue(authority: trustme.CA, folder: Path) -> dict[str, str]:
    """Write a certificate for the loopback; return the settings that name its files."""
    folder.mkdir(exist_ok=True)
    issued = authority.issue_cert(HOST)
    issued.private_key_pem.write_to_path(str(folder / "key.pem"))
    issued.cert_chain_pems[0].write_to_path(str(folder / "chain.pem"))
    return {"tls__certificate": str(folder / "chain.pem"), "tls__key": str(folder / "key.pem")}


def write_client(authority: trustme.CA, path: Path) -> str:
    authority.issue_cert("app@example.com").private_key_and_cert_chain_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """A CA that this machine trusts."""
    made = trustme.CA()
    made.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    return made


@pytest.fixture(autouse=True)
def fresh_context():
    """Programs read the trusted certificates once."""
    _tls_context.cache_clear()
    yield
    _tls_context.cache_clear()


def sent_over_http(collector: RunningCollector) -> str:
    client = CollectorClient(f"https://{collector.addresses.http}")
    body = records.logs(unit(1)).SerializeToString()
    try:
        return client.deliver("/v1/logs", body, within_s=5, is_repeated=False).fate
    finally:
        client.close()


def sent_over_grpc(
    collector: RunningCollector,
    trusted: Path,
    *,
    own: bytes | None = None,
    key: bytes | None = None,
) -> ExportLogsServiceResponse:
    """Send a unit; grpc raises what went wrong."""
    credentials = grpc.ssl_channel_credentials(trusted.read_bytes(), key, own)
    with grpc.secure_channel(str(collector.addresses.grpc), credentials) as channel:
        export = channel.unary_unary(LOGS.method)
        answer = export(records.logs(unit(2)).SerializeToString(), timeout=5)
    return ExportLogsServiceResponse.FromString(answer)


def serial(address: object, trusted: Path) -> int:
    """Return the serial number of the certificate that a listener presents."""
    host, _, port = str(address).partition(":")
    found = ssl.get_server_certificate((host, int(port)), ca_certs=str(trusted), timeout=5)
    from cryptography.x509 import load_pem_x509_certificate

    return load_pem_x509_certificate(found.encode()).serial_number


def test_every_listener_speaks_tls(
    launch: Callable[..., RunningCollector], authority: trustme.CA, tmp_path: Path
):
    """Units arrive over HTTPS and gRPC, the user's commands are let in, and plain text is not."""
    collector = launch(**issue(authority, tmp_path / "tls"))
    assert sent_over_http(collector) == "accepted"
    assert sent_over_grpc(collector, tmp_path / "ca.pem") == ExportLogsServiceResponse()
    answer = ask_admin(f"https://{collector.addresses.admin}", "/metrics")
    assert answer.status == 200
    assert len(collector.journaled()) == 2
    for address in (collector.http, collector.admin):
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"{address}/v1/logs")


def test_a_client_shows_a_certificate_where_one_is_asked(
    launch: Callable[..., RunningCollector],
    authority: trustme.CA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    """None, and one of a stranger, end the connection; the admin port asks for none here."""
    clients = trustme.CA()
    clients.cert_pem.write_to_path(str(tmp_path / "clients.pem"))
    asked = {"http": str(tmp_path / "clients.pem"), "grpc": str(tmp_path / "clients.pem")}
    collector = launch(**issue(authority, tmp_path / "tls"), tls__client_ca=asked)
    trusted = tmp_path / "ca.pem"
    for known, fate in (
        (None, "unreachable"),
        (trustme.CA(), "unreachable"),
        (clients, "accepted"),
    ):
        monkeypatch.delenv(CLIENT_CERTIFICATE, raising=False)
        _tls_context.cache_clear()
        shown: dict[str, bytes] = {}
        if known is not None:
            monkeypatch.setenv(CLIENT_CERTIFICATE, write_client(known, tmp_path / "client.pem"))
            pair = known.issue_cert("app@example.com")
            shown = {"own": pair.cert_chain_pems[0].bytes(), "key": pair.private_key_pem.bytes()}
        assert sent_over_http(collector) == fate
        if fate == "accepted":
            assert sent_over_grpc(collector, trusted, **shown) == ExportLogsServiceResponse()
        else:
            with pytest.raises(grpc.RpcError):
                sent_over_grpc(collector, trusted, **shown)
        assert ask_admin(f"https://{collector.addresses.admin}", "/metrics").status == 200


def test_a_renewed_certificate_serves_the_next_connection(
    launch: Callable[..., RunningCollector], authority: trustme.CA, tmp_path: Path
):
    """Files that do not fit together, or are half written, change nothing."""
    collector = launch(**issue(authority, tmp_path / "tls"))
    trusted, listeners = tmp_path / "ca.pem", (collector.addresses.http, collector.addresses.grpc)
    before = [serial(each, trusted) for each in listeners]
    assert len(set(before)) == 1
    chain = (tmp_path / "tls" / "chain.pem").read_bytes()
    (tmp_path / "tls" / "chain.pem").write_bytes(chain[: len(chain) // 2])
    assert [serial(each, trusted) for each in listeners] == before
    (tmp_path / "tls" / "key.pem").unlink()
    assert [serial(each, trusted) for each in listeners] == before
    issue(authority, tmp_path / "tls")
    after = [serial(each, trusted) for each in listeners]
    assert len(set(after)) == 1
    assert after != before


def test_mistakes_are_found_before_a_port_opens(authority: trustme.CA, tmp_path: Path):
    """One sentence each."""
    one, other = issue(authority, tmp_path / "one"), issue(authority, tmp_path / "other")
    (tmp_path / "text.pem").write_text("no certificate")
    first = {name.replace("__", "."): path for name, path in one.items()}
    for changes, sentence in (
        ({"tls.key": None}, "set certificate and key, or neither"),
        ({"tls.key": str(tmp_path / "absent.pem")}, "absent.pem: No such file"),
        ({"tls.key": other["tls__key"]}, "do not match or are not PEM"),
        ({"tls.certificate": str(tmp_path / "text.pem")}, "do not match or are not PEM"),
        ({"tls.client_ca": {"http": str(tmp_path / "absent.pem")}}, "absent.pem: No such file"),
        ({"tls.client_ca": {"smtp": one["tls__key"]}}, "smtp"),
    ):
        flags = {key: value for key, value in {**first, **changes}.items() if value is not None}
        with pytest.raises(ConfigError) as caught:
            configuration.load(None, environ={}, flags=flags)
        assert sentence in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_client_s_certificate_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch):
    """By the variable and the file."""
    monkeypatch.setenv(CLIENT_CERTIFICATE, "/absent.pem")
    with pytest.raises(ConfigError, match=f"{CLIENT_CERTIFICATE}: cannot read /absent.pem"):
        CollectorClient("https://127.0.0.1:4318")
    with pytest.raises((ConfigError, InputError), match=r"/absent\.pem"):
        ask_admin("https://127.0.0.1:1", "/metrics")
