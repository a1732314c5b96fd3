# SPDX-License-Identifier: BSD-3-Clause
"""Each option of each command acts: it changes what is printed or written. An option without a line here fails."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

import orrery
from harness import Sandbox
from orrery.cli import app
from orrery.tune.settings import CallsRequest
from orrery.verbs import settings_of

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Changes:
    """Two command lines, alike but for the option: what they print, write or end with differs."""

    without: str
    line: str


@dataclass(frozen=True)
class Seen:
    """A file of tests that use it, by its name, and the word that stands for it there."""

    file: str
    word: str = ""


@dataclass(frozen=True)
class Shared:
    """Another command that has the option from the same class, which does with it what it does there."""

    verb: type
    command: str


_CALLS = Shared(CallsRequest, "tune upgrade")
_RUN = "run -n 4 --compute none RING 3"
_RUN_JSON = "run -n 4 --json --compute none RING 3"
_ALLREDUCES = "papers xt4 --only figure-10-calls"
_TIMES = "collective bcast allreduce -n 6 -s 64KiB"
_MESSAGES = "collective bcast -n 6 -s 64KiB --messages"
_SELECTORS = "compare selectors openmpi-4.1 mpich-4.0 -n 4 -s 64KiB --collective bcast --json"
_SIDES = "compare it.json other.json vs other.json it.json"
_LOOPS = "benchmark bcast latency -s 64KiB"
_TUNE = "tune bcast --library openmpi-4.1 -n 8 -s 64KiB -p graphene"
_REDUCED = "tune allreduce --library openmpi-4.1 -n 16 -s 256KiB -p graphene --no-own"
_UPGRADE = "tune upgrade openmpi-4.1:openmpi-5.0 bcast -n 8 -s 8 -p graphene --map slot"
_CASES = "validate collectives --ingest TIMES"
_ROUTINES = "validate program --profile PROFILE --record it.json"
_REPLAYED = "validate trace it.trace"
_PLACED = "place pairs.csv -p graphene"
_CLUSTERS = "place --clusters sites.toml --groups job.toml -n 4"
_DRY = "calibrate --nodes 4 --dry-run -o c.toml"

ROWS: dict[str, dict[str, Changes | Seen | Shared]] = {
    "": {"--version": Seen("test_cli.py")},
    "run": {
        "--force": Seen("test_trusted.py"),
        "--ranks": Changes(_RUN, "run -n 5 --compute none RING 3"),
        "--platform": Seen("test_run.py"),
        "--model": Seen("test_run.py"),
        "--mapping": Seen("test_run.py", "--map"),
        "--launcher": Seen("test_startup.py"),
        "--launch": Seen("test_run.py"),
        "--clock": Seen("test_tool_interface.py"),
        "--compute": Seen("test_steady.py"),
        "--data": Seen("test_folding.py"),
        "--fold-heap": Seen("test_folding.py"),
        "--whole": Seen("test_sampling.py"),
        "--selector": Seen("test_algorithms_in_profile.py"),
        "--coll": Seen("test_run.py"),
        "--selector-rules": Seen("test_algorithms_in_profile.py"),
        "--label": Seen("test_run.py"),
        "--spawn-limit": Seen("test_spawn.py"),
        "--repeat": Changes(_RUN, "run -n 4 --compute none --repeat 2 RING 3"),
        "--replicas": Seen("test_replicas.py"),
        "--vary": Seen("test_replicas.py"),
        "--seed": Seen("test_replicas.py"),
        "--sharing-error": Seen("test_sharing_error.py"),
        "--exact": Seen("test_sharing_error.py"),
        "--timeout": Seen("test_run.py"),
        "--groups": Seen("test_groups.py"),
        "--groups-out": Seen("test_groups.py"),
        "--groups-unmet": Seen("test_groups.py"),
        "--output": Changes(_RUN, "run -n 4 --compute none -o new.json RING 3"),
        "--report": Changes(_RUN, "run -n 4 --compute none --report new.html RING 3"),
        "--overwrite": Changes("run -n 4 -o mine.json RING 3", "run -n 4 -o mine.json --overwrite RING 3"),
        "--json": Changes(_RUN, _RUN_JSON),
    },
    "replay": {
        "--force": Seen("test_trusted.py"),
        "--platform": Seen("test_trace.py"),
        "--model": Seen("test_trace.py"),
        "--ideal": Seen("test_trace.py"),
        "--mapping": Seen("test_trace.py", "--map"),
        "--launcher": Seen("test_startup.py"),
        "--compute": Seen("test_steady.py"),
        "--compute-scale": Seen("test_trace.py"),
        "--bytes-scale": Seen("test_trace.py"),
        "--match": Seen("test_trace.py"),
        "--selector": Seen("test_trace.py"),
        "--coll": Seen("test_trace.py"),
        "--selector-rules": Seen("test_algorithms_in_profile.py"),
        "--start": Seen("test_trace.py"),
        "--replicas": Seen("test_replicas.py"),
        "--vary": Seen("test_replicas.py"),
        "--seed": Seen("test_replicas.py"),
        "--sharing-error": Seen("test_sharing_error.py"),
        "--exact": Seen("test_sharing_error.py"),
        "--loggops": Seen("test_replay_formats.py"),
        "--flops": Seen("test_ti.py"),
        "--output": Changes("replay it.trace", "replay it.trace -o new.json"),
        "--report": Changes("replay it.trace", "replay it.trace --report new.html"),
        "--overwrite": Changes("replay it.trace -o mine.json", "replay it.trace -o mine.json --overwrite"),
        "--json": Changes("replay it.trace", "replay it.trace --json"),
    },
    "capture": {
        "--output": Seen("test_capture.py", "-o"),
        "--mpicc": Changes("capture -- true", "capture --mpicc no-such-mpicc -- true"),
        "--parts": Seen("test_capture.py"),
        "--callsites": Seen("test_call_sites.py"),
        "--callpath": Seen("test_call_sites.py"),
        "--report": Changes("capture -- true", "capture --report new.txt -- true"),
        "--overwrite": Changes("capture -o mine.json -- true", "capture -o mine.json --overwrite -- true"),
        "--json": Seen("test_capture.py"),
    },
    "launch": {
        "--groups": Seen("test_groups.py"),
        "--ranks": Seen("test_groups.py"),
        "--groups-out": Seen("test_groups.py"),
        "--overwrite": Changes(
            "launch --groups job.toml --ranks 1 --groups-out mine.csv -- true",
            "launch --groups job.toml --ranks 1 --groups-out mine.csv --overwrite -- true",
        ),
    },
    "deploy": {
        "--collectives": Seen("test_deploy.py"),
        "--topology": Seen("test_deploy.py"),
        "--platform": Seen("test_deploy.py", "-p"),
        "--check": Seen("test_deploy.py"),
        "--output": Seen("test_deploy.py", "-o"),
        "--overwrite": Seen("test_deploy.py"),
        "--mpicxx": Seen("test_deploy.py"),
        "--prepare": Seen("test_deploy.py"),
    },
    "watch": {
        "--platform": Seen("test_watch.py", "-p"),
        "--model": Seen("test_watch.py"),
        "--mapping": Seen("test_watch.py", "--map"),
        "--selector": Seen("test_watch.py"),
        "--selector-rules": Seen("test_watch.py"),
        "--every": Seen("test_watch.py"),
        "--output": Seen("test_watch.py", "-o"),
        "--overwrite": Seen("test_watch.py"),
        "--mpicc": Seen("test_watch.py"),
        "--force": Seen("test_watch.py"),
        "--json": Seen("real_mpis.py"),
    },
    "trace info": {"--json": Changes("trace info it.trace", "trace info it.trace --json")},
    "trace dump": {
        "--only": Changes("trace dump it.trace", "trace dump it.trace --only 1"),
        "--most": Changes("trace dump it.trace", "trace dump it.trace --most 1"),
        "--json": Changes("trace dump it.trace", "trace dump it.trace --json"),
    },
    "trace diff": {"--json": Changes("trace diff it.trace it.trace", "trace diff it.trace it.trace --json")},
    "trace slice": {
        "--output": Changes("trace slice it.trace -o a.trace", "trace slice it.trace -o b.trace"),
        "--only": Changes("trace slice it.trace -o a.trace", "trace slice it.trace -o a.trace --only 0"),
        "--from": Seen("test_trace_slice.py"),
        "--to": Seen("test_trace_slice.py"),
        "--overwrite": Changes("trace slice it.trace -o mine.json", "trace slice it.trace -o mine.json --overwrite"),
        "--json": Changes("trace slice it.trace -o a.trace", "trace slice it.trace -o a.trace --json"),
    },
    "trace convert": {
        "--output": Changes("trace convert it.trace -o a.csv", "trace convert it.trace -o b.csv"),
        "--format": Changes("trace convert it.trace -o -", "trace convert it.trace -o - --format csv"),
        "--flops": Changes("trace convert it.trace -o a.ti", "trace convert it.trace -o a.ti --flops 5e9"),
        "--selector": Changes(
            "trace convert it.trace -o - --format goal",
            "trace convert it.trace -o - --format goal --selector openmpi-4.1",
        ),
        "--coll": Changes(
            "trace convert it.trace -o - --format goal",
            "trace convert it.trace -o - --format goal --coll allreduce=ring",
        ),
        "--table": Seen("test_trace_slice.py"),
        "--lossy": Seen("test_trace_slice.py"),
        "--overwrite": Changes("trace convert it.trace -o mine.csv", "trace convert it.trace -o mine.csv --overwrite"),
        "--json": Changes("trace convert it.trace -o a.csv", "trace convert it.trace -o a.csv --json"),
    },
    "trace import": {
        "--output": Seen("test_otf2.py", "-o"),
        "--lossy": Seen("test_otf2.py"),
        "--overwrite": Changes("trace import it.trace -o mine.csv", "trace import it.trace -o mine.csv --overwrite"),
        "--json": Seen("test_otf2.py"),
    },
    "profile": {
        "--per-rank": Changes("profile it.trace", "profile it.trace --per-rank"),
        "--per-node": Changes("profile it.trace", "profile it.trace --per-node"),
        "--throttle": Seen("test_tau_profiles.py"),
        "--back": Seen("test_record.py"),
        "--list": Seen("test_record.py"),
        "--json": Changes("profile it.json", "profile it.json --json"),
        "--output": Changes("profile it.trace", "profile it.trace -o it.html"),
        "--report": Changes("profile it.trace", "profile it.trace --report it.html"),
        "--overwrite": Changes("profile it.trace -o mine.html", "profile it.trace -o mine.html --overwrite"),
    },
    "compare": {
        "--report": Changes("compare it.json it.json", "compare it.json it.json --report a.html"),
        "--overwrite": Changes(
            "compare it.json it.json --report mine.html", "compare it.json it.json --report mine.html --overwrite"
        ),
        "--json": Changes("compare it.json it.json", "compare it.json it.json --json"),
        "--per-rank": Changes("compare it.json it.json", "compare it.json it.json --per-rank"),
        "--paired": Changes(_SIDES, f"{_SIDES} --paired"),
        "--turns": Seen("test_compare_turns.py"),
    },
    "compare selectors": {
        "--json": Changes(_SELECTORS, _SELECTORS.removesuffix("--json")),
        "--ranks": Changes(_SELECTORS, _SELECTORS.replace("-n 4", "-n 6")),
        "--size": Changes(_SELECTORS, _SELECTORS.replace("64KiB", "8")),
        "--collective": Changes(_SELECTORS, f"{_SELECTORS} --collective reduce"),
        "--platform": Changes(_SELECTORS, f"{_SELECTORS} -p graphene"),
        "--mapping": Changes(f"{_SELECTORS} -p graphene", f"{_SELECTORS} -p graphene --map node"),
    },
    "collective": {
        "--force": Seen("test_trusted.py"),
        "--ranks": Changes(_TIMES, "collective bcast allreduce -n 7 -s 64KiB"),
        "--size": Changes(_TIMES, "collective bcast allreduce -n 6 -s 32KiB"),
        "--root": Changes(_MESSAGES, f"{_MESSAGES} --root 1"),
        "--platform": Seen("test_collective_times.py"),
        "--model": Changes(_TIMES, f"{_TIMES} --model fluid"),
        "--mapping": Changes(f"{_TIMES} -p graphene", f"{_TIMES} -p graphene --map node"),
        "--selector": Seen("test_collective_times.py"),
        "--coll": Changes(_TIMES, f"{_TIMES} --coll bcast=linear"),
        "--selector-rules": Changes(_TIMES, f"{_TIMES} --selector openmpi-4.1 --selector-rules RULES"),
        "--immediate": Changes(
            f"{_MESSAGES} --selector openmpi-5.0", f"{_MESSAGES} --selector openmpi-5.0 --immediate"
        ),
        "--algorithm": Changes(_TIMES, f"{_TIMES} --algorithm all"),
        "--segment": Changes(f"{_MESSAGES} --algorithm pipeline", f"{_MESSAGES} --algorithm pipeline --segment 8K"),
        "--fanout": Changes(f"{_MESSAGES} --algorithm chain", f"{_MESSAGES} --algorithm chain --fanout 2"),
        "--most-messages": Changes(f"{_TIMES} --algorithm all", f"{_TIMES} --algorithm all --most-messages 1"),
        "--messages": Changes(_TIMES, f"{_TIMES} --messages"),
        "--sequence": Changes(_MESSAGES, f"{_MESSAGES} --sequence"),
        "--ppn": Changes(f"{_MESSAGES} --selector openmpi-5.0", f"{_MESSAGES} --selector openmpi-5.0 --ppn 2"),
        "--type-size": Changes(_TIMES, f"{_TIMES} --type-size 7B"),
        "--type-extent": Changes(
            "collective alltoall -n 6 -s 64 --selector openmpi-5.0 --messages",
            "collective alltoall -n 6 -s 64 --selector openmpi-5.0 --messages --type-extent -1",
        ),
        "--operation": Changes(
            "collective reduce -n 6 -s 64KiB --messages --selector openmpi-5.0",
            "collective reduce -n 6 -s 64KiB --messages --selector openmpi-5.0 --operation not-commutative",
        ),
        "--in-place": Changes(
            "collective alltoall -n 6 -s 8 --selector openmpi-4.1",
            "collective alltoall -n 6 -s 8 --selector openmpi-4.1 --in-place",
        ),
        "--versus-sends": Changes("collective bcast -n 6 -s 64", "collective bcast -n 6 -s 64 --versus-sends"),
        "--barrier": Changes(
            "collective bcast -n 6 -s 64 --versus-sends", "collective bcast -n 6 -s 64 --versus-sends --barrier"
        ),
        "--replicas": Seen("test_replicas.py"),
        "--vary": Seen("test_replicas.py"),
        "--seed": Seen("test_replicas.py"),
        "--sharing-error": Seen("test_sharing_error.py"),
        "--exact": Seen("test_sharing_error.py"),
        "--json": Changes(_TIMES, f"{_TIMES} --json"),
        "--csv": Changes(_TIMES, f"{_TIMES} --csv"),
        "--output": Changes(_TIMES, f"{_TIMES} -o a.csv"),
        "--report": Changes(_TIMES, f"{_TIMES} --report a.html"),
        "--overwrite": Changes(f"{_TIMES} -o mine.csv", f"{_TIMES} -o mine.csv --overwrite"),
    },
    "benchmark": {
        "--platform": Changes(_LOOPS, f"{_LOOPS} --platform graphene"),
        "--mpirun": Seen("test_benchmark.py"),
        "--mpicc": Seen("test_benchmark.py"),
        "--ranks": Changes(_LOOPS, f"{_LOOPS} -n 5"),
        "--size": Changes(_LOOPS, "benchmark bcast latency -s 32KiB"),
        "--repetitions": Changes(_LOOPS, f"{_LOOPS} --repetitions 5"),
        "--warm-up": Changes(_LOOPS, f"{_LOOPS} --warm-up 1 --repetitions 5"),
        "--budget": Seen("test_benchmark.py"),
        "--quick": Changes("benchmark barrier", "benchmark barrier --quick"),
        "--model": Changes(_LOOPS, f"{_LOOPS} --model fluid"),
        "--mapping": Changes(_LOOPS, f"{_LOOPS} --map node"),
        "--selector": Changes(_LOOPS, f"{_LOOPS} --selector openmpi-1.3"),
        "--coll": Changes(_LOOPS, f"{_LOOPS} --coll bcast=linear"),
        "--selector-rules": Changes(_LOOPS, f"{_LOOPS} --selector openmpi-4.1 --selector-rules RULES"),
        "--seed": Changes(f"{_LOOPS} --keep a.csv", f"{_LOOPS} --keep b.csv --seed 3"),
        "--force": Seen("test_trusted.py"),
        "--for": Changes(_LOOPS, f"{_LOOPS} --for it.trace"),
        "--keep": Changes(_LOOPS, f"{_LOOPS} --keep a.csv"),
        "--output": Changes(_LOOPS, f"{_LOOPS} -o a.csv"),
        "--report": Changes(_LOOPS, f"{_LOOPS} --report a.html"),
        "--overwrite": Changes(f"{_LOOPS} -o mine.csv", f"{_LOOPS} -o mine.csv --overwrite"),
        "--json": Changes(_LOOPS, f"{_LOOPS} --json"),
    },
    "tune": {
        "--library": Changes(_TUNE, "tune bcast --library mpich-4.0 -n 8 -s 64KiB -p graphene"),
        "--own-choices": Seen("test_tune_intel.py"),
        "--mpirun": Seen("test_tune.py"),
        "--mpicc": Seen("test_tune.py"),
        "--share": Seen("test_tune.py"),
        "--rounds": Seen("test_tune.py"),
        "--own": Changes(
            "tune allgather --library openmpi-4.1 -n 16 -s 1KiB -p graphene --map node",
            "tune allgather --library openmpi-4.1 -n 16 -s 1KiB -p graphene --map node --no-own",
        ),
        "--check": Seen("test_tune.py"),
        "--see": Seen("test_tune.py", "--no-see"),
        "--program": Seen("test_tune.py"),
        "--any-operation": Changes(_REDUCED, f"{_REDUCED} --any-operation"),
        "--least-gain": Changes(_TUNE, f"{_TUNE} --least-gain 9"),
        "--budget": Seen("test_tune.py"),
        "--keep": Changes(_TUNE, f"{_TUNE} --keep kept"),
        "--for": Changes("tune --library openmpi-4.1 --for it.trace", "tune --library openmpi-4.1 --for all.trace"),
        "--platform": Changes(_TUNE, f"{_TUNE.removesuffix('graphene')}default"),
        "--ranks": Changes(_TUNE, _TUNE.replace("-n 8", "-n 12")),
        "--size": Changes(_TUNE, _TUNE.replace("64KiB", "8")),
        "--mapping": Changes(_TUNE, f"{_TUNE} --map node"),
        "--model": Changes(_TUNE, f"{_TUNE} --model fluid"),
        "--seed": _CALLS,
        "--force": Seen("test_trusted.py"),
        "--output": Changes(_TUNE, f"{_TUNE} -o tuned"),
        "--overwrite": Changes(_TUNE, f"{_TUNE} --overwrite"),
        "--json": Changes(_TUNE, f"{_TUNE} --json"),
    },
    "tune discover": {
        "--library": Seen("test_discover.py"),
        "--mpirun": Seen("test_discover.py"),
        "--mpicc": Seen("test_discover.py"),
        "--share": Seen("test_tune.py"),
        "--rounds": Seen("test_discover.py"),
        "--keep": Seen("test_discover.py"),
        "--platform": _CALLS,
        "--ranks": Seen("test_discover.py", "-n"),
        "--size": Seen("test_discover.py", "-s"),
        "--mapping": _CALLS,
        "--model": _CALLS,
        "--seed": _CALLS,
        "--force": _CALLS,
        "--output": Seen("test_discover.py", "-o"),
        "--overwrite": Seen("test_discover.py"),
        "--json": Seen("test_discover.py"),
    },
    "tune upgrade": {
        "--for": Changes("tune upgrade openmpi-4.1:openmpi-5.0", "tune upgrade openmpi-4.1:openmpi-5.0 --for it.trace"),
        "--platform": Changes(_UPGRADE, f"{_UPGRADE.replace('graphene', 'default')}"),
        "--ranks": Changes(_UPGRADE, _UPGRADE.replace("-n 8", "-n 12")),
        "--size": Changes(_UPGRADE, _UPGRADE.replace("-s 8", "-s 64KiB")),
        "--mapping": Changes(_UPGRADE, _UPGRADE.replace("slot", "node")),
        "--model": Changes(_UPGRADE, f"{_UPGRADE} --model fluid"),
        "--seed": Seen("test_tune_upgrade.py"),
        "--force": Seen("test_trusted.py"),
        "--output": Changes(_UPGRADE, f"{_UPGRADE} -o a.json"),
        "--overwrite": Changes(f"{_UPGRADE} -o mine.json", f"{_UPGRADE} -o mine.json --overwrite"),
        "--json": Changes(_UPGRADE, f"{_UPGRADE} --json"),
    },
    "papers": {
        "--only": Changes(_ALLREDUCES, f"{_ALLREDUCES} --only table-1"),
        "--figure": Changes(_ALLREDUCES, f"{_ALLREDUCES} --figure 3"),
        "--table": Changes(_ALLREDUCES, f"{_ALLREDUCES} --table 1"),
        "--quick": Changes("papers thesis --only figures-4", "papers thesis --only figures-4 --quick"),
        "--output": Changes(_ALLREDUCES, f"{_ALLREDUCES} -o kept"),
        "--report": Changes(_ALLREDUCES, f"{_ALLREDUCES} --report xt4.html"),
        "--overwrite": Changes(f"{_ALLREDUCES} --report mine.html", f"{_ALLREDUCES} --report mine.html --overwrite"),
        "--json": Changes("papers", "papers --json"),
        "--from": Seen("test_papers_npb.py"),
        "--build": Seen("test_papers_npb.py"),
    },
    "validate collectives": {
        "--force": Seen("test_trusted.py"),
        "--platform": Seen("test_validate.py"),
        "--selector": Changes(_CASES, f"{_CASES} --selector openmpi-4.1"),
        "--coll": Seen("test_unserved.py"),
        "--selector-rules": Seen("test_unserved.py"),
        "--nodes": Seen("test_benchmark_logs.py", "nodes"),
        "--ppn": Seen("test_benchmark_logs.py", "ppn"),
        "--mapping": Changes(f"{_CASES} -p graphene", f"{_CASES} -p graphene --map node"),
        "--model": Seen("test_validate.py"),
        "--replicas": Seen("test_validate.py"),
        "--vary": Changes(_CASES, f"{_CASES} --vary calibration"),
        "--seed": Seen("test_validate.py"),
        "--ingest": Seen("test_validate.py"),
        "--where": Seen("test_validate.py"),
        "--mpirun": Seen("test_validate.py"),
        "--mpicc": Seen("test_validate.py"),
        "--ranks": Seen("test_validate.py", "-n"),
        "--size": Seen("test_validate.py", "-s"),
        "--budget": Seen("test_validate.py"),
        "--keep": Seen("test_validate.py"),
        "--most-median": Seen("test_validate.py"),
        "--most-p90": Seen("test_validate.py"),
        "--json": Changes(_CASES, f"{_CASES} --json"),
        "--cases": Changes(_CASES, f"{_CASES} --no-cases"),
        "--output": Changes(_CASES, f"{_CASES} -o a.json"),
        "--report": Changes(_CASES, f"{_CASES} --report a.html"),
        "--overwrite": Changes(f"{_CASES} -o mine.json", f"{_CASES} -o mine.json --overwrite"),
    },
    "validate program": {
        "--profile": Changes(_ROUTINES, "validate program --profile OTHER --record it.json"),
        "--record": Changes(_ROUTINES, "validate program --profile PROFILE --record new.json"),
        "--where": Changes(_ROUTINES, f"{_ROUTINES} --where calls_all_ranks=5"),
        "--most-median": Changes(_ROUTINES, f"{_ROUTINES} --most-median 1e-9"),
        "--json": Changes(_ROUTINES, f"{_ROUTINES} --json"),
        "--output": Changes(_ROUTINES, f"{_ROUTINES} -o a.json"),
        "--report": Changes(_ROUTINES, f"{_ROUTINES} --report a.html"),
        "--overwrite": Changes(f"{_ROUTINES} -o mine.json", f"{_ROUTINES} -o mine.json --overwrite"),
    },
    "validate trace": {
        "--trace": Changes("validate trace", "validate trace --trace it.trace"),
        "--force": Seen("test_trusted.py"),
        "--platform": Seen("test_validate_programs.py"),
        "--selector": Changes(_REPLAYED, f"{_REPLAYED} --selector openmpi-4.1"),
        "--mapping": Changes(f"{_REPLAYED} -p graphene", f"{_REPLAYED} -p graphene --map node"),
        "--model": Seen("test_validate_programs.py"),
        "--replicas": Seen("test_validate_programs.py"),
        "--vary": Changes(f"{_REPLAYED} --replicas 2", f"{_REPLAYED} --replicas 2 --vary calibration"),
        "--seed": Seen("test_validate_programs.py"),
        "--most-median": Seen("test_validate_programs.py"),
        "--json": Changes(_REPLAYED, f"{_REPLAYED} --json"),
        "--output": Changes(_REPLAYED, f"{_REPLAYED} -o a.json"),
        "--report": Changes(_REPLAYED, f"{_REPLAYED} --report a.html"),
        "--overwrite": Changes(f"{_REPLAYED} -o mine.json", f"{_REPLAYED} -o mine.json --overwrite"),
    },
    "place": {
        "--ranks": Changes(_CLUSTERS, _CLUSTERS.replace("-n 4", "-n 3")),
        "--platform": Changes(_PLACED, "place pairs.csv -p grid2"),
        "--model": Changes(_PLACED, f"{_PLACED} --model fluid"),
        "--mapping": Changes(_PLACED, f"{_PLACED} --map random:1"),
        "--selector": Changes("place all.toml", "place all.toml --selector openmpi-5.0"),
        "--groups": Changes("place pairs.csv -p grid2", "place pairs.csv -p grid2 --groups job.toml"),
        "--clusters": Seen("test_placement_clusters.py"),
        "--replicas": Seen("test_placement.py", "replicas"),
        "--seed": Seen("test_placement.py", "seed"),
        "--force": Seen("test_placement.py", "--force"),
        "--format": Changes(f"{_PLACED} -o a.ranks", f"{_PLACED} -o a.ranks --format slurm-arbitrary"),
        "--output": Changes(_PLACED, f"{_PLACED} -o a.ranks"),
        "--overwrite": Changes(f"{_PLACED} -o mine.csv", f"{_PLACED} -o mine.csv --overwrite"),
        "--json": Changes(_PLACED, f"{_PLACED} --json"),
    },
    "validate suite": {
        "--suite": Seen("test_validate_programs.py"),
        "--store": Seen("test_suite.py"),
        "--force": Seen("test_trusted.py"),
        "--json": Seen("test_validate_programs.py"),
        "--report": Seen("test_outputs.py"),
        "--overwrite": Seen("test_outputs.py"),
    },
    "validate residuals": {
        "--force": Seen("test_trusted.py"),
        "--output": Seen("test_suite.py", "-o"),
        "--overwrite": Seen("test_outputs.py"),
    },
    "validate ablate": {
        "--ablate": Seen("test_suite.py"),
        "--suite": Seen("test_suite.py"),
        "--key": Seen("test_suite.py"),
        "--force": Seen("test_trusted.py"),
        "--json": Seen("test_suite.py"),
        "--output": Seen("test_suite.py", "-o"),
        "--overwrite": Seen("test_outputs.py"),
    },
    "platform list": {"--json": Changes("platform list", "platform list --json")},
    "platform show": {
        "--json": Changes("platform show default", "platform show default --json"),
        "--output": Changes("platform show default", "platform show default -o a.svg"),
        "--overwrite": Changes("platform show default -o mine.svg", "platform show default -o mine.svg --overwrite"),
    },
    "platform new": {
        "--nodes": Changes("platform new fat-tree-100", "platform new fat-tree-100 --nodes 20"),
        "--cores": Changes("platform new fat-tree-100", "platform new fat-tree-100 --cores 20"),
        "--name": Changes("platform new fat-tree-100", "platform new fat-tree-100 --name ours"),
        "--output": Changes("platform new fat-tree-100", "platform new fat-tree-100 -o a.toml"),
        "--overwrite": Changes(
            "platform new fat-tree-100 -o mine.csv", "platform new fat-tree-100 -o mine.csv --overwrite"
        ),
    },
    "platform diff": {
        "--same-pace": Changes("platform diff default graphene", "platform diff default graphene --same-pace"),
        "--json": Changes("platform diff default graphene", "platform diff default graphene --json"),
    },
    "platform import": {
        "--output": Changes("platform import it.xml", "platform import it.xml -o a.toml"),
        "--overwrite": Changes("platform import it.xml -o mine.csv", "platform import it.xml -o mine.csv --overwrite"),
        "--name": Changes("platform import it.xml", "platform import it.xml --name other"),
        "--zone": Changes("platform import it.xml", "platform import it.xml --zone none"),
        "--flops": Changes("platform import it.xml", "platform import it.xml --flops 5e9"),
    },
    "platform upgrade": {
        "--output": Changes("platform upgrade old.toml", "platform upgrade old.toml -o a.toml"),
        "--overwrite": Changes(
            "platform upgrade old.toml -o mine.csv", "platform upgrade old.toml -o mine.csv --overwrite"
        ),
    },
    "platform keys": {
        "--markdown": Changes("platform keys", "platform keys --markdown"),
        "--json": Changes("platform keys model", "platform keys model --json"),
        "--output": Changes("platform keys", "platform keys -o a.json"),
        "--overwrite": Changes("platform keys -o mine.json", "platform keys -o mine.json --overwrite"),
    },
    "platform schema": {
        "--output": Changes("platform schema", "platform schema -o a.json"),
        "--overwrite": Changes("platform schema -o mine.json", "platform schema -o mine.json --overwrite"),
    },
    "relay keys": {
        "--site": Seen("test_relay_job.py"),
        "--list": Seen("test_relay_job.py"),
        "--days": Seen("test_relay_job.py"),
    },
    "relay pairs": {"--config": Seen("test_relay.py")},
    "relay serve": {"--config": Seen("test_relay_job.py"), "--site": Seen("test_relay_job.py")},
    "relay run": {
        "--config": Seen("test_relay_job.py"),
        "--agent": Seen("two_sites.py"),
        "--cc": Seen("test_relay_job.py"),
    },
    "relay node": {
        "--started-on": Seen("test_relay_job.py"),
        "--config": Seen("test_relay_job.py"),
        "--job": Seen("test_relay_job.py"),
        "--cc": Seen("test_relay_job.py"),
    },
    "calibrate": {
        "--output": Changes(_DRY, "calibrate --nodes 4 --dry-run -o other.toml"),
        "--report": Seen("test_calibrate.py"),
        "--overwrite": Changes(
            "calibrate --nodes 4 --dry-run -o mine.csv", "calibrate --nodes 4 --dry-run -o mine.csv --overwrite"
        ),
        "--mpirun": Changes(_DRY, f'{_DRY} --mpirun "srun -n {{n}}"'),
        "--mpicc": Changes(_DRY, f"{_DRY} --mpicc mpicc.other"),
        "--nodes": Changes(_DRY, "calibrate --nodes 5 --dry-run -o c.toml"),
        "--ppn": Changes(_DRY, f"{_DRY} --ppn 2"),
        "--cabinets": Changes(_DRY, f"{_DRY} --cabinets 2,2"),
        "--vms-per-host": Changes(_DRY, f"{_DRY} --vms-per-host 2"),
        "--cores": Changes(_DRY, f"{_DRY} --cores 3"),
        "--budget": Changes(_DRY, f"{_DRY} --budget 90s"),
        "--seed": Changes(_DRY, f"{_DRY} --seed 5"),
        "--name": Changes(_DRY, f"{_DRY} --name other"),
        "--dry-run": Seen("test_calibrate.py"),
        "--ingest": Seen("test_calibrate.py"),
        "--fresh": Seen("test_outputs.py"),
        "--accept-bimodal": Seen("test_calibrate_verdict.py", "accept_bimodal"),
        "--most-regimes": Seen("test_calibrate.py"),
        "--json": Seen("test_calibrate.py"),
    },
}


def _commands() -> Iterator[tuple[str, Any]]:
    waiting = [("", typer.main.get_command(app.load([])))]
    for name, command in waiting:
        yield name, command
        for sub, subcommand in getattr(command, "commands", {}).items():
            waiting.append((f"{name} {sub}".strip(), subcommand))


def _options(command: Any) -> list[str]:
    found = [max(option.opts, key=len) for option in command.params if option.param_type_name == "option"]
    return [name for name in found if "completion" not in name]


def test_each_option_of_each_command_has_a_line_here_and_no_other_has() -> None:
    there = {name: sorted(options) for name, command in _commands() if (options := _options(command))}
    assert there == {name: sorted(rows) for name, rows in ROWS.items()}


def test_ranks_go_to_the_same_places_by_default_in_all_commands_and_functions() -> None:
    """`None`: as in the recording, or where hosts have the names of the real ones."""
    options = [(name, option) for name, command in _commands() for option in command.params if option.name == "mapping"]
    assert len(options) == 12
    assert {tuple(option.opts) for _, option in options} == {("--map", "--mapping")}
    assert {name for name, option in options if option.default is None} == {
        "benchmark",
        "place",
        "replay",
        "tune",
        "tune discover",
        "tune upgrade",
        "validate trace",
        "watch",
    }
    assert {option.default for _, option in options} == {"slot", None}
    functions = [getattr(orrery, name) for name in dir(orrery) if not name.startswith("_")]
    parameters = [inspect.signature(function).parameters for function in functions if callable(function)]
    defaults = [signature["mapping"].default for signature in parameters if "mapping" in signature]
    assert len(defaults) == 7
    assert set(defaults) == {"slot", None}


SEEN = [
    (command, option, row) for command, rows in ROWS.items() for option, row in rows.items() if isinstance(row, Seen)
]
CHANGES = [
    pytest.param(row, id=f"{command} {option}")
    for command, rows in ROWS.items()
    for option, row in rows.items()
    if isinstance(row, Changes)
]


SHARED = [
    (command, option, row) for command, rows in ROWS.items() for option, row in rows.items() if isinstance(row, Shared)
]


@pytest.mark.parametrize(("command", "option", "row"), SHARED)
def test_what_commands_share_is_declared_once_and_shown_by_another(command: str, option: str, row: Shared) -> None:
    """The class reads it as well: `CallsRequest.laboratory`."""
    declared = next(
        what for what in settings_of(row.verb).values() if max(what.setting.names, key=len, default="") == option
    )
    parameters = {name: found.params for name, found in _commands()}
    both = [next(p for p in parameters[name] if p.name == declared.name) for name in (command, row.command)]
    assert both[0].opts == both[1].opts == list(declared.setting.names)
    assert both[0].help == both[1].help
    assert not isinstance(ROWS[row.command][option], Shared)


@pytest.mark.parametrize(("command", "option", "row"), SEEN)
def test_what_is_shown_elsewhere_is_used_there(command: str, option: str, row: Seen) -> None:
    assert re.search(rf"[\"' =]?{re.escape(row.word or option)}\b", (HERE / row.file).read_text()), (command, option)


_WORKLOAD = 'ranks = 4\n[[phase]]\nkind = "allreduce"\nbytes = "4KiB"\ncompute_s = "20us"\n'
_TIMES_CSV = """op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max
allreduce,4,8,barrier,10,10.0,11.0,12.0,11.0,13.0
bcast,4,65536,barrier,10,100.0,110.0,120.0,110.0,130.0
"""
_XML = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/></platform>
"""


@pytest.fixture
def furnished(sandbox: Sandbox) -> Sandbox:
    """A folder with something of each kind, and somebody else's files."""
    folder = sandbox.folder
    (folder / "it.toml").write_text(_WORKLOAD)
    (folder / "it.xml").write_text(_XML)
    (folder / "job.toml").write_text('[[group]]\nname = "all"\n')
    (folder / "old.toml").write_text((HERE.parent / "data" / "platform-0.2.toml").read_text())
    (folder / "times.csv").write_text(_TIMES_CSV)
    (folder / "profile.csv").write_text("function,calls_all_ranks,seconds_all_ranks\nAllreduce,4,0.001\n")
    (folder / "other.csv").write_text("function,calls_all_ranks,seconds_all_ranks\nAllreduce,4,0.002\n")
    (folder / "rules.conf").write_text((HERE.parent / "data" / "openmpi-rules.conf").read_text())
    (folder / "all.toml").write_text('ranks = 8\n[[phase]]\nkind = "allreduce"\nbytes = "64KiB"\n')
    (folder / "pairs.csv").write_text("source,target,bytes\n0,2,1000000\n1,3,1000000\n")
    (folder / "job.toml").write_text('[[group]]\nname = "all"\n')
    (folder / "sites.toml").write_text(
        '[[cluster]]\nname = "a"\nfree_nodes = 9\ncores = 1\nlatency_s = 1e-6\nrate_bytes_per_s = 1e9\n'
    )
    assert sandbox.orrery("replay", "it.toml", "-o", "it.trace", "-o", "it.json").code == 0
    assert sandbox.orrery("replay", "it.toml", "-p", "graphene", "-o", "other.json").code == 0
    assert sandbox.orrery("replay", "all.toml", "-o", "all.trace").code == 0
    for ending in ("json", "csv", "html", "svg"):
        (folder / f"mine.{ending}").write_text("what somebody wrote\n")
    return sandbox


_VOLATILE = re.compile(r"wall time|peak memory|\"wall_s\"|peak_rss|\"date\"")


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix != ".json":
        return content
    return b"\n".join(line for line in content.splitlines() if not _VOLATILE.search(line.decode(errors="replace")))


def _does(sandbox: Sandbox, line: str) -> object:
    """All that can be seen of a command: exit code, what it printed, and which files it wrote."""
    names = {
        "RING": "ring",
        "RULES": "rules.conf",
        "TIMES": "times.csv",
        "PROFILE": "profile.csv",
        "OTHER": "other.csv",
    }
    words = [names.get(word, word) for word in shlex.split(line)]
    words = [sandbox.program(word) if word == "ring" else word for word in words]
    before = {path: path.stat().st_mtime_ns for path in sandbox.folder.rglob("*")}
    ended = sandbox.finish(sandbox.start(*words))
    written = sorted(
        (str(path), _content(path))
        for path in sandbox.folder.rglob("*")
        if path.is_file() and before.get(path) != path.stat().st_mtime_ns and "state" not in path.parts
    )
    said = [line for line in (ended.out + ended.err).splitlines() if not _VOLATILE.search(line)]
    return ended.code, said, written


@pytest.mark.parametrize("row", CHANGES)
def test_an_option_changes_what_is_printed_or_written(furnished: Sandbox, row: Changes) -> None:
    assert _does(furnished, row.without) != _does(furnished, row.line)
