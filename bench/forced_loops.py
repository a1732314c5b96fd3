# SPDX-License-Identifier: BSD-3-Clause
"""Loops of calls by algorithms that were named to the real library, against the same loops simulated.

    python bench/forced_loops.py tests/evidence/2026-11-27-intel/platform.toml tests/evidence/2026-11-27-intel/earlier.csv

LOOPS are files that `orrery tune --mpirun --keep FOLDER` wrote (`measured.csv`). Loops of the library's own choice are left out. Each is
simulated on the platform as it is, and without its table [transport.connections]. The barrier behind each call is the library's own choice,
which is named by --barrier where Orrery does not know it.
"""

from __future__ import annotations

import argparse
from math import exp, log
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.collective.laboratory import Laboratory
from orrery.tune.measuring import LoopSample
from orrery.tune.search import LENGTH
from orrery.tune.timing import BARRIER, turn_of

_OFF = log(1.2)
_TABLE = "[transport.connections"


def without_connections(text: str) -> str:
    """A platform file without that table and those in it."""
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("["):
            inside = line.startswith(_TABLE)
        if not inside and "transport.connections." not in line:
            kept.append(line)
    return "\n".join(kept) + "\n"


def simulated(
    platform: Path, loops: dict[tuple[LoopCase, str], list[float]], barrier: str
) -> dict[tuple[LoopCase, str], float]:
    """Seconds of a turn of each loop."""
    found = {}
    with Laboratory(str(platform), None, "node", force=True, said=False).open() as laboratory:
        for case, name in loops:
            fence = "" if case.test == BARRIER else f",{BARRIER}={barrier}"
            selector = _core.Selector("default", f"{case.test}={name}{fence}")
            whole = laboratory.whole(case.call)
            found[case, name] = turn_of(case.call, whole, selector, laboratory, LENGTH).mean_s
    return found


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("platform", type=Path)
    parser.add_argument("loops", type=Path, nargs="+")
    parser.add_argument("--barrier", default="dissemination", help="the library's own choice")
    given = parser.parse_args()
    measured: dict[tuple[LoopCase, str], list[float]] = {}
    for file in given.loops:
        for sample, timed in LoopStore(file, "", LoopSample, "orrery tune").read().items():
            if sample.algorithm:
                measured.setdefault((LoopCase(*sample[:3]), sample.algorithm), []).append(timed.mean_s)
    with TemporaryDirectory() as folder:
        other = Path(folder) / "platform.toml"
        other.write_text(without_connections(given.platform.read_text(encoding="utf-8")), encoding="utf-8")
        ways = {"as it is": given.platform, "without connections": other}
        logs = {
            way: {
                loop: log(median(measured[loop]) / turn_s)
                for loop, turn_s in simulated(file, measured, given.barrier).items()
            }
            for way, file in ways.items()
        }
    print("measured / simulated - 1:", ", ".join(ways))
    for case, name in sorted(measured):
        errors = "  ".join(f"{100 * (exp(logs[way][case, name]) - 1):+6.1f} %" for way in ways)
        print(f"{case.test:<12} {case.ranks:>3} ranks {case.bytes:>7} B  {errors}  {name}")
    for way, errors in logs.items():
        sizes = [abs(error) for error in errors.values()]
        print(
            f"{way}: {len(sizes)} loops, median size {100 * median(sizes):.1f} %, mean {100 * fmean(sizes):.1f} %, "
            f"{sum(size > _OFF for size in sizes)} off by more than a fifth"
        )


if __name__ == "__main__":
    main()
