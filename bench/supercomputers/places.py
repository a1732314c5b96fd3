# SPDX-License-Identifier: BSD-3-Clause
"""Where the ranks of a run were."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

from bench.supercomputers.rows import Row, table


class Places:
    """Where the ranks of each run were."""

    def __init__(self, folder: Path) -> None:
        self._nodes: dict[tuple[str, str], dict[int, list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
        for allocation in table(folder / "allocations.csv.gz"):
            self._nodes[allocation["system"], allocation["run"]][int(allocation["ranks"])].append(allocation)

    def nodes(self, row: Row) -> list[tuple[str, int]]:
        """Group and number of ranks of each node, in the order of ranks."""
        steps = self._nodes[row.system, row.run]
        same = steps.get(row.ranks)
        if same is not None:
            return [(node["group"], int(node["ranks_on_node"])) for node in same]
        widest = steps[max(steps)]
        return [(node["group"], row.ppn) for node in widest][: math.ceil(row.ranks / row.ppn)]

    def groups(self, row: Row) -> list[int]:
        """Number of the group of each node."""
        groups = [group for group, _ in self.nodes(row)]
        number = {group: i for i, group in enumerate(sorted(set(groups)))}
        return [number[group] for group in groups]

    def hosts(self, row: Row, group_nodes: int) -> list[int]:
        """By rank the position of its host; groups of a platform are alike, and so are the nodes of a group."""
        used: dict[int, int] = defaultdict(int)
        found = []
        for (_, here), group in zip(self.nodes(row), self.groups(row), strict=True):
            found += [group * group_nodes + used[group]] * here
            used[group] += 1
        return found[: row.ranks]
