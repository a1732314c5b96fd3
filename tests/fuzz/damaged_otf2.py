# SPDX-License-Identifier: BSD-3-Clause
"""Gives the reader of OTF2 archives damaged ones: `python tests/fuzz/damaged_otf2.py [SECONDS]`.

An archive is several files, read by a C library in a process of its own: so this changes bytes of a small archive
itself, where Atheris would see one file and none of the library. The reader may refuse an archive with InputError, and
with nothing else; one that it ends in another way is kept, and named.
"""

from __future__ import annotations

import random
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

from orrery.errors import InputError
from orrery.trace.imports.detect import import_trace

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from otf2_archives import Archive

_RANKS = 3
_EDGES = (0, 1, 127, 128, 254, 255)


def _write(folder: Path) -> None:
    with Archive(folder, _RANKS) as archive:
        for rank in range(_RANKS):
            archive.call(rank, "MPI_Init", 1000, 2000)
            for call in range(20 if rank < 2 else 0):
                begin = 3000 + 1000 * call
                sends = (rank + call) % 2 == 0
                event = ("MpiSend" if sends else "MpiRecv", 1 - rank, archive.world, 7, 64 + call)
                archive.call(rank, "MPI_Ssend" if sends else "MPI_Recv", begin, begin + 500, event)
            archive.call(rank, "MPI_Finalize", 90000, 95000)


def _damage(content: bytearray, draws: random.Random) -> None:
    place = draws.randrange(len(content))
    kind = draws.randrange(8)
    if kind < 4:
        for _ in range(draws.choice((1, 1, 2, 4, 16))):
            content[draws.randrange(len(content))] = draws.choice((*_EDGES, draws.randrange(256)))
    elif kind == 4:
        del content[place:]
    elif kind == 5:
        content[place:place] = draws.randbytes(draws.randrange(1, 64))
    elif kind == 6:
        del content[place : place + draws.randrange(1, 32)]
    else:
        other = draws.randrange(len(content))
        content[place : place + 16] = content[other : other + 16]


def main() -> None:
    """Damage, read, say how many could be read."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    draws = random.Random(time.time_ns())  # noqa: S311
    read = refused = 0
    slowest_s = 0.0
    with tempfile.TemporaryDirectory() as name:
        whole, damaged = Path(name) / "whole", Path(name) / "damaged"
        _write(whole)
        end_s = time.monotonic() + seconds
        while (begin_s := time.monotonic()) < end_s:
            shutil.rmtree(damaged, ignore_errors=True)
            shutil.copytree(whole, damaged)
            files = sorted(file for file in damaged.rglob("*") if file.is_file())
            for _ in range(draws.choice((1, 1, 1, 2, 3, 8))):
                file = draws.choice(files)
                if content := bytearray(file.read_bytes()):
                    _damage(content, draws)
                    file.write_bytes(content)
            try:
                import_trace(damaged / "traces.otf2", Path(name) / "own.trace", lossy=True)
                read += 1
            except InputError:
                refused += 1
            except BaseException:
                kept = shutil.copytree(damaged, tempfile.mkdtemp(prefix="orrery-otf2-"), dirs_exist_ok=True)
                sys.stderr.write(f"ended otherwise than by InputError: {kept}\n")
                raise
            slowest_s = max(slowest_s, time.monotonic() - begin_s)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    sys.stdout.write(
        f"{read} archives read, {refused} refused; slowest {slowest_s:.1f} s, most memory of a reader {most} MiB\n"
    )


if __name__ == "__main__":
    main()
