# SPDX-License-Identifier: BSD-3-Clause
"""Mappings in simulation: a trace is replayed with its ranks there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orrery.placement.formats import rank_file
from orrery.record.ended import check_end
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.temporary import temporary_folder


@dataclass(frozen=True)
class Simulator:
    """Replays a trace with its ranks on given hosts."""

    settings: ReplaySettings
    """As the given mapping is simulated."""
    names: Sequence[str]
    """Names of hosts, by number."""

    def times_s(self, host_of_rank: Sequence[int], replicas: int = 1) -> list[float]:
        """Simulated time of each replica; only one where nothing is random.

        Raises:
            InputError: the replay does not come to its end.
            KeyboardInterrupt: Ctrl-C.
        """
        with temporary_folder() as folder:
            file = folder / "ranks"
            file.write_text(rank_file([self.names[host] for host in host_of_rank]), encoding="utf-8")
            said = self.settings.said | {"mapping", "replicas"}
            record = replay(replace(self.settings, mapping=f"file:{file}", replicas=replicas, said=said))
        check_end(record, f"{self.settings.traces[0]}: the replay")
        return record.replicas_s or [record.simulated_s]
