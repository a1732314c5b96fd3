# SPDX-License-Identifier: BSD-3-Clause
"""Where a start command wants its ranks, as a policy of `orrery run --map`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from orrery.errors import InputError
from orrery.experiment.rank_file import hosts_of_file
from orrery.units import whole_number

_POLICIES = {
    **dict.fromkeys(("slot", "core", "hwthread", "board"), "slot"),
    "node": "node",
    **dict.fromkeys(("socket", "package", "numa", "l3cache"), "socket"),
}
_BINDINGS = ("none", "core", "hwthread", "socket", "package", "numa", "board", "l1cache", "l2cache", "l3cache", "rr")
_OF_USER = re.compile(r"user:(\d{1,6}(?:[+,]\d{1,6})*)", re.IGNORECASE)
_SO_MANY = re.compile(r"ppr:([1-9]\d{0,8}):node")


@dataclass
class Places:
    """What options say of hosts and of the order of ranks."""

    by: str | None = None
    """A policy, such as `node` or `ppr:2`."""
    named: list[tuple[str, int | None]] = field(default_factory=list)
    """Hosts to use, with their slots; None: as many as they have cores."""
    file: str | None = None
    """A rank file."""
    cores: str = ""
    """Cores that ranks of each node are bound to in turn, as behind "/" in a policy."""

    def one_slot_each(self, word: str, file: str) -> None:
        """A host file of Hydra, which gives a host without a number one slot."""
        self.named = [(name, slots or 1) for name, slots in hosts_of_file(file, f"mpiexec {word}")]

    def host_file(self, word: str, file: str) -> None:
        """A host file of Open MPI, which gives a host without a number as many slots as it has cores."""
        self.named = hosts_of_file(file, f"mpiexec {word}")

    def hosts(self, _word: str, names: str) -> None:
        """A list of hosts; each mention is a slot, unless it says how many."""
        for entry in names.split(","):
            name, colon, slots = entry.partition(":")
            self.named.append((name, (whole_number(slots) if colon else None) or 1))

    def to_each_node(self, word: str, number: str) -> None:
        """So many ranks to each node."""
        if not (value := whole_number(number)):
            raise InputError(f"mpiexec {word} {number}: expected a whole number above 0")
        self.by = f"ppr:{value}"

    def node_by_node(self, _word: str) -> None:
        """One rank to each node in turn."""
        self.by = "node"

    def slot_by_slot(self, _word: str) -> None:
        """Fill a node before the next one."""
        self.by = "slot"

    def map_by(self, word: str, how: str) -> None:
        """`--map-by` of either launcher."""
        if found := _SO_MANY.fullmatch(how.lower()):
            self.by = f"ppr:{found[1]}"
            return
        policy, *modifiers = how.lower().split(":")
        wrong = [modifier for modifier in modifiers if modifier not in ("oversubscribe", "span")]
        if policy not in _POLICIES or wrong:
            raise InputError(
                f"mpiexec {word} {how}: expected one of {', '.join(_POLICIES)}, ppr:N:node; other places are for a rank file: "
                "--rankfile"
            )
        self.by = _POLICIES[policy]

    def bind_to(self, word: str, what: str) -> None:
        """Each rank has a core of its own as long as there are enough; `user:LIST` and rank files say more."""
        if found := _OF_USER.fullmatch(what):
            self.cores = found[1]
        elif what.lower().partition(":")[0] not in _BINDINGS:
            raise InputError(
                f"mpiexec {word} {what}: expected one of {', '.join(_BINDINGS)}, or cores for the ranks of each node in "
                "turn: user:0,2 or user:0+1,2+3; a rank file says it for each rank: --rankfile"
            )

    def rank_file(self, _word: str, file: str) -> None:
        """A rank file says it all."""
        self.file = file

    def policy(self) -> str | None:
        """For `--map`; None: nothing was said. Raises InputError where two things were said."""
        if self.file is not None:
            if self.by or self.named or self.cores:
                raise InputError(
                    f"mpiexec --rankfile {self.file}: says where each rank is; leave out other options for places"
                )
            return f"file:{self.file}"
        binding = f"/{self.cores}" if self.cores else ""
        if not self.named:
            return f"{self.by or 'slot'}{binding}" if binding else self.by
        slots: dict[str, int | None] = {}
        for name, number in self.named:
            before = slots.get(name)
            slots[name] = number if name not in slots or number is None or before is None else before + number
        hosts = ",".join(name if number is None else f"{name}:{number}" for name, number in slots.items())
        return f"{self.by or 'slot'}@{hosts}{binding}"
