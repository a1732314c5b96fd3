# SPDX-License-Identifier: BSD-3-Clause
"""Layout of a measurement: the node of each rank."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.measure.results import CalibrationResults


@dataclass(frozen=True)
class Layout:
    """Nodes with their ranks, as the ranks reported them."""

    nodes: dict[str, list[int]]
    """Ranks of each node by the node's name; nodes in the order of their first ranks."""
    kernels: int
    """Number of running kernels: fewer than nodes if the "nodes" are containers of one machine."""
    processors: int
    """Number of processors of the node of rank 0, or of its machine if the node is a container."""
    mpi: str
    """Version string of the MPI library."""

    def first_ranks(self) -> list[int]:
        """The lowest rank of each node."""
        return [ranks[0] for ranks in self.nodes.values()]

    def local_ranks(self) -> list[int]:
        """The ranks of the first node with several ranks; empty if there is none."""
        return next((ranks for ranks in self.nodes.values() if len(ranks) > 1), [])

    @property
    def alone(self) -> bool:
        """Whether there is only one node, hence no network to measure."""
        return len(self.nodes) == 1

    @property
    def shared_kernel(self) -> bool:
        """Whether nodes share a kernel, hence processors."""
        return self.kernels < len(self.nodes)


def layout_of(results: CalibrationResults) -> Layout:
    """Layout from the experiment `hosts`. Raises CalibrationError if it was not measured."""
    found = results.of("hosts")
    if not found:
        raise CalibrationError("the run says nothing about where its ranks were: it ended before its first experiment")
    nodes: dict[str, list[int]] = {}
    kernels: dict[int, str] = {}
    pieces: list[str] = []
    for sample in found[-1].samples:
        word, _, text = sample.what.partition(":")
        if word == "host":
            nodes.setdefault(text, []).append(sample.source)
        elif word == "kernel":
            kernels[sample.source] = text
        elif word == "mpi":
            pieces.append(text)
    processors = found[-1].values("processors")
    return Layout(
        nodes=dict(sorted(nodes.items(), key=lambda item: min(item[1]))),
        kernels=len(set(kernels.values())) or len(nodes),
        processors=int(processors[0]) if len(processors) else 1,
        mpi=" ".join("".join(pieces).replace(";", ",").split()),
    )


def check_layout(layout: Layout, nodes: int, ppn: int) -> None:
    """Raise CalibrationError unless the ranks run on `nodes` nodes with `ppn` ranks each; the message names the cure."""
    names = list(layout.nodes)
    if len(names) < nodes and all(len(ranks) == nodes * ppn // len(names) for ranks in layout.nodes.values()):
        crowd = len(layout.nodes[names[0]])
        raise CalibrationError(
            f"{nodes} nodes were asked for, but the ranks share {len(names)}: {crowd} ranks on {names[0]}; "
            f"what is between nodes cannot be measured so. Give the launcher its hosts ({{ppn}} = {ppn} to each), "
            f"or say --nodes {len(names)} --ppn {crowd}{' to measure this node by itself' if len(names) == 1 else ''}"
        )
    if len(names) != nodes:
        raise CalibrationError(
            f"{nodes} nodes were asked for, the ranks ran on {len(names)} ({', '.join(names[:4])}{', ...' if len(names) > 4 else ''}); "
            f"check the host list of --mpirun, or say --nodes {len(names)}"
        )
    wrong = [name for name, ranks in layout.nodes.items() if len(ranks) != ppn]
    if wrong:
        raise CalibrationError(
            f"{len(layout.nodes[wrong[0]])} ranks ran on {wrong[0]}, expected {ppn}; place --ppn {ppn} ranks on each node "
            f"(Open MPI: --map-by ppr:{ppn}:node, MPICH: -ppn {ppn}, Slurm: --ntasks-per-node={ppn})"
        )
