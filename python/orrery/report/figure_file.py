# SPDX-License-Identifier: BSD-3-Clause
"""Writing of figures to HTML, SVG and PNG files."""

from __future__ import annotations

import plotly.graph_objects as go  # type: ignore[import-untyped]

from orrery.marks import mark_page, mark_png, mark_svg
from orrery.output import Output

ENDINGS = (".html", ".svg", ".png")
"""Suffixes of the formats in which figures can be written."""
SECONDS = {"exponentformat": "SI", "minexponent": 0, "ticksuffix": "s"}
"""Properties of an axis of times: its ticks have units, such as 10 ms."""


def write_figure(figure: go.Figure, output: Output, width: int = 1000) -> None:
    """Write a figure in the format of the file's suffix: self-contained HTML, or an SVG or PNG image.

    `width`: of an image, in pixels. Raises InputError when the file cannot be written.
    """
    drawn = _drawn(figure, output, width)
    with output.partial() as partial:
        partial.write_bytes(drawn)


def _drawn(figure: go.Figure, output: Output, width: int) -> bytes:
    form = output.path.suffix.lower()
    if form == ".html":
        return mark_page(figure.to_html(include_plotlyjs=True, full_html=True)).encode()
    from orrery.report.picture.document import image_of

    image = image_of(figure, form.removeprefix("."), width)
    return mark_png(image) if form == ".png" else mark_svg(image.decode()).encode()
