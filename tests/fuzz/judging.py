# SPDX-License-Identifier: BSD-3-Clause
"""What a reader may do with a file: refuse it with InputError or read it, by a rule on memory and time.

The rule: 64 MiB and 50 bytes of memory for each byte of the file, a second and a second for each 10 MB. Time is that of
processors, as a busy machine must not change the verdict.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from readers import READERS
from seeds import Files

from orrery.allowance import BYTES_PER_BYTE, FIXED_BYTES
from orrery.errors import InputError

TIME_S, TIME_PER_BYTE_S = 1.0, 1e-7
_SLACK = 2.0
"""Processors that share caches and run at other rates take longer."""
_KILLED_S = 30
_ROOM_BYTES = 2 << 30
"""Address space that a reader may ask for beyond what it has: more would be a burden of the machine that judges."""


class Finding(Exception):  # noqa: N818  what a fuzzer looks for
    """What a reader did that it must not do."""


def judge(name: str, files: Files, folder: Path) -> bool:
    """Write a case into an empty folder and let a reader read it, in this process.

    Returns whether it was read; False: it was refused. Raises Finding when it ended otherwise, or took too much.
    """
    reader = READERS[name]
    _write(files, folder)
    size = sum(map(len, files.values()))
    gc.collect()
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak counts from here
    began_s = _processor_s()
    read = True
    try:
        reader.read(folder / reader.main)
    except InputError as error:
        read = False
        _check_words(str(error))
    except BaseException as error:
        raise Finding(f"ended by {type(error).__name__}:\n{traceback.format_exc(limit=-12)}") from error
    took_s, took = _processor_s() - began_s, _memory("VmHWM") - before
    if took_s > _SLACK * (TIME_S + TIME_PER_BYTE_S * size):
        raise Finding(f"took {took_s:.1f} s for {size:,} bytes")
    if took > FIXED_BYTES + BYTES_PER_BYTE * size:
        raise Finding(f"took {took >> 20} MiB for {size:,} bytes")
    return read


def _check_words(said: str) -> None:
    if "\n" in said:
        raise Finding(f"refused in several lines: {said[:2000]!r}")


def _write(files: Files, folder: Path) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _memory(what: str) -> int:
    """Bytes, of /proc/self/status."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) << 10
    raise RuntimeError(what)


def _processor_s() -> float:
    """Processor time of this process and of children that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@contextmanager
def bounded() -> Iterator[None]:
    """Ends this process by SIGPROF or MemoryError where a reader goes on for ever. In a child alone."""
    size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + _ROOM_BYTES, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, _KILLED_S)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


def judged_apart(name: str, files: Files) -> str:
    """What is wrong with how a reader takes a case, which it is given in a process of its own; "": nothing."""
    with tempfile.TemporaryDirectory(prefix="orrery-judged-") as folder:
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            said = b""
            try:
                with bounded():
                    judge(name, files, Path(folder))
            except BaseException as error:
                said = str(error).encode(errors="replace")[:60_000] or repr(error).encode()
            os.write(write_end, said)
            os._exit(0)
        os.close(write_end)
        with os.fdopen(read_end, "rb") as pipe:
            words = pipe.read().decode(errors="replace")
        status = os.waitpid(child, 0)[1]
    return words or ended_by(status)


def ended_by(status: int) -> str:
    """What the status of a child says that did not end by itself; "": it did."""
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGPROF:
        return f"took more than {_KILLED_S} s"
    return "" if code == 0 else f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
