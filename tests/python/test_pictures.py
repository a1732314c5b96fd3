# SPDX-License-Identifier: BSD-3-Clause
"""Figures as images, which need no browser."""

from __future__ import annotations

import struct

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest
from lxml import etree
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from harness import Sandbox
from orrery.report.picture.axes import Categories
from orrery.report.picture.document import image_of
from orrery.report.picture.traces import draw_traces
from orrery.report.usage_page import draw as draw_usage
from orrery.trace.usage import read_usage
from orrery.words import markup

SVG = "{http://www.w3.org/2000/svg}"


def texts(image: bytes) -> list[str]:
    """All texts of a drawing."""
    return ["".join(map(str, node.itertext())) for node in etree.fromstring(image).iter(f"{SVG}text")]


def curves() -> go.Figure:
    """Two panels with a line each, circles in the first, and a band in the second."""
    figure = make_subplots(rows=2, cols=1, subplot_titles=["first panel", "second panel"], vertical_spacing=0.1)
    ring = {"symbol": "circle-open", "size": 13, "line": {"width": 1.5}}
    figure.add_trace(
        go.Scatter(x=[1, 10], y=[1e-6, 1e-3], name="a ring", mode="lines+markers", line={"dash": "dash"}), 1, 1
    )
    figure.add_trace(go.Scatter(x=[1, 10], y=[1e-6, 1e-3], name="chosen", mode="markers", marker=ring), 1, 1)
    band = go.Scatter(
        x=[1, 9, 9, 1], y=[1, 2, 3, 2], mode="lines", fill="toself", fillcolor="#d62728", opacity=0.3, showlegend=False
    )
    figure.add_trace(band, 2, 1)
    spread = {"array": [0.5, 0.5], "arrayminus": [0.1, 0.1]}
    figure.add_trace(go.Scatter(x=[1, 9], y=[1, 2], name="measured", mode="markers", error_y=spread), 2, 1)
    figure.update_xaxes(type="log", tickvals=[1, 10], ticktext=["1 B", "10 B"], title="size", row=1, col=1)
    figure.update_yaxes(type="log", title="time", ticksuffix="s", row=1, col=1)
    figure.update_layout(title="the title<br><sup>where it is from</sup>", height=700)
    return figure


def test_an_image_has_titles_ticks_with_units_and_a_legend() -> None:
    found = texts(image_of(curves(), "svg", 900))
    for text in (
        "the title",
        "where it is from",
        "first panel",
        "second panel",
        "1 B",
        "10 B",
        "size",
        "time",
        "1 ms",
        "1 µs",
    ):
        assert found.count(text) == 1, (text, found)
    for name in ("a ring", "chosen", "measured"):
        assert found.count(name) == 1, (name, found)


def test_an_image_is_the_same_each_time_and_holds_no_date() -> None:
    for form in ("svg", "png"):
        assert image_of(curves(), form, 900) == image_of(curves(), form, 900)
    assert b":date>" not in image_of(curves(), "svg", 900)


def test_an_image_is_as_large_as_asked_for_and_twice_that_in_png() -> None:
    width, height = struct.unpack(">II", image_of(curves(), "png", 900)[16:24])
    assert (width, height) == (1800, 1400)
    drawn = etree.fromstring(image_of(curves(), "svg", 900))
    assert drawn.get("viewBox") == "0 0 648 504"  # points, of which 72 are an inch, and 100 pixels one


def test_an_image_is_wider_where_its_legend_would_leave_too_little_for_the_panels() -> None:
    figure = curves()
    figure.data[0].name = "long " * 20
    width, _ = struct.unpack(">II", image_of(figure, "png", 900)[16:24])
    assert width > 1800


def test_bars_stand_on_each_other_or_side_by_side() -> None:
    bars = [go.Bar(x=["n1", "n2"], y=[1, 2], name="in MPI"), go.Bar(x=["n1", "n2"], y=[3, 4], name="outside")]
    drawn = {}
    for mode in ("stack", "group"):
        image = etree.fromstring(image_of(go.Figure(bars, {"barmode": mode, "yaxis": {"ticksuffix": "s"}}), "svg", 900))
        drawn[mode] = {text for node in image.iter(f"{SVG}text") for text in node.itertext()}
        assert {"n1", "n2", "in MPI", "outside"} <= drawn[mode]
    assert "6 s" in drawn["stack"]  # 2 and 4
    assert "6 s" not in drawn["group"]


def test_numbers_of_messages_are_bars_from_0_on_and_those_of_one_size_stand_at_its_tick(sandbox: Sandbox) -> None:
    workload = """
ranks = 4
steps = 5
phase = [
  { kind = "halo", dimensions = 1, bytes = "1KiB", compute_s = "1ms" },
  { kind = "allreduce", bytes = "1KiB" },
  { kind = "allreduce", bytes = 8 },
]
"""
    (sandbox.folder / "steps.toml").write_text(workload)
    assert sandbox.orrery("replay", "steps.toml", "-o", "it.trace").code == 0
    figure = draw_usage(read_usage(sandbox.folder / "it.trace"))
    assert figure.layout.yaxis2.title.text == "number"
    assert figure.layout.yaxis2.type != "log"
    traces = [trace for trace in figure.data if trace.yaxis == "y2"]
    axes = Figure().add_subplot()
    sizes = Categories(figure.layout.xaxis2.categoryarray, [list(trace.x) for trace in traces])
    draw_traces(axes, traces, sizes, figure.layout.barmode)
    bars = [patch.get_bbox() for patch in axes.patches if isinstance(patch, Rectangle)]
    centres = [(bar.x0 + bar.x1) / 2 for bar in bars]
    assert centres == pytest.approx([round(centre) for centre in centres])
    # Each of 4 ranks calls an allreduce of each size 5 times, and sends 1 KiB to both neighbours 5 times.
    assert sorted((sizes.names[round(centre)], bar.y0, bar.y1) for centre, bar in zip(centres, bars, strict=True)) == [
        ("1 KiB", 0, 20),
        ("1 KiB", 20, 60),
        ("8 B", 0, 20),
    ]


def test_a_matrix_has_its_scale_beside_it_and_its_first_row_on_top() -> None:
    figure = go.Figure(
        go.Heatmap(
            x=[0, 1], y=[0, 1], z=[[None, 5_000_000], [1, None]], zmin=0, zmax=5_000_000, colorbar={"title": "bytes"}
        )
    )
    figure.update_yaxes(title="from rank", autorange="reversed", tickvals=[0, 1], ticktext=["row 0", "row 1"])
    image = image_of(figure, "svg", 900)
    assert {"bytes", "5 M", "from rank"} <= set(texts(image))
    down = {"".join(map(str, node.itertext())): node.get("y") for node in etree.fromstring(image).iter(f"{SVG}text")}
    assert float(down["row 0"] or "nan") < float(down["row 1"] or "nan")


@pytest.mark.parametrize("name", ["a<b & $x_1$", "$", "<br>", "\N{HIRAGANA LETTER A} \\alpha"])
def test_names_stay_names_whatever_a_drawing_makes_of_such_letters(name: str) -> None:
    figure = go.Figure(go.Bar(x=[markup(name)], y=[1], name=markup(name)), {"title": markup(name)})
    assert texts(image_of(figure, "svg", 900)).count(name) >= 2  # the title and the tick: one entry needs no legend


def test_a_kind_of_trace_that_no_figure_has_is_refused() -> None:
    with pytest.raises(ValueError, match="of the type box"):
        image_of(go.Figure(go.Box(x=[1], y=[1])), "svg", 900)


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_is_drawn_without_a_browser(sandbox: Sandbox, form: str) -> None:
    sandbox.environment["PATH"] = str(sandbox.folder)  # no browser here
    line = ("collective", "bcast", "-n", "4", "-s", "8:1MiB", "--algorithm", "binomial", "-o", f"times.{form}")
    ended = sandbox.orrery(*line)
    assert ended.code == 0, ended.err
    image = (sandbox.folder / f"times.{form}").read_bytes()
    assert image.startswith(b"<?xml" if form == "svg" else b"\x89PNG")
    assert b"Orrery" in image
    if form == "svg":
        assert {"bcast, 4 ranks", "binomial", "size", "8 B"} <= set(texts(image))
    assert sandbox.orrery(*line).code == 0  # its own file it replaces
    assert (sandbox.folder / f"times.{form}").read_bytes() == image
