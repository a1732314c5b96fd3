# SPDX-License-Identifier: BSD-3-Clause
"""The page of a calibration: the verdict, why, what was fitted, and the samples behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from orrery.calibrate.fit import CalibrationOutcome, FittedRegime, MessagePath, way_s
from orrery.calibrate.measure import About, Curve, Floats
from orrery.page.document import Page
from orrery.page.packing import Column
from orrery.page.parts import Axis, Part, Plot, Series, Strips, Table, TableColumn
from orrery.platform.schema import Verdict
from orrery.report.pages.axes import SIZE, TIME, on_log_axis
from orrery.units import show_bytes, show_rate, show_time

_STEPS = 40
"""Points of a fitted curve, in each regime."""
_MOST_NODES = 8
_TONES = {"good": "good", "usable": "plain", "poor": "bad"}
_SAID = {
    "good": "Nothing stands against it.",
    "usable": "It can be used; what stands against it says where predictions are uncertain.",
    "poor": "Predictions with it would be wrong. Commands that would make them refuse it without --force.",
}


def page_of_calibration(outcome: CalibrationOutcome, about: About, verdict: Verdict) -> Page:
    """Verdict with reasons and cures, parameters, regimes, and all samples with their fits."""
    nodes = list(outcome.layout.nodes)
    return Page(
        title=f"calibration of {about.name}",
        verdict=f"This calibration is {verdict.grade}. {_SAID[verdict.grade]}",
        tone=_TONES[verdict.grade],  # type: ignore[arg-type]
        facts=[
            ("MPI", outcome.layout.mpi),
            ("measured", f"{about.date} from {about.host}, {outcome.samples:,} samples"),
            ("command", about.command),
            ("nodes", f"{len(nodes)}: {', '.join(nodes[:_MOST_NODES])}{' ...' if len(nodes) > _MOST_NODES else ''}"),
        ],
        parts=list(_parts(outcome, verdict)),
    )


def _parts(outcome: CalibrationOutcome, verdict: Verdict) -> Iterator[Part]:
    if verdict.reasons:
        yield _reasons(verdict)
    yield _parameters(outcome)
    if not outcome.layout.alone:
        yield from _path(outcome.network, "between nodes")
    if outcome.memory:
        yield from _path(outcome.memory, "inside a node")
    if outcome.sharing.cases:
        yield _sharing(outcome)


def _reasons(verdict: Verdict) -> Table:
    return Table(
        title="What stands against it",
        columns=[
            TableColumn(name="grade", help="The best that a calibration can have in which this was found"),
            TableColumn(name="about"),
            TableColumn(name="what was found"),
            TableColumn(name="what to do"),
        ],
        rows=[[reason.grade, reason.about, reason.found, reason.cure] for reason in verdict.reasons],
    )


def _parameters(outcome: CalibrationOutcome) -> Table:
    wire, limits, sharing = outcome.network.wire, outcome.network.limits, outcome.sharing
    low, high = sharing.limiter_interval
    rows = [
        ("rate of a link", show_rate(wire.rate_bytes_per_s) + (", on the wire" if wire.framing else ", payload")),
        ("burst after idleness", show_bytes(wire.burst_bytes)),
        ("sent without their receive (S_a)", _size(limits.asynchronous)),
        ("sender goes on without receive (S_d)", _size(limits.detached)),
        ("both directions of a node together", f"{sharing.limiter_factor:.2f} times one ({low:.2f} to {high:.2f})"),
        ("blocking exchanges of a pair at half duplex", f"{sharing.half_duplex_share:.0%}"),
        ("nodes share processors", "yes: they are containers of one machine" if outcome.processors else "no"),
        ("first message of a pair", f"{show_time(outcome.first_message_s)} more"),
        ("clock drift, largest", f"{outcome.drift_s_per_s * 1e6:.3g} us/s"),
        ("the same arithmetic took, at times", f"{outcome.unsteadiness:.1%} more"),
        ("of its repetitions waited for a processor", f"{outcome.interrupted_share:.0%}"),
        ("others used of the processors of a node", f"{outcome.host.foreign_share:.0%} at most"),
        *(
            (
                f"overlap at {show_bytes(overlap.bytes)}",
                f"sender {overlap.sender:.0%}, receiver {overlap.receiver:.0%} without calls",
            )
            for overlap in outcome.overlaps
        ),
    ]
    return Table(
        title="Parameters",
        columns=[TableColumn(name="what"), TableColumn(name="found")],
        rows=rows,
        most=len(rows),
    )


def _size(limit: int | None) -> str:
    return "no limit seen" if limit is None else f"{limit:,} bytes"


def _path(path: MessagePath, where: str) -> Iterator[Part]:
    """Messages of one kind: regimes, one-way times, residuals, overheads."""
    yield _regimes(path, where)
    way = path.curves.way
    yield _over_size(
        path,
        way,
        lambda sizes: way_s(path.regimes, sizes, path.wire),
        title=f"One-way time {where}",
        note="Points: samples. The fit follows the lower quartile; dashed lines are the limits of regimes.",
    )
    yield _ratios(path, where)
    # Above the limits S_d and S_a these calls wait for the transfer, so their duration is not an overhead.
    yield _over_size(
        path,
        _upto(path.curves.send, path.limits.detached),
        lambda sizes: _overhead(path.regimes, sizes, "send"),
        title=f"Time in MPI_Send {where}",
        note="The receiver waits. Where the call waits for the transfer, its time is no overhead, and is left out.",
    )
    yield _over_size(
        path,
        _upto(path.curves.recv, path.limits.asynchronous),
        lambda sizes: _overhead(path.regimes, sizes, "recv"),
        title=f"Time in MPI_Recv {where}",
        note="The message is there already.",
    )


def _regimes(path: MessagePath, where: str) -> Table:
    def interval(regime: FittedRegime) -> tuple[float | None, float | None]:
        return regime.intervals.get("latency_s", (None, None))

    return Table(
        title=f"Regimes {where}",
        note="Residual: measured over fitted, less 1, first to third quartile. The fit follows the lower quartile.",
        columns=[
            TableColumn(name="from", unit="bytes"),
            TableColumn(name="to", unit="bytes"),
            TableColumn(name="protocol"),
            TableColumn(name="o_s", unit="s", help="Overhead of sending"),
            TableColumn(name="o_r", unit="s", help="Overhead of receiving"),
            TableColumn(name="L", unit="s", help="Latency"),
            TableColumn(name="L, least", unit="s", help="95 % interval of the latency"),
            TableColumn(name="L, most", unit="s", help="95 % interval of the latency"),
            TableColumn(name="B", unit="bytes/s", help="Rate"),
            TableColumn(name="residual"),
        ],
        rows=[
            [
                regime.start,
                None if regime.end is None else regime.end - 1,
                regime.protocol,
                regime.fit.send_s,
                regime.fit.recv_s,
                regime.fit.latency_s,
                *interval(regime),
                regime.fit.rate_bytes_per_s,
                f"{regime.noise[1] - 1:+.1%} to {regime.noise[3] - 1:+.1%}",
            ]
            for regime in path.regimes
        ],
    )


def _over_size(path: MessagePath, samples: Curve, fitted: Callable[[Floats], Floats], *, title: str, note: str) -> Plot:
    """Samples and what was fitted to them; `fitted` gives seconds by sizes, NaN where there is no fit."""
    edges = [
        float(regime.end)
        for regime in path.regimes
        if regime.end is not None and regime.end < samples.sizes.max(initial=0)
    ]
    sizes = np.concatenate([samples.sizes, _steps(samples.sizes), [edge - 0.5 for edge in edges]])
    order = np.argsort(sizes, kind="stable")
    curve = fitted(sizes)
    curve[len(sizes) - len(edges) :] = np.inf  # a regime ends there
    measured = np.full(len(sizes), np.nan)
    measured[: len(samples)] = samples.times
    return Plot(
        title=title,
        note=note,
        x=SIZE,
        y=TIME,
        values=on_log_axis(sizes[order]),
        series=[
            Series(name="measured", values=Column(measured[order]), style="points"),
            Series(name="fitted", values=Column(curve[order])),
        ],
        marks=edges,
    )


def _steps(sizes: Floats) -> Floats:
    """Whole sizes, so many in each factor of two, where the curve is drawn besides samples."""
    least, most = max(1.0, sizes.min(initial=1.0)), max(2.0, sizes.max(initial=2.0))
    return np.unique(np.round(np.geomspace(least, most, 8 * _STEPS)))


def _ratios(path: MessagePath, where: str) -> Plot:
    way = path.curves.way
    return Plot(
        title=f"Measured over fitted {where}",
        note="Of one-way times. Above 1: slower than the fit.",
        x=SIZE,
        y=Axis(name="ratio", unit="number", log=True),
        values=on_log_axis(way.sizes),
        series=[
            Series(
                name="measured",
                values=Column(way.times / way_s(path.regimes, way.sizes, path.wire)),
                style="points",
            ),
            Series(name="fitted", values=Column(np.ones(len(way))), dashed=True),
        ],
        marks=[float(regime.end) for regime in path.regimes if regime.end is not None],
    )


def _overhead(regimes: Sequence[FittedRegime], sizes: Floats, side: str) -> Floats:
    """Seconds in the call of one side, "send" or "recv"; NaN where the protocol makes it wait for the transfer."""
    out = np.full(len(sizes), np.nan)
    for regime in regimes:
        if regime.protocol == "synchronous" or (side == "recv" and regime.protocol != "asynchronous"):
            continue
        mask = (sizes >= regime.start) & (sizes < (np.inf if regime.end is None else regime.end))
        base, slope = (
            (regime.fit.send_s, regime.fit.send_s_per_byte)
            if side == "send"
            else (regime.fit.recv_s, regime.fit.recv_s_per_byte)
        )
        out[mask] = base + slope * sizes[mask]
    return out


def _upto(curve: Curve, limit: int | None) -> Curve:
    return curve if limit is None else curve.within(0, limit + 1)


def _sharing(outcome: CalibrationOutcome) -> Strips:
    """Slowdown of concurrent transfers: each repetition of each case, relative to one transfer alone."""
    cases = outcome.sharing.cases
    return Strips(
        title="Transfers at once",
        note="Each point is a repetition: the time until the last transfer has arrived, over that of one alone.",
        unit="number",
        axis="times as long as one transfer alone",
        labels=[
            f"{case.name.replace('_', ' ')}, {case.transfers} of {show_bytes(case.bytes)}"
            f"{case.delay.replace('.', ', ')}"
            for case in cases
        ],
        values=[[float(value) for value in case.slowdown] for case in cases],
        mark=1.0,
    )
