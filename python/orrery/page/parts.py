# SPDX-License-Identifier: BSD-3-Clause
"""The parts of which pages are made. tools/page/src/parts/part.ts declares the same and draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from orrery.page.packing import Column

Unit = Literal["text", "ns", "s", "bytes", "bytes/s", "count", "share", "number"]
"""How a number is shown; shares are parts of 1."""


@dataclass(frozen=True, kw_only=True)
class TableColumn:
    """A column of a table."""

    name: str
    unit: Unit = "text"
    help: str | None = None
    """Shown when the mouse is over the name."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """What a link shows in the timeline."""

    rank: int
    begin_ns: int
    end_ns: int


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that sorts."""

    title: str
    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[object]]
    note: str | None = None
    most: int = 20
    """Rows shown at first."""
    bar: int | None = None
    """Number of the column whose values are bars as well."""
    spans: Sequence[Span] | None = None
    """For each row."""
    kind: str = "table"


@dataclass(frozen=True, kw_only=True)
class MatrixView:
    """Messages between ranks, or nodes, or cabinets; columns of one length, a row for each pair."""

    name: str
    size: int
    labels: Sequence[str]
    """Names of ranks or nodes; length `size`."""
    source: Column = field(metadata={"name": "from"})
    destination: Column = field(metadata={"name": "to"})
    value: Column
    count: Column


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Who sent how much to whom."""

    title: str
    unit: Unit
    row_name: str = field(metadata={"name": "from"})
    column_name: str = field(metadata={"name": "to"})
    views: Sequence[MatrixView]
    note: str | None = None
    kind: str = "matrix"


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis of a plot."""

    name: str
    unit: Unit
    log: bool = False


@dataclass(frozen=True, kw_only=True)
class Series:
    """A curve, or points, over the plot's values; NaN: there is none; infinity: the curve ends there, another begins."""

    name: str
    values: Column
    style: Literal["line", "points", "low", "high"] = "line"
    """`points`: put them last, as they are drawn over what stands before; `low`, then `high`: limits of a band."""
    dashed: bool = False
    notes: Sequence[str] = ()
    """A note for each value, shown while the mouse is on it; empty: there are no notes."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Curves over an axis."""

    title: str
    x: Axis
    y: Axis
    values: Column
    """On the axis x, ascending."""
    series: Sequence[Series]
    marks: Sequence[float] = ()
    """Where dashed vertical lines are, on the axis x."""
    note: str | None = None
    kind: str = "plot"


@dataclass(frozen=True, kw_only=True)
class Strips:
    """Rows of points on one axis: how far apart a few values of each thing are."""

    title: str
    unit: Unit
    axis: str
    """What is along the axis."""
    labels: Sequence[str]
    values: Sequence[Sequence[float]]
    """Points of each row; at least one."""
    mark: float | None = None
    """Where a vertical line is."""
    note: str | None = None
    kind: str = "strips"


@dataclass(frozen=True, kw_only=True)
class BarSeries:
    """One colour of stacked bars."""

    name: str
    colour: str
    """Name in page.css, such as `--state-wait`."""
    values: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Stacked bars."""

    title: str
    unit: Unit
    of: str
    """What a bar is, such as a routine."""
    labels: Sequence[str]
    series: Sequence[BarSeries]
    note: str | None = None
    kind: str = "bars"


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link of the drawn topology."""

    name: str
    rate: float
    """Bytes per second."""


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """How busy links are, on the drawn topology."""

    title: str
    svg: str
    """A drawing; what stands for links in it has `data-link`: their numbers in `links`, with spaces between."""
    end_ns: int
    """End of the run, in the last bucket."""
    bucket_ns: int
    buckets: int
    links: Sequence[Link]
    bytes: Column
    """By link, then bucket."""
    note: str | None = None
    kind: str = "fabric"


@dataclass(frozen=True, kw_only=True)
class LevelColumns:
    """States of ranks in buckets of one length; see `orrery.trace.timeline.Level`."""

    bucket_ns: int
    buckets: int
    cells: Column


@dataclass(frozen=True, kw_only=True)
class TimelinePart:
    """The interactive timeline; see `orrery.trace.timeline.Timeline`, from which `timeline_part` makes it."""

    title: str
    ranks: int
    end_ns: int
    complete: bool
    calls: int
    messages: int
    routines: dict[int, str]
    algorithms: dict[int, str]
    hosts: Sequence[str]
    levels: Sequence[LevelColumns]
    intervals: dict[str, Column]
    sent: dict[str, Column]
    path: dict[str, Column]
    waited_ns: Column
    """By rank."""
    caused_ns: Column
    ranks_of_first: int | None = field(default=None, metadata={"name": "ranksOfFirst"})
    """How many ranks are of the first run, where two runs are in one picture."""
    note: str | None = None
    kind: str = "timeline"


Part = Table | Matrix | Plot | Strips | Bars | Fabric | TimelinePart
