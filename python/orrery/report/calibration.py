# SPDX-License-Identifier: BSD-3-Clause
"""A calibration as an HTML page: verdict, samples with the fitted curves, residuals, and slowdown by contention."""

from __future__ import annotations

from html import escape

import numpy as np
import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from orrery.calibrate.fit import Outcome, way_s
from orrery.calibrate.fit import Path as MessagePath
from orrery.calibrate.measure import About, Curve, Floats
from orrery.marks import mark_page
from orrery.output import Output
from orrery.platform.schema import Verdict
from orrery.units import show_bytes, show_rate, show_time

_POINT = {"size": 4, "opacity": 0.35, "color": "#1f77b4"}
_FIT = {"color": "#d62728", "width": 2}
_STEPS = 40
"""Points of the curve that is drawn for a regime."""
_STYLE = """body{font-family:sans-serif;margin:2em auto;max-width:1100px;color:#222}table{border-collapse:collapse;margin:1em 0}
td,th{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child{text-align:left}
.facts td,.facts th{text-align:left}.note{color:#666}.verdict{font-size:1.2em;padding:.6em;border-left:.4em solid}
.verdict.good{border-color:#2ca02c}.verdict.usable{border-color:#ff9900}.verdict.poor{border-color:#d62728}
tr.poor td:first-child{color:#d62728;font-weight:bold}"""


def write_report(outcome: Outcome, about: About, verdict: Verdict, output: Output) -> None:
    """Write one self-contained HTML file, the verdict first. Raises InputError when it cannot be written."""
    paths = [] if outcome.layout.alone else [("Between nodes", outcome.network)]
    if outcome.memory:
        paths.append(("Inside a node", outcome.memory))
    sections = [(title, network_figure(path), _regime_table(path)) for title, path in paths]
    if outcome.sharing.cases:
        sections.append(("Transfers at once", sharing_figure(outcome), ""))
    body = [f"<h1>Calibration of {escape(about.name)}</h1>", _verdict(verdict), _facts(outcome, about)]
    for number, (title, figure, table) in enumerate(sections):
        script = "inline" if number == 0 else False
        body += [f"<h2>{title}</h2>", figure.to_html(full_html=False, include_plotlyjs=script), table]
    page = (
        f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{escape(about.name)}</title>"
        f"<style>{_STYLE}</style></head><body>{''.join(body)}</body></html>"
    )
    output.write(mark_page(page))


def _verdict(verdict: Verdict) -> str:
    """The grade with a sentence that explains it, and a table of the reasons."""
    said = {
        "good": "Nothing stands against it.",
        "usable": "It can be used; what stands against it says where predictions are uncertain.",
        "poor": "Predictions with it would be wrong. Commands that would make them refuse it without --force.",
    }[verdict.grade]
    rows = "".join(
        f"<tr class='{one.grade}'><td>{one.grade}</td><td>{escape(one.about)}</td><td>{escape(one.found)}</td><td>{escape(one.cure)}</td></tr>"
        for one in verdict.reasons
    )
    head = "<tr><th></th><th>about</th><th>what was found</th><th>what to do</th></tr>"
    table = f"<table class='facts'>{head}{rows}</table>" if rows else ""
    return f"<p class='verdict {verdict.grade}'><b>This calibration is {verdict.grade}.</b> {said}</p>{table}"


def _facts(outcome: Outcome, about: About) -> str:
    wire, sharing = outcome.network.wire, outcome.sharing
    limits = outcome.network.limits
    rows = [
        ("MPI", outcome.layout.mpi),
        ("Measured", f"{about.date} from {about.host}, {outcome.samples:,} samples"),
        ("Command", about.command),
        ("Nodes", f"{len(outcome.layout.nodes)}: {', '.join(list(outcome.layout.nodes)[:8])}" + (" ..." if len(outcome.layout.nodes) > 8 else "")),
        ("Rate of a link", show_rate(wire.rate_bytes_per_s) + (", on the wire" if wire.framing else ", payload")),
        ("Burst after idleness", show_bytes(wire.burst_bytes)),
        ("Sent without their receive (S_a)", _size(limits.asynchronous)),
        ("Sender goes on without receive (S_d)", _size(limits.detached)),
        ("Both directions of a node together", f"{sharing.limiter_factor:.2f} times one ({sharing.limiter_interval[0]:.2f} to {sharing.limiter_interval[1]:.2f})"),
        ("Blocking exchanges of a pair at half duplex", f"{sharing.half_duplex_share:.0%}"),
        ("Nodes share processors", "yes: they are containers of one machine" if outcome.processors else "no"),
        ("First message of a pair", f"{show_time(outcome.first_message_s)} more"),
        ("Clock drift, largest", f"{outcome.drift_s_per_s * 1e6:.3g} us/s"),
        ("The same arithmetic took, at times", f"{outcome.unsteadiness:.1%} more"),
        ("Of its repetitions waited for a processor", f"{outcome.interrupted_share:.0%}"),
        ("Others used of the processors of a node", f"{outcome.host.foreign_share:.0%} at most"),
    ]  # fmt: skip
    rows += [
        (f"Overlap at {show_bytes(one.bytes)}", f"sender {one.sender:.0%}, receiver {one.receiver:.0%} without calls")
        for one in outcome.overlaps
    ]
    return (
        "<table class='facts'>"
        + "".join(f"<tr><td>{escape(k)}</td><td>{escape(v)}</td></tr>" for k, v in rows)
        + "</table>"
    )


def _size(limit: int | None) -> str:
    return "no limit seen" if limit is None else f"{limit:,} bytes"


def _regime_table(path: MessagePath) -> str:
    head = "<tr><th>Sizes</th><th>Protocol</th><th>o_s</th><th>o_r</th><th>L</th><th>95 %</th><th>B</th><th>residual</th></tr>"
    rows = []
    for one in path.regimes:
        span = f"{show_bytes(one.start)} to {'...' if one.end is None else show_bytes(one.end - 1)}"
        interval = one.intervals.get("latency_s", ())
        cells = [
            span, one.protocol, show_time(one.fit.send_s), show_time(one.fit.recv_s), show_time(one.fit.latency_s),
            " to ".join(show_time(value) for value in interval), show_rate(one.fit.rate_bytes_per_s),
            f"{one.noise[1] - 1:+.1%} to {one.noise[3] - 1:+.1%}",
        ]  # fmt: skip
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    note = "<p class='note'>Residual: measured over fitted, first to third quartile. The fit follows the lower quartile.</p>"
    return f"<table>{head}{''.join(rows)}</table>{note}"


def network_figure(path: MessagePath) -> go.Figure:
    """Four panels: one-way times with the fit, measured over fitted, and the send and receive overheads."""
    titles = ("one-way time", "measured over fitted", "time in MPI_Send", "time in MPI_Recv, message there")
    figure = make_subplots(rows=2, cols=2, subplot_titles=titles, vertical_spacing=0.12)
    way = path.curves.way
    figure.add_trace(_points(way), row=1, col=1)
    figure.add_trace(
        _points(Curve(way.sizes, way.times / way_s(path.regimes, way.sizes, path.wire)), time=False), row=1, col=2
    )
    # Above the limits S_d and S_a these calls wait for the transfer, so their duration is not an overhead.
    figure.add_trace(_points(_upto(path.curves.send, path.limits.detached)), row=2, col=1)
    figure.add_trace(_points(_upto(path.curves.recv, path.limits.asynchronous)), row=2, col=2)
    for one in path.regimes:
        end = min(float(one.end or np.inf), float(way.sizes.max()) + 1)
        sizes = np.unique(np.geomspace(max(one.start, 1), max(one.start, 1, end - 1), _STEPS))
        figure.add_trace(_curve(sizes, way_s([one], sizes, path.wire)), row=1, col=1)
        if one.protocol != "synchronous":
            figure.add_trace(_curve(sizes, one.fit.send_s + one.fit.send_s_per_byte * sizes), row=2, col=1)
        if one.protocol == "asynchronous":
            figure.add_trace(_curve(sizes, one.fit.recv_s + one.fit.recv_s_per_byte * sizes), row=2, col=2)
        if one.end is not None:
            figure.add_vline(x=one.end, line={"color": "#999", "width": 1, "dash": "dot"})
    figure.update_xaxes(type="log", title_text="bytes", exponentformat="power")
    figure.update_yaxes(type="log", title_text="seconds", exponentformat="SI")
    figure.update_yaxes(title_text="ratio", row=1, col=2, exponentformat="none")
    figure.update_layout(template="plotly_white", showlegend=False, height=850)
    return figure


def _upto(curve: Curve, limit: int | None) -> Curve:
    return curve if limit is None else curve.within(0, limit + 1)


def _points(curve: Curve, *, time: bool = True) -> go.Scattergl:
    text = [
        f"{show_bytes(s)}: {show_time(t) if time else f'{t:.3f}'}"
        for s, t in zip(curve.sizes, curve.times, strict=True)
    ]
    return go.Scatter(
        x=np.maximum(curve.sizes, 0.5), y=curve.times, mode="markers", marker=_POINT, text=text, hoverinfo="text"
    )


def _curve(sizes: Floats, times: Floats) -> go.Scatter:
    return go.Scatter(x=sizes, y=np.maximum(times, 1e-9), mode="lines", line=_FIT, hoverinfo="skip")


def sharing_figure(outcome: Outcome) -> go.Figure:
    """Slowdown of concurrent transfers: each repetition of each case, relative to one transfer alone."""
    figure = go.Figure()
    for case in outcome.sharing.cases:
        name = f"{case.name.replace('_', ' ')}, {case.transfers} of {show_bytes(case.bytes)}{case.delay.replace('.', ', ')}"
        figure.add_trace(
            go.Scatter(x=case.slowdown, y=[name] * len(case.slowdown), mode="markers", marker={**_POINT, "size": 8})
        )
    figure.update_xaxes(title_text="time until the last has arrived, over that of one alone", rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    height = 160 + 24 * len(outcome.sharing.cases)
    figure.update_layout(template="plotly_white", showlegend=False, height=height, margin={"l": 240})
    return figure
