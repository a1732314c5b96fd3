# SPDX-License-Identifier: BSD-3-Clause
"""Predict measured collectives of large machines on platforms that were written by hand, into `tests/evidence/hand-written.csv`.

    python -m bench.hand_written PICO MACHINES -o tests/evidence/hand-written.csv

PICO is the folder with collectives.csv.gz and allocations.csv.gz of github.com/HLC-Lab/pico, MACHINES that with collectives.csv.gz of
published OSU and IMB results. Platforms of published figures alone are in `bench/platforms/hand-written`; those of PICO's machines that
use a few measured collectives in `bench/platforms`, whose rows for that are left out.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from bench.hand_written.cases import COLUMNS, published_results, supercomputers

_PLATFORMS = Path(__file__).parents[1] / "platforms"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pico", type=Path)
    parser.add_argument("machines", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    with asked.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(supercomputers(asked.pico, _PLATFORMS / "hand-written", "published figures"))
        writer.writerows(supercomputers(asked.pico, _PLATFORMS, "published figures and few collectives"))
        writer.writerows(published_results(asked.machines, _PLATFORMS / "hand-written"))


if __name__ == "__main__":
    main()
