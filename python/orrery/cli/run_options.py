# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery run` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.cli.options import option
from orrery.cli.outputs import profile_output
from orrery.cli.recorded import WRITES
from orrery.cli.simulating import (
    CollOption,
    ForceOption,
    LauncherOption,
    MappingOption,
    ModelOption,
    ReplicasOption,
    RulesOption,
    SeedOption,
    SelectorOption,
    VaryOption,
)
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.output import Output
from orrery.run.programs import MpiProgram, programs_of
from orrery.run.settings import Clock, Data, Launch, RunSettings, Unmet, parse_compute, parse_fold_heap, parse_timeout
from orrery.units import whole_number


def _count(text: str) -> int:
    if not (value := whole_number(text)):
        raise typer.BadParameter(f'"{text}", expected a whole number above 0')
    return value


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The program, and what `RunSettings` has, by the same names."""

    program: Annotated[str, typer.Argument(metavar="PROGRAM")]
    """Program to run."""
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS")] = None
    """Its arguments."""
    ranks: Annotated[int, typer.Option("-n", "-np", "--ranks", metavar="N", parser=_count)]
    """Number of ranks: the size of MPI_COMM_WORLD."""
    platform: Annotated[str, option(RunSettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = "default"
    model: ModelOption = None
    mapping: MappingOption = DEFAULT_MAPPING
    launcher: LauncherOption = ""
    launch: Annotated[Launch, option(RunSettings, "launch", "--launch", metavar="auto|fork|exec")] = "auto"
    clock: Annotated[Clock, option(RunSettings, "clock", "--clock", metavar="simulated|host")] = "simulated"
    compute: Annotated[str, option(RunSettings, "compute", "--compute", metavar="steady|raw|none|FACTOR")] = "steady"
    data: Annotated[Data, option(RunSettings, "data", "--data", metavar="all|none")] = "all"
    fold_heap: Annotated[str | None, option(RunSettings, "fold_heap_bytes", "--fold-heap", metavar="SIZE")] = None
    whole: Annotated[bool, option(RunSettings, "whole", "--whole")] = False
    selector: SelectorOption = "default"
    coll: CollOption = ""
    rules: RulesOption = None
    label: Annotated[bool, option(RunSettings, "label", "--label")] = False
    spawn_limit: Annotated[int, option(RunSettings, "spawn_limit", "--spawn-limit", metavar="N", min=0)] = 256
    repeat: Annotated[int, option(RunSettings, "repeat", "--repeat", metavar="N", min=1)] = 1
    replicas: ReplicasOption = 1
    vary: VaryOption = "noise"
    seed: SeedOption = 0
    force: ForceOption = False
    timeout: Annotated[
        str | None, option(RunSettings, "timeout_s", "--timeout", metavar="SECONDS", envvar="MPIEXEC_TIMEOUT")
    ] = None
    groups: Annotated[Path | None, option(RunSettings, "groups", "--groups", metavar="FILE")] = None
    groups_out: Annotated[Path | None, option(RunSettings, "groups_out", "--groups-out", metavar="FILE")] = None
    groups_unmet: Annotated[
        Unmet | None, option(RunSettings, "groups_unmet", "--groups-unmet", metavar="refuse|warn")
    ] = None
    output: Annotated[list[Path] | None, output_option(WRITES)] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print the record as JSON, instead of the report; the program's output goes to standard error."""

    def settings(self, programs: list[MpiProgram] | None = None) -> RunSettings:
        """Raises InputError for what cannot be run so. `programs`: those to run instead of what the words say."""
        alike = ("platform", "model", "mapping", "launcher", "launch", "clock", "data", "whole", "selector", "coll", "rules", "label", "spawn_limit",
                 "repeat", "replicas", "vary", "seed", "force")  # fmt: skip
        return RunSettings(
            programs=programs or programs_of(self.ranks, [self.program, *(self.arguments or [])]),
            compute=parse_compute(self.compute),
            fold_heap_bytes=0 if self.fold_heap is None else parse_fold_heap(self.fold_heap),
            timeout_s=None if self.timeout is None else parse_timeout(self.timeout),
            output_aside=self.as_json,
            groups=self.groups,
            groups_out=self._groups_out(),
            groups_unmet=self.groups_unmet or "refuse",
            **{name: getattr(self, name) for name in alike},
        )

    def _groups_out(self) -> Output | None:
        if self.groups_out is None or self.groups is None:
            return None
        return profile_output(self.groups_out, overwrite=self.overwrite, read=[self.groups])
