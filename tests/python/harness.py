# SPDX-License-Identifier: BSD-3-Clause
"""Runs `orrery` as users do, and looks for what it may have left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ORRERY = Path(sys.executable).parent / "orrery"
PROGRAMS = Path(__file__).parent.parent / "programs"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
_SHARED = Path("/dev/shm")  # noqa: S108  looked at, not used
_OTHERS = re.compile("mpich_shm_|ucx_shm_|vader_segment|sm_segment")
"""Names of what real MPIs and UCX have there, maybe in a test that runs at the same time. Orrery has no names there."""
_TOKEN = "ORRERY_TEST_TOKEN"  # noqa: S105  a name, and of nothing secret


@dataclass
class Ended:
    """A finished `orrery`."""

    code: int
    out: str
    err: str
    ended_at: float
    """Host time, comparable with the time of a file."""
    record: dict[str, Any]
    """What `-o run.json` wrote."""


class Sandbox:
    """A folder for programs and records, and a way to run `orrery` in it."""

    def __init__(self, folder: Path, built: Path) -> None:
        self.folder = folder
        self.built = built
        self._token = uuid.uuid4().hex
        self._shared_before = set(_SHARED.iterdir())
        (folder / "tmp").mkdir()
        self.environment = {
            **os.environ,
            "XDG_STATE_HOME": str(folder / "state"),
            "TMPDIR": str(folder / "tmp"),
            _TOKEN: self._token,
        }

    def program(self, name: str) -> str:
        """Path of tests/programs/NAME.c (or examples/NAME.c), built with Orrery's mpicc."""
        binary = self.built / name
        if not binary.exists():
            sources = [path for path in (PROGRAMS / f"{name}.c", EXAMPLES / f"{name}.c") if path.exists()]
            subprocess.run([prefix() / "bin" / "mpicc", "-O2", sources[0], "-o", binary, "-lm"], check=True)
        return str(binary)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """`orrery ARGUMENTS`, under way."""
        return subprocess.Popen(
            [ORRERY, *arguments],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: subprocess.Popen[str], record: str = "run.json") -> Ended:
        """Wait for `process`, at most a minute; `record` is what it writes as JSON."""
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=10)
            raise AssertionError(f"still running after a minute:\n{out}\n{err}") from None
        ended_at = time.time()
        path = self.folder / record
        written = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return Ended(process.returncode, out, err, ended_at, written)

    def orrery(self, *arguments: str) -> Ended:
        """`orrery ARGUMENTS`, to its end."""
        return self.finish(self.start(*arguments))

    def run(self, ranks: int, program: str, *arguments: str, options: tuple[str, ...] = ()) -> Ended:
        """`orrery run -n RANKS -o run.json OPTIONS PROGRAM ARGUMENTS`."""
        return self.orrery("run", "-n", str(ranks), "-o", "run.json", *options, self.program(program), *arguments)

    def replay(self, *arguments: str) -> Ended:
        """`orrery replay -o replay.json ARGUMENTS`."""
        (self.folder / "replay.json").unlink(missing_ok=True)
        return self.finish(self.start("replay", "-o", "replay.json", *arguments), "replay.json")

    def replayed(self, *arguments: str) -> dict[str, Any]:
        """The record of a replay that ends well."""
        ended = self.replay(*arguments)
        assert ended.code == 0, ended.err
        return ended.record

    def left_behind(self) -> list[str]:
        """Processes, shared-memory entries and temporary files of runs in this sandbox that are still there."""
        shared = [entry for entry in sorted(set(_SHARED.iterdir()) - self._shared_before) if not _is_in_use(entry)]
        shared = [entry for entry in shared if not _OTHERS.match(entry.name)]
        return [*self._processes(), *map(str, [*shared, *(self.folder / "tmp").iterdir()])]

    def orphans(self, patience_s: float = 10) -> list[str]:
        """What is left behind and stays so: a real MPI's launcher may end a moment before the ranks that it kills."""
        end = time.monotonic() + patience_s
        while (left := self.left_behind()) and time.monotonic() < end:
            time.sleep(0.1)
        return left

    def _processes(self) -> list[str]:
        mine = f"{_TOKEN}={self._token}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mine in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:  # it has just ended, or belongs to another user
                continue
        return found


def free_port() -> int:
    """A port of TCP that nobody has on the loopback."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def until(found: Callable[[], object], timeout_s: float = 20) -> None:
    """Wait for it."""
    end = time.monotonic() + timeout_s
    while not found():
        assert time.monotonic() < end
        time.sleep(0.1)


def _is_in_use(entry: Path) -> bool:
    """Whether a process has it mapped, or it is gone. Processes of the sandbox are found by their token."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f" {entry}\n" in (process / "maps").read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            continue
    return not entry.exists()


def prefix() -> Path:
    done = subprocess.run([ORRERY, "prefix"], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())
