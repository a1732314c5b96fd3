#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Orrery beside SimGrid's SMPI: the same time-independent traces, replayed on the same machine, in one run.

Both sides simulate the star of `bench/compare_smpi.py`, with contention, one rank per node. Wall time is that of the whole command,
start-up included; runs of the two sides alternate, and the median counts; Orrery runs once before,
which brings the trace and Python's compiled modules into memory. An action is a line of the trace. The last column is by how much
the times of a fixed loop before each run differ: above some per cent the machine was busy.

Make traces with SMPI itself, then name their indices; runs go with the current folder from which the traces were made:

    smpicc -O2 program.c -o program && smpirun -np 64 ... -trace-ti -trace-file cg.txt ./program
    bench/compare_replay.py cg.txt lu.txt --smpirun "$(command -v smpirun)"
    bench/compare_replay.py --halo 1024                  # a halo exchange with an allreduce per step, made here
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from compare_smpi import HERE, NODES, SMPI_PLATFORM, installed, wall
from host import Disturbance

from orrery.trace.ti import files_of
from orrery.trace.workload import balanced

BAR = 10.0


def halo(folder: Path, ranks: int, steps: int) -> Path:
    """Write the trace of a halo exchange in three dimensions, 8 KiB to each neighbour, an allreduce of 8 B after each step.

    Returns its index.
    """
    grid = balanced(ranks, 3)
    strides = [math.prod(grid[dimension + 1 :]) for dimension in range(3)]

    def neighbour(rank: int, dimension: int, step: int) -> int:
        here = rank // strides[dimension] % grid[dimension]
        return rank + ((here + step) % grid[dimension] - here) * strides[dimension]

    sides = [(dimension, step) for dimension in range(3) for step in (1, -1)]
    files = []
    for rank in range(ranks):
        receives = [f"irecv {neighbour(rank, d, -step)} {tag} 8192 6" for tag, (d, step) in enumerate(sides)]
        sends = [f"isend {neighbour(rank, d, step)} {tag} 8192 6" for tag, (d, step) in enumerate(sides)]
        step = ["compute 1e6", *receives, *sends, "waitall 12", "allreduce 1 0 0"]
        files.append(folder / f"rank-{rank}.txt")
        files[-1].write_text("".join(f"{rank} {action}\n" for action in ["init", *step * steps, "finalize"]))
    index = folder / "halo.txt"
    index.write_text("".join(f"{file}\n" for file in files))
    return index


def actions_of(files: list[Path]) -> int:
    """Lines of the trace."""
    return sum(file.read_bytes().count(b"\n") for file in files)


def main() -> int:
    """Replay each trace with both, print a line each; exit code 1 when one misses the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="*", type=Path, help="indices that `smpirun -trace-ti` wrote")
    parser.add_argument("--halo", type=int, default=0, metavar="RANKS", help="make and replay a halo exchange")
    parser.add_argument("--steps", type=int, default=20, help="of the halo exchange")
    parser.add_argument("--orrery", default=shutil.which("orrery") or str(HERE.parent / ".venv/bin/orrery"))
    parser.add_argument("--smpirun", default=shutil.which("smpirun"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "star.xml").write_text(SMPI_PLATFORM)
        (work / "hosts").write_text("".join(f"node-{i}\n" for i in range(NODES)))
        traces = list(options.traces)
        if options.halo:
            traces.append(halo(work, options.halo, options.steps))
        print(
            f"{'trace':12} {'ranks':>6} {'actions':>10} {'Orrery s':>9} {'SMPI s':>9}  Orrery/s     SMPI/s  ratio  host"
        )
        for trace in traces:
            files = files_of(trace) or []
            actions = actions_of(files)
            ours = [options.orrery, "replay", str(trace), "--platform", str(HERE / "platforms" / "star.toml"),
                    "--map", "node"]  # fmt: skip
            theirs = [options.smpirun, "-np", str(len(files)), "-platform", str(work / "star.xml"), "-hostfile",
                      str(work / "hosts"), "--log=root.thres:critical", "-replay", str(trace)]  # fmt: skip
            times: dict[str, list[float]] = {"orrery": [], "smpi": []}
            wall(ours, installed(), options.timeout)
            host = Disturbance()
            for _ in range(options.repeat):
                for side, command in (("orrery", ours), ("smpi", theirs)):
                    host.spin()
                    seconds = wall(command, installed(), options.timeout) if command[0] else None
                    if seconds is not None:
                        times[side].append(seconds)
            mine, other = (statistics.median(values) if values else math.nan for values in times.values())
            results.append(
                {"trace": trace.name, "ranks": len(files), "actions": actions, "times_s": times, "host": host.seconds}
            )
            print(f"{trace.name:12} {len(files):6} {actions:10,} {mine:9.3f} {other:9.3f} {actions / mine:9,.0f} "
                  f"{actions / other:10,.0f} {other / mine:6.2f}  {host!s:>4}", flush=True)  # fmt: skip
            results[-1]["ratio"] = other / mine
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    missed = [result for result in results if not result["ratio"] >= BAR]
    if missed:
        print(f"below {BAR:g} times: {', '.join(str(result['trace']) for result in missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
