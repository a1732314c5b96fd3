# SPDX-License-Identifier: BSD-3-Clause
"""A canvas for SVG elements, which keeps their bounding box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from orrery.words import markup

Point = tuple[float, float]

# Colours that readers with colour blindness can tell apart (Okabe and Ito 2008), on white.
NODE = "#0072B2"
SWITCH = "#E69F00"
CABLE = "#777777"
FAR = "#D55E00"
FRAME = "#bbbbbb"
INK = "#222222"
PAPER = "#ffffff"
_KINDS = {NODE: "node", SWITCH: "switch", CABLE: "cable", FAR: "far", FRAME: "frame", INK: "ink", PAPER: "paper"}
"""Class of elements with each colour: a page that the drawing is part of gives them its own."""


@dataclass
class Picture:
    """SVG elements and their bounding box. Coordinates in pixels, y downwards.

    `links` of an element: numbers of the links that it stands for, in its attribute `data-link`.
    """

    elements: list[str] = field(default_factory=list)
    left: float = math.inf
    top: float = math.inf
    right: float = -math.inf
    bottom: float = -math.inf

    @property
    def width(self) -> float:
        """Width of the bounding box; 0 if the picture is empty."""
        return max(0.0, self.right - self.left)

    @property
    def height(self) -> float:
        """Height of the bounding box; 0 if the picture is empty."""
        return max(0.0, self.bottom - self.top)

    def reach(self, x: float, y: float) -> None:
        """Extend the bounding box to a point."""
        self.left, self.right = min(self.left, x), max(self.right, x)
        self.top, self.bottom = min(self.top, y), max(self.bottom, y)

    def line(
        self,
        a: Point,
        b: Point,
        colour: str = CABLE,
        *,
        width: float = 1.0,
        bow: float = 0.0,
        links: Sequence[int] = (),
    ) -> None:
        """Draw a straight line, or with `bow` a quadratic curve whose control point is that many pixels off the line."""
        self.reach(*a)
        self.reach(*b)
        style = f'{_kind(colour)} stroke="{colour}" stroke-width="{width:.2g}" fill="none"{_data(links)}'
        if not bow:
            self.elements.append(f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" {style}/>')
            return
        length = math.dist(a, b) or 1.0
        middle = (a[0] + b[0]) / 2 + (b[1] - a[1]) / length * bow, (a[1] + b[1]) / 2 - (b[0] - a[0]) / length * bow
        self.reach(*middle)
        path = f"M{a[0]:.1f} {a[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
        self.elements.append(f'<path d="{path}" {style}/>')

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, *, title: str = "", links: Sequence[int] = ()
    ) -> None:
        """Draw a filled box, the upper left corner at (x, y). `title` is its tooltip."""
        self.reach(x, y)
        self.reach(x + width, y + height)
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="1.5"'
        shape = f'<rect {place} {_kind(fill)} fill="{fill}"{_data(links)}'
        self.elements.append(_titled(shape, "rect", title))

    def frame(self, x: float, y: float, width: float, height: float) -> None:
        """Draw the outline of a box, the upper left corner at (x, y)."""
        self.reach(x, y)
        self.reach(x + width, y + height)
        size = f'width="{width:.1f}" height="{height:.1f}"'
        self.elements.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" {size} rx="5" {_kind(FRAME)} fill="none" stroke="{FRAME}"/>'
        )

    def dot(self, centre: Point, radius: float, fill: str, title: str = "", links: Sequence[int] = ()) -> None:
        """Draw a filled circle. `title` is its tooltip."""
        self.reach(centre[0] - radius, centre[1] - radius)
        self.reach(centre[0] + radius, centre[1] + radius)
        place = f'cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" r="{radius:.1f}"'
        shape = f'<circle {place} {_kind(fill)} fill="{fill}"{_data(links)}'
        self.elements.append(_titled(shape, "circle", title))

    def words(self, x: float, y: float, text: str, size: float = 11.0, *, anchor: str = "middle") -> None:
        """Write a line of text, the baseline at `y`. `anchor`: SVG's text-anchor at `x`."""
        width = 0.56 * size * len(text)  # estimate: mean width of sans-serif letters
        start = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        self.reach(start, y - size)
        self.reach(start + width, y + 0.3 * size)
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"'
        self.elements.append(f'<text {place} {_kind(INK)} fill="{INK}">{markup(text)}</text>')

    def put(self, other: Picture, x: float, y: float) -> None:
        """Insert another picture, the upper left corner of its bounding box at (x, y)."""
        if not other.elements:
            return
        self.reach(x, y)
        self.reach(x + other.width, y + other.height)
        move = f'transform="translate({x - other.left:.1f} {y - other.top:.1f})"'
        self.elements += [f"<g {move}>", *other.elements, "</g>"]

    def svg(self, margin: float = 16.0) -> str:
        """The SVG document, with a margin in pixels around the bounding box."""
        width, height = self.width + 2 * margin, self.height + 2 * margin
        box = f"{self.left - margin:.1f} {self.top - margin:.1f} {width:.1f} {height:.1f}"
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="{box}"'
        place = f'x="{self.left - margin:.1f}" y="{self.top - margin:.1f}" width="100%" height="100%"'
        back = f'<rect {place} {_kind(PAPER)} fill="{PAPER}"/>'
        return "\n".join([f'{head} font-family="sans-serif">', back, *self.elements, "</svg>"]) + "\n"


def _kind(colour: str) -> str:
    return f'class="{_KINDS[colour]}"'


def _data(links: Sequence[int]) -> str:
    return f' data-link="{" ".join(map(str, links))}"' if links else ""


def _titled(shape: str, element: str, title: str) -> str:
    return f"{shape}><title>{markup(title)}</title></{element}>" if title else f"{shape}/>"
