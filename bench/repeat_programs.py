# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the same commands, whose computation is measured on this host: by how much they differ.

    bench/repeat_programs.py [--runs 20] [--loops 4] [--only PROGRAM] -o repeats.csv

Runs each program so many times in turns on a quiet host, and then as many times beside endless loops, and writes a row for each run:
the simulated time, the mean time that a rank computes, and how much of what was measured of it was taken for noise. Such rows,
of several days, are the evidence of `orrery.evidence.repeats`; the lab (docs/lab/computation.md) says what it gave.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
MELT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 50
run 100
"""
"""The melt of LAMMPS's benchmarks, 32,000 atoms."""
COLUMNS = ("date", "program", "host", "ranks", "simulated_s", "computation_s", "noise")


def programs(folder: Path) -> dict[str, tuple[int, list[str]]]:
    """Number of ranks and command of each program that this host has; says which it lacks."""
    for source in ("tests/programs/halo.c", "tests/programs/known_work.c", "examples/heat2d.c"):
        subprocess.run(["mpicc", "-O2", ROOT / source, "-o", folder / Path(source).stem, "-lm"], check=True)
    (folder / "in.melt").write_text(MELT)
    found = {
        "halo": (64, ["./halo", "512", "60"]),
        "heat2d": (16, ["./heat2d", "1024", "100"]),
        "known_drawn": (64, ["./known_work", "drawn", "100"]),
        "power_method": (16, [sys.executable, str(ROOT / "examples" / "power_method.py"), "2000", "60"]),
        "training": (16, [sys.executable, str(ROOT / "examples" / "training.py"), "65536", "40"]),
        "melt": (16, ["lmp", "-in", "in.melt", "-log", "none"]),
    }
    lacking = [
        name
        for name, (_, command) in found.items()
        if not shutil.which(folder / command[0]) and not shutil.which(command[0])
    ]
    if lacking:
        print(
            f"repeat_programs: left out, since this host has no program for them: {', '.join(lacking)}", file=sys.stderr
        )
    return {name: row for name, row in found.items() if name not in lacking}


def row_of(name: str, host: str, ranks: int, command: list[str], folder: Path) -> list[object]:
    """What one run gives."""
    run = ["orrery", "run", "-n", str(ranks), "--map", "node", "-o", "run.json", "--overwrite", *command]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    record = json.loads((folder / "run.json").read_text())
    rows = {row["name"]: row for row in record["profile"]["summed"] if row["phase"] is None}
    computation_s = rows[".application"]["exclusive_s"] / ranks
    steady = record["steady"]
    noise = steady["moved_s"] / steady["measured_s"]
    return [name, host, ranks, f"{record['simulated_s']:.6g}", f"{computation_s:.6g}", f"{noise:.4f}"]


@contextmanager
def beside(loops: int) -> Iterator[None]:
    """Endless loops meanwhile."""
    running = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(loops)]
    try:
        yield
    finally:
        for loop in running:
            loop.kill()
            loop.wait()


def main() -> None:
    """Run all of them, and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--loops", type=int, default=4)
    parser.add_argument("--only", action="append", help="these programs; may be repeated")
    parser.add_argument("-o", dest="output", type=Path, required=True)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, asked.output.open("w", newline="") as file:
        folder = Path(name)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        date = datetime.now(UTC).date().isoformat()
        found = {name: row for name, row in programs(folder).items() if not asked.only or name in asked.only}
        for host, loops in (("quiet", 0), ("busy", asked.loops)):
            with beside(loops):
                for _ in range(asked.runs):
                    for program, (ranks, command) in found.items():
                        writer.writerow([date, *row_of(program, host, ranks, command, folder)])
                        file.flush()


if __name__ == "__main__":
    main()
