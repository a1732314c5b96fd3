# SPDX-License-Identifier: BSD-3-Clause
"""What commands print as JSON has the members that the reference names."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from handbook.json_of_commands import COMMANDS
from handbook.members import Part

_TIMES = (
    "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max\nbcast,4,8,barrier,10,9,10,11,10,12\n"
)
_PRINTED = {
    "A run of --list": "profile --list --json",
    "Use of MPI in a trace": "profile it.trace --json",
    "Two records": "compare run.json run.json --json",
    "Two runs": "compare it.trace it.trace --json",
    "Two selectors": "compare selectors openmpi-4.1 mpich-4.0 -n 4 -s 8 --json",
    "A study of collectives": "collective bcast allreduce -n 4 -s 8,64 --json",
    "Collectives and sends": "collective bcast -n 4 -s 8,64 --versus-sends --json",
    "A benchmark": "benchmark latency bcast -s 8,64 --json",
    "A tuning": "tune bcast --library openmpi-4.1 -n 4 -s 8,64KiB -p graphene --json",
    "An upgrade": "tune upgrade openmpi-4.1:openmpi-5.0 allreduce -n 16 -s 2KiB,8KiB -p graphene --map slot --json",
    "A placement": "place it.trace --json",
    "Clusters for groups": "place --clusters sites.toml --groups job.toml -n 4 --json",
    "Collectives, measured and predicted": "validate collectives --ingest times.csv --json",
    "A program, measured and predicted": "validate trace it.trace --json",
    "Routines, measured and predicted": "validate program --profile profile.csv --record run.json --json",
    "Worth of the keys of platforms": "validate ablate suite.toml --key network.tcp_window_bytes --json",
    "Contents of a trace": "trace info it.trace --json",
}


@pytest.mark.parametrize("heading", _PRINTED)
def test_what_a_command_prints_has_the_members_that_the_reference_names(sandbox: Sandbox, heading: str) -> None:
    (sandbox.folder / "times.csv").write_text(_TIMES)
    (sandbox.folder / "profile.csv").write_text("function,calls_all_ranks,seconds_all_ranks\nSend,4,0.001\n")
    (sandbox.folder / "suite.toml").write_text(
        '[[collectives]]\nname = "one"\nplatform = "graphene"\ningest = ["times.csv"]\nmodels = ["hybrid"]\n'
    )
    (sandbox.folder / "job.toml").write_text('[[group]]\nname = "all"\n')
    (sandbox.folder / "sites.toml").write_text(
        '[[cluster]]\nname = "a"\nfree_nodes = 9\ncores = 1\nlatency_s = 1e-6\nrate_bytes_per_s = 1e9\n'
    )
    assert sandbox.run(2, "ring", options=("-o", "it.trace")).code == 0
    ended = sandbox.orrery(*_PRINTED[heading].split())
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    part = next(part for _, _, parts in COMMANDS for part in parts if part.heading == heading)
    _check(found[0] if isinstance(found, list) else found, part)


def _check(found: dict[str, Any], part: Part) -> None:
    assert found.keys() - {"orrery"} == {member.name for member in part.members()}
    parts = {listed.kind: listed for _, _, every in COMMANDS for listed in every}
    for name, hint, _, _ in part.members():
        value, inner = found[name], getattr(hint, "__args__", (None,))[-1]
        if hint in parts:
            _check(value, parts[hint])
        elif inner in parts and value:
            _check(value[0] if isinstance(value, list) else next(iter(value.values())), parts[inner])
