# SPDX-License-Identifier: BSD-3-Clause
"""`orrery benchmark`: loops of messages and collectives on a simulated cluster or a real one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from orrery import terminal
from orrery.cli.benchmark.options import BenchmarkOptions
from orrery.cli.command import add_command
from orrery.cli.ending import NOTHING_KEPT, interrupted
from orrery.cli.outputs import by_ending, report_output
from orrery.cli.said import say
from orrery.cli.shown import csv_of, show_json
from orrery.errors import Interrupt
from orrery.output import Output
from orrery.progress import progress
from orrery.published import as_json, json_of

if TYPE_CHECKING:
    from orrery.benchmark.advice import Advice, UsedCall
    from orrery.benchmark.results import BenchmarkResults

_HELP = """
Time messages and collectives on a cluster, simulated or real, and say which collectives sends would replace.

Tests are latency (ping-pong, halved), one-way and both-ways (windows of 64 messages between ranks 0 and 1), message-rate
(the same from each rank of the first half to one of the second), and collectives: bcast, reduce, gather, scatter,
alltoall, allreduce, allgather, allgatherv, alltoallv, gatherv, scatterv, reduce_scatter, scan, exscan, barrier.

Each is a loop: a few turns to warm up, then turns without a pause between them until their mean is sure to 2 %, 1,000 at
most. A turn of a collective is the call and a barrier; beside it is the time of the sends that would do the same, one
after the other, each half a ping-pong: n - 1 for a broadcast among n ranks, n (n - 1) for an all-to-all. Tables are laid
out as those of OSU's benchmarks.

On a simulated cluster (--platform) turns follow each other as there. On a real one (--mpirun) a small C program is
compiled and started with the user's MPI.

With --for TRACE, the collective calls of a program are looked up: which would take less by sends or, where it is
simulated, by another algorithm, and how much that is for all of them.

Ctrl-C shows what is there by then; with --keep FILE the same command goes on from it.

\b
Examples:
  orrery benchmark --quick
  orrery benchmark -n 4 --platform commodity-3-p4-gigabit --selector openmpi-1.3 --report p4.html
  orrery benchmark bcast alltoall latency -n 8,16 -s 4:64KiB --platform graphene -o graphene.csv
  orrery benchmark -n 8 --mpirun "mpirun -np {n} --hostfile hosts" --keep times.csv -o mine.json
  orrery benchmark --quick -n 16 --platform graphene --for heat.trace
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "benchmark",
        BenchmarkOptions,
        _benchmark,
        help=_HELP,
        short_help="Time messages and collectives on a cluster.",
    )


def _benchmark(_context: typer.Context, options: BenchmarkOptions) -> int:
    from orrery.benchmark.advice import uses_of

    read = [file for file in (options.trace, options.keep) if file is not None]
    outputs = by_ending(options.output, (".json", ".csv"), overwrite=options.overwrite, read=read)
    page = report_output(options.report, overwrite=options.overwrite, read=read)
    uses, left_out = (None, []) if options.trace is None else uses_of(options.trace)
    for reason in left_out:
        say(f"no advice: {reason}")
    results = _timed(options)
    if not results.rows:
        raise Interrupt(NOTHING_KEPT)
    advice = None
    if uses is not None and not results.missing:
        advice = _advice(uses, results, options)
    _print(results, advice, options)
    _write(results, advice, outputs)
    if page is not None:
        from orrery.page.document import write_page
        from orrery.report.pages.benchmark import page_of_benchmark

        write_page(page_of_benchmark(results, advice, str(options.trace or "")), page)
    return _ended(results, options) if results.missing else 0


def _timed(options: BenchmarkOptions) -> BenchmarkResults:
    from orrery.benchmark.real import measure
    from orrery.benchmark.simulated import simulate

    real = options.real
    with progress() as advanced:
        if real is None:
            return simulate(options, advanced)
        return measure(options.cases, real, options.keep, say, advanced)


def _advice(uses: Sequence[UsedCall], results: BenchmarkResults, options: BenchmarkOptions) -> list[Advice]:
    from orrery.benchmark.advice import measured_advice, simulated_advice

    if options.mpirun is not None:
        return measured_advice(uses, results)
    laboratory = options.laboratory()
    most_ranks = max(use.ranks for use in uses)
    with laboratory.open(), progress() as advanced:
        selector = laboratory.selector(options.selector, options.coll, options.rules, most_ranks)
        return simulated_advice(uses, laboratory, selector, advanced)


def _print(results: BenchmarkResults, advice: Sequence[Advice] | None, options: BenchmarkOptions) -> None:
    from orrery.report.benchmark import advice_text, text

    if options.as_json:
        show_json(_content(results, advice))
        return
    terminal.write(text(results), sys.stdout)
    if advice is not None:
        terminal.write(advice_text(advice, str(options.trace)), sys.stdout)


def _content(results: BenchmarkResults, advice: Sequence[Advice] | None) -> dict[str, Any]:
    return {**as_json(results), **({} if advice is None else {"advice": advice})}


def _write(results: BenchmarkResults, advice: Sequence[Advice] | None, outputs: dict[str, Output]) -> None:
    if ".json" in outputs:
        outputs[".json"].write(f"{json_of(_content(results, advice))}\n")
    if ".csv" in outputs:
        outputs[".csv"].write(csv_of(as_json(results.rows)))


def _ended(results: BenchmarkResults, options: BenchmarkOptions) -> int:
    first = results.missing[0]
    whole = len(results.rows) + len(results.missing)
    cure = "the same command goes on from there" if options.keep else "--keep FILE would keep what is there"
    return interrupted(
        f"{len(results.rows)} of {whole} loops are there, from {first.test} of {first.bytes} bytes on none; {cure}"
    )
