# SPDX-License-Identifier: BSD-3-Clause
"""What a start command says of how processes are started, as `orrery run --launcher`."""

from __future__ import annotations

from dataclasses import dataclass, field

from orrery.errors import InputError
from orrery.platform.core import Plain
from orrery.units import whole_number

_MANAGERS = ("slurm", "pbs", "lsf", "ll", "sge", "cobalt", "alps", "tm")
_LAUNCHERS = {**dict.fromkeys(("ssh", "rsh"), "ssh"), **dict.fromkeys(_MANAGERS, "manager")}
_WITHOUT_NETWORK = ("fork", "manual", "persist", "none", "user")


@dataclass
class LauncherSettings:
    """What options say of the launcher."""

    said: list[str] = field(default_factory=list)
    """The options, with their values."""
    launcher: str | None = None
    """`ssh` or `manager`."""
    fanout: int | None = None

    def by(self, word: str, name: str) -> None:
        """`-launcher`, of Hydra. Raises InputError where there is no such launcher."""
        self.said.append(f"{word} {name}")
        self.launcher = _LAUNCHERS.get(name, self.launcher)
        if name not in (*_LAUNCHERS, *_WITHOUT_NETWORK):
            raise InputError(f"mpiexec {word} {name}: expected one of {', '.join((*_LAUNCHERS, *_WITHOUT_NETWORK))}")

    def managed_by(self, word: str, name: str) -> None:
        """`-rmk`: whoever names a resource manager starts by it, unless `-launcher` says otherwise."""
        before = self.launcher
        self.by(word, name)
        self.launcher = before or self.launcher

    def branching(self, word: str, number: str) -> None:
        """`-branch-count`: how many proxies are below each other one."""
        if not (value := whole_number(number)):
            raise InputError(f"mpiexec {word} {number}: expected a whole number above 0")
        self.said.append(f"{word} {number}")
        self.fanout = value

    def option(self, platform: Plain) -> tuple[str | None, list[str]]:
        """For `--launcher`, None: nothing; and sentences on what has no effect there."""
        if platform["launch"] is None:
            why = f"platform {platform['name']} has no [launch], so that launching takes no simulated time"
            return None, [f"mpiexec: {said} is ignored: {why}" for said in self.said]
        if self.launcher is None and self.fanout is None:
            return None, [f"mpiexec: {said} is ignored: the network is simulated" for said in self.said]
        fanout = "" if self.fanout is None else f":{self.fanout}"
        return f"{self.launcher or platform['launch']['launcher']}{fanout}", []
