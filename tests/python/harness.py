# SPDX-License-Identifier: BSD-3-Clause
"""Runs `orrery` as users do, and looks for what it may have left behind."""

from __future__ import annotations

import importlib.util
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import IO, Any

ORRERY = Path(sys.executable).parent / "orrery"
PROGRAMS = Path(__file__).parent.parent / "programs"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
HUNG_S = 1800
"""Nothing that works takes so long, on the busiest machine: it tells that a process hangs, and no test needs it to pass."""
_SHARED = Path("/dev/shm")  # noqa: S108  looked at, not used
_OTHERS = re.compile("mpich_shm_|ucx_shm_|vader_segment|sm_segment|orrery-fuzz-")
"""Names of what real MPIs, UCX and tools/fuzz have there, maybe in what runs at the same time. Orrery has no names there."""
_TOKEN = "ORRERY_TEST_TOKEN"  # noqa: S105  a name, and of nothing secret


def next_line(stream: IO[str]) -> str:
    """Read one line of a pipe and nothing behind it: `communicate` does not return what `readline` has read ahead."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(stream.fileno(), 1)):
        line += byte
    return line.decode()


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
        """Wait for `process`; `record` is what it writes as JSON."""
        try:
            out, err = process.communicate(timeout=HUNG_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=HUNG_S)
            raise AssertionError(f"still running after {HUNG_S} s:\n{out}\n{err}") from None
        return self.ended(process.returncode, out, err, record)

    def ended(self, code: int, out: str, err: str, record: str = "run.json") -> Ended:
        """What a process that ended just now has left; `record` is what it wrote as JSON."""
        ended_at = time.time()
        path = self.folder / record
        written = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return Ended(code, out, err, ended_at, written)

    def start_on_terminal(self, *arguments: str) -> OnTerminal:
        """`orrery ARGUMENTS`, under way, with a terminal as its standard error: there it tells how far it is."""
        return OnTerminal(self, arguments)

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

    def orphans(self, patience_s: float = 120) -> list[str]:
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


class OnTerminal:
    """An `orrery` that is under way and whose standard error is a terminal."""

    def __init__(self, sandbox: Sandbox, arguments: tuple[str, ...]) -> None:
        self._sandbox = sandbox
        ours, its = pty.openpty()
        termios.tcsetwinsize(its, (50, 200))
        self._terminal = ours
        self._shown = b""
        self.process = subprocess.Popen(
            [ORRERY, *arguments], env=sandbox.environment, cwd=sandbox.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=its, text=True,
        )  # fmt: skip
        os.close(its)

    def until(self, pattern: str) -> None:
        """Wait until what it has shown matches."""
        while re.search(pattern, self._text()) is None:
            assert self._read(), f"ended without {pattern}: {self._text()}"

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def finish(self, record: str = "run.json") -> Ended:
        """Wait for its end."""
        while self._read():
            pass
        os.close(self._terminal)
        out, _ = self.process.communicate(timeout=HUNG_S)
        return self._sandbox.ended(self.process.returncode, out, self._text(), record)

    def _text(self) -> str:
        """What was shown, without colours and movements."""
        return re.sub(r"\x1b\[[?\d;]*[a-zA-Z]|\r", "", self._shown.decode(errors="replace"))

    def _read(self) -> bool:
        """More of what it shows; False: nobody has the terminal any more."""
        assert select.select([self._terminal], [], [], HUNG_S)[0], "it hangs"
        try:
            piece = os.read(self._terminal, 4096)
        except OSError:  # Linux: the other end is closed
            return False
        self._shown += piece
        return piece != b""


def module_of(script: Path) -> ModuleType:
    """A program of Python that belongs to no package, as a module."""
    spec = importlib.util.spec_from_file_location(f"script_{script.stem}", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def free_port() -> int:
    """A port of TCP that nobody has on the loopback."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def until(found: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for it; where it is the work of `process`, this must go on."""
    end = time.monotonic() + HUNG_S
    while not found():
        assert time.monotonic() < end
        assert process is None or process.poll() is None
        time.sleep(0.02)


def processor_s(process: int) -> float:
    """What a process has computed so far, seconds."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
