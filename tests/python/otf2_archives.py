# SPDX-License-Identifier: BSD-3-Clause
"""OTF2 archives, written with the format's own library as a measurement system would."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import otf2
from otf2 import events
from otf2.definitions import InterComm
from otf2.enums import CollectiveOp, CommFlag, GroupType, LocationType, Paradigm, RmaSyncLevel

SCORE_P = "Score-P 8.4"
NONE = (1 << 32) - 1
NS = 10**9
OP = CollectiveOp


class Archive:
    """A new archive of `ranks` ranks, two on each node; times are in ticks of `resolution`."""

    def __init__(self, folder: Path, ranks: int, *, creator: str = SCORE_P, resolution: int = NS) -> None:
        self.path = folder / "traces.otf2"
        self._trace = otf2.writer.Writer(str(folder), timer_resolution=resolution)
        self._trace.creator = creator
        definitions = self._trace.definitions
        self._definitions = definitions
        machine = definitions.system_tree_node("machine", class_name="machine")
        self._locations = []
        for rank in range(ranks):
            node = definitions.system_tree_node(f"node{rank // 2}", class_name="node", parent=machine)
            process = definitions.location_group(f"rank {rank}", system_tree_parent=node)
            self._locations.append(definitions.location(f"leader {rank}", type=LocationType.CPU_THREAD, group=process))
        definitions.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=self._locations)
        self.world = self.comm("MPI_COMM_WORLD", range(ranks))
        self._writers = [self._trace.event_writer_from_location(location) for location in self._locations]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._trace.close()

    def comm(self, name: str, ranks: Sequence[int]) -> Any:
        group = self._definitions.group(
            name,
            group_type=GroupType.COMM_GROUP,
            paradigm=Paradigm.MPI,
            members=[self._locations[rank] for rank in ranks],
        )
        return self._definitions.comm(name, group=group)

    def comm_self(self) -> Any:
        group = self._definitions.group("self", group_type=GroupType.COMM_SELF, paradigm=Paradigm.MPI, members=())
        return self._definitions.comm("MPI_COMM_SELF", group=group)

    def inter_comm(self, first: Any, second: Any) -> Any:
        return self._definitions.inter_comm("inter", group=first.group, groupA=first.group, groupB=second.group)

    def window(self, comm: Any) -> Any:
        return self._definitions.rma_win("window", comm=comm)

    def thread(self, rank: int) -> int:
        """Another thread of a rank; the number that `event` takes for it."""
        location = self._definitions.location(f"thread of {rank}", type=LocationType.CPU_THREAD,
                                              group=self._locations[rank].group)  # fmt: skip
        self._writers.append(self._trace.event_writer_from_location(location))
        return len(self._writers) - 1

    def event(self, rank: int, name: str, time: int, *values: Any) -> None:
        """An event by its name in the library, such as MpiSend."""
        self._writers[rank](getattr(events, name)(time, *values))

    def call(self, rank: int, name: str, begin: int, end: int, *inside: tuple[Any, ...]) -> None:
        """A call of MPI with the events inside: name, values; or with the time between them."""
        region = self._definitions.region(name, paradigm=Paradigm.MPI)
        self._writers[rank].enter(begin, region)
        for event, *values in inside:
            self.event(rank, event, end if event in _AT_END else begin, *values)
        self._writers[rank].leave(end, region)

    def collective(
        self,
        rank: int,
        name: str,
        span: tuple[int, int],
        op: Any,
        sizes: tuple[int, int],
        *,
        root: int = NONE,
        comm: Any = None,
    ) -> None:
        """`sizes`: bytes sent and received, as the writer counts them."""
        end = ("MpiCollectiveEnd", op, comm or self.world, root, *sizes)
        self.call(rank, name, *span, ("MpiCollectiveBegin",), end)


def _write_inter_comm(comm: Any, writer: Any, registry: Any) -> None:
    """Instead of the library's own, which takes a field more than the format has."""
    name = registry.strings.get_ref(comm.name, writer)
    writer.write_inter_comm(comm._ref, name, comm.groupA._ref, comm.groupB._ref, NONE, CommFlag.NONE)


InterComm.write = _write_inter_comm

_AT_END = {
    "MpiRequestTest",
    "MpiRecv",
    "MpiIrecv",
    "MpiIsendComplete",
    "MpiCollectiveEnd",
    "NonBlockingCollectiveComplete",
    "MpiProbe",
}

__all__ = ["NONE", "NS", "OP", "SCORE_P", "Archive", "RmaSyncLevel"]
