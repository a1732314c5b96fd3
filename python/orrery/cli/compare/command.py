# SPDX-License-Identifier: BSD-3-Clause
"""`orrery compare` of runs and platforms."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption
from orrery.cli.outputs import report_output
from orrery.cli.said import refuse_all
from orrery.cli.shown import show_json
from orrery.comparison.settings import ComparisonRequest
from orrery.errors import InputError

if TYPE_CHECKING:
    from orrery.comparison.sample import RunSample
    from orrery.comparison.turns import TurningPoints
    from orrery.noise.verdict import Verdict
    from orrery.output import Output

_HELP = """
Compare two runs, several runs of two sides, or two platforms. The first line says by how much they differ, in what, and whether that is
more than noise.

\b
Runs are
  records     `orrery run -o A.json`, `orrery replay -o A.json`
  traces      of `orrery capture`, of simulations, and of other tools (docs/trace-imports.md)
  profiles    folders with profile.N.C.T of TAU
and go together: a simulated run beside a measured one. Of traces the calls of both are aligned, so that it is known in
which calls the time goes, of which sizes and communicators, and whether ranks wait there for a late sender, a late
receiver or the last to come to a collective call, or for the transfer. Several runs of each side, `vs` between them, are
told apart by a test of their ranks (Mann-Whitney; p of 0.05 or less is more than noise), fewer than four of each by their
means (t test); one of each by how 20 pieces of the same calls differ, which does not know by how much other runs would
differ. Two simulations with common computation, as replays of one recording have it, differ by what was simulated, without
noise unless the platform has some; whether they are given as records or as traces, the verdict is the same.

Two simulations on one platform are simulated again with other values of it that nobody measured, one key at a time: the keys
that turn the verdict are named, with the value from which on they do.

Exit code: 0; 1 where a trace was cut off, or a run failed.

Two records say more than that where runs were repeated (--repeat 6) or drawn (--replicas 20).

Two platforms are compared value by value, as `orrery platform diff` does; two selectors by `orrery compare selectors`.

\b
Examples:
  orrery compare as-it-is.json ring.json
  orrery compare openmpi.trace mpich.trace --report difference.html
  orrery compare monday-1.trace monday-2.trace monday-3.trace vs friday-1.trace friday-2.trace friday-3.trace
  orrery compare predicted.trace captured.trace --per-rank
  orrery compare before-1.trace before-2.trace vs after-1.trace after-2.trace --paired
  orrery compare monday.toml friday.toml
"""


@dataclass(frozen=True, kw_only=True)
class CompareOptions(ComparisonRequest):
    """What is compared, and how it is shown."""

    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print everything as JSON; in seconds."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "compare",
        CompareOptions,
        _compare,
        help=_HELP,
        short_help="Say by how much two runs or platforms differ.",
    )


def _compare(context: typer.Context, options: CompareOptions) -> int:
    from orrery.comparison.sides import common_kind, divided

    first, second = divided(options.given)
    kind = common_kind(first, second)
    files = [Path(name) for name in (*first, *second) if Path(name).exists()]
    place = report_output(options.report, overwrite=options.overwrite, read=files)
    if kind == "selector":
        raise InputError(f"{first[0]} is a selector: orrery compare selectors {shlex.join((first[0], second[0]))}")
    if kind == "platform":
        refuse_all(context, ["per_rank", "paired", "turns"], f"is for runs; {first[0]} is a {kind}")
        refuse_all(context, ["report"], "is for runs; the differences of platforms are printed, or written by --json")
        return _platforms(first[0], second[0], as_json=options.as_json)
    if len(first) + len(second) > 2:
        refuse_all(context, ["turns"], "is for one run of each side")
    if kind == "record" and len(first) == len(second) == 1:
        return _records(Path(first[0]), Path(second[0]), options, place)
    return _runs(first, second, options, place)


def _platforms(first: str, second: str, *, as_json: bool) -> int:
    from orrery.cli.platform.diff import show_difference

    return show_difference(first, second, same_pace=False, as_json=as_json)


def _records(first: Path, second: Path, options: CompareOptions, place: Output | None) -> int:
    """Compare two records, of which more is known: whether computation is common, repetitions, replicas."""
    from orrery.comparison.records import compare
    from orrery.comparison.runs import compare_runs
    from orrery.comparison.sample import sample_of_record
    from orrery.record.document import read
    from orrery.report.records_compared import describe
    from orrery.report.runs_compared import ranks

    records, names = (read(first), read(second)), (str(first), str(second))
    found = compare(*records)
    found = replace(found, turns=_turns(*names, (found.first_s, found.second_s), found.verdict, options))
    samples = [sample_of_record(record, name) for record, name in zip(records, names, strict=True)]
    runs = compare_runs(samples[:1], samples[1:])
    if options.as_json:
        show_json(found)
    else:
        terminal.write(describe(found, names, runs.largest_part), sys.stdout)
        if options.per_rank:
            terminal.write(f"\n{ranks(runs)}", sys.stdout)
    if place is not None:
        from orrery.page.document import write_page
        from orrery.report.pages.records_compared import page_of_comparison

        write_page(page_of_comparison(found, records, names), place)
    return _code(samples)


def _runs(first: Sequence[str], second: Sequence[str], options: CompareOptions, place: Output | None) -> int:
    from orrery.comparison.runs import compare_runs
    from orrery.comparison.sides import sample
    from orrery.report.runs_compared import text

    if options.paired and len(first) != len(second):
        raise InputError(
            f"--paired: {len(first)} and {len(second)} runs; give as many of both sides, in the same order"
        )
    if options.paired and len(first) == 1:
        raise InputError("--paired: one run of each side; give several of both")
    found = compare_runs([sample(name) for name in first], [sample(name) for name in second], paired=options.paired)
    if len(first) == len(second) == 1:
        times_s = found.first_s, found.second_s
        found = replace(found, turns=_turns(first[0], second[0], times_s, found.verdict, options))
    if options.as_json:
        show_json(found)
    else:
        terminal.write(text(found, per_rank=options.per_rank), sys.stdout)
    if place is not None:
        from orrery.page.document import write_page
        from orrery.report.pages.runs_compared import page_of_runs

        single = len(first) == len(second) == 1 and found.first[0].kind == found.second[0].kind == "trace"
        write_page(page_of_runs(found, (Path(first[0]), Path(second[0])) if single else None), place)
    return _code([*found.first, *found.second])


def _turns(
    first: str, second: str, times_s: tuple[float, float], verdict: Verdict, options: CompareOptions
) -> TurningPoints | None:
    from orrery.comparison.turning import turns_of_files
    from orrery.progress import progress

    with progress() as advanced:
        return turns_of_files(first, second, times_s, verdict, wanted=options.turns, advanced=advanced)


def _code(runs: Sequence[RunSample]) -> int:
    """1: a run did not come to its end, or its trace has not all of it."""
    return 1 if any(run.failed or run.timed.incomplete for run in runs) else 0
