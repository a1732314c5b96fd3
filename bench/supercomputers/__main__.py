# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms of collectives chosen by simulation, against those measured on four supercomputers (docs/lab/supercomputers.md).

`fit` writes the platforms from what is published of the networks and from the rows that the data's README suggests for calibration,
and reads no other row. `regret` simulates in each cell of the other rows (a run, a collective, a size) every algorithm that was
measured there and has a twin here, takes the one that is fastest in simulation, and compares its measured time with the best.

    python -m bench.supercomputers fit DATA -o bench/platforms
    python -m bench.supercomputers regret DATA --platforms bench/platforms --cells cells.csv

DATA is the folder with collectives.csv.gz and allocations.csv.gz.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.supercomputers.fit import fit
from bench.supercomputers.platform_file import platform_file
from bench.supercomputers.published import PUBLISHED
from bench.supercomputers.regret import outcomes, summary, write_cells


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    fitting = commands.add_parser("fit", help="write the platforms")
    fitting.add_argument("data", type=Path)
    fitting.add_argument("-o", "--output", type=Path, required=True, help="folder for the platforms")
    judging = commands.add_parser("regret", help="choose by simulation, and compare")
    judging.add_argument("data", type=Path)
    judging.add_argument("--platforms", type=Path, required=True)
    judging.add_argument("--system", action="append", default=[], choices=sorted(PUBLISHED))
    judging.add_argument("--cells", type=Path, help="write a row for each cell and algorithm")
    judging.add_argument("--keep", type=Path, help="file for what has been simulated, for the next time")
    judging.add_argument("--composed", action="store_true", help="also Fugaku's choices for two other collectives")
    asked = parser.parse_args()
    if asked.command == "fit":
        for fitted in fit(asked.data):
            (asked.output / f"{fitted.system.replace('_', '-')}.toml").write_text(
                platform_file(fitted), encoding="utf-8"
            )
        return
    found = []
    for judged_one in outcomes(
        asked.data, asked.platforms, asked.keep, frozenset(asked.system), composed=asked.composed
    ):
        found.append(judged_one)
        print(judged_one.line, file=sys.stderr)
    print(summary(found))
    if asked.cells:
        write_cells(asked.cells, found)


if __name__ == "__main__":
    main()
