# SPDX-License-Identifier: BSD-3-Clause
r"""Mappings of `orrery place` against slot, node and random ones, on a real cluster: seconds of the program, and gains.

    python bench/placement/measure.py --platform mine.toml --randoms 20 --times 3 -o measured.json \
        --start "mpirun -np 16 --host {hosts} --map-by slot" \
        "halo.trace:./halo 8000 50:./halo.orrery 8000 50" cg.S.trace:./cg.S.x:./cg.S.orrery

Each program is a trace, the command of which it is one, built with the real MPI, and the same built with Orrery's, with colons between.
`{hosts}` of --start becomes the hosts of ranks 0, 1, ..., with a comma between; --strip takes a common beginning off their names. A
program prints `Time in seconds = ...`, as those of the NAS Parallel Benchmarks do: that is what is measured, and what is predicted, by
`orrery run`. Mappings are measured first; runs go round: each of --times rounds has `ours`, `slot` and `node` once, and its part of the
random ones between them. Mappings that put all ranks on the same hosts are measured once for all of them.

The output has for each program and mapping the hosts, `predicted_s` and `measured_s`, a list; what it has already is not measured again.
Gains are shares of the time saved over that mapping: 1 - ours / mapping, of medians.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

_SECONDS = re.compile(r"Time in seconds\s*=\s*([\d.]+)")


def _orrery(*arguments: str) -> str:
    ended = subprocess.run(["orrery", *arguments], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"orrery {shlex.join(arguments)}: {ended.stderr}")
    return ended.stdout


def _rank_file(hosts: Sequence[str]) -> str:
    return "".join(f"rank {rank}={host}\n" for rank, host in enumerate(hosts))


def mappings(trace: str, platform: str, randoms: int) -> dict[str, Any]:
    """By name the hosts of the ranks.

    `ours` is what `orrery place` finds, and starts from slot; random ones shuffle the hosts of `slot`, with seeds 0, 1, ...
    """
    placed = json.loads(_orrery("place", trace, "--platform", platform, "--map", "slot", "--json"))
    hosts = {"ours": placed["hosts"]}
    for name in ("slot", "node"):
        shown = json.loads(_orrery("replay", trace, "--platform", platform, "--map", name, "--json"))
        hosts[name] = shown["host_of_rank"]
    for seed in range(randoms):
        hosts[f"random{seed}"] = list(hosts["slot"])
        random.Random(seed).shuffle(hosts[f"random{seed}"])  # noqa: S311
    return {name: {"hosts": mapping, "predicted_s": None, "measured_s": []} for name, mapping in hosts.items()}


def predict(platform: str, hosts: Sequence[str], command: str) -> float:
    """Seconds as the program prints them in simulation."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ranks"
        file.write_text(_rank_file(hosts))
        ranks = str(len(hosts))
        said = _orrery("run", "-n", ranks, "--platform", platform, "--map", f"file:{file}", *shlex.split(command))
    return _seconds(said, command)


def _seconds(said: str, command: str) -> float:
    seconds = _SECONDS.search(said)
    if not seconds:
        sys.exit(f"{command}: printed no time in seconds")
    return float(seconds[1])


def order(names: list[str], times: int) -> Iterator[str]:
    """Which mapping is measured next: the few named ones in each round, the random ones once."""
    randoms = [name for name in names if name.startswith("random")]
    for turn in range(times):
        yield from (name for name in names if not name.startswith("random"))
        yield from randoms[turn::times]


def measure(start: str, strip: str, hosts: list[str], command: str) -> float:
    """Seconds of one run, as the program prints them; ends where it does not."""
    line = start.replace("{hosts}", ",".join(host.removeprefix(strip) for host in hosts)) + " " + command
    ended = subprocess.run(shlex.split(line), capture_output=True, text=True, check=False, timeout=600)
    if ended.returncode != 0:
        sys.exit(f"{line}\n{ended.stdout[-500:]}{ended.stderr[-1000:]}")
    return _seconds(ended.stdout, line)


def show(results: dict[str, Any]) -> None:
    """A line for each program and mapping."""
    for program, found in results.items():
        ours = found["ours"]
        for name, mapping in found.items():
            if not mapping["measured_s"]:
                continue
            took, mine = median(mapping["measured_s"]), median(ours["measured_s"])
            predicted = 1 - ours["predicted_s"] / mapping["predicted_s"]
            print(
                f"{program:10} {name:9} measured {took:8.3f} s ({min(mapping['measured_s']):.3f} to {max(mapping['measured_s']):.3f})"
                f"  predicted {mapping['predicted_s']:8.3f} s  gain {100 * (1 - mine / took):6.1f} %  predicted {100 * predicted:6.1f} %"
            )


def main() -> None:
    """Predict, measure, show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--start", required=True)
    parser.add_argument("--strip", default="")
    parser.add_argument("--randoms", type=int, default=20)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("programs", nargs="*", metavar="TRACE:COMMAND:SIMULATED")
    given = parser.parse_args()
    results = json.loads(given.output.read_text()) if given.output.exists() else {}
    for program in given.programs:
        trace, command, simulated = program.split(":")
        found = results.setdefault(Path(trace).stem, mappings(trace, given.platform, given.randoms))
        same = {name: next(other for other in found if found[other]["hosts"] == found[name]["hosts"]) for name in found}
        for name in order([name for name in found if same[name] == name], given.times):
            times = found[name]["measured_s"]
            if len(times) < (1 if name.startswith("random") else given.times):
                times.append(measure(given.start, given.strip, found[name]["hosts"], command))
                print(Path(trace).stem, name, times[-1], file=sys.stderr, flush=True)
                given.output.write_text(json.dumps(results, indent=1) + "\n")
        for name, other in same.items():
            found[name]["measured_s"] = found[other]["measured_s"]
        for mapping in found.values():
            mapping["predicted_s"] = predict(given.platform, mapping["hosts"], simulated)
        given.output.write_text(json.dumps(results, indent=1) + "\n")
    show(results)


if __name__ == "__main__":
    main()
