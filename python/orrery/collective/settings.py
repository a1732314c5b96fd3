# SPDX-License-Identifier: BSD-3-Clause
"""What a user can ask about collective calls: which calls, on what, and by which algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from orrery import _core
from orrery.collective.call import ALL, REDUCTIONS, ROOTED, Call, Operation
from orrery.collective.sizes import byte_size, byte_sizes, rank_counts
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING, SimulationSettings, Vary, error_of_sharing
from orrery.platform import core
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model
from orrery.verbs import same, setting

DEFAULT_SIZES = "8,64,512,4KiB,32KiB,256KiB,1MiB"
"""Where the user names none: both sides of every limit between protocols that is usual."""
NOT_SIMULATED = dict.fromkeys(("messages", "sequence"), "not with --messages and --sequence, which simulate nothing")
"""Options of the command line beside which nothing is simulated."""
_NO_CHOICE = {"versus_sends": "not with --versus-sends, which takes the selector's algorithm"}


def _segments(text: str) -> tuple[int, ...]:
    return tuple(byte_sizes(text, "--segment"))


@dataclass(frozen=True, kw_only=True)
class CollectiveRequest:
    """Calls, where they are simulated, and by which algorithms."""

    kinds: Annotated[Sequence[str], setting(metavar="KIND...", kind="words")]
    """Collectives: allreduce, bcast, ..."""
    ranks: Annotated[str, setting("-n", "-np", "--ranks", metavar="N,...", kind="numbers")]
    """Numbers of ranks."""
    sizes: Annotated[
        str | None, setting("-s", "--size", metavar="BYTES,...", kind="numbers", values={"SIZES": DEFAULT_SIZES})
    ] = None
    """Sizes, such as 8,64KiB or 8:1M; by default {SIZES}."""
    root: Annotated[int, setting("--root", metavar="RANK")] = 0
    """Root of collectives that have one."""
    platform: Annotated[str, same(SimulationSettings, beside=NOT_SIMULATED)] = DEFAULT
    model: Annotated[Model | None, same(SimulationSettings, beside=NOT_SIMULATED)] = None
    mapping: Annotated[str, same(SimulationSettings)] = DEFAULT_MAPPING
    selector: Annotated[str, same(SimulationSettings)] = "default"
    coll: Annotated[str, same(SimulationSettings)] = ""
    """Algorithms that overrule the selector's."""
    rules: Annotated[Path | None, same(SimulationSettings)] = None
    immediate: Annotated[bool, setting("--immediate")] = False
    """Non-blocking calls, such as MPI_Ibcast."""
    algorithm: Annotated[
        Sequence[str], setting("--algorithm", metavar="NAME|all", kind="words", beside=_NO_CHOICE)
    ] = ()
    """Algorithm, by Orrery's name or Open MPI's; or all. May be repeated."""
    segments: Annotated[
        tuple[int, ...] | None,
        setting("--segment", metavar="BYTES,...", kind="numbers", read=_segments, needs="algorithm", beside=_NO_CHOICE),
    ] = None
    """Segment sizes for algorithms that have them; 0: none."""
    fanout: Annotated[int, setting("--fanout", metavar="N", least=0, most=32, needs="algorithm", beside=_NO_CHOICE)] = 0
    """Chains, or radix of a tree, for algorithms that have such; 0: the algorithm's own."""
    most_messages: Annotated[int, setting("--most-messages", metavar="N", beside=NOT_SIMULATED | _NO_CHOICE)] = (
        20_000_000
    )
    """Leave out of `all` what would send more."""
    type_size: Annotated[str, setting("--type-size", metavar="BYTES", kind="text")] = "0"
    """Size of one element of the datatype; 0: 8 for reductions, else 1."""
    type_extent: Annotated[str, setting("--type-extent", metavar="BYTES", kind="text")] = "0"
    """From one element to the next, of a datatype with gaps; 0: no gaps."""
    operation: Annotated[Operation, setting("--operation")] = "built-in"
    """Operation of reductions: one of MPI's own, or a user's."""
    in_place: Annotated[bool, setting("--in-place")] = False
    """An all-to-all with MPI_IN_PLACE."""
    replicas: Annotated[int, same(SimulationSettings, beside=NOT_SIMULATED)] = 1
    vary: Annotated[Vary, same(SimulationSettings, beside=NOT_SIMULATED)] = "noise"
    seed: Annotated[int, same(SimulationSettings, beside=NOT_SIMULATED)] = 0
    sharing_error: Annotated[
        float, same(SimulationSettings, beside={**NOT_SIMULATED, "exact": "not with {exact}, which sets it"})
    ] = core.SHARING_ERROR
    exact: Annotated[bool, same(SimulationSettings, beside=NOT_SIMULATED)] = False
    force: Annotated[bool, same(SimulationSettings, beside=NOT_SIMULATED)] = False

    @property
    def error_of_sharing(self) -> float:
        """Error, relative to a message, with which links are shared."""
        return error_of_sharing(self.sharing_error, exact=self.exact)

    @property
    def asks_selector(self) -> bool:
        """Whether what the selector chooses is asked for: not where algorithms are named, and `all` is none of them."""
        return not self.algorithm or ALL in self.algorithm

    @property
    def calls(self) -> list[Call]:
        """All combinations, in the order in which they were given. Raises InputError for what is no number, size or collective."""
        known = sorted({algorithm.collective for algorithm in _core.algorithms()})
        usable = [name for name in known if not name.startswith("neighbor")]
        type_size = byte_size(self.type_size, "--type-size")
        type_extent = byte_size(self.type_extent, "--type-extent")
        found = []
        for kind in self.kinds:
            if kind not in usable:
                raise InputError(f'"{kind}" is not a collective that can be shown; there are: {", ".join(usable)}')
            if self.in_place and not kind.startswith("alltoall"):
                raise InputError(f"--in-place is for alltoall, alltoallv and alltoallw; {kind} sends the same in place")
            for size in byte_sizes(self.sizes or ("0" if kind == "barrier" else DEFAULT_SIZES)):
                found += [
                    Call(kind, size, count, self.immediate, type_size, self.operation, self.in_place, type_extent)
                    for count in rank_counts(self.ranks, self.root)
                ]
        if not found:
            raise InputError("kinds: expected at least one collective")
        return found

    def check(self, *, sends: bool = False) -> None:
        """Raise InputError for what acts on none of the calls, or not on these algorithms.

        Args:
            sends: the calls are compared with sends, which have a root.
        """
        kinds = ", ".join(self.kinds)
        if self.root and not sends and not ROOTED.intersection(self.kinds):
            raise InputError(f"--root: {kinds}: has none; it is for {', '.join(sorted(ROOTED))}")
        if self.operation != "built-in" and not REDUCTIONS.intersection(self.kinds):
            raise InputError(f"--operation: {kinds}: reduces nothing; it is for {', '.join(sorted(REDUCTIONS))}")
        if self.most_messages != CollectiveRequest.most_messages and ALL not in self.algorithm:
            raise InputError("--most-messages: acts only with --algorithm all")
        choosing = {"--selector": self.selector != "default", "--coll": self.coll, "--selector-rules": self.rules}
        if not self.asks_selector and any(choosing.values()):
            given = ", ".join(option for option, value in choosing.items() if value)
            raise InputError(f"{given}: chooses nothing beside --algorithm NAME")
