# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark as text: tables in the layout of OSU's benchmarks, scenarios, and advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.benchmark.advice import Advice
from orrery.benchmark.cases import COLLECTIVES, LATENCY
from orrery.benchmark.results import BenchmarkResults, LoopRow, by_test
from orrery.units import show_bytes, show_time
from orrery.words import comment

_MICRO = 1e6
_MEGA = 1e-6
_SIZE, _CELL = 10, 18


def text(results: BenchmarkResults) -> str:
    """Facts, a table for each test and number of ranks, and where collectives cross their sends."""
    lines = [comment(f"{name}: {value}") for name, value in results.facts.items()]
    lines += [comment(f"caution: {caution}") for caution in results.cautions]
    for test, ranks, rows in by_test(results.rows):
        lines += ["", *_table(test, ranks, rows)]
    scenarios = results.scenarios
    if scenarios:
        lines += ["", "# Collectives beside the sends that would do the same"]
        lines += [
            comment(f"{scenario.kind:<10} {scenario.ranks:>6,} ranks  {scenario.words}") for scenario in scenarios
        ]
    return "\n".join(lines) + "\n"


def _table(test: str, ranks: int, rows: Sequence[LoopRow]) -> Iterator[str]:
    columns = list(_columns(test, rows))
    title = f"MPI_{test.capitalize()} and MPI_Barrier" if test in COLLECTIVES and test != "barrier" else _TITLES[test]
    yield comment(f"{title}, {ranks:,} ranks")
    yield f"{'# Size':<{_SIZE}}" + "".join(f"{name:>{_CELL}}" for name, _ in columns)
    for i, row in enumerate(rows):
        yield f"{row.case.bytes:<{_SIZE}}" + "".join(f"{cells[i]:>{_CELL}}" for _, cells in columns)


_TITLES = {
    LATENCY: "Latency: half of a ping-pong between ranks 0 and 1",
    "one-way": "Bandwidth from rank 0 to rank 1",
    "both-ways": "Bandwidth between ranks 0 and 1, both ways at once",
    "message-rate": "Message rate of the first half of the ranks, each to one of the second",
    "barrier": "MPI_Barrier",
}


def _columns(test: str, rows: Sequence[LoopRow]) -> Iterator[tuple[str, list[str]]]:
    if test == LATENCY:
        yield "Latency (us)", [_us(row.latency_s) for row in rows]
    elif rows[0].rate_bytes_per_s is not None:
        yield "Bandwidth (MB/s)", [_number(row.rate_bytes_per_s, _MEGA) for row in rows]
        yield "Messages/s", [_number(row.rate_messages_per_s, 1) for row in rows]
    else:
        yield "Avg Latency(us)", [_us(row.time_s) for row in rows]
    yield "+/- %", [f"{100 * row.half_width_s / row.time_s if row.time_s else 0:.2f}" for row in rows]
    yield "Iterations", [f"{row.repetitions}" for row in rows]
    if any(row.without_barrier_s is not None for row in rows):
        yield "No barrier(us)", [_us(row.without_barrier_s) for row in rows]
    if any(row.sends_s is not None for row in rows):
        yield f"{rows[0].sends} sends(us)", [_us(row.sends_s) for row in rows]
        yield "Lower/Higher", [row.side or "" for row in rows]
    if any(row.algorithm for row in rows):
        yield "  Algorithm", [f"  {row.algorithm or ''}" for row in rows]


def _us(seconds: float | None) -> str:
    return _number(seconds, _MICRO)


def _number(value: float | None, factor: float) -> str:
    return "" if value is None else f"{value * factor:.2f}"


def advice_text(advice: Sequence[Advice], trace: str) -> str:
    """What calls of a program would better be, the greatest gain first."""
    lines = ["", comment(f"Advice for {trace}")]
    better = [hint for hint in advice if hint.better]
    lines += [comment(f"{_calls(hint)}: {_instead(hint)}") for hint in better]
    if not better:
        lines.append("# no call would take less by sends, or by another algorithm, than it does")
    rest = len(advice) - len(better) - sum(hint.time_s is None for hint in advice)
    if better and rest:
        lines.append(f"# as it should be: {rest} more" if rest == 1 else f"# as they should be: {rest} more")
    unknown = [hint for hint in advice if hint.time_s is None]
    if unknown:
        said = ", ".join(
            f"{hint.used.kind} of {show_bytes(hint.used.bytes)}, {hint.used.ranks} ranks" for hint in unknown
        )
        lines.append(comment(f"not timed at such sizes: {said}"))
    total = sum(hint.gain_s for hint in advice)
    if total > 0:
        lines.append(f"# together about {show_time(total)}, as single calls say; waiting for others is not in it")
    return "\n".join(lines) + "\n"


def _calls(advice: Advice) -> str:
    used = advice.used
    return f"{used.calls:,} x {used.kind} of {show_bytes(used.bytes)}, {used.ranks:,} ranks"


def _instead(advice: Advice) -> str:
    best = advice.sends_s if advice.better == "sends" else advice.other_s
    by = "as many sends" if advice.better == "sends" else advice.other
    now = f" by {advice.algorithm}" if advice.algorithm else ""
    return (
        f"{show_time(advice.time_s or 0)}{now}, {show_time(best or 0)} by {by}: {show_time(advice.gain_s)} less in all"
    )
