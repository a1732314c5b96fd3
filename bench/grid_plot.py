#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw docs/images/grid-collectives.svg: broadcast and reduction on two sites, standard and hierarchical.

The paper's figure 6 (Coti, Herault, Cappello 2008, section 4.2), simulated: 32 nodes of the built-in platform
grid2. Needs nothing but Orrery; `grid_plot.py --check` says whether the committed picture is what it would draw.
"""

from __future__ import annotations

import sys
from math import log10
from pathlib import Path

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.units import show_bytes, show_time

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "grid-collectives.svg"
SIZES = [8 << step for step in range(20)]  # bytes, to 4 MiB
SLICED_FROM = 64_000  # bytes: "every 10 kB for messages of size 64 kB and beyond"
PIPELINE = "pipeline:segment=1KiB"  # Open MPI's of that time

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 420, 300, 56, 28, 34
TIMES = (1e-3, 1e1)  # seconds, the axis
COLOURS = {"standard": "#1f77b4", "hierarchical": "#d62728"}

Line = list[tuple[int, float]]


def _algorithms(kind: str, size: int) -> dict[str, str]:
    """What the paper compares."""
    if kind == "bcast":
        slices = ":segment=10000" if size >= SLICED_FROM else ""
        return {"standard": "binomial", "hierarchical": f"hierarchical(inner=binomial,outer=binomial){slices}"}
    return {"standard": PIPELINE, "hierarchical": f"hierarchical(inner={PIPELINE},outer=binomial)"}


def _lines(kind: str, grid: Laboratory) -> dict[str, Line]:
    """Simulated seconds over bytes."""
    found: dict[str, Line] = {}
    for size in SIZES:
        call = Call(kind, size, 32)
        for name, algorithm in _algorithms(kind, size).items():
            choice = _core.named_choice(grid.whole(call), algorithm)
            found.setdefault(name, []).append((size, grid.time(call, choice)))
    return found


def _across(size: int) -> float:
    first, last = log10(SIZES[0]), log10(SIZES[-1])
    return LEFT + (log10(size) - first) / (last - first) * (WIDTH - LEFT - 12)


def _down(time_s: float) -> float:
    first, last = (log10(time) for time in TIMES)
    return HEIGHT - BOTTOM - (log10(time_s) - first) / (last - first) * (HEIGHT - BOTTOM - TOP)


def _panel(kind: str, by_name: dict[str, Line], shift: int) -> list[str]:
    parts = [f'<g transform="translate({shift} 0)">', f'<text x="{LEFT}" y="16" font-weight="bold">{kind}</text>']
    for exponent in range(-3, 2):
        y = _down(10.0**exponent)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 12}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{y + 4:.1f}" text-anchor="end">{show_time(10.0**exponent)}</text>')
    for size in SIZES[::4]:
        x = _across(size)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{show_bytes(size)}</text>')
    for number, (name, line) in enumerate(by_name.items()):
        points = " ".join(f"{_across(size):.1f},{_down(time_s):.1f}" for size, time_s in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[name]}" stroke-width="1.5"/>')
        parts.append(f'<text x="{LEFT + 8}" y="{TOP + 12 + 15 * number}" fill="{COLOURS[name]}">{name}</text>')
    return [*parts, "</g>"]


def _picture() -> str:
    """The whole file."""
    with Laboratory("grid2", None, "node").open() as grid:
        panels = [_panel(kind, _lines(kind, grid), WIDTH * i) for i, kind in enumerate(("bcast", "reduce"))]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}" font-family="sans-serif"'
    body = "\n".join(line for panel in panels for line in panel)
    return f'{head} font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'


def main() -> int:
    """Draw or compare."""
    drawn = _picture()
    if sys.argv[1:] == ["--check"]:
        same = PICTURE.read_text(encoding="utf-8") == drawn
        print(f"{PICTURE} is {'as' if same else 'not as'} it would be drawn")
        return 0 if same else 1
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
