#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What sharing links costs among many flows, here and in SimGrid, on the same systems.

All flows start at once between pairs of nodes drawn at random, or by other patterns, and end one by one. Shapes: a
fat-tree of three levels, a torus of three dimensions, cabinets with limiters (here only). Both programs print when the last flow ended and when flows
ended on average: these must agree, or times are not worth comparing. The last column is by how much the times of a fixed loop before and
after each run differ: above some per cent the machine was busy.

    ninja -C build bench_solver
    bench/compare_solver.py build/bench/bench_solver --flows 1000,10000,100000 --sides 9,15
    bench/compare_solver.py build/bench/bench_solver --peer /usr        # SimGrid's headers and library below /usr
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from host import Disturbance

SHAPES = ("fat-tree", "torus", "cabinets")
PATTERNS = ("random", "neighbours", "reversal", "incast")


def main() -> int:
    """Print a table; 1 if the two do not agree."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        peer = _build_peer(options.peer, Path(folder)) if options.peer else None
        print(
            f"{'shape':<9} {'side':>4} {'pattern':<10} {'flows':>7} {'hops':>5} {'us/flow':>9} {'SimGrid us/flow':>16} "
            f"{'ratio':>7}  ends agree  host"
        )
        agree = True
        lists = (options.shapes, options.sides, options.patterns, options.flows)
        for shape, side, pattern, flows in itertools.product(*(words.split(",") for words in lists)):
            agree &= _compare(options, peer, (shape, int(flows), int(side), pattern))
    return 0 if agree else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="bench_solver, as built")
    parser.add_argument("--peer", type=Path, help="where SimGrid is installed: PREFIX/include and PREFIX/lib")
    parser.add_argument("--shapes", default=",".join(SHAPES[:2]), help=f"of {', '.join(SHAPES)}")
    parser.add_argument("--patterns", default=PATTERNS[0], help=f"of {', '.join(PATTERNS)}")
    parser.add_argument("--flows", default="1000,10000,100000")
    parser.add_argument("--sides", default="9", help="nodes along an edge; odd")
    parser.add_argument("--most-peer-flows", type=int, default=2000, help="SimGrid's time grows with the square")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one run")
    return parser.parse_args()


def _build_peer(prefix: Path, folder: Path) -> Path:
    source = Path(__file__).with_name("solver_peer.cpp")
    built = folder / "solver_peer"
    flags = ["-std=c++17", "-O2", f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib"]
    subprocess.run(["c++", *flags, str(source), "-o", str(built), "-lsimgrid"], check=True)
    return built


def _compare(options: argparse.Namespace, peer: Path | None, system: tuple[str, int, int, str]) -> bool:
    shape, flows, side, pattern = system
    host = Disturbance()
    host.spin()
    ours = _run(options.program, system, options.timeout)
    theirs = None
    if peer is not None and shape != "cabinets" and flows <= options.most_peer_flows:
        theirs = _run(peer, system, options.timeout)
        host.spin()
    host.spin()
    hops = f"{ours['hops']:>5.3g}" if ours else f"{'-':>5}"
    columns = [
        f"{shape:<9} {side:>4} {pattern:<10} {flows:>7} {hops}",
        _per_flow(ours, flows, 9),
        _per_flow(theirs, flows, 16),
    ]
    if ours is None or theirs is None:
        print(*columns, f"{host!s:>26}", flush=True)
        return True
    same = all(abs(ours[key] - theirs[key]) <= 1e-6 * theirs[key] for key in ("last_s", "mean_s"))
    print(
        *columns, f"{theirs['wall_s'] / ours['wall_s']:>7.1f}  {'yes' if same else 'NO':<10}  {host!s:>4}", flush=True
    )
    return same


def _run(program: Path, system: tuple[str, int, int, str], timeout: float) -> dict[str, Any] | None:
    """What the program printed; None if it took too long."""
    command = [str(program), *map(str, system)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _per_flow(result: dict[str, Any] | None, flows: int, width: int) -> str:
    return f"{1e6 * result['wall_s'] / flows:>{width}.2f}" if result else f"{'-':>{width}}"


if __name__ == "__main__":
    sys.exit(main())
