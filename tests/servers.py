"""Real servers for tests: started on loopback by the test that needs them, ended after it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

_POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[-2]))


def has_postgres() -> bool:
    """Return whether a PostgreSQL server is installed here."""
    return bool(_POSTGRES)


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process with its children, those that have ended included."""
    return sum(_cpu_s(one) for one in (pid, *descendants(pid)))


def descendants(parent: int) -> list[int]:
    """Return the ids of the processes below a process; one that ends meanwhile has none."""
    try:
        listed = list(Path(f"/proc/{parent}/task").glob("*/children"))
        found = [int(pid) for path in listed for pid in path.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [*found, *(below for pid in found for below in descendants(pid))]


def _cpu_s(pid: int) -> float:
    try:
        # utime, stime, cutime and cstime of proc(5); the name in parentheses may hold spaces
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class PostgresServer:
    """A PostgreSQL of its own directory and port; the superuser is `postgres`, without password.

    Args:
        is_durable: It waits for the disk at each commit.
        below: The directory of its own is made there.
        options: Further settings of the server.
    """

    def __init__(
        self,
        *,
        is_durable: bool = False,
        below: Path | None = None,
        options: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self._options = {"fsync": "on" if is_durable else "off", **options}
        if not has_postgres():
            message = (
                "PostgreSQL is NOT INSTALLED: nothing of this test ran (scripts/install-servers)"
            )
            if os.environ.get("SQLOBS_REQUIRE_INSTALLED"):
                pytest.fail(message)
            pytest.skip(message)
        self.bin = _POSTGRES[-1]
        self.directory = Path(tempfile.mkdtemp(prefix="sqlobs-postgres-", dir=below))
        self.port = free_port()
        # PostgreSQL refuses to run as root.
        self._as: dict[str, str] = {}
        if os.getuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self.directory, account.pw_uid, account.pw_gid)
            self._as = {"user": "postgres", "group": "postgres"}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> PostgresServer:
        """Make a cluster, start it and wait until it answers."""
        data = self.directory / "data"
        self._run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        self.launch()
        return self

    def restart(self) -> None:
        """Stop the server at once, as a crash does, and start it again."""
        self.crash()
        self.launch()

    def crash(self) -> None:
        """Stop the server at once."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(30)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server and to all of its backends."""
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (pid, *map(int, children)):
            os.kill(each, number)

    def launch(self) -> None:
        """Start it on its data, and wait until it answers."""
        data = self.directory / "data"
        options = {
            **self._options,
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.directory,
        }
        with (self.directory / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [self.bin / "postgres", "-D", data, *(f"--{k}={v}" for k, v in options.items())],
                cwd=self.directory,
                stdout=log,
                stderr=log,
                **self._as,
            )
        deadline = time.monotonic() + 30
        ready = [self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode:
            assert time.monotonic() < deadline, (self.directory / "log").read_text()
            time.sleep(0.05)

    def url(self, database: str = "postgres", *, user: str = "postgres") -> str:
        """Return the address of a database."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def cpu_s(self) -> float:
        """Return the CPU time of all its processes, ended ones included."""
        assert self._process is not None
        return cpu_s(self._process.pid)

    def dump(self) -> str:
        """Return all that the server holds, as SQL: roles, schemas, rows, large objects."""
        dump = self._run("pg_dumpall", "-U", "postgres", "-h", "127.0.0.1", "-p", str(self.port))
        keyed = ("\\restrict ", "\\unrestrict ")  # with a key that is drawn for each dump
        return "\n".join(line for line in dump.splitlines() if not line.startswith(keyed))

    def stop(self) -> None:
        """Stop the server and remove its directory."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)
        shutil.rmtree(self.directory)

    def _run(self, program: str, *arguments: object) -> str:
        command = [str(self.bin / program), *map(str, arguments)]
        finished = subprocess.run(
            command, check=True, capture_output=True, cwd=self.directory, text=True, **self._as
        )
        return finished.stdout


class PgBouncer:
    """A PgBouncer in transaction mode, with few connections to a PostgreSQL on this machine.

    Args:
        port: Of PostgreSQL; its databases and users are those of PgBouncer.
    """

    def __init__(self, port: int) -> None:
        program = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin:/usr/bin")
        if program is None:
            message = (
                "PgBouncer is NOT INSTALLED: nothing of this test ran (scripts/install-servers)"
            )
            if os.environ.get("SQLOBS_REQUIRE_INSTALLED"):
                pytest.fail(message)
            pytest.skip(message)
        self.port = free_port()
        self._directory = Path(tempfile.mkdtemp(prefix="sqlobs-pgbouncer-"))
        self._directory.chmod(0o755)
        settings = self._directory / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = user=postgres host=127.0.0.1 port={port}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\n"
            "unix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n"
            "server_idle_timeout = 5\n"  # a test session has many databases
        )
        # PgBouncer refuses to run as root.
        account = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
        with (self._directory / "log").open("wb") as log:
            self._process = subprocess.Popen([program, settings], stdout=log, stderr=log, **account)
        deadline = time.monotonic() + 30
        while not self._answers():
            assert time.monotonic() < deadline, (self._directory / "log").read_text()
            time.sleep(0.05)

    def url(self, database: str) -> str:
        """Return the address of a database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def stop(self) -> None:
        """Stop it and remove its directory."""
        self._process.terminate()
        self._process.wait(30)
        shutil.rmtree(self._directory)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except OSError:
            return False
        return True


class MariaDbServer:
    """A MariaDB of its own directory and port; the user is `root`, without password."""

    def __init__(self) -> None:
        self.program = shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
        if self.program is None:
            message = "MariaDB is NOT INSTALLED: nothing of this test ran (scripts/install-servers)"
            if os.environ.get("SQLOBS_REQUIRE_INSTALLED"):
                pytest.fail(message)
            pytest.skip(message)
        self.directory = Path(tempfile.mkdtemp(prefix="sqlobs-mariadb-"))
        self.port = free_port()
        self._as: dict[str, str] = {}
        if os.getuid() == 0:
            account = pwd.getpwnam("mysql")
            os.chown(self.directory, account.pw_uid, account.pw_gid)
            self._as = {"user": "mysql", "group": "mysql"}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> MariaDbServer:
        """Make the system tables, start the server and wait until it answers."""
        data = self.directory / "data"
        made = subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
             f"--tmpdir={self.directory}", "--auth-root-authentication-method=normal"],
            capture_output=True, text=True, cwd=self.directory, check=False, **self._as,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr
        options = ["--no-defaults", f"--datadir={data}", f"--port={self.port}",
                   f"--tmpdir={self.directory}",
                   "--bind-address=127.0.0.1", f"--socket={self.directory}/socket",
                   f"--pid-file={self.directory}/pid", "--innodb-flush-log-at-trx-commit=0"]  # fmt: skip
        with (self.directory / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(self.program), *options],
                cwd=self.directory,
                stdout=log,
                stderr=log,
                **self._as,
            )
        deadline = time.monotonic() + 30
        while not (self.directory / "socket").exists():
            assert time.monotonic() < deadline, (self.directory / "log").read_text()
            time.sleep(0.05)
        return self

    def url(self, database: str) -> str:
        """Return the address of a database."""
        return f"mysql://root@127.0.0.1:{self.port}/{database}"

    def run(self, sql: str) -> str:
        """Run a script as root and return what it printed."""
        command = ["mariadb", "--no-defaults", f"--socket={self.directory}/socket", "-uroot"]
        finished = subprocess.run(command, input=sql, check=True, capture_output=True, text=True)
        return finished.stdout

    def dump(self, database: str) -> str:
        """Return a database's definitions as its own tool writes them."""
        command = ["mariadb-dump", "--no-defaults", f"--socket={self.directory}/socket", "-uroot"]
        finished = subprocess.run([*command, database], check=True, capture_output=True, text=True)
        return finished.stdout

    def stop(self) -> None:
        """Stop the server and remove its directory."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
        shutil.rmtree(self.directory)


def installed(program: str) -> str:
    """Return the path of an installed program; without it the test is skipped, in CI it fails."""
    path = shutil.which(program)
    if path is None:
        message = f"{program} is NOT INSTALLED: nothing of this test ran (scripts/install-servers)"
        if os.environ.get("SQLOBS_REQUIRE_INSTALLED"):
            pytest.fail(message)
        pytest.skip(message)
    return path


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
