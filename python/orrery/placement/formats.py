# SPDX-License-Identifier: BSD-3-Clause
"""Mappings as launchers take them. What is written is read back: it says the same, or it is not written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, islice

from orrery import words
from orrery.errors import InputError
from orrery.experiment.rank_file import placed_by_file
from orrery.marks import COMMENT
from orrery.output import Output
from orrery.placement.result import PlacementOutcome
from orrery.placement.settings import Format
from orrery.temporary import temporary_folder

USES: dict[Format, str] = {
    "orrery": "orrery run --map file:{file}",
    "openmpi-rankfile": "mpirun --rankfile {file} (Open MPI 4), mpirun --map-by rankfile:file={file} (Open MPI 5)",
    "hydra-hostfile": "mpiexec -f {file}",
    "slurm-arbitrary": "SLURM_HOSTFILE={file} srun --distribution=arbitrary",
    "cray-reorder": "MPICH_RANK_REORDER_METHOD=3, and {file} as ./MPICH_RANK_ORDER",
}
"""How a file is used; `{file}` stands for its path."""


def text_for(wanted: Format, hosts: Sequence[str], cores: Sequence[int], order: Sequence[str]) -> str:
    """The mapping in a format.

    Args:
        wanted: the format.
        hosts: name of the host of each rank.
        cores: number of cores of the host of each rank.
        order: names of all hosts, in the order in which a launcher fills them.
    Raises:
        InputError: the format cannot say this mapping.
    """
    writers: dict[Format, Callable[[], str]] = {
        "orrery": lambda: rank_file(hosts),
        "openmpi-rankfile": lambda: _openmpi(hosts, cores),
        "hydra-hostfile": lambda: _hydra(hosts),
        "slurm-arbitrary": lambda: _lines(map(words.host, hosts)),
        "cray-reorder": lambda: _cray(hosts, order),
    }
    text = writers[wanted]()
    there = list(dict.fromkeys([*order, *hosts]))
    if read_back(wanted, text, there, dict(zip(hosts, cores, strict=True))) != list(hosts):
        raise InputError(f"--format {wanted}: what would be written says another mapping; use --format orrery")
    return text


def write(output: Output, wanted: Format, placed: PlacementOutcome) -> str:
    """Write the best mapping. Gives how a launcher is told to use it; raises InputError where the format cannot say it."""
    output.write(text_for(wanted, placed.hosts, placed.cores, placed.order))
    return USES[wanted].format(file=words.shell(output.path))


def read_back(wanted: Format, text: str, order: Sequence[str], cores: dict[str, int]) -> list[str]:
    """The host of each rank as the format says it. `cores`: of hosts that have ranks. Raises InputError."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    if wanted == "slurm-arbitrary":
        return lines
    if wanted == "cray-reorder":
        ranks = [int(rank) for line in lines for rank in line.split(",")]
        used = [host for host in order if host in cores]
        each = -(-len(ranks) // len(used))
        return [used[place // each] for _, place in sorted((rank, place) for place, rank in enumerate(ranks))]
    with temporary_folder() as folder:
        file = folder / "hosts"
        file.write_text(text, encoding="utf-8")
        numbers, _ = placed_by_file(str(file), order, [cores.get(host, 1) for host in order])
        return [order[host] for host in islice(numbers, len(lines) if wanted != "hydra-hostfile" else None)]


def rank_file(hosts: Sequence[str]) -> str:
    """Orrery's own: a line for each rank."""
    return _lines([f"rank {rank}={words.host(host)}" for rank, host in enumerate(hosts)])


def _openmpi(hosts: Sequence[str], cores: Sequence[int]) -> str:
    """Each rank on the next core of its node; more ranks than cores begin again."""
    before: Counter[str] = Counter()
    lines = []
    for rank, (host, number) in enumerate(zip(hosts, cores, strict=True)):
        lines.append(f"rank {rank}={words.host(host)} slot={before[host] % number}")
        before[host] += 1
    return _lines(lines)


def _hydra(hosts: Sequence[str]) -> str:
    """A line for each run of ranks on one host; Hydra starts them in the order of the lines."""
    return _lines([f"{words.host(host)}:{sum(1 for _ in ranks)}" for host, ranks in groupby(hosts)])


def _cray(hosts: Sequence[str], order: Sequence[str]) -> str:
    """Ranks in the order of the places that they take, a node a line."""
    there = Counter(hosts)
    used = [host for host in order if host in there]
    each = max(there.values())
    if any(there[host] != each for host in used[:-1]):
        raise InputError(
            f"--format cray-reorder: all nodes but the last must have as many ranks, and they have {min(there.values())} to {each}; "
            "use another format, or as many ranks as fill the nodes"
        )
    ranks: dict[str, list[int]] = {host: [] for host in used}
    for rank, host in enumerate(hosts):
        ranks[host].append(rank)
    return _lines([",".join(map(str, ranks[host])) for host in used])


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in (COMMENT, *lines))
