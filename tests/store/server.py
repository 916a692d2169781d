"""A PostgreSQL server of the tests' own, on a socket in a temporary folder, made by Debian's ``initdb``."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from glob import glob
from itertools import count
from pathlib import Path

import psycopg

MISSING = (
    "there is no PostgreSQL here (no initdb): `make .venv/postgres` installs Debian's, and these tests are skipped"
)


def program(name):
    """Return the path of a program of PostgreSQL; None if it is not installed."""
    there = sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return there[-1] if there else shutil.which(name)


class Server:
    """A server with default settings that writes to the disk as in real life; only its user can reach it."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="wayfare-pg-"))
        self.data, self._numbers = self.folder / "data", count()
        # PostgreSQL refuses to run as root.
        self.user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self.user:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self.folder.chmod(0o755)
        made = ["--username=wayfare", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        self._run("initdb", *made, "--pgdata", self.data)
        self.start()

    def _run(self, name, *arguments):
        subprocess.run([program(name), *map(str, arguments)], check=True, capture_output=True, cwd="/", **self.user)

    def start(self):
        options = (
            f"-c listen_addresses= -k {self.folder} -c max_connections=200 -c shared_buffers=32MB "
            "-c recovery_init_sync_method=syncfs"  # after a kill, else minutes go into all files of the server
        )
        until = time.monotonic() + 60
        while True:
            try:
                return self._run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.folder / "log", "-o", options)
            except subprocess.CalledProcessError:
                if time.monotonic() > until:  # processes of the server before may still hold its memory
                    raise
                time.sleep(0.2)

    def stop(self, mode="fast"):
        self._run("pg_ctl", "stop", "-w", "-D", self.data, "-m", mode)

    def kill(self, backend):
        """Kill one server process outright, after which the server restarts all of them."""
        until = time.monotonic() + 60
        with suppress(psycopg.Error), psycopg.connect(self.address("postgres"), autocommit=True) as other:
            os.kill(backend, signal.SIGKILL)
            while time.monotonic() < until:  # until it is ended, too
                other.execute("SELECT 1")
                time.sleep(0.02)
        while time.monotonic() < until:
            try:
                psycopg.connect(self.address("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.05)

    def address(self, database, user="wayfare"):
        return f"postgresql:///{database}?host={self.folder}&user={user}"

    def emptied(self, database="postgres"):
        """Return the address of a database after what the store has in it was dropped."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute("DROP SCHEMA IF EXISTS wayfare CASCADE")
        return self.address(database)

    def database(self, options=""):
        """Make an empty database; return its address."""
        name = f"lab{next(self._numbers)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {options}")
        return self.address(name)

    def remove(self):
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)
